// Late policy "lower": a wall that cannot keep up shows less detail, on all panels at once.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx wall_px = {320, 192};
constexpr SizePx panel_px = {160, 96};
constexpr int frames = 96;
constexpr std::pair<const char*, PointPx> panels[] = {
    {"c0r0", {0, 0}}, {"c1r0", {160, 0}}, {"c0r1", {0, 96}}, {"c1r1", {160, 96}}};

/// While it lives, programs that are started take 400 ms for so many bytes of a movie's frames.
class SlowBytes {
 public:
  explicit SlowBytes(std::uintmax_t bytes)
      : ns_per_byte_("TILEWALL_TEST_READ_NS_PER_BYTE", std::to_string(400'000'000 / bytes)) {}

 private:
  const ScopedEnvironment preload_{"LD_PRELOAD", preload_path(TILEWALL_SLOW_DISK)};
  const ScopedEnvironment ns_per_byte_;
};

std::vector<nlohmann::json> events_of(const nlohmann::json& report, const std::string& cause) {
  std::vector<nlohmann::json> events;
  for (const auto& event : report.at("late_events"))
    if (event.at("cause") == cause) events.push_back(event);
  return events;
}

/// Which frames the panel showed, and whether in full detail.
std::map<std::int64_t, bool> detail_on(const nlohmann::json& report, const char* panel,
                                       PointPx at) {
  std::map<std::int64_t, bool> detail;
  for (const ShownHash& shown : shown_by(report, panel))
    detail[shown.frame] =
        shown.hash == hex(hash_of(cropped(numbered_picture(wall_px, shown.frame), at, panel_px)));
  return detail;
}

}  // namespace

TEST_CASE("late policy lower: all panels go down a level together, and keep up", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, frames);
  const SlowBytes disk(fs::file_size(folder / "movie" / "frame-000000.tif"));
  const Show show = play_show(folder / "movie", "two-by-two.toml", {"--late", "lower"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);

  const auto down = events_of(show.report, "level down");
  CAPTURE(show.report.at("late_events").dump());
  REQUIRE_FALSE(down.empty());
  CHECK(down.front().at("policy") == "lower");
  CHECK(down.front().at("panel").is_string());
  CHECK(down.front().at("level") == 1);
  CHECK_FALSE(events_of(show.report, "decode").empty());
  CHECK(show.report.at("damaged_frames") == 0);

  std::map<std::int64_t, bool> wall;
  int coarse = 0;
  for (const auto& [panel, at] : panels)
    for (const auto& [frame, is_full] : detail_on(show.report, panel, at)) {
      CAPTURE(panel, frame);
      CHECK(wall.try_emplace(frame, is_full).first->second == is_full);
      coarse += is_full ? 0 : 1;
    }
  CHECK(coarse > 0);
}

TEST_CASE("late policy lower says where nothing is coarser", "[play]") {
  const Show show =
      play_show("pattern:count", "two-by-two.toml", {"--late", "lower", "--frames", "6"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.program.err.find("late policy lower: the sources on the wall have no coarser level") !=
        std::string::npos);
}
