#include "player/volume/remote/remote_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "render/bricks/brick_ranges.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/volume/cell_ranges.hpp"
#include "sync/base/error.hpp"

namespace tilewall::volume {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds open_limit{20};    // above a reader's 10 s for opening a file
constexpr std::chrono::seconds range_limit{130};  // above a reader's 120 s for a window
constexpr std::chrono::milliseconds look_again{100};
constexpr std::chrono::milliseconds busy_pause{20};
// A server that is gone for less than this, such as one that is started again, is not reported.
constexpr Nanos gone_timeout = std::chrono::milliseconds(700);
constexpr std::size_t pieces_a_window = 8;
constexpr std::size_t most_fetched = 4;  // pieces in flight
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

net::RemoteUrl volume_url(const std::string& text) {
  net::RemoteUrl url = net::parse_remote_url(text);
  if (url.name.empty())
    throw InputError({text}, "name", "tilewall://HOST[:PORT]/NAME ('tilewall info' lists names)",
                     "none");
  if (url.name.size() > longest_volume_name)
    throw InputError({text}, "name", fmt::format("at most {} bytes", longest_volume_name),
                     fmt::format("{}", url.name.size()));
  return url;
}

std::string server_of(const net::RemoteUrl& url) {
  return fmt::format("{}{}/", net::remote_scheme, fmt::join(url.servers, ","));
}

Json asked(const char* type, const net::RemoteUrl& url, const render::VolumeOptions& options) {
  return {{"type", type}, {"name", url.name}, {"options", render::to_json(options)}};
}

render::VolumeInfo info_of(const Json& answer, const std::string& path) {
  const Json volume = answer.is_object() ? answer.value("volume", Json()) : Json();
  if (volume.is_null() && answer.is_object() && answer.contains("manifest"))
    throw InputError({path}, "", "a volume", "a movie, which 'tilewall play' shows");
  return render::volume_info_from_json(volume, path);
}

std::size_t chunk_bytes(const render::VolumeGrid& grid, render::VoxelType type) {
  auto bytes = static_cast<double>(render::bytes_of(type));
  const int size[] = {grid.size.x, grid.size.y, grid.size.z};
  for (std::size_t i = 0; i < 3; ++i) bytes *= std::min(grid.chunk[i], size[i]);
  return static_cast<std::size_t>(std::min(bytes, 1e15));
}

}  // namespace

/// The pieces of one box that are in flight, in the order of their requests. The destructor cancels
/// those that have not arrived.
class RemoteVolume::Fetch {
 public:
  explicit Fetch(net::SlabClient& client) : client_(client) {}
  ~Fetch() {
    std::vector<net::SlabClient::Ticket> tickets;
    for (const Asked& one : asked_) tickets.push_back(one.ticket);
    client_.cancel(std::move(tickets));
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return asked_.size(); }
  [[nodiscard]] const BoxRequest& first() const { return asked_.front().request; }
  void ask(BoxRequest request) {
    const auto ticket = client_.fetch(to_bytes(request));
    asked_.push_back({ticket, std::move(request)});
  }
  void ask_first_again() { asked_.front().ticket = client_.fetch(to_bytes(first())); }
  /// The first piece's slab, once; empty until it has arrived.
  [[nodiscard]] std::optional<net::SlabBuffer> take() {
    return client_.take(asked_.front().ticket);
  }
  void drop_first() { asked_.pop_front(); }

 private:
  struct Asked {
    net::SlabClient::Ticket ticket = 0;
    BoxRequest request;
  };
  net::SlabClient& client_;
  std::deque<Asked> asked_;
};

RemoteVolume::RemoteVolume(const std::string& text, const RemoteVolumeOptions& options)
    : volume_{volume_url(text).name, options.volume},
      server_(server_of(volume_url(text))),
      path_(server_ + volume_.name),
      window_bytes_(options.window_bytes) {
  const net::RemoteUrl url = volume_url(text);
  net::RemoteConnection how;
  how.keep_bytes = window_bytes_ / pieces_a_window + huge_page_bytes;
  how.party = options.party;
  client_ = net::connect_remote(url, how);
  info_ = info_of(client_->call(asked("open", url, options.volume), open_limit), path_);
}

RemoteVolume::~RemoteVolume() = default;

std::string RemoteVolume::trouble() const {
  const std::scoped_lock lock(mutex_);
  return waits_ ? path_ + ": its server is gone; the picture stays until it is back" : "";
}

void RemoteVolume::note_trouble(bool waits) {
  const std::scoped_lock lock(mutex_);
  waits_ = waits;
}

/// Size of a piece: a part of the window, so that several can be in flight, but a whole chunk if
/// that is larger and fits.
std::size_t RemoteVolume::piece_bytes(const render::VolumeGrid& grid) const noexcept {
  const std::size_t usual = usual_piece_bytes();
  const std::size_t chunk = chunk_bytes(grid, info_.type);
  const std::size_t piece = chunk > usual && chunk <= window_bytes_ / 3 ? chunk : usual;
  return std::min(piece, largest_box_bytes);
}

void RemoteVolume::read_box(int grid, int timestep, const render::GridBox& box,
                            const render::VoxelTarget& into, const std::stop_token& stop) {
  const LocalInstant began = local_now();
  const render::VolumeGrid from = info_.grid(grid);
  const auto voxel = static_cast<std::size_t>(render::bytes_of(info_.type));
  const auto place = [&](const render::GridBox& came, std::span<const std::byte> voxels) {
    render::place_piece(voxels.data(), came, box, voxel, into);
    read_bytes_ += voxels.size();
  };
  std::ignore = fetch({volume_, timestep, grid, from.size, info_.type, box}, from.chunk,
                      piece_bytes(from), place, stop);
  work_.bricks += render::bricks_in(box, info_.grid(grid));
  work_.file_ns += static_cast<std::uint64_t>((local_now() - began).count());
}

std::optional<render::CellPairs> RemoteVolume::read_cells(int grid, int timestep,
                                                          const std::stop_token& stop) {
  if (info_.type != render::VoxelType::u8) return std::nullopt;
  const render::VolumeGrid from = info_.grid(grid);
  render::CellPairs cells;
  cells.side = render::cell_side_of(from.size);
  const render::VolumeSize count = render::reduced_size(from.size, cells.side);
  cells.count = {count.x, count.y, count.z};
  std::array<int, 3> brick = {};
  for (std::size_t i = 0; i < 3; ++i) brick[i] = std::max(from.chunk[i] / cells.side, 1);
  const render::GridBox all = render::whole_box(count);
  const auto row = static_cast<std::size_t>(count.x);
  const auto place = [&](const render::GridBox& came, std::span<const std::byte> pairs) {
    cells.least.resize(count.voxels());  // only now: most volumes have no cell ranges
    cells.greatest.resize(count.voxels());
    const std::size_t half = pairs.size() / cell_pair_bytes;
    for (auto* const into : {&cells.least, &cells.greatest})
      render::place_piece(pairs.data() + (into == &cells.least ? 0 : half), came, all, 1,
                          {reinterpret_cast<std::byte*>(into->data()), row,
                           row * static_cast<std::size_t>(count.y)});
  };
  const Fetched fetched = fetch({volume_, timestep, grid, from.size, info_.type, all, cells.side},
                                brick, usual_piece_bytes(), place, stop);
  if (fetched != Fetched::all) return std::nullopt;
  cells.stored = render::range_of(cells);
  if (cells.stored.empty())
    throw InputError({path_}, "ranges of cells", "least numbers that are not above the greatest",
                     "others");
  return cells;
}

std::size_t RemoteVolume::usual_piece_bytes() const noexcept {
  return std::min(window_bytes_ / pieces_a_window, largest_box_bytes);
}

RemoteVolume::Fetched RemoteVolume::fetch(const BoxRequest& whole, const std::array<int, 3>& unit,
                                          std::size_t most, const Place& place,
                                          const std::stop_token& stop) {
  const std::size_t unit_bytes = whole.cell_side > 0
                                     ? cell_pair_bytes
                                     : static_cast<std::size_t>(render::bytes_of(whole.type));
  // Pieces in flight take up to 3/4 of the window, because the client keeps buffers of another 1/8
  // (keep_bytes) for the pieces that come next.
  const std::size_t at_once =
      std::clamp<std::size_t>(window_bytes_ * 3 / 4 / most, 1, most_fetched);
  render::BoxPieces pieces(whole.box, unit, unit_bytes, most);
  Fetch fetch(*client_);
  LocalInstant heard = local_now();
  for (auto piece = pieces.next(); piece || fetch.size() > 0;) {
    for (; piece && fetch.size() < at_once; piece = pieces.next()) {
      BoxRequest request = whole;
      request.box = *piece;
      fetch.ask(std::move(request));
    }
    // Read the count of arrivals before looking for the slab: one that arrives in between would
    // otherwise be waited for until the timeout.
    const std::uint64_t known = client_->news();
    auto slab = fetch.take();
    if (stop.stop_requested()) {
      note_trouble(false);
      return Fetched::stopped;
    }
    if (!slab) {
      // The client reconnects and sends the requests again by itself, so go on waiting. A show must
      // not lose its volume because a server is started again.
      const bool gone = !client_->status().connected;
      note_trouble(gone && local_now() - heard > gone_timeout);
      client_->wait_for_news(known, local_now() + look_again);
      continue;
    }
    heard = local_now();
    note_trouble(false);
    const render::GridBox& came = fetch.first().box;
    const BoxAnswer answer = parse_box_answer(slab->bytes(), box_bytes(fetch.first()));
    switch (answer.status) {
      case BoxAnswerStatus::found:
        place(came, answer.voxels);
        fetch.drop_first();
        break;
      case BoxAnswerStatus::busy:
        std::this_thread::sleep_for(busy_pause);
        fetch.ask_first_again();
        break;
      case BoxAnswerStatus::changed:
        // Do not mix pieces of two volumes; the owner has to open the volume again.
        lost_ = true;
        throw InputError({path_}, "", "the volume that was opened", "another one in its place");
      case BoxAnswerStatus::unknown:
        if (whole.cell_side > 0) return Fetched::unknown;
        [[fallthrough]];
      case BoxAnswerStatus::failed:
        throw InputError(answer.line.empty() ? path_ + ": its server cannot read it"
                                             : server_ + answer.line);
    }
    client_->give_back(std::move(*slab));
  }
  return Fetched::all;
}

RemoteValues remote_values(const std::string& text, const render::VolumeOptions& options) {
  const net::RemoteUrl url = volume_url(text);
  const Json answer = net::connect_remote(url)->call(asked("range", url, options), range_limit);
  const Json range = answer.is_object() ? answer.value("range", Json()) : Json();
  const Json count = answer.is_object() ? answer.value("not_positive", Json()) : Json();
  RemoteValues values;
  if (count.is_number_unsigned()) values.not_positive = count.get<std::int64_t>();
  if (range.is_null()) return values;
  if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
    throw InputError({server_of(url) + url.name}, "range", "two numbers", "something else");
  values.range = {range[0].get<float>(), range[1].get<float>()};
  return values;
}

}  // namespace tilewall::volume
