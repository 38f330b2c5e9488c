#include "player/rendering/rank_messages.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "render/transfer/named_transfers.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::rendering;

namespace {

FlightFrame some_frame() {
  FlightFrame frame{17, {}};
  FlightMoment& moment = frame.moments.emplace_back();
  moment.timestep = 3 + 1.0 / 3;
  moment.shot.camera.eye = {1.0 / 3, -std::sqrt(2.0), 1e-300};
  moment.shot.camera.fov_rad = 24 * std::numbers::pi / 180;  // not exact by way of degrees
  scene::VolumeStyle style;
  style.transfer = *render::named_transfer(render::transfer_names().front());
  style.opacity = 1.0 / 7;
  moment.shot.style = std::make_shared<const scene::VolumeStyle>(style);
  return frame;
}

template <typename Wanted, typename Any>
Wanted the(const Any& any) {
  REQUIRE(std::holds_alternative<Wanted>(any));
  return std::get<Wanted>(any);
}

}  // namespace

TEST_CASE("a frame comes to a rank with every digit of its camera", "[ranks]") {
  const FlightFrame frame = some_frame();
  CHECK(the<FlightFrame>(rank_order_of(line_of(RankOrder(frame)))) == frame);
}

TEST_CASE("orders come to a rank as they were", "[ranks]") {
  OpenOrder open;
  open.version = program_version();
  open.pictures.volume.memory_bytes = 5;
  open.pictures.size_px = {640, 48};
  open.pictures.rays_across = 2;
  open.pictures.screens = {
      {{10, 4, 100, 44}, {wall::PanelMap({1, 2, 3, 4, 5, 6, 7, 8, 1.0 / 3}), RectF{1, 2, 3, 4}}},
      {{110, 4, 530, 44}, {wall::PanelMap(), std::nullopt}}};
  open.pictures.canvas_px = {1280, 96};
  open.share = 3;
  open.pictures.is_float = true;
  open.pictures.is_whole = true;
  open.pictures.volume.path = "/a \"volume\"\n";
  const auto opened = the<OpenOrder>(rank_order_of(line_of(RankOrder(open))));
  CHECK(opened.version == open.version);
  CHECK(opened.pictures.volume == open.pictures.volume);
  CHECK(opened.pictures.size_px == SizePx{640, 48});
  CHECK(opened.pictures.is_float);
  CHECK(opened.pictures.is_whole);
  CHECK(opened.pictures.rays_across == 2);
  CHECK(opened.pictures.screens == open.pictures.screens);
  CHECK(opened.pictures.canvas_px == SizePx{1280, 96});
  CHECK(opened.share == 3);

  const auto sample =
      the<SampleOrder>(rank_order_of(line_of(RankOrder(SampleOrder{{some_frame()}, 70, "path"}))));
  CHECK(sample.frames == std::vector{some_frame()});
  CHECK(sample.quality == 70);
  CHECK(sample.name == "path");

  StoreOrder store{"/folder", {}, movie::FrameFiles::png, {12, 13}, "cpu: avx2", "token", true};
  store.manifest.size_px = {640, 48};
  store.manifest.frames = 9;
  store.manifest.quality = 33;
  const auto stored = the<StoreOrder>(rank_order_of(line_of(RankOrder(store))));
  CHECK(stored.folder == "/folder");
  CHECK(movie::manifest_text(stored.manifest) == movie::manifest_text(store.manifest));
  CHECK(stored.files == movie::FrameFiles::png);
  CHECK(stored.panel_share_px == SizePx{12, 13});
  CHECK(stored.drawn_by == "cpu: avx2");
  CHECK(stored.token == "token");
  CHECK(stored.measures);
}

TEST_CASE("answers come from a rank as they were, and are told from other lines", "[ranks]") {
  const auto back = [](const RankAnswer& answer) {
    const std::string line = line_of(answer);
    CHECK(is_rank_answer(line));
    CHECK(line.find('\n') == line.size() - 1);
    return rank_answer_of(line);
  };
  const auto opened = the<Opened>(back(Opened{12, 4}));
  CHECK(opened.timesteps == 12);
  CHECK(opened.threads == 4);
  const auto sampled = the<Sampled>(back(Sampled{movie::Chroma::yuv444, "gl: x"}));
  CHECK(sampled.chroma == movie::Chroma::yuv444);
  CHECK(sampled.drawn_by == "gl: x");
  CHECK(the<StoreReady>(back(StoreReady{12.5})).frame_bytes == 12.5);
  const auto stored = the<FrameStored>(back(FrameStored{7, 1234}));
  CHECK(stored.number == 7);
  CHECK(stored.bytes == 1234);
  CHECK(the<RankNote>(back(RankNote{"a\nb"})).line == "a\nb");
  const auto fault = the<RankFault>(back(RankFault{"why", true, false}));
  CHECK(fault.line == "why");
  CHECK(fault.is_input);
  CHECK_FALSE(fault.is_own);
  CHECK_FALSE(is_rank_answer("mpirun: a warning"));
}

TEST_CASE("damaged messages of ranks are refused by field", "[ranks][bad-input]") {
  const auto fault_of = [](const auto& read, const char* text) -> std::string {
    try {
      static_cast<void>(read(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const auto order = [&](const char* text) { return fault_of(rank_order_of, text); };
  const auto answer = [&](const char* text) { return fault_of(rank_answer_of, text); };
  CHECK_THAT(order("[1]"), Catch::Contains("order: expected"));
  CHECK_THAT(
      order(fmt::format(R"({{"order":"open","version":"{}","volume":"{{}}"}})", program_version())
                .c_str()),
      Catch::Contains("a volume's description"));
  CHECK(the<OpenOrder>(rank_order_of(R"({"order":"open","version":"x","dance":1})")).version ==
        "x");
  CHECK_THAT(order(R"({"order":"sample","frames":[],"quality":5,"name":""})"),
             Catch::Contains("frames: expected a list of 1 to 16 frames"));
  CHECK_THAT(order(R"({"order":"store","folder":"x","manifest":"?"})"),
             Catch::Contains("message:1"));
  CHECK_THAT(order(R"({"order":"frame","frame":{"number":1.5}})"), Catch::Contains("number: "));
  CHECK_THAT(answer(R"({"answer":"opened","host":"x","timesteps":0})"),
             Catch::Contains("timesteps: expected a whole number from 1"));
  CHECK_THAT(answer(R"({"answer":"opened","host":"x","timesteps":1,"threads":99999})"),
             Catch::Contains("threads: expected a whole number from 1 to 4096"));
  CHECK_THAT(answer(R"({"answer":"sampled","chroma":"pink"})"),
             Catch::Contains("chroma: expected a chroma"));
  CHECK_THAT(answer(R"({"answer":"stored","number":-1,"bytes":1})"), Catch::Contains("number: "));
  CHECK_THAT(answer(R"({"answer":"song"})"), Catch::Contains("answer: expected"));
}
