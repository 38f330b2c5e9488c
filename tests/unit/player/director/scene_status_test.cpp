// What a scene shows, as those who ask are told: every field.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/status.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::wall;
using Json = nlohmann::json;
using test::at_ms;
using test::start;

namespace {

Region playing_region(SourcePtr source) {
  Region region = movie_region("main", std::move(source));
  region.timeline.start = start;
  return region;
}

Json status_of(const Region& region, GlobalInstant now, ListDetail lists = ListDetail::current) {
  Scene scene;
  scene.regions = {region};
  return scene_status_json(scene, now, lists).at("regions").at(0);
}

/// So many movies of ten frames, each with its number in its name.
SourcePtr list_of(std::size_t movies) {
  std::vector<PlaylistItem> items;
  for (std::size_t i = 0; i < movies; ++i)
    items.push_back({movie_source(20, "/movies/" + std::to_string(i)), 5, 15});
  items.front().title = "The first";
  return std::make_shared<const SourceSpec>(make_playlist(std::move(items)));
}

}  // namespace

TEST_CASE("the status of a region says all that was set of it", "[director]") {
  Region region = playing_region(movie_source(100, "/movies/a"));
  region.canvas_px = {10, 20, 300, 200};
  region.clip_px = RectF{11, 22, 33, 44};
  region.view = ViewPath{{0, 0, 1000, 500}, {100, 50, 400, 300}, start, Nanos(0)};
  region.timeline.first_frame = 3;
  region.timeline.end_frame = 90;
  region.timeline.start_frame = 4;
  region.timeline.loop = LoopMode::loop;
  region.timeline.rate_fps = {20, 1};
  region.speed = {2, 1};
  region.fit = FitMode::cover;
  region.opacity = scene::OpacityPath::at_rest(0.25);
  region.blend = BlendMode::difference;
  region.difference_gain = 7;
  region.group = "both";
  region.owner = "console";
  CHECK(status_of(region, at_ms(1000)) == Json{{"region", "main"},
                                               {"path", "/movies/a"},
                                               {"frame", 24},
                                               {"frames", 100},
                                               {"rate_fps", 20.0},
                                               {"base_fps", 10.0},
                                               {"speed", 2.0},
                                               {"direction", 1},
                                               {"paused", false},
                                               {"loop", "loop"},
                                               {"range", {3, 89}},
                                               {"canvas_px", {10.0, 20.0, 300.0, 200.0}},
                                               {"view_px", {100.0, 50.0, 400.0, 300.0}},
                                               {"clip_px", {11.0, 22.0, 33.0, 44.0}},
                                               {"fit", "cover"},
                                               {"opacity", 0.25},
                                               {"blend", "difference"},
                                               {"difference_gain", 7.0},
                                               {"group", "both"},
                                               {"owner", "console"}});
}

TEST_CASE("a status says which way a movie goes at that moment, and where its view is",
          "[director]") {
  Region region = playing_region(movie_source(11));
  region.timeline.loop = LoopMode::ping_pong;
  region.view = ViewPath{{0, 0, 100, 100}, {200, 40, 100, 100}, start, Nanos(1'000'000'000)};
  CHECK(status_of(region, at_ms(500)).at("direction") == 1);
  CHECK(status_of(region, at_ms(1500)).at("direction") == -1);
  CHECK(status_of(region, at_ms(1500)).at("frame") == 5);
  CHECK(status_of(region, at_ms(500)).at("view_px") == Json{100.0, 20.0, 100.0, 100.0});
  region.view.reset();
  region.timeline.rate_fps = {0, 1};
  const Json paused = status_of(region, at_ms(500));
  CHECK(paused.at("paused") == true);
  CHECK(paused.at("rate_fps") == 0.0);
  CHECK(paused.at("base_fps") == 10.0);
  CHECK(paused.at("view_px").is_null());
  CHECK(paused.at("clip_px").is_null());
  CHECK_FALSE(paused.contains("playlist"));
  CHECK_FALSE(paused.contains("volume"));
}

TEST_CASE("the status of a scene says what holds for all regions", "[director]") {
  Scene scene =
      first_scene({movie_region("a", movie_source(1)), movie_region("b", movie_source(1))});
  scene.version = 42;
  scene.bezels = BezelMode::hide;
  scene.content = ContentMode::eye;
  scene.blank = true;
  scene.panic = true;
  scene.frozen_at = start;
  scene.hints = false;
  scene.overlay.shown = true;
  scene.coarser_by = 2;
  scene.audio_gain = 0.5;
  scene.muted = true;
  Json json = scene_status_json(scene, start);
  REQUIRE(json.at("regions").size() == 2);
  CHECK(json.at("regions").at(0).at("region") == "a");
  CHECK(json.at("regions").at(1).at("region") == "b");
  json.erase("regions");
  CHECK(json == Json{{"version", 42},
                     {"bezels", "hide"},
                     {"content", "eye"},
                     {"blank", true},
                     {"panic", true},
                     {"frozen", true},
                     {"hints", false},
                     {"overlay", true},
                     {"coarser_by", 2},
                     {"volume", 0.5},
                     {"muted", true}});
  scene.bezels = BezelMode::show;
  CHECK(scene_status_json(scene, start).at("bezels") == "show");
}

TEST_CASE("the status of a playlist says which item is shown, and which frame of its movie",
          "[director]") {
  const Region region = playing_region(list_of(3));
  const Json first = status_of(region, at_ms(900)).at("playlist");
  CHECK(first == Json{{"item", 0},
                      {"items", 3},
                      {"name", "The first"},
                      {"title", "The first"},
                      {"path", "/movies/0"},
                      {"frame", 14}});
  const Json second = status_of(region, at_ms(1000), ListDetail::items).at("playlist");
  CHECK(second.at("item") == 1);
  CHECK(second.at("name") == "1");
  CHECK(second.at("title").is_null());
  CHECK(second.at("path") == "/movies/1");
  CHECK(second.at("frame") == 5);
  REQUIRE(second.at("list").size() == 3);
  CHECK(second.at("list").at(0) == Json{{"item", 0},
                                        {"name", "The first"},
                                        {"title", "The first"},
                                        {"path", "/movies/0"},
                                        {"first_frame", 0},
                                        {"frames", 10}});
  CHECK(second.at("list").at(2) == Json{{"item", 2},
                                        {"name", "2"},
                                        {"title", nullptr},
                                        {"path", "/movies/2"},
                                        {"first_frame", 20},
                                        {"frames", 10}});
}

TEST_CASE("of a long list the status names the thousand items around the current one",
          "[director]") {
  const Region region = playing_region(list_of(2500));
  const auto listed = [&](std::int64_t item) {  // a second for each
    const Json list =
        status_of(region, at_ms(1000 * item), ListDetail::items).at("playlist").at("list");
    REQUIRE(list.size() == 1000);
    CHECK(list.front().at("path") ==
          "/movies/" + std::to_string(list.front().at("item").get<int>()));
    return std::pair(list.front().at("item").get<int>(), list.back().at("item").get<int>());
  };
  CHECK(listed(0) == std::pair(0, 999));
  CHECK(listed(500) == std::pair(0, 999));
  CHECK(listed(501) == std::pair(1, 1000));
  CHECK(listed(1200) == std::pair(700, 1699));
  CHECK(listed(2000) == std::pair(1500, 2499));
  CHECK(listed(2499) == std::pair(1500, 2499));
  const Region whole = playing_region(list_of(1000));
  CHECK(status_of(whole, start, ListDetail::items).at("playlist").at("list").size() == 1000);
}

TEST_CASE("the status of a volume names its file, its camera and its transfer function",
          "[director]") {
  Region region = volume_region("main");
  SourceSpec spec = *region.source;
  spec.path = R"({"path": "/volumes/a.nrrd", "timestep": 0})";
  region.source = std::make_shared<const SourceSpec>(spec);
  region.timeline.start = start;
  VolumeLook look = usual_look(*region.source, region.canvas_px);
  look.camera.from.eye = look.camera.to.eye = {0, 0, 100};
  region.look = look;
  const Json shown = status_of(region, start);
  CHECK(shown.at("path") == "/volumes/a.nrrd");
  CHECK(shown.at("volume").at("camera") == to_json(look.camera.to));
  CHECK(shown.at("volume").at("style").at("transfer") == look.style.to->transfer.name);
  region.look.reset();
  CHECK(status_of(region, start).at("volume").at("camera") ==
        to_json(usual_look(*region.source, region.canvas_px).camera.at(start)));
  spec.path = "no JSON";
  region.source = std::make_shared<const SourceSpec>(spec);
  CHECK(status_of(region, start).at("path") == "no JSON");
}

TEST_CASE("one image is named itself, and several by their folder", "[director]") {
  SourceSpec spec;
  spec.kind = SourceKind::images;
  spec.path = "/data/img";
  spec.files = {"a1.png", "", "a3.png"};
  CHECK(shown_path(spec) == "/data/img");
  spec.files = {"b/a.png"};
  CHECK(shown_path(spec) == "/data/img/b/a.png");
}
