// Panels' pictures for snapshots, fetched in bands: how much is on its way, and that the pictures
// are whole.

#include "player/director/snapshots/snapshot_bands.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <set>
#include <vector>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;

namespace {
namespace snapshot_bands_test {

constexpr std::size_t most_on_the_way =
    SnapshotBands::panels_at_once * SnapshotBands::bands_of_panel * SnapshotBands::band_bytes;

scene::TakenSnapshot taken_picture(SizePx size_px, std::uint64_t number = 1) {
  return {{number, 0}, 12, 3, 40, size_px};
}

/// Pixels that differ from panel to panel and from row to row.
std::vector<std::uint8_t> rows_of(std::size_t panel, SizePx size_px, int first_row, int rows) {
  std::vector<std::uint8_t> pixels;
  for (int row = first_row; row < first_row + rows; ++row)
    pixels.insert(pixels.end(), std::size_t{4} * static_cast<std::size_t>(size_px.width),
                  static_cast<std::uint8_t>(static_cast<int>(panel) * 31 + row));
  return pixels;
}

/// Bytes of bands that were asked for and have not come.
std::size_t bytes_of(const std::deque<SnapshotBands::Request>& asked, SizePx size_px) {
  std::size_t rows = 0;
  for (const SnapshotBands::Request& request : asked)
    rows += static_cast<std::size_t>(request.band.rows);
  return rows * 4 * static_cast<std::size_t>(size_px.width);
}

}  // namespace snapshot_bands_test

using namespace snapshot_bands_test;

}  // namespace

TEST_CASE("a wall's pictures come whole, with few bytes on their way and at a limited rate",
          "[director]") {
  constexpr SizePx size_px{2560, 1600};
  constexpr std::size_t panels = 15;
  SnapshotBands bands;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    bands.add(panel, taken_picture(size_px));
    bands.add(panel, taken_picture(size_px));  // told again: it is fetched once
  }
  std::deque<SnapshotBands::Request> asked;
  std::set<std::size_t> whole;
  std::size_t bytes = 0;
  LocalInstant now{1s};
  const LocalInstant began = now;
  while (!bands.empty()) {
    for (const SnapshotBands::Request& request : bands.next(now)) asked.push_back(request);
    REQUIRE(bytes_of(asked, size_px) <= most_on_the_way);
    std::set<std::size_t> busy;
    for (const SnapshotBands::Request& request : asked) busy.insert(request.panel);
    REQUIRE(busy.size() <= SnapshotBands::panels_at_once);
    now = now + 1ms;
    if (asked.empty()) continue;
    const auto [panel, band] = asked.front();
    asked.pop_front();
    const auto rows = rows_of(panel, size_px, band.first_row, band.rows);
    REQUIRE(rows.size() <= SnapshotBands::band_bytes);
    bytes += rows.size();
    if (const auto fetched = bands.take(panel, band, rows, now)) {
      CHECK(fetched->taken == taken_picture(size_px));
      CHECK(fetched->pixels == rows_of(panel, size_px, 0, size_px.height));
      CHECK(whole.insert(panel).second);
    }
  }
  CHECK(whole.size() == panels);
  CHECK(bytes == panels * 4 * 2560 * 1600);
  CHECK(asked.empty());
  const double seconds = std::chrono::duration<double>(now - began).count();
  CHECK(static_cast<double>(bytes) / seconds < 66e6);
}

TEST_CASE("panels that hang do not keep others from being fetched", "[director]") {
  constexpr SizePx size_px{256, 256};
  SnapshotBands bands;
  for (std::size_t panel = 0; panel < 5; ++panel) bands.add(panel, taken_picture(size_px));
  LocalInstant now{1s};
  CHECK(bands.next(now).size() == 3);
  CHECK(bands.next(now + 500ms).empty());
  now = now + 2s;
  const auto others = bands.next(now);
  REQUIRE(others.size() == 2);
  CHECK(others[0].panel == 3);
  for (const auto& [panel, band] : others)
    CHECK(bands.take(panel, band, rows_of(panel, size_px, 0, 256), now));
  bands.leave(0);
  bands.leave(1);
  CHECK_FALSE(bands.empty());
  bands.drop({2, 0});
  CHECK_FALSE(bands.empty());
  bands.drop({1, 0});
  CHECK(bands.empty());
}

TEST_CASE("a panel that ends sends its whole picture at once, also when a part has come",
          "[director]") {
  constexpr SizePx size_px{2560, 100};
  SnapshotBands bands;
  bands.add(0, taken_picture(size_px));
  const LocalInstant now{1s};
  const auto asked = bands.next(now);
  REQUIRE(asked.size() == 2);
  const scene::SnapshotBand first = asked[0].band;
  CHECK_FALSE(bands.take(0, first, rows_of(0, size_px, first.first_row, first.rows), now));
  const auto fetched = bands.take(0, {{1, 0}, 0, 100}, rows_of(0, size_px, 0, 100), now);
  REQUIRE(fetched);
  CHECK(fetched->pixels == rows_of(0, size_px, 0, 100));
  CHECK(bands.empty());
  // What comes later is of no picture any longer.
  CHECK_FALSE(bands.take(0, first, rows_of(0, size_px, first.first_row, first.rows), now));
}

TEST_CASE("bands that do not fit their picture are refused, one without rows ends it",
          "[director]") {
  constexpr SizePx size_px{4, 8};
  SnapshotBands bands;
  bands.add(0, taken_picture(size_px));
  const LocalInstant now{1s};
  REQUIRE(bands.next(now).size() == 1);
  CHECK_THROWS_AS(bands.take(0, {{1, 0}, 0, 9}, rows_of(0, size_px, 0, 9), now), InputError);
  CHECK_THROWS_AS(bands.take(0, {{1, 0}, 7, 2}, rows_of(0, size_px, 7, 2), now), InputError);
  CHECK_THROWS_AS(bands.take(0, {{1, 0}, 0, 8}, rows_of(0, size_px, 0, 7), now), InputError);
  CHECK_THROWS_AS(bands.take(0, {{1, 0}, 100, 1}, rows_of(0, size_px, 0, 1), now), InputError);
  CHECK_FALSE(bands.take(1, {{1, 0}, 0, 8}, rows_of(0, size_px, 0, 8), now));
  CHECK_FALSE(bands.take(0, {{1, 0}, 0, 0}, {}, now));
  CHECK(bands.empty());
}

TEST_CASE("a panel that sends one of its bands is asked for the next, however long that took",
          "[director]") {
  constexpr SizePx size_px{2560, 1600};
  SnapshotBands bands;
  bands.add(0, taken_picture(size_px));
  LocalInstant now{1s};
  const std::vector<SnapshotBands::Request> asked = bands.next(now);
  REQUIRE(asked.size() == SnapshotBands::bands_of_panel);
  const bool comes = GENERATE(false, true);
  now = now + 1s;  // after which one that sends nothing is not asked
  const scene::SnapshotBand& band = asked[0].band;
  if (comes) CHECK_FALSE(bands.take(0, band, rows_of(0, size_px, band.first_row, band.rows), now));
  CHECK(bands.next(now + 1ns).empty() == !comes);
}
