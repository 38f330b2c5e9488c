// What panels and the director send each other about snapshots.

#include "player/scene/snapshot_messages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using Json = nlohmann::json;

TEST_CASE("a snapshot is named by its order's number, or by a frame where it has none", "[scene]") {
  CHECK(snapshot_done_message({1, 0}) == Json({{"type", "snapshot_done"}, {"number", 1}}));
  CHECK(snapshot_done_message({0, 7}) == Json({{"type", "snapshot_done"}, {"wanted_frame", 7}}));
  for (const SnapshotName name : {SnapshotName{1, 0}, SnapshotName{0, 0}, SnapshotName{0, 9}}) {
    const SnapshotName back = snapshot_name_from_json(snapshot_done_message(name));
    CHECK(back.number == name.number);
    CHECK(back.wanted_frame == name.wanted_frame);
  }
  CHECK_THROWS_AS(snapshot_name_from_json({{"number", 0}}), InputError);
  CHECK_THROWS_AS(snapshot_name_from_json({{"frame", 1}}), InputError);
}

TEST_CASE("a snapshot's bands and its end come back as they were", "[scene]") {
  const Json band = to_json(SnapshotBand{{3, 0}, 16, 8});
  CHECK(band == Json({{"type", "snapshot_band"}, {"number", 3}, {"first_row", 16}, {"rows", 8}}));
  const SnapshotBand band_back = snapshot_band_from_json(band);
  CHECK(band_back.name.number == 3);
  CHECK(band_back.first_row == 16);
  CHECK(band_back.rows == 8);
  for (const char* const field : {"first_row", "rows"})
    for (const std::int64_t wrong : {std::int64_t{-1}, (std::int64_t{1} << 20) + 1}) {
      Json bad = band;
      bad[field] = wrong;
      CHECK_THROWS_AS(snapshot_band_from_json(bad), InputError);
    }
  const Json taken = to_json(TakenSnapshot{{0, 5}, 6, 7, 8, {640, 480}});
  const TakenSnapshot taken_back = taken_snapshot_from_json(taken);
  CHECK(taken_back.name.wanted_frame == 5);
  CHECK(taken_back.shown_frame == 6);
  CHECK(taken_back.epoch == 7);
  CHECK(taken_back.tick == 8);
  CHECK(taken_back.size_px == SizePx{640, 480});
  Json flat = taken;
  flat["size_px"] = {640};
  CHECK_THROWS_AS(taken_snapshot_from_json(flat), InputError);
}
