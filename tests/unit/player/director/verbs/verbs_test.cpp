// Requests of the control port that change the scene: what each of their fields does, and which
// values are refused.

#include "player/director/verbs/verbs.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using test::at_ms;
using Json = nlohmann::json;

namespace {
namespace verbs_test {

/// Two panels of 100x50 px and 1 px/mm, with 10 mm of bezels between them.
wall::Wall two_panels() {
  return wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 50]\nsize_mm = [100, 50]\nbezel_mm = 5\n");
}

/// A show of a movie of 100 frames at 10 fps, at its frame 10, with others above it.
struct Show {
  explicit Show(std::vector<Region> others = {}) {
    std::vector<Region> regions = {movie_region("main", movie_source(100))};
    for (Region& other : others) regions.push_back(std::move(other));
    for (Region& region : regions) region.timeline.start = test::start;
    scene = first_scene(std::move(regions));
    scene.since = test::start;
  }

  /// Makes the scene after the request.
  const Scene& ask(const Json& request) {
    SceneChange change(scene, at_ms(1000), Nanos(0));
    command_of(request, wall)(change);
    return scene = change.finish();
  }
  std::string refusal(const Json& request) {
    try {
      ask(request);
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  }
  [[nodiscard]] Region& main() { return scene.regions[0]; }
  [[nodiscard]] std::int64_t frame() const {
    return scene.regions[0].timeline.frame_at(at_ms(1000));
  }

  wall::Wall wall = two_panels();
  Scene scene;
};

Region playlist_region() {
  std::vector<PlaylistItem> items;
  for (const char* const name : {"a", "b", "c"})
    items.push_back({movie_source(10, std::string("/movies/") + name), 0, 10});
  return movie_region("list", std::make_shared<const SourceSpec>(make_playlist(std::move(items))));
}

}  // namespace verbs_test
}  // namespace

using namespace verbs_test;

TEST_CASE("a movie plays, pauses and steps on request", "[director][verbs]") {
  Show show;
  CHECK(show.ask({{"type", "pause"}}).regions[0].timeline.paused());
  CHECK(show.frame() == 10);
  CHECK(show.ask({{"type", "pause"}}).regions[0].timeline.paused());
  CHECK_FALSE(show.ask({{"type", "play"}}).regions[0].timeline.paused());
  CHECK(show.ask({{"type", "toggle_pause"}}).regions[0].timeline.paused());
  CHECK_FALSE(show.ask({{"type", "toggle_pause"}}).regions[0].timeline.paused());
  show.ask({{"type", "step"}});
  CHECK(show.main().timeline.paused());
  CHECK(show.frame() == 11);
  show.ask({{"type", "step"}, {"by", -4}});
  CHECK(show.frame() == 7);
}

TEST_CASE("a seek names one place, in frames or seconds", "[director][verbs]") {
  const auto frame_after = [](const char* field, double value) {
    Show show;
    const bool is_whole = std::string_view(field).find("seconds") == std::string_view::npos;
    show.ask({{"type", "seek"},
              {field, is_whole ? Json(static_cast<std::int64_t>(value)) : Json(value)}});
    return show.frame();
  };
  CHECK(frame_after("frame", 70) == 70);
  CHECK(frame_after("by", 5) == 15);
  CHECK(frame_after("by", -3) == 7);
  CHECK(frame_after("seconds", 2.5) == 25);
  CHECK(frame_after("by_seconds", 0.5) == 15);
  CHECK(frame_after("by_seconds", -0.5) == 5);
  Show show;
  CHECK(show.refusal({{"type", "seek"}}) ==
        "seek: frame: expected one of frame, by, seconds and by_seconds, found 0");
  CHECK(show.refusal({{"type", "seek"}, {"frame", 1}, {"by_seconds", 1}}) ==
        "seek: frame: expected one of frame, by, seconds and by_seconds, found 2");
  CHECK(show.refusal({{"type", "seek"}, {"frame", 1.5}}) ==
        "seek: frame: expected a whole number, found 1.5");
}

TEST_CASE("speed, direction, loop and range of a movie are set on request", "[director][verbs]") {
  Show show;
  CHECK(show.ask({{"type", "speed"}, {"speed", "1/2"}}).regions[0].speed == Rational{1, 2});
  CHECK(show.main().timeline.rate_fps == Rational{5, 1});
  show.ask({{"type", "reverse"}});
  CHECK(show.main().timeline.direction == -1);
  CHECK(show.ask({{"type", "loop"}, {"mode", "ping_pong"}}).regions[0].timeline.loop ==
        sync::LoopMode::ping_pong);
  CHECK(show.refusal({{"type", "loop"}, {"mode", "twice"}}) ==
        "loop: mode: expected once, loop or ping_pong, found \"twice\"");
  Show ranged;
  ranged.ask({{"type", "range"}, {"first", 5}, {"last", 19}});
  CHECK(ranged.main().timeline.first_frame == 5);
  CHECK(ranged.main().timeline.end_frame == 20);
  ranged.ask({{"type", "range"}, {"last", 49}});
  CHECK(ranged.main().timeline.first_frame == 0);
  CHECK(ranged.main().timeline.end_frame == 50);
  ranged.ask({{"type", "range"}, {"first", 5}});
  CHECK(ranged.main().timeline.end_frame == 100);
  CHECK(ranged.refusal({{"type", "range"}, {"last", INT64_MAX}}) != "taken");
}

TEST_CASE("a list goes to an item by number, by name, and to the next one", "[director][verbs]") {
  Show show({playlist_region()});
  const auto item_after = [&](Json request) {
    request["region"] = "list";
    const Region& list = show.ask(request).regions[1];
    return item_at(*list.source, list.timeline.frame_at(at_ms(1000)));
  };
  CHECK(item_after({{"type", "goto"}, {"item", 0}}) == 0);
  CHECK(item_after({{"type", "next"}}) == 1);
  CHECK(item_after({{"type", "goto"}, {"name", "c"}}) == 2);
  CHECK(item_after({{"type", "previous"}}) == 1);
  CHECK(item_after({{"type", "goto"}, {"item", 2}, {"name", "a"}}) == 2);
  CHECK(show.refusal({{"type", "goto"}, {"region", "list"}}) ==
        "goto: item: expected a value, found none");
}

TEST_CASE("a region is added with all that its request says", "[director][verbs]") {
  Show show;
  const Json plain = {{"type", "add_region"},
                      {"region", "new"},
                      {"source", to_json(*movie_source(50, "/new"))},
                      {"canvas_px", {10, 20, 30, 40}}};
  const Region added = show.ask(plain).regions.at(1);
  CHECK(added.name == "new");
  CHECK(added.source->path == "/new");
  CHECK(added.canvas_px == RectF{10, 20, 30, 40});
  CHECK_FALSE(added.clip_px);
  CHECK(added.opacity.at(at_ms(1000)) == 1);
  CHECK(added.blend == BlendMode::over);
  CHECK(added.difference_gain == 1);
  CHECK(added.owner == "operator");
  CHECK(added.group.empty());
  CHECK(added.timeline.end_frame == 50);
  CHECK(added.timeline.loop == sync::LoopMode::loop);
  CHECK(added.timeline.start == at_ms(1000));

  const auto with = [&](const Json& fields) {
    Json request = plain;
    request.update(fields);
    return request;
  };
  const Region all = Show()
                         .ask(with({{"clip_px", {11, 21, 5, 6}},
                                    {"opacity", 0.25},
                                    {"blend", "difference"},
                                    {"gain", 255},
                                    {"owner", "console"},
                                    {"group", "both"}}))
                         .regions.at(1);
  CHECK(all.clip_px == RectF{11, 21, 5, 6});
  CHECK(all.opacity.at(at_ms(1000)) == 0.25);
  CHECK(all.blend == BlendMode::difference);
  CHECK(all.difference_gain == 255);
  CHECK(all.owner == "console");
  CHECK(all.group == "both");

  for (const Json& wrong :
       {Json{{"opacity", 1.01}}, Json{{"opacity", -0.01}}, Json{{"gain", 0.9}},
        Json{{"gain", 255.1}}, Json{{"blend", "mix"}}, Json{{"canvas_px", {1, 2, 3}}},
        Json{{"source", "/new"}}, Json{{"more", 1}}}) {
    CAPTURE(wrong.dump());
    CHECK(Show().refusal(with(wrong)) != "taken");
  }
  CHECK(Show().refusal(with({{"opacity", 0}})) == "taken");
  CHECK(Show().refusal(with({{"opacity", 1}})) == "taken");
}

TEST_CASE("each field of a region is changed alone", "[director][verbs]") {
  Show show({movie_region("beside", movie_source(100))});
  const auto beside_after = [&](Json fields) {
    fields["type"] = "region";
    fields["region"] = "beside";
    const Scene& scene = show.ask(fields);
    return scene.regions[0].name == "beside" ? scene.regions[0] : scene.regions[1];
  };
  CHECK(beside_after({{"canvas_px", {1, 2, 30, 40}}}).canvas_px == RectF{1, 2, 30, 40});
  CHECK(beside_after({{"clip_px", {3, 4, 5, 6}}}).clip_px == RectF{3, 4, 5, 6});
  CHECK(beside_after({{"unclip", false}, {"gain", 2}}).clip_px == RectF{3, 4, 5, 6});
  CHECK_FALSE(beside_after({{"unclip", true}}).clip_px);
  CHECK(beside_after({{"opacity", 0.5}}).opacity.at(at_ms(1000)) == 0.5);
  CHECK(beside_after({{"blend", "difference"}}).blend == BlendMode::difference);
  CHECK(beside_after({{"gain", 9}}).difference_gain == 9);
  CHECK(beside_after({{"group", "both"}}).group == "both");
  const Region owned = beside_after({{"owner", "console"}});
  CHECK(owned.owner == "console");
  CHECK(owned.canvas_px == RectF{1, 2, 30, 40});
  CHECK(owned.difference_gain == 9);
  beside_after({{"place", 0}});
  CHECK(show.scene.regions[0].name == "beside");
  beside_after({{"place", 1}});
  CHECK(show.scene.regions[1].name == "beside");
  for (const std::int64_t place : {-1, -7, 2})
    CHECK_THAT(show.refusal({{"type", "region"}, {"region", "beside"}, {"place", place}}),
               Catch::Contains("place: expected 0 to 1"));
  CHECK_THAT(show.refusal({{"type", "region"}, {"region", "beside"}}),
             Catch::StartsWith("region: expected canvas_px, clip_px, unclip, opacity, blend"));
  CHECK(show.main().canvas_px == RectF{0, 0, 2000, 1000});  // the other one stays as it is
}

TEST_CASE("a region is removed or shows another movie by its name", "[director][verbs]") {
  Show show({movie_region("beside", movie_source(100))});
  CHECK(show.refusal({{"type", "remove_region"}}) ==
        "remove_region: region: expected the one to remove, found none");
  CHECK(show.ask({{"type", "remove_region"}, {"region", "beside"}}).regions.size() == 1);
  const Region opened =
      show.ask({{"type", "open"}, {"source", to_json(*movie_source(7, "/b"))}}).regions[0];
  CHECK(opened.source->path == "/b");
  CHECK(opened.timeline.end_frame == 7);
  CHECK(opened.timeline.frame_at(at_ms(1000)) == 0);
}

TEST_CASE("a region obeys its owner and the operator", "[director][verbs]") {
  Show show;
  show.main().owner = "kiosk";
  CHECK(show.refusal({{"type", "pause"}, {"as", "guest"}}) ==
        "region main: owner: expected kiosk, found \"guest\"");
  CHECK(show.refusal({{"type", "pause"}, {"as", "kiosk"}}) == "taken");
  CHECK(show.refusal({{"type", "play"}, {"as", "operator"}}) == "taken");
  CHECK_THAT(show.refusal({{"type", "puase"}}), Catch::Contains("(nearest: pause)"));
  CHECK_THROWS_AS(check_operator({{"type", "quit"}, {"as", "kiosk"}}), InputError);
  CHECK_THROWS_AS(check_operator({{"type", "quit"}, {"more", 1}}), InputError);
  CHECK_NOTHROW(check_operator({{"type", "quit"}}));
}

TEST_CASE("switches of the wall are set, or turned without a value", "[director][verbs]") {
  Show show;
  for (const auto& [verb, of] :
       std::vector<std::pair<const char*, std::function<bool(const Scene&)>>>{
           {"blank", [](const Scene& scene) { return scene.blank; }},
           {"overlay", [](const Scene& scene) { return scene.overlay.shown; }},
           {"hints", [](const Scene& scene) { return scene.hints; }},
           {"mute", [](const Scene& scene) { return scene.muted; }}}) {
    CAPTURE(verb);
    for (const bool on : {true, true, false, false}) {
      CAPTURE(on);
      CHECK(of(show.ask({{"type", verb}, {"on", on}})) == on);
    }
    CHECK(of(show.ask({{"type", verb}})));
    CHECK_FALSE(of(show.ask({{"type", verb}})));
    CHECK_THAT(show.refusal({{"type", verb}, {"on", 1}}), Catch::Contains("true or false"));
  }
  CHECK(show.ask({{"type", "volume"}, {"volume", 0.5}}).audio_gain == 0.5);
  CHECK(show.refusal({{"type", "volume"}, {"volume", 2}}) == "taken");
  CHECK(show.refusal({{"type", "volume"}, {"volume", 2.01}}) != "taken");
  CHECK(show.refusal({{"type", "volume"}, {"volume", -0.01}}) != "taken");
  CHECK(show.ask({{"type", "key"}, {"key", "toggle_pause"}}).regions[0].timeline.paused());
  CHECK_THAT(show.refusal({{"type", "key"}, {"key", "any"}}), Catch::Contains("\"any\""));
}

TEST_CASE("regions keep their places on panels when bezels are hidden or shown",
          "[director][verbs]") {
  Show show;
  show.main().canvas_px = {100, 0, 100, 50};  // the right panel
  show.scene.bezels = wall::BezelMode::show;
  const Scene hidden = show.ask({{"type", "bezels"}, {"mode", "hide"}});
  CHECK(hidden.bezels == wall::BezelMode::hide);
  CHECK(hidden.regions[0].canvas_px.x == Approx(105));  // of 210 pixels, which were 200
  CHECK(hidden.regions[0].canvas_px.width == Approx(105));
  const std::uint64_t epoch = show.scene.epoch;
  CHECK(show.ask({{"type", "bezels"}, {"mode", "hide"}}).epoch == epoch);  // nothing changes
  CHECK(show.ask({{"type", "bezels"}, {"mode", "show"}}).regions[0].canvas_px.x == Approx(100));
  CHECK_THAT(show.refusal({{"type", "bezels"}, {"mode", "off"}}), Catch::Contains("hide or show"));
  CHECK_THAT(show.refusal({{"type", "content"}, {"mode", "round"}}),
             Catch::Contains("arc_length, eye or flat"));
}

TEST_CASE("two movies are compared on request", "[director][verbs]") {
  Show show;
  const Json second = to_json(*movie_source(100, "/second"));
  CHECK(show.refusal(
            {{"type", "compare"}, {"mode", "side_by_side"}, {"source", second}, {"gain", 2}}) !=
        "taken");
  CHECK(show.refusal({{"type", "compare"}, {"mode", "swipe"}, {"source", second}, {"line", 1.1}}) !=
        "taken");
  CHECK_THAT(show.refusal({{"type", "compare"}, {"mode", "wipe"}}),
             Catch::Contains("side_by_side, swipe, difference or off"));
  const Scene swiped =
      show.ask({{"type", "compare"}, {"mode", "swipe"}, {"source", second}, {"line", 0.25}});
  REQUIRE(swiped.regions.size() == 2);
  CHECK(swiped.regions[1].source->path == "/second");
  CHECK(swipe_line_px(swiped) == 50.0);  // of 200
  const Scene different = show.ask({{"type", "compare"}, {"mode", "difference"}, {"gain", 4}});
  CHECK(different.regions[1].blend == BlendMode::difference);
  CHECK(different.regions[1].difference_gain == 4);
  CHECK(show.ask({{"type", "compare"}, {"mode", "off"}}).regions.size() == 1);
}

TEST_CASE("camera and style of a volume change by their fields", "[director][verbs]") {
  Show show;
  Region volume = volume_region("main");
  volume.look = usual_look(*volume.source, volume.canvas_px);
  show.scene.regions = {volume};
  const auto look = [&]() -> const VolumeLook& { return *show.main().look; };
  const render::VolumeCamera before = look().camera.to;

  show.ask({{"type", "camera"}, {"camera", {{"fov_deg", 20}}}});
  CHECK(look().camera.to.fov_rad == Approx(20 * 3.14159265358979 / 180));
  CHECK(look().camera.to.eye == before.eye);
  CHECK(look().camera.duration == Nanos(0));
  show.ask({{"type", "camera"}, {"camera", {{"fov_deg", 30}}}, {"glide_s", 1.5}});
  CHECK(look().camera.duration == std::chrono::milliseconds(1500));
  CHECK(look().camera.from.fov_rad == Approx(20 * 3.14159265358979 / 180));

  const double distance = length(look().camera.to.eye - look().camera.to.look_at);
  show.ask({{"type", "camera"}, {"orbit_deg", {180, 0, 0}}});
  CHECK(length(look().camera.to.eye - look().camera.to.look_at) == Approx(distance));
  CHECK(length(look().camera.to.eye - before.eye) == Approx(2 * distance));

  show.ask({{"type", "style"}, {"change", {{"opacity", 2}}}});
  CHECK(look().style.to->opacity == 2);
  CHECK(look().style.duration == std::chrono::milliseconds(200));
  show.ask({{"type", "adjust"}, {"what", "opacity"}, {"by", 1.5}, {"glide_s", 0}});
  CHECK(look().style.to->opacity == Approx(3));
  CHECK(look().style.duration == Nanos(0));
  CHECK(show.refusal({{"type", "adjust"}, {"what", "opacity"}}) ==
        "adjust: by: expected a value, found none");
  const bool was_lit = look().style.to->lit;
  show.ask({{"type", "adjust"}, {"what", "lit"}});
  CHECK(look().style.to->lit != was_lit);
  CHECK(show.refusal({{"type", "style"}, {"change", {{"colour", 1}}}}) != "taken");
  CHECK(show.refusal({{"type", "style"}, {"change", {{"opacity", 2}}}, {"glide_s", 61}}) !=
        "taken");
}
