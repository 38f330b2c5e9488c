#include "player/director/snapshots/snapshot_bands.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

// 64 MB/s: the 15 pictures of a wall of 61 million pixels take 4 s, and the processors of director
// and panels are left to the show.
constexpr std::int64_t ns_per_1000_bytes = 15'625;
// Requests may be so late: a turn of the director takes up to 20 ms.
constexpr std::chrono::milliseconds longest_turn{20};
constexpr std::chrono::seconds band_stall_limit{1};

}  // namespace

std::size_t SnapshotBands::Picture::row_bytes() const noexcept {
  return std::size_t{4} * static_cast<std::size_t>(taken.size_px.width);
}

int SnapshotBands::Picture::band_rows() const noexcept {
  return static_cast<int>(std::max<std::size_t>(1, band_bytes / row_bytes()));
}

int SnapshotBands::Picture::rows_on_the_way() const noexcept {
  return std::max(0, asked_rows - taken_rows);
}

bool SnapshotBands::Picture::stalls(LocalInstant now) const noexcept {
  return rows_on_the_way() > 0 && now - moved_at > band_stall_limit;
}

void SnapshotBands::add(std::size_t panel, const scene::TakenSnapshot& taken) {
  const bool is_known = std::ranges::any_of(pictures_, [&](const Picture& picture) {
    return picture.panel == panel && picture.taken.name == taken.name;
  });
  if (!is_known) pictures_.push_back({panel, taken, {}, 0, 0, {}});
}

bool SnapshotBands::may_ask(const Picture& picture, LocalInstant now) const noexcept {
  const int bands = (picture.rows_on_the_way() + picture.band_rows() - 1) / picture.band_rows();
  return picture.asked_rows < picture.taken.size_px.height &&
         std::cmp_less(bands, bands_of_panel) && next_at_ <= now;
}

SnapshotBands::Request SnapshotBands::ask(Picture& picture, LocalInstant now) {
  const int rows = std::min(picture.band_rows(), picture.taken.size_px.height - picture.asked_rows);
  const Request request{picture.panel, {picture.taken.name, picture.asked_rows, rows}};
  picture.asked_rows += rows;
  picture.moved_at = now;
  const auto bytes = static_cast<std::int64_t>(picture.row_bytes()) * rows;
  next_at_ = next_at_ + Nanos(bytes * ns_per_1000_bytes / 1000);
  return request;
}

std::vector<SnapshotBands::Request> SnapshotBands::next(LocalInstant now) {
  std::vector<Request> requests;
  next_at_ = std::max(next_at_, now - longest_turn);
  std::size_t panels = 0;
  for (Picture& picture : pictures_) {
    if (picture.stalls(now)) continue;  // others need not wait for it
    if (panels++ == panels_at_once) break;
    while (may_ask(picture, now)) requests.push_back(ask(picture, now));
  }
  return requests;
}

std::optional<SnapshotBands::Fetched> SnapshotBands::take(std::size_t panel,
                                                          const scene::SnapshotBand& band,
                                                          const std::vector<std::uint8_t>& rows,
                                                          LocalInstant now) {
  const auto found = std::ranges::find_if(pictures_, [&](const Picture& picture) {
    return picture.panel == panel && picture.taken.name == band.name;
  });
  if (found == pictures_.end()) return std::nullopt;
  Picture& picture = *found;
  picture.moved_at = now;
  if (band.rows == 0) {  // the panel has dropped it
    pictures_.erase(found);
    return std::nullopt;
  }
  const std::size_t row_bytes = picture.row_bytes();
  if (band.rows > picture.taken.size_px.height - band.first_row ||
      rows.size() != row_bytes * static_cast<std::size_t>(band.rows))
    throw InputError({"message"}, "rows", "rows of the picture and their pixels",
                     std::to_string(band.rows));
  if (picture.pixels.empty())
    picture.pixels.resize(row_bytes * static_cast<std::size_t>(picture.taken.size_px.height));
  // A panel that ends sends the whole picture at once, so bands may come twice.
  std::ranges::copy(
      rows, picture.pixels.begin() + static_cast<std::ptrdiff_t>(row_bytes) * band.first_row);
  if (band.first_row <= picture.taken_rows)
    picture.taken_rows = std::max(picture.taken_rows, band.first_row + band.rows);
  if (picture.taken_rows < picture.taken.size_px.height) return std::nullopt;
  Fetched fetched{picture.taken, std::move(picture.pixels)};
  pictures_.erase(found);
  return fetched;
}

void SnapshotBands::drop(const scene::SnapshotName& name) {
  std::erase_if(pictures_, [&](const Picture& picture) { return picture.taken.name == name; });
}

void SnapshotBands::leave(std::size_t panel) {
  std::erase_if(pictures_, [&](const Picture& picture) { return picture.panel == panel; });
}

}  // namespace tilewall::director
