#include "player/scene/scene.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/picture/placement.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::picture;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::wall;

namespace {

Scene example() {
  Scene scene;
  scene.version = 7;
  scene.epoch = 3;
  scene.bezels = BezelMode::hide;
  Region region;
  region.canvas_px = {0, 0, 1280, 480};
  SourceSpec images;
  images.kind = SourceKind::images;
  images.path = "/movies/jet";
  images.files = {"a.jpg", "", "c.jpg"};
  images.size_px = {512, 512};
  images.frames = 3;
  region.name = "main";
  region.source = std::make_shared<const SourceSpec>(images);
  region.timeline.start = GlobalInstant{Nanos(123)};
  region.timeline.rate_fps = {30000, 1001};
  region.timeline.end_frame = 3;
  region.timeline.loop = LoopMode::loop;
  region.timeline.tick_limit = 9;
  region.view = ViewPath{{1.5, 2, 100, 50}, {0, 0, 10, 5}, GlobalInstant{Nanos(5)}, Nanos(70)};
  region.clip_px = RectF{0, 0, 640, 480};
  region.opacity = OpacityPath::at_rest(0.5);
  region.blend = BlendMode::difference;
  region.difference_gain = 8;
  region.fit = FitMode::cover;
  region.owner = "operator";
  scene.regions = {region};
  scene.overlay = {true, GlobalInstant{Nanos(77)}};
  scene.decimation.ticks.change({10, 12, 4});
  scene.decimation.cause = LateCause::swap;
  scene.decimation.panel = "c1r0";
  return scene;
}

Region movie_region(RectF canvas, FitMode fit) {
  Region region;
  region.canvas_px = canvas;
  region.fit = fit;
  return region;
}

/// The scene as a panel gets it that knew no source before.
Scene received(const nlohmann::json& json, const SourceCatalogue& sources) {
  ReceivedSources known;
  for (const auto& piece : sources.messages(1)) known.take(nlohmann::json::parse(piece.dump()));
  return scene_from_json(json, known);
}

}  // namespace

TEST_CASE("a scene survives its JSON", "[scene]") {
  const Scene scene = example();
  SourceCatalogue sources;
  const Scene back = received(nlohmann::json::parse(to_json(scene, sources).dump()), sources);
  CHECK(back.version == scene.version);
  CHECK(back.epoch == scene.epoch);
  CHECK(back.regions.at(0).owner == "operator");
  CHECK(back.bezels == scene.bezels);
  const Region& region = back.regions.at(0);
  CHECK(region.canvas_px == scene.regions[0].canvas_px);
  CHECK(*region.source == *scene.regions[0].source);
  CHECK(region.timeline == scene.regions[0].timeline);
  CHECK(region.view == scene.regions[0].view);
  CHECK(region.clip_px == scene.regions[0].clip_px);
  CHECK(region.opacity == OpacityPath::at_rest(0.5));
  CHECK(region.blend == BlendMode::difference);
  CHECK(region.difference_gain == 8);
  CHECK(region.fit == FitMode::cover);
  CHECK(back.overlay.shown);
  CHECK(back.overlay.since == scene.overlay.since);
  CHECK(back.decimation == scene.decimation);
  CHECK_FALSE(back.detail_from);
  Scene detailed = scene;
  detailed.detail_from = never;
  CHECK(received(to_json(detailed, sources), sources).detail_from == never);
  CHECK(back.progress == Progress{});
  detailed.volume_stage = {3, GlobalInstant{Nanos(700)}};
  detailed.regions[0].first_stage = 2;
  detailed.progress = {"volume: 12 % read", "c4r0"};
  const Scene staged = received(to_json(detailed, sources), sources);
  CHECK(staged.volume_stage == detailed.volume_stage);
  CHECK(staged.regions[0].first_stage == 2);
  CHECK(region.first_stage == 0);
  detailed.regions[0].first_stage = shown_whole;
  CHECK(received(to_json(detailed, sources), sources).regions[0].first_stage == shown_whole);
  CHECK(staged.progress == detailed.progress);
  CHECK(back.hints);
  CHECK_FALSE(back.hint);
  detailed.hints = false;
  detailed.hint = Hint{"speed 2x", GlobalInstant{Nanos(5)}, GlobalInstant{Nanos(9)}};
  const Scene hinted = received(to_json(detailed, sources), sources);
  CHECK_FALSE(hinted.hints);
  CHECK(hinted.hint == detailed.hint);
}

TEST_CASE("director and panels forget the sources that no scene names any more", "[scene]") {
  SourceCatalogue sources;
  ReceivedSources received_so_far;
  std::vector<std::weak_ptr<const SourceSpec>> sent;
  std::vector<std::weak_ptr<const SourceSpec>> received_specs;
  for (int i = 0; i < 3; ++i) {  // as by `ctl open` again and again
    Scene scene = example();
    auto source = std::make_shared<SourceSpec>(*scene.regions[0].source);
    scene.regions[0].source = source;
    sent.emplace_back(source);
    const nlohmann::json json = to_json(scene, sources);
    sources.keep_only(sources_of(scene));
    for (const auto& piece : sources.messages(json.at("regions").at(0).at("source")))
      received_so_far.take(piece);
    const Scene back = scene_from_json(json, received_so_far);
    received_so_far.keep_only(sources_of(back));
    received_specs.emplace_back(back.regions[0].source);
  }
  for (const auto* specs : {&sent, &received_specs}) {
    CHECK(specs->at(0).expired());
    CHECK(specs->at(1).expired());
    CHECK_FALSE(specs->at(2).expired());
  }
}

TEST_CASE("a scene with any field missing or of another type is refused by name", "[scene]") {
  SourceCatalogue sources;
  const nlohmann::json whole = to_json(example(), sources);
  for (const auto& field :
       {"version", "schedule", "since_ns", "beat", "bezels", "content", "regions", "blank",
        "coarser_by", "overlay", "hints", "volume", "muted"}) {
    nlohmann::json json = whole;
    json.erase(field);
    CAPTURE(field);
    CHECK_THROWS_WITH(received(json, sources), Catch::Contains(field));
    json[field] = nlohmann::json::object({{"x", 1}});
    CHECK_THROWS_AS(received(json, sources), InputError);
  }
  for (const auto& field : {"start_ns", "rate_fps", "end_frame", "direction", "loop"}) {
    nlohmann::json json = whole;
    json["regions"][0]["timeline"].erase(field);
    CAPTURE(field);
    CHECK_THROWS_WITH(received(json, sources), Catch::Contains(field));
  }
  nlohmann::json json = whole;
  json["regions"][0]["timeline"]["end_frame"] = 0;
  CHECK_THROWS_AS(received(json, sources), InputError);
}

TEST_CASE("messages survive their JSON", "[scene]") {
  ShownBatch batch;
  batch.epoch = 5;
  batch.frames = {{1, 2, 3, 0xffff'ffff'ffff'ffffu}, {2, 3, 4, 5, FrameDamage::missing}};
  batch.read_bytes = 99;
  batch.buffers_ready = 2;
  batch.realtime = false;
  batch.volume.emplace();
  batch.volume->drawn_by = "gl: a GPU";
  batch.volume->read_ns = 7;
  batch.volume->beams_cpu_ns = 8;
  batch.present_ns = 9;
  batch.volume->detail_failed = true;
  batch.detail = {5, DetailState::ready, 9};
  const ShownBatch back = batch_from_json(nlohmann::json::parse(to_json(batch).dump()));
  REQUIRE(back.frames.size() == 2);
  CHECK(back.frames[0].damage == FrameDamage::none);
  CHECK(back.frames[1].damage == FrameDamage::missing);
  CHECK(back.frames[0].hash == 0xffff'ffff'ffff'ffffu);
  CHECK(back.read_bytes == 99);
  CHECK(back.buffers_ready == 2);
  REQUIRE(back.volume);
  CHECK(back.volume->drawn_by == "gl: a GPU");
  CHECK(back.volume->read_ns == 7);
  CHECK(back.volume->beams_cpu_ns == 8);
  CHECK(back.present_ns == 9);
  CHECK(back.volume->detail_failed);
  CHECK(back.detail.epoch == 5);
  CHECK(back.detail.best_tick == 9);
  CHECK(back.detail.state == DetailState::ready);
  CHECK_FALSE(back.realtime);

  PanelConfig config;
  config.frame_buffer_px = {256, 160};
  config.rotation = Rotation::deg270;
  config.late = LatePolicy::slow;
  config.snapshot_frames = {100};
  config.place = "presenter=1";
  config.server = {"10.0.0.5:2049", true};
  const PanelConfig same = config_from_json(nlohmann::json::parse(to_json(config).dump()));
  CHECK(same.place == config.place);
  CHECK(same.server.address == config.server.address);
  CHECK(same.server.mounted);
  CHECK(same.rotation == Rotation::deg270);
  CHECK(same.late == LatePolicy::slow);
  CHECK(same.snapshot_frames == config.snapshot_frames);
  config.frame_buffer_px = {0, 160};
  CHECK_THROWS_AS(config_from_json(to_json(config)), InputError);
}

TEST_CASE("a panel's configuration has each setting under its own name", "[scene]") {
  nlohmann::json json = to_json(PanelConfig{});
  json.update({{"name", "c1r2"},
               {"host", "h3"},
               {"column", 4},
               {"row", 5},
               {"frame_buffer_px", {600, 700}},
               {"rotation", "90"},
               {"gain", {0.25, 0.5, 0.75}},
               {"gamma", {1.0, 1.5, 2.0}},
               {"lit_mm", {800.0, 900.0}},
               {"display", ":1"},
               {"window_px", {10, 11}},
               {"presenter", "gl"},
               {"headless", true},
               {"late", "slow"},
               {"hashes", true},
               {"snapshot_frames", {12, 13}},
               {"decode_threads", 14},
               {"stage_bytes", 15},
               {"pin", false},
               {"place", "memory=1"},
               {"server", "a:16"},
               {"server_mounted", true},
               {"vsync", false}});
  const PanelConfig config = config_from_json(json);
  CHECK(config.name == "c1r2");
  CHECK(config.host == "h3");
  CHECK(config.column == 4);
  CHECK(config.row == 5);
  CHECK(config.frame_buffer_px == SizePx{600, 700});
  CHECK(config.rotation == Rotation::deg90);
  CHECK(config.viewed_size_px() == SizePx{700, 600});
  CHECK(config.color.gain == std::array<double, 3>{0.25, 0.5, 0.75});
  CHECK(config.color.gamma == std::array<double, 3>{1, 1.5, 2});
  CHECK(config.lit_mm.width == 800);
  CHECK(config.lit_mm.height == 900);
  CHECK(config.display == ":1");
  CHECK(config.window_px == PointPx{10, 11});
  CHECK(config.presenter == "gl");
  CHECK(config.headless);
  CHECK(config.late == LatePolicy::slow);
  CHECK(config.hashes);
  CHECK(config.snapshot_frames == std::vector<std::int64_t>{12, 13});
  CHECK(config.decode_threads == 14);
  CHECK(config.stage_bytes == 15U);
  CHECK_FALSE(config.pin);
  CHECK(config.place == "memory=1");
  CHECK(config.server.address == "a:16");
  CHECK(config.server.mounted);
  CHECK_FALSE(config.vsync);
  CHECK(to_json(config) == json);
  for (const auto& [field, wrong] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"frame_buffer_px", {600, 700, 1}},
                                                           {"frame_buffer_px", {600}},
                                                           {"gain", {1.0, 1.0}},
                                                           {"gamma", {1.0, 1.0, 1.0, 1.0}},
                                                           {"lit_mm", {1.0, 2.0, 3.0}},
                                                           {"window_px", {1}},
                                                           {"rotation", "45"},
                                                           {"late", "never"}}) {
    CAPTURE(field);
    nlohmann::json changed = json;
    changed[field] = wrong;
    CHECK_THROWS_WITH(config_from_json(changed), Catch::Contains(field));
  }
}

TEST_CASE("a panel's places and blend have each number under its own name", "[scene]") {
  PanelPlaces places;
  CanvasPlace place{{100, 200}, {1, 2, 3, 4}, PanelMap({11, 12, 13, 14, 15, 16, 17, 18, 19})};
  place.from_eye = ScreenFromEye{{5, 6, 7, 8}, {21, 22, 23}, {24, 25, 26}, {27, 28, 29}};
  places.set(BezelMode::show, ContentMode::eye, place);
  CHECK(nlohmann::json::parse(to_json(places).dump()).at(4).dump() ==
        R"({"canvas_px":[100,200],"from_eye":{"across_mm":[24.0,25.0,26.0],)"
        R"("corner_mm":[21.0,22.0,23.0],"down_mm":[27.0,28.0,29.0],"rect_px":[5.0,6.0,7.0,8.0]},)"
        R"("map":[11.0,12.0,13.0,14.0,15.0,16.0,17.0,18.0,19.0],"rect_px":[1.0,2.0,3.0,4.0]})");
  const PanelPlaces back = places_from_json(to_json(places));
  const CanvasPlace& same = back.in(BezelMode::show, ContentMode::eye);
  CHECK(same.canvas_px == place.canvas_px);
  CHECK(same.rect_px == place.rect_px);
  CHECK(same.map.matrix() == place.map.matrix());
  REQUIRE(same.from_eye);
  CHECK(same.from_eye->canvas_px == RectF{5, 6, 7, 8});
  CHECK(same.from_eye->corner_mm == Vec3d{21, 22, 23});
  CHECK(same.from_eye->across_mm == Vec3d{24, 25, 26});
  CHECK(same.from_eye->down_mm == Vec3d{27, 28, 29});
  CHECK_FALSE(back.in(BezelMode::hide, ContentMode::eye).from_eye);
  CHECK_THROWS_AS(places_from_json(nlohmann::json::array({1, 2})), InputError);

  const PanelBlend blend{1.5, {{0, 0, 9, 8}, 1, 2, 3, 4}, {{{5, 6, 7, 8}, 11, 12, 13, 14}}};
  const nlohmann::json json = to_json(blend);
  CHECK(json.dump() ==
        R"({"gamma":1.5,"others":[{"fade_px":[11.0,12.0,13.0,14.0],"rect_px":[5.0,6.0,7.0,8.0]}],)"
        R"("own":{"fade_px":[1.0,2.0,3.0,4.0],"rect_px":[0.0,0.0,9.0,8.0]}})");
  const PanelBlend same_blend = blend_from_json(json);
  CHECK(same_blend.gamma == 1.5);
  CHECK(same_blend.own == blend.own);
  CHECK(same_blend.others == blend.others);
  nlohmann::json dark = json;
  dark["gamma"] = 0;
  CHECK_THROWS_AS(blend_from_json(dark), InputError);
}

TEST_CASE("a hello of another protocol is refused", "[scene]") {
  const PanelHello hello{3, 42, "left", {}};
  CHECK(hello_from_json(to_json(hello)).panel == 3);
  CHECK(hello_from_json(to_json(hello)).host == "left");
  auto json = to_json(hello);
  json["protocol"] = control_protocol_version + 1;
  CHECK_THROWS_WITH(hello_from_json(json), Catch::Contains("protocol"));
}

TEST_CASE("contain shows all of the movie, centred on whole pixels", "[scene]") {
  const RectF fitted = fitted_rect_px({0, 0, 1280, 480}, {0, 0, 853, 480}, FitMode::contain);
  CHECK(fitted == RectF{213, 0, 853, 480});
  const RectF tall = fitted_rect_px({0, 0, 1600, 512}, {0, 0, 512, 512}, FitMode::contain);
  CHECK(tall == RectF{544, 0, 512, 512});
}

TEST_CASE("a side within half a pixel of the movie's own is the movie's own", "[scene]") {
  // The width is 0.4 px off, the height 0.2; then 0.6, which is too far, and 0.3.
  const RectF own = fitted_rect_px({0, 0, 1000.4, 500.2}, {0, 0, 1000, 500}, FitMode::contain);
  CHECK(own.width == 1000);
  CHECK(own.height == 500);
  const RectF scaled = fitted_rect_px({0, 0, 1000.6, 500.3}, {0, 0, 1000, 500}, FitMode::contain);
  CHECK(scaled.width == Approx(1000.6));
  CHECK(scaled.height == 500);
}

TEST_CASE("cover fills the region and stretch distorts into it", "[scene]") {
  const RectF cover = fitted_rect_px({0, 0, 100, 100}, {0, 0, 200, 100}, FitMode::cover);
  CHECK(cover == RectF{-50, 0, 200, 100});
  CHECK(fitted_rect_px({0, 0, 100, 100}, {0, 0, 200, 100}, FitMode::stretch) ==
        RectF{0, 0, 100, 100});
}

TEST_CASE("panels show abutting parts of one picture", "[scene]") {
  const Region region = movie_region({0, 0, 512, 160}, FitMode::contain);
  const PanelPlacement left =
      place_on_panel(region, {512, 160}, {}, {{0, 0, 256, 160}, {256, 160}});
  const PanelPlacement right =
      place_on_panel(region, {512, 160}, {}, {{256, 0, 256, 160}, {256, 160}});
  CHECK(left.placement.picture_px == RectF{0, 0, 512, 160});
  CHECK(right.placement.picture_px == RectF{-256, 0, 512, 160});
  CHECK(right.drawn_px == RectPx{0, 0, 256, 160});
}

TEST_CASE("a panel of another density scales the canvas, a region elsewhere draws nothing",
          "[scene]") {
  const Region region = movie_region({0, 0, 512, 160}, FitMode::contain);
  const PanelPlacement dense =
      place_on_panel(region, {512, 160}, {}, {{0, 0, 256, 160}, {512, 320}});
  CHECK(dense.placement.picture_px == RectF{0, 0, 1024, 320});
  // Three times as many pixels across as the canvas has there, and half as many down.
  const PanelPlacement uneven =
      place_on_panel(region, {512, 160}, {}, {{100, 40, 100, 80}, {300, 40}});
  CHECK(uneven.placement.picture_px == RectF{-300, -20, 1536, 80});
  CHECK(uneven.drawn_px == RectPx{0, 0, 300, 40});
  CHECK(place_on_panel(region, {512, 160}, {}, {{600, 0, 256, 160}, {256, 160}}).drawn_px.empty());
}

TEST_CASE("a view hides the rest of the movie", "[scene]") {
  Region region = movie_region({0, 0, 200, 100}, FitMode::contain);
  region.view = ViewPath::at_rest({500, 500, 100, 100});
  const PanelPlacement place =
      place_on_panel(region, {1000, 1000}, {}, {{0, 0, 200, 100}, {200, 100}});
  CHECK(place.placement.movie_px == RectF{500, 500, 100, 100});
  CHECK(place.drawn_px == RectPx{50, 0, 100, 100});
}

TEST_CASE("figures of a panel that go into arithmetic are bounded", "[scene][bad-input]") {
  ShownBatch batch;
  batch.clock.state = "following";
  const nlohmann::json good = to_json(batch);
  REQUIRE_NOTHROW(batch_from_json(good));
  const auto refused = [&](const nlohmann::json::json_pointer& where, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[where] = value;
    CAPTURE(where.to_string(), value.dump());
    CHECK_THROWS_AS(batch_from_json(bad), InputError);
  };
  using Pointer = nlohmann::json::json_pointer;
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const std::int64_t value : {std::int64_t{-1}, huge}) {
    refused(Pointer("/buffers"), value);
    refused(Pointer("/cpus"), value);
    for (const char* field : {"/pace/mean_ns", "/pace/median_ns", "/pace/cpu_ns"})
      refused(Pointer(field), value);
  }
  const nlohmann::json restart = {{"role", "host"}, {"key_ns", 1}, {"died_ns", 2}, {"back_ns", 3}};
  nlohmann::json with_restart = good;
  with_restart["host_restarts"] = nlohmann::json::array({restart});
  CHECK(batch_from_json(with_restart).host_restarts.size() == 1);
  for (const auto& [field, value] : std::initializer_list<std::pair<const char*, nlohmann::json>>{
           {"role", "king"}, {"died_ns", huge + 1}, {"back_ns", -huge - 1}}) {
    nlohmann::json wrong = restart;
    wrong[field] = value;
    refused(Pointer("/host_restarts"), nlohmann::json::array({wrong}));
  }
  CHECK_THROWS_AS(
      change_drawn_from_json({{"schedule", 1}, {"received_ns", 0}, {"ready_ns", huge + 1}}),
      InputError);
}
