// What the processes of a show and its operators say to each other.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/cues/cue.hpp"
#include "player/scene/arming_messages.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/operator_messages.hpp"
#include "player/scene/scene.hpp"
#include "player/scene/snapshot_messages.hpp"
#include "player/scene/sound_messages.hpp"
#include "player/scene/watch_messages.hpp"
#include "player/survey/survey_answer.hpp"
#include "player/survey/survey_request.hpp"
#include "player/trace/trace_messages.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_text.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace present;
using namespace scene;
using namespace sync;
using namespace trace;
namespace {

using Json = nlohmann::json;

SourceSpec movie(std::int64_t frames, Rational fps) {
  SourceSpec source;
  source.kind = SourceKind::movie;
  source.path = "/movies/jet.mp4";
  source.size_px = {640, 480};
  source.frames = frames;
  source.fps = fps;
  source.audio = source.path;
  return source;
}

SourceSpec playlist() {
  const auto fast = std::make_shared<const SourceSpec>(movie(96, {24, 1}));
  const auto slow = std::make_shared<const SourceSpec>(movie(50, {30000, 1001}));
  return make_playlist({{fast, 3, 90, 2}, {slow, 0, 50, 1}, {fast, 0, 96, 1}});
}

Scene scene_of(const SourcePtr& source) {
  Scene scene;
  Region region;
  region.name = "main";
  region.canvas_px = {0, 0, 1280, 480};
  region.source = source;
  region.timeline.rate_fps = {24, 1};
  region.timeline.end_frame = source->frames;
  region.timeline.tick_limit = 9;
  region.view = ViewPath{{1.5, 2, 100, 50}, {0, 0, 10, 5}, GlobalInstant{Nanos(5)}, Nanos(70)};
  region.clip_px = RectF{0, 0, 640, 480};
  scene.tick_grid.rate_fps = {24, 1};
  scene.regions = {region};
  return scene;
}

void use(const SourceSpec& source) {
  const auto shared = std::make_shared<const SourceSpec>(source);
  TW_CHECK(source.frames >= 1);
  for (const std::int64_t frame : {std::int64_t{0}, source.frames / 2, source.frames - 1}) {
    const SourceFrame shown = resolve_frame(shared, frame);
    TW_CHECK(shown.frame >= 0 && shown.frame < shown.source->frames);
  }
}

void decode_source(std::span<const std::byte> input) {
  refusing([&] {
    const SourceSpec source = source_from_json(parse_json(text_of(input)));
    use(source);
    TW_CHECK(source_from_json(to_json(source)) == source);
  });
}

void decode_scene(std::span<const std::byte> input) {
  static const ReceivedSources sources = [] {
    SourceCatalogue known;
    ReceivedSources received;
    const auto source = std::make_shared<const SourceSpec>(movie(96, {24, 1}));
    for (const Json& piece : known.messages(known.id_of(source))) received.take(piece);
    return received;
  }();
  refusing([&] {
    const Scene scene = scene_from_json(parse_json(text_of(input)), sources);
    const Region& region = scene.regions.front();
    for (const std::int64_t tick : {0, 1, 1000}) {
      const std::int64_t frame = scene.ticks_of(region).frame_of(tick);
      TW_CHECK(frame >= 0 && frame < region.source->frames);
      if (region.view) TW_CHECK(!region.view->at(scene.tick_grid.due(tick)).empty());
    }
    SourceCatalogue known;
    static_cast<void>(to_json(scene, known));
  });
}

/// From the director to panels and the sound process.
void decode_order(std::span<const std::byte> input) {
  const Json json = json_of(input);
  refusing([&] { static_cast<void>(release_from_json(json)); });
  refusing([&] { static_cast<void>(to_json(config_from_json(json))); });
  refusing([&] {
    ReceivedSources sources;
    sources.take(json);
  });
  refusing([&] { static_cast<void>(prepared_from_json(json, {})); });
  refusing([&] { static_cast<void>(to_json(watch_order_from_json(json))); });
  refusing([&] { static_cast<void>(to_json(snapshot_band_from_json(json))); });
}

/// From panels, the sound process and those that trace.
void decode_report(std::span<const std::byte> input) {
  const Json json = json_of(input);
  refusing([&] { static_cast<void>(hello_from_json(json)); });
  refusing([&] { static_cast<void>(sound_hello_from_json(json)); });
  refusing([&] { static_cast<void>(trace_hello_from_json(json)); });
  refusing([&] { static_cast<void>(to_json(batch_from_json(json))); });
  refusing([&] { static_cast<void>(to_json(sound_status_from_json(json))); });
  refusing([&] { static_cast<void>(key_from_json(json)); });
  refusing([&] { static_cast<void>(to_json(armed_from_json(json))); });
  refusing([&] { static_cast<void>(to_json(swapped_picture_from_json(json))); });
  refusing([&] { static_cast<void>(to_json(taken_snapshot_from_json(json))); });
  refusing([&] { static_cast<void>(pointer_from_json(json)); });
  refusing([&] { static_cast<void>(trace_batch_from(json, {})); });
}

/// The events of a batch whose names are good.
void decode_trace(std::span<const std::byte> input) {
  static const Json json = Json::parse(
      R"({"names": ["decode", "level"], "tracks": [[1, "a"], [3, "b"]], "dropped": 0})");
  const std::span blob(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  refusing([&] {
    const TraceBatch batch = trace_batch_from(json, blob);
    TW_CHECK(batch.events.size() * sizeof(WireTraceEvent) == input.size());
    const auto back = to_blob(batch);
    TW_CHECK(trace_batch_from(json, back).events.size() == batch.events.size());
  });
}

Bytes text(const Json& json) { return bytes_of(json.dump()); }

std::vector<Bytes> orders() {
  PanelConfig config;
  config.name = "c0r0";
  config.frame_buffer_px = {640, 480};
  config.presenter = "auto";
  config.snapshot_frames = {1, 5};
  config.stage_bytes = 1 << 20;
  Release release;
  release.ticks = {{1, 0}, {2, 7}};
  SourceCatalogue known;
  const auto source = std::make_shared<const SourceSpec>(playlist());
  return {text(to_json(config)), text(to_json(release)),
          text(known.messages(known.id_of(source)).front()),
          text(to_json(WatchOrder{true, 300, 75, 200, 100'000, 10})),
          text(to_json(SnapshotBand{{3, 0}, 16, 8}))};
}

std::vector<Bytes> reports() {
  ShownBatch batch;
  batch.frames = {{1, 1, 1000, 77}, {2, 2, 2000, ~std::uint64_t{0}, FrameDamage::black}};
  batch.decoder = DecoderStatus{};
  batch.decoder->movies = {{1, 2, 3, 4}};
  batch.decoder->deaths = {{1, 2}};
  SoundStatus sound;
  sound.notes = {"no sound of /a.mp4"};
  TraceBatch trace;
  trace.names = {"decode"};
  trace.tracks = {{1, "c0r0"}};
  return {text(to_json(PanelHello{1, 2, "host", {}})),
          text(to_json(SoundHello{2, "host"})),
          text(to_json(TraceHello{"panel", 1, 2, "host", false})),
          text(to_json(batch)),
          text(to_json(sound)),
          text(to_json(OperatorKey::zoom_in)),
          text(to_json(ArmedReport{7, {"next.tw: no such file"}})),
          text(to_json(SwappedPicture{3, 4, {512, 320}, FrameDamage::blocks, 5})),
          text(to_json(TakenSnapshot{{0, 4}, 5, 6, 7, {640, 480}})),
          text(to_json(CanvasPointer{PointerKind::drag, {1, 2}, {3, 4}, 5})),
          text(to_json(trace))};
}

Bytes survey_request() {
  survey::SurveyRequest request;
  request.files = {{"/a.mp4", "1", {}, {1, 2, 3, "0123456789abcdef"}, true}};
  request.displays = {{":0", ""}};
  request.clock = {"127.0.0.1:1", 9};
  request.media.resize(1);
  request.media[0].path = "/a.mp4";
  request.media[0].views = {{{{0, 0, 1, 1}, {0, 0, 1, 1}}, {1, 1}}};
  return text(survey::to_json(request));
}

Bytes survey_answer() {
  survey::SurveyAnswer answer;
  answer.checks.resize(2);
  answer.checks[1].rate_ratio = 2;
  return bytes_of("a launcher's line\n" + survey::answer_line(answer));
}

void decode_survey_request(std::span<const std::byte> input) {
  refusing([&] {
    const survey::SurveyRequest request = survey::request_from_json(json_of(input));
    TW_CHECK(survey::request_from_json(survey::to_json(request)) == request);
  });
}

void decode_survey_answer(std::span<const std::byte> input) {
  refusing([&] {
    for (const survey::SurveyCheck& check : survey::answer_in(text_of(input)).checks)
      TW_CHECK(check.text.size() <= survey::longest_check_text);
  });
}

Bytes trace_events() {
  WireTraceEvent event = {};
  event.start_ns = 1'000'000;
  event.track = 1;
  Bytes bytes = joined(event);
  event.track = 3;
  event.name = 1;
  const Bytes second = joined(event);
  bytes.insert(bytes.end(), second.begin(), second.end());
  return bytes;
}

void decode_cues(std::span<const std::byte> input) {
  refusing([&] {
    const cues::CueList list = cues::cue_list_from_json(json_of(input));
    const Json json = cues::to_json(list);
    TW_CHECK(cues::to_json(cues::cue_list_from_json(json)) == json);
    // Cues that refer to what is not there are refused in one line too.
    for (std::size_t i = 0; i < list.cues.size(); ++i) {
      static_cast<void>(cues::next_of(list, i, 0));
      static_cast<void>(cues::resolve(list, i, {}));
    }
  });
}

Bytes cue_list() {
  cues::CueList list;
  list.sections = {{"doors", true, 2}};
  cues::RegionSetting setting;
  setting.name = "main";
  setting.source = std::make_shared<const SourceSpec>(movie(96, {24, 1}));
  setting.play = cues::PlayState{0, 0, 96};
  setting.canvas_px = RectF{0, 0, 100, 50};
  setting.opacity = 0.5;
  cues::Cue first;
  first.name = "first";
  first.section = "doors";
  first.regions = {setting};
  first.compare = cues::CompareSetting{CompareMode::swipe, setting.source, 0.5, 1};
  first.follow = cues::Follow{cues::Follow::Kind::after, 2};
  cues::Cue second;
  second.name = "second";
  second.number = "2";
  second.next = "first";
  second.black = true;
  list.cues = {first, second};
  return text(cues::to_json(list));
}

}  // namespace

std::vector<Decoder> show_decoders() {
  SourceCatalogue known;
  const auto source = std::make_shared<const SourceSpec>(movie(96, {24, 1}));
  return {{"source", {text(to_json(*source)), text(to_json(playlist()))}, decode_source, true},
          {"scene", {text(to_json(scene_of(source), known))}, decode_scene, true},
          {"cues", {cue_list()}, decode_cues, true},
          {"order", orders(), decode_order, true},
          {"report", reports(), decode_report, true},
          {"survey", {survey_request()}, decode_survey_request, true},
          {"survey_answer", {survey_answer()}, decode_survey_answer},
          {"trace", {trace_events()}, decode_trace}};
}

}  // namespace tilewall::fuzz
