// What keys and the pointer ask for.

#include "player/director/verbs/operator_keys.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::present;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::wall;
using test::start;

namespace {

constexpr GlobalInstant later = {Nanos(3'000'000'000)};

Scene key_scene() {
  Scene scene = first_scene({movie_region("main", movie_source(100))});
  scene.regions[0].timeline.start = start;
  scene.since = start;
  scene.tick_grid = plan_tick_grid(scene.regions, start);
  return scene;
}

Scene volume_scene() { return first_scene({volume_region("main")}); }

Scene after(const Scene& scene, const std::vector<ApplyCommand>& commands) {
  SceneChange change(scene, later, Nanos(0));
  change.keep_path();
  for (const ApplyCommand& command : commands) command(change);
  return change.finish();
}

RectF aimed_at(const Scene& scene, std::size_t region = 0) {
  REQUIRE(scene.regions.at(region).view);
  return scene.regions.at(region).view->to_px;
}

}  // namespace

TEST_CASE("every key but quit changes something", "[director]") {
  for (int key = 0; key < static_cast<int>(OperatorKey::quit); ++key) {
    const auto which = static_cast<OperatorKey>(key);
    CAPTURE(key_name(which));
    const bool of_playlists =
        which == OperatorKey::next_item || which == OperatorKey::previous_item;
    const bool of_volumes = which >= OperatorKey::next_transfer;
    if (of_playlists || of_volumes)
      CHECK_THROWS_AS(after(key_scene(), {command_of_key(which)}), InputError);
    else
      CHECK_NOTHROW(after(key_scene(), {command_of_key(which)}));
    if (of_volumes) CHECK_NOTHROW(after(volume_scene(), {command_of_key(which)}));
  }
}

TEST_CASE("arrows move a movie's view by a fifth of the region's own sides", "[director]") {
  // A fifth of 2000x1000 canvas pixels is 200x100 of the movie's 1000x500.
  const auto aimed_by = [](const std::vector<OperatorKey>& keys) {
    std::vector<ApplyCommand> commands;
    for (const OperatorKey key : keys) commands.push_back(command_of_key(key));
    return aimed_at(after(key_scene(), commands));
  };
  CHECK(aimed_by({OperatorKey::pan_right}) == RectF{200, 0, 1000, 500});
  CHECK(aimed_by({OperatorKey::pan_left}) == RectF{-200, 0, 1000, 500});
  CHECK(aimed_by({OperatorKey::pan_down}) == RectF{0, 100, 1000, 500});
  CHECK(aimed_by({OperatorKey::pan_up}) == RectF{0, -100, 1000, 500});
}

TEST_CASE("keys leave a hint of what they did, for a second and a half", "[director]") {
  using Key = OperatorKey;
  const auto hint = [](const Scene& scene, const std::vector<Key>& keys) {
    std::vector<ApplyCommand> commands;
    for (const Key key : keys) commands.push_back(command_of_key(key));
    const Scene next = after(scene, commands);
    return next.hint ? next.hint->text : "";
  };
  const Scene scene = key_scene();
  CHECK(hint(scene, {Key::faster}) == "speed 2x");
  CHECK(hint(scene, {Key::slower}) == "speed 1/2x");
  CHECK(hint(scene, {Key::reverse}) == "speed -1x");
  CHECK(hint(scene, {Key::toggle_pause}) == "pause, frame 20 of 100, 0:02.0");
  CHECK(hint(scene, {Key::step_forward}) == "frame 21 of 100, 0:02.1");
  CHECK(hint(scene, {Key::set_in}) == "range 20-99");
  CHECK(hint(scene, {Key::set_in, Key::clear_range}) == "range off");
  CHECK(hint(scene, {Key::toggle_loop}) == "loop on");
  CHECK(hint(scene, {Key::toggle_loop, Key::toggle_loop}) == "loop off");
  CHECK(hint(scene, {Key::zoom_in}) == "zoom 1.25x");
  CHECK(hint(scene, {Key::toggle_mute}) == "sound off");
  CHECK(hint(scene, {Key::volume_down}) == "sound 95 %");
  CHECK(hint(scene, {Key::toggle_blank, Key::faster}) == "");  // black stays black
  CHECK(hint(scene, {Key::pan_left}) == "");
  CHECK(hint(volume_scene(), {Key::next_mode}) == "maximum");
  CHECK(hint(volume_scene(), {Key::denser}) == "opacity 1.25");
  CHECK(hint(volume_scene(), {Key::add_keyframe}) == "takes a key frame");
  CHECK(hint(volume_scene(), {Key::remove_keyframe}) == "removes the nearest key frame");
  CHECK(hint(volume_scene(), {Key::preview_path}) == "flies the path");
  CHECK(hint(volume_scene(), {Key::stop_preview}) == "ends the flight");

  const SourceSpec list = [] {
    PlaylistItem first{movie_source(30, "/a.mp4"), 0, 30};
    PlaylistItem second{movie_source(30, "/b.mp4"), 0, 30};
    second.title = "The card";
    return make_playlist({first, second});
  }();
  Scene playing = first_scene({movie_region("main", std::make_shared<const SourceSpec>(list))});
  playing.regions[0].timeline.start = start;
  CHECK(hint(playing, {Key::next_item}) == "item 2 of 2: The card");

  const Scene shown = after(scene, {command_of_key(Key::faster)});
  CHECK(shown.epoch == scene.epoch + 1);  // for the speed
  CHECK(shown.hint->since == later);
  CHECK(shown.hint->until == later + Nanos(1'500'000'000));
  CHECK(shown.hint->visible_at(later));
  CHECK_FALSE(shown.hint->visible_at(shown.hint->until));
  CHECK(after(scene, {command_of_key(Key::toggle_mute)}).epoch == scene.epoch);
  SceneChange much_later(shown, shown.hint->until, Nanos(0));
  CHECK_FALSE(much_later.finish().hint);
}

TEST_CASE("hints are switched off by a key or a request, and say so", "[director]") {
  using Key = OperatorKey;
  const Scene off = after(key_scene(), {command_of_key(Key::toggle_hints)});
  CHECK_FALSE(off.hints);
  CHECK(off.hint->text == "hints off");
  Scene quiet = off;
  quiet.hint.reset();
  CHECK_FALSE(after(quiet, {command_of_key(Key::faster)}).hint);
  CHECK(after(quiet, {command_of_key(Key::toggle_hints)}).hint->text == "hints on");
  const Wall wall;
  const auto asked = [&](const nlohmann::json& request) {
    return after(key_scene(), {command_of(request, wall)});
  };
  CHECK_FALSE(asked({{"type", "hints"}, {"on", false}}).hints);
  CHECK(asked({{"type", "key"}, {"key", "faster"}}).hint->text == "speed 2x");
  CHECK_FALSE(asked({{"type", "speed"}, {"speed", 2}}).hint);
  CHECK_THROWS_WITH(asked({{"type", "key"}, {"key", "fastest"}}), Catch::Contains("\"fastest\""));
}

TEST_CASE("numbers of a style glide, the same for who hears of it over the wire", "[director]") {
  using Key = OperatorKey;
  const Scene scene =
      after(volume_scene(), {command_of_key(Key::denser), command_of_key(Key::toggle_lit),
                             command_of_key(Key::next_mode), command_of_key(Key::cut_x_min)});
  const VolumeLook heard =
      volume_look_from_json(nlohmann::json::parse(to_json(*scene.regions[0].look).dump()));
  for (const VolumeLook& look : {*scene.regions[0].look, heard}) {
    CHECK(look.style.at(later)->opacity == 1);
    const VolumeStyle half = *look.style.at(later + Nanos(100'000'000));
    CHECK(half.opacity == Approx(std::sqrt(1.25)));
    CHECK(half.clip_min[0] == Approx(1.0 / 64));
    CHECK(half.mode == CastMode::maximum);  // not a number
    CHECK(half.lit);
    CHECK(half.lighting.ambient == Approx((1 + Lighting{}.ambient) / 2));
    CHECK(look.style.at(later + Nanos(200'000'000)) == look.style.to);
    CHECK(*look.style.to == *scene.regions[0].look->style.to);
    CHECK(look.glides_until() == later + Nanos(200'000'000));
  }
  CHECK(*scene.regions[0].look->style.at(later + Nanos(70'000'000)) ==
        *heard.style.at(later + Nanos(70'000'000)));

  const Scene turned_back = [&] {
    SceneChange change(scene, later + Nanos(100'000'000), Nanos(0));
    change.change_style(
        "", [](VolumeStyle& style) { style.opacity = 1; }, Nanos(0));
    return change.finish();
  }();
  const VolumeLook& at_once = *turned_back.regions[0].look;
  CHECK(at_once.style.at(later + Nanos(100'000'000))->opacity == 1);
}

TEST_CASE("a transfer function glides to the next one at every value", "[director]") {
  const Scene scene = after(volume_scene(), {command_of_key(OperatorKey::next_transfer)});
  const StylePath& path = scene.regions[0].look->style;
  const TransferSpec from = path.at(later)->transfer;
  const TransferSpec half = path.at(later + Nanos(100'000'000))->transfer;
  const TransferSpec to = path.at(later + Nanos(200'000'000))->transfer;
  CHECK_FALSE(from == to);
  CHECK(half.name == to.name);
  const auto at = [](const TransferSpec& spec, double value) {
    return TransferFunction(spec.points).at(value);
  };
  for (double value = 0; value <= 1; value += 1.0 / 64) {
    CHECK(at(half, value).g == Approx((at(from, value).g + at(to, value).g) / 2).margin(1e-6));
    CHECK(at(half, value).a == Approx((at(from, value).a + at(to, value).a) / 2).margin(1e-6));
  }
  VolumeStyle of_values = *path.to;  // what it would cover depends on the data
  of_values.transfer.scale = TransferScale::values;
  CHECK(blended(*path.from, of_values, 0.5).transfer == of_values.transfer);
}

TEST_CASE("keys of time go through the timesteps of a volume", "[director]") {
  using Key = OperatorKey;
  SourceSpec series = *volume_region("main").source;
  series.frames = 8;
  Scene scene = first_scene({movie_region("main", std::make_shared<const SourceSpec>(series))});
  scene.regions[0].timeline.start = start;
  scene.since = start;
  scene.tick_grid = plan_tick_grid(scene.regions, start);
  const auto line_after = [&](std::initializer_list<Key> keys) {
    std::vector<ApplyCommand> commands;
    for (const Key key : keys) commands.push_back(command_of_key(key));
    return after(scene, commands).regions[0].timeline;
  };
  CHECK(line_after({Key::home, Key::step_forward}).frame_at(later) == 1);
  CHECK(line_after({Key::home, Key::step_forward}).paused());
  CHECK(line_after({Key::end, Key::step_back, Key::step_back}).frame_at(later) == 5);
  CHECK(line_after({Key::end}).frame_at(later) == 7);
  CHECK(line_after({Key::home}).frame_at(later) == 0);
  CHECK(line_after({Key::home, Key::toggle_pause}).paused());
  CHECK_FALSE(line_after({Key::home, Key::step_forward, Key::toggle_pause}).paused());
  CHECK(line_after({Key::home, Key::faster}).rate_fps == Rational{20, 1});
  CHECK(line_after({Key::home, Key::slower}).rate_fps == Rational{5, 1});
  CHECK(line_after({Key::home, Key::forward_far}).frame_at(later) == 7);
}

TEST_CASE("keys change how a volume looks, and a later one can take it back", "[director]") {
  using Key = OperatorKey;
  const auto style_after = [](std::initializer_list<Key> keys) {
    std::vector<ApplyCommand> commands;
    for (const Key key : keys) commands.push_back(command_of_key(key));
    const Scene scene = after(volume_scene(), commands);
    return *scene.regions[0].look->style.to;
  };
  CHECK(style_after({Key::next_transfer}).transfer.name == "plasma");  // after viridis
  CHECK(style_after({Key::previous_transfer}).transfer.name == "gray");
  CHECK(style_after({Key::next_mode}).mode == CastMode::maximum);
  CHECK(style_after({Key::previous_mode}).mode == CastMode::isosurface);
  CHECK(style_after({Key::more_contrast}).window < 1);
  CHECK(style_after({Key::darker}).level > 0.5);
  CHECK(style_after({Key::denser, Key::denser}).opacity == Approx(1.5625));
  CHECK(style_after({Key::higher_iso}).iso_shift > 0);
  CHECK(style_after({Key::toggle_lit}).lit);
  const auto shown = style_after({Key::toggle_annotations}).annotations;
  CHECK((shown.axes && shown.colour_bar && shown.label && !shown.box && !shown.scale_bar));
  CHECK(style_after({Key::cut_x_min}).clip_min[0] > 0);
  CHECK(style_after({Key::cut_z_max}).clip_max[2] < 1);
  const VolumeStyle usual = style_after({Key::toggle_lit, Key::toggle_lit});
  CHECK(style_after({Key::cut_y_max, Key::uncut_y_max}) == usual);
  CHECK(style_after({Key::cut_x_min, Key::cut_y_max, Key::uncut_all}) == usual);
  CHECK(style_after({Key::fainter, Key::darker, Key::lower_iso, Key::reset_style}) == usual);
}

TEST_CASE("a volume turns with a drag and moves with a slide, a movie moves with both",
          "[director]") {
  const auto moved = [](const Scene& scene, PointerKind kind) {
    return after(scene, {command_of_pointer({kind, {1000, 500}, {100, 50}, 0})});
  };
  const auto camera = [](const Scene& scene) { return scene.regions[0].look->camera.to; };
  const VolumeCamera before =
      whole_volume(*volume_scene().regions[0].source, volume_scene().regions[0].canvas_px);
  CHECK(camera(moved(volume_scene(), PointerKind::drag)).look_at == before.look_at);
  const VolumeCamera slid = camera(moved(volume_scene(), PointerKind::slide));
  CHECK(length(slid.look_at - before.look_at) > 0.1);
  CHECK(length((slid.eye - slid.look_at) - (before.eye - before.look_at)) < 1e-9);
  CHECK(aimed_at(moved(key_scene(), PointerKind::slide)) ==
        aimed_at(moved(key_scene(), PointerKind::drag)));
  CHECK(camera(after(volume_scene(), {command_of_key(OperatorKey::slide_left)})).look_at.x <
        before.look_at.x);
}

TEST_CASE("in and out points are set where the show is", "[director]") {
  const Scene in = after(key_scene(), {command_of_key(OperatorKey::set_in)});
  CHECK(in.regions[0].timeline.first_frame == 20);
  const Scene out = after(in, {command_of_key(OperatorKey::set_out)});
  CHECK(out.regions[0].timeline.end_frame == 21);
  const Scene all = after(out, {command_of_key(OperatorKey::clear_range)});
  CHECK(all.regions[0].timeline.end_frame == 100);
  CHECK(all.regions[0].timeline.frame_at(later) == 20);
}

TEST_CASE("speed doubles and halves within its limits", "[director]") {
  std::vector<ApplyCommand> commands(9, command_of_key(OperatorKey::faster));
  CHECK(after(key_scene(), commands).regions[0].speed == Rational{16, 1});
  commands.assign(9, command_of_key(OperatorKey::slower));
  CHECK(after(key_scene(), commands).regions[0].speed == Rational{1, 8});
  commands.push_back(command_of_key(OperatorKey::normal_speed));
  CHECK(after(key_scene(), commands).regions[0].speed == Rational{1, 1});
}

TEST_CASE("the sound's gain changes in steps between none and the greatest", "[director]") {
  const auto gain_after = [](double before, OperatorKey key, std::size_t presses) {
    Scene scene = key_scene();
    scene.audio_gain = before;
    return after(scene, std::vector<ApplyCommand>(presses, command_of_key(key))).audio_gain;
  };
  CHECK(gain_after(1, OperatorKey::volume_down, 1) == Approx(0.95));
  CHECK(gain_after(1, OperatorKey::volume_up, 1) == Approx(1.05));
  CHECK(gain_after(0.98, OperatorKey::volume_down, 1) == Approx(0.95));  // the nearest step
  CHECK(gain_after(1, OperatorKey::volume_down, 100) == 0);
  CHECK(gain_after(1, OperatorKey::volume_up, 100) == max_audio_gain);
}

TEST_CASE("keys bring a volume nearer and take it away again", "[director]") {
  const auto distance_after = [](const std::vector<OperatorKey>& keys) {
    std::vector<ApplyCommand> commands;
    for (const OperatorKey key : keys) commands.push_back(command_of_key(key));
    const VolumeCamera camera = after(volume_scene(), commands).regions[0].look->camera.to;
    return std::hypot(camera.look_at.x - camera.eye.x, camera.look_at.y - camera.eye.y,
                      camera.look_at.z - camera.eye.z);
  };
  const double usual = distance_after({OperatorKey::zoom_in, OperatorKey::zoom_out});
  CHECK(distance_after({OperatorKey::zoom_in}) < usual);
  CHECK(distance_after({OperatorKey::zoom_out}) > usual);
}

TEST_CASE("the wheel zooms where the pointer is, a drag takes the picture along", "[director]") {
  const Scene zoomed =
      after(key_scene(), {command_of_pointer({PointerKind::wheel, {1000, 500}, {}, 2})});
  CHECK(aimed_at(zoomed).width == Approx(1000 / 1.5625));
  CHECK(aimed_at(zoomed).x == Approx(500 - 500 / 1.5625));
  const Scene dragged =
      after(zoomed, {command_of_pointer({PointerKind::drag, {1000, 500}, {100, 0}, 0})});
  CHECK(aimed_at(dragged).x < aimed_at(zoomed).x);
}

TEST_CASE("a drag that begins at a swipe's line moves the line, others the pictures",
          "[director]") {
  Scene scene =
      after(key_scene(), {[](SceneChange& change) {
              change.compare(CompareMode::swipe, movie_source(100, "/second"), {2000, 1000}, 0.25);
            }});
  PointerHand hand;
  const auto drag = [&](double began_x, double by_x) {
    scene =
        after(scene, {hand.command_of({PointerKind::drag, {began_x, 400}, {by_x, 3}, 0}, scene)});
    return swipe_line_px(scene);
  };
  CHECK(drag(510, 100.4) == 600);
  CHECK(drag(510, 100.4) == 701);  // of the same drag, which may be anywhere by now
  CHECK(drag(510, -5000) == 0);
  CHECK(drag(510, 4599.2) == 300);
  CHECK_FALSE(scene.regions[0].view);
  CHECK(drag(510.5, 50) == 300);  // another one, away from the line
  CHECK(drag(320, 9000) == 1999);
  CHECK(scene.regions[1].clip_px == RectF{1999, 0, 1, 1000});
  const auto none = after(scene, {[](SceneChange& change) { change.end_compare({2000, 1000}); }});
  CHECK_THROWS_AS(after(none, {[](SceneChange& change) { change.move_swipe_line(5); }}),
                  InputError);
}

TEST_CASE("a double click shows pixels, and another one all again", "[director]") {
  const ApplyCommand click = command_of_pointer({PointerKind::double_click, {300, 200}, {}, 0});
  const Scene close = after(key_scene(), {click});
  CHECK(aimed_at(close).width == 2000);
  CHECK(aimed_at(after(close, {click})) == RectF{0, 0, 1000, 500});
}

TEST_CASE("the pointer is about the region on top", "[director]") {
  Scene scene = key_scene();
  Region above = movie_region("above", movie_source(5));
  above.canvas_px = {1000, 0, 1000, 1000};
  above.clip_px = RectF{1500, 0, 500, 1000};
  scene.regions.push_back(above);
  const auto wheel = [](double x) {
    return command_of_pointer({PointerKind::wheel, {x, 500}, {}, 1});
  };
  CHECK(after(scene, {wheel(1700)}).regions[1].view);
  CHECK_FALSE(after(scene, {wheel(1700)}).regions[0].view);
  CHECK(after(scene, {wheel(1200)}).regions[0].view);
  CHECK_FALSE(after(scene, {wheel(1200)}).regions[1].view);
}

// The movie has 100 frames at 10 a second, of which frame 20 is due.
TEST_CASE("keys seek by a second or by ten, and no farther than the movie reaches", "[director]") {
  using Key = OperatorKey;
  const auto frame_after = [](Key key) {
    return after(key_scene(), {command_of_key(key)}).regions[0].timeline.frame_at(later);
  };
  CHECK(frame_after(Key::back) == 10);
  CHECK(frame_after(Key::forward) == 30);
  CHECK(frame_after(Key::back_far) == 0);
  CHECK(frame_after(Key::forward_far) == 99);
  CHECK(frame_after(Key::step_back) == 19);
  CHECK(frame_after(Key::step_forward) == 21);
}
