// How rates are judged, and measured on a movie of the test's own.

#include "player/survey/media_rates.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "player/movie/frames/manifest.hpp"
#include "player/survey/survey_plan.hpp"
#include "sync/base/error.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::survey;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

SurveyCheck judged(double frames, double seconds, Rational fps) {
  SurveyCheck check;
  judge_rate(check, {frames, seconds, frames * 1000}, fps,
             [](double per_second) { return std::to_string(static_cast<int>(per_second)); });
  return check;
}

/// A movie of 256x96 px, of which one panel of 64x48 px shows the upper left part.
MediaSubject corner_of(const fs::path& movie) {
  MediaSubject media;
  media.kind = MediaKind::wall_movie;
  media.path = movie;
  media.end_frame = 3;
  media.views = {{{{0, 0, 256, 96}, {0, 0, 256, 96}}, {64, 48}}};
  media.time = std::chrono::milliseconds(20);
  return media;
}

}  // namespace

TEST_CASE("a rate is green with room to spare, amber when it just does, else red", "[survey]") {
  CHECK(judged(60, 2, {24, 1}).light == Light::green);  // 30 frames/s
  CHECK(judged(56, 2, {24, 1}).light == Light::amber);  // 28
  CHECK(judged(48, 2, {24, 1}).light == Light::amber);  // 24
  CHECK(judged(47, 2, {24, 1}).light == Light::red);    // 23.5
  CHECK(judged(1, 9, {0, 1}).light == Light::green);    // a still
  const SurveyCheck check = judged(60, 2, {24, 1});
  CHECK(check.rate_ratio == 1.25);
  CHECK(judged(1, 9, {0, 1}).rate_ratio == std::nullopt);
  CHECK(check.expected == "24000, 24 frames/s");
  CHECK(check.found == "30000, 30.0 frames/s");
  CHECK(check.text == "30000, 1.2 times what 24 frames/s need");
}

TEST_CASE("reading and decoding of a wall movie's own blocks are measured", "[survey]") {
  const TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {256, 96}, 3);
  MediaSubject media = corner_of(folder / "movie");
  media.fps = {1, 1'000'000};
  const std::vector<SurveyCheck> checks = measure_media(media);
  REQUIRE(checks.size() == 2);
  CAPTURE(checks[0].text, checks[1].text);
  CHECK(checks[0].kind == CheckKind::read);
  // Where the page cache cannot be dropped, as on a file system in memory, it is not cold.
  CHECK((checks[0].light == Light::green || checks[0].light == Light::not_measured));
  CHECK(checks[1].kind == CheckKind::decode);
  CHECK(checks[1].light == Light::green);

  media.fps = {1'000'000'000, 1};
  for (const SurveyCheck& check : measure_media(media)) CHECK(check.light == Light::red);
}

TEST_CASE("what stays in the page cache is not measured, unless it is too slow even so",
          "[survey]") {
  if (!fs::is_directory("/dev/shm")) {
    WARN("skipped: there is no file system in memory");
    return;
  }
  const test::ScopedEnvironment in_memory("TMPDIR", "/dev/shm");
  const TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {256, 96}, 3);
  MediaSubject media = corner_of(folder / "movie");
  const auto reading = [&](Rational fps) {
    media.fps = fps;
    return measure_media(media).front();
  };
  const SurveyCheck slow = reading({1, 1000});
  CHECK(slow.light == Light::not_measured);
  CHECK(slow.text.starts_with("not measured cold"));
  CHECK(reading({1'000'000'000, 1}).light == Light::red);
}

TEST_CASE("a movie that panels of this host do not show is not measured", "[survey]") {
  const TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {256, 96}, 3);
  MediaSubject media = corner_of(folder / "movie");
  media.views.front().placement.picture_px.x = 1000;  // beside the panel
  for (const SurveyCheck& check : measure_media(media)) {
    CHECK(check.light == Light::not_measured);
    CHECK(check.text == "the panels of this host show nothing of it");
  }
}

TEST_CASE("a movie without its frames is an error that names the file", "[survey]") {
  const TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {256, 96}, 3);
  const fs::path frame = folder / "movie" / movie::frame_file_name(0);
  fs::remove(frame);
  CHECK_THROWS_WITH(measure_media(corner_of(folder / "movie")), Catch::Contains(frame.string()));
}

TEST_CASE("a plan asks each host for what its panels show", "[survey]") {
  const TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {1280, 480}, 3);
  const wall::Wall wall = wall::load_wall(test::source_path("wallconfigs/mini-5x3.toml"));
  PlanOptions options;
  options.headless = true;
  SurveyPlan plan(wall, options);
  scene::SourceSpec source;
  source.kind = scene::SourceKind::wall_movie;
  source.path = folder / "movie";
  source.size_px = {1280, 480};
  source.frames = 3;
  source.fps = {25, 1};
  scene::Region region;
  region.canvas_px = wall::Canvas(wall, wall.default_bezel_mode()).panel_rect_px(0);
  region.source = std::make_shared<const scene::SourceSpec>(source);
  plan.add_region(region, "cue 1");
  plan.add_region(region, "cue 1");  // once more: nothing new

  const SurveyRequest first = plan.request_for({0, 5}, "127.0.0.1:7");
  REQUIRE(first.files.size() == 1);
  CHECK(first.files[0].facts.files == 4);  // with the manifest
  CHECK(first.files[0].label == "cue 1");
  REQUIRE(first.media.size() == 1);
  CHECK(first.media[0].views.size() == 1);  // panel 0 alone shows the region
  CHECK(first.media[0].end_frame == 3);
  CHECK(first.media[0].fps == Rational{25, 1});
  CHECK(first.memory_bytes == 2 * panel_bytes);
  CHECK(first.displays.empty());
  CHECK(first.omitted.size() == 1);
  CHECK(first.clock->daemons == "127.0.0.1:7");
  const SurveyRequest second = plan.request_for({7}, "");
  CHECK(second.media.at(0).views.empty());
  CHECK(!second.clock);
  CHECK(request_from_json(to_json(first)) == first);

  source.frames = 1;
  region.source = std::make_shared<const scene::SourceSpec>(source);
  plan.add_region(region, "cue 2");
  const SurveyRequest with_still = plan.request_for({0}, "");
  REQUIRE(with_still.media.size() == 2);
  CHECK(with_still.media[1].label == "cue 2");
  CHECK(with_still.media[1].fps == Rational{0, 1});  // a still needs no rate

  region.source = std::make_shared<const scene::SourceSpec>([&] {
    source.path = folder / "absent";
    return source;
  }());
  CHECK_THROWS_AS(plan.add_region(region), InputError);
}
