// Every verb of the control port on a wall that stands still: what each panel shows from the stated
// instant on, to the pixel.

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/support/controlled_show.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr SizePx canvas_px = pair_canvas_px;
constexpr SizePx small_px{160, 60};
constexpr int frames = 48;

/// A request, and what the wall shows once it is granted.
struct Step {
  Json request;
  TestPicture wall;
};

TestPicture black() { return cropped(numbered_picture(canvas_px, 0), {1000, 0}, canvas_px); }

TestPicture moved(std::int64_t frame, int dx, int dy) {
  return cropped(numbered_picture(canvas_px, frame), {dx, dy}, canvas_px);
}

/// `above` drawn at (x, y): mix(byte below, byte above) for every byte.
TestPicture with(
    TestPicture below, const TestPicture& above, PointPx at,
    const std::function<int(int, int)>& mix = [](int, int from) { return from; }) {
  const ImageView from = above.view();
  for (int y = 0; y < from.size_px.height; ++y)
    for (int x = 0; x < from.size_px.width; ++x)
      for (int byte = 0; byte < 3; ++byte) {
        std::uint8_t& to = below.view().pixel(at.x + x, at.y + y)[byte];
        to = static_cast<std::uint8_t>(mix(to, from.pixel(x, y)[byte]));
      }
  return below;
}

/// Seeks that come closer together are scrubbing, and shown coarsely.
constexpr std::chrono::milliseconds scrub_pause{310};
bool is_seek(const Step& step) {
  return step.request.at("type") == "seek" || step.request.at("type") == "step";
}

/// Pauses at frame 0, asks one after the other, then checks that every panel showed those pictures,
/// each from its instant on.
void check_steps(ControlledShow& show, std::vector<Step> steps) {
  steps.insert(steps.begin(), {{{"type", "seek"}, {"frame", 0}}, numbered_picture(canvas_px, 0)});
  std::vector<Json> answers;
  {
    WallClient client(show.run_dir());
    REQUIRE(client.ask({{"type", "pause"}}).at("type") == "done");
    for (const Step& step : steps) {
      if (is_seek(step)) std::this_thread::sleep_for(scrub_pause);
      answers.push_back(client.ask(step.request));
      CAPTURE(step.request.dump(), answers.back().dump());
      REQUIRE(answers.back().at("type") == "done");
    }
    static_cast<void>(client.ask({{"type", "mute"}, {"on", true}}));  // after the last instant
  }
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    const auto shown = epochs_of(report, panel);
    REQUIRE(shown.size() == steps.size() + 2);  // and what played before, and the pause
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CAPTURE(panel, i, steps[i].request.dump(), answers[i].dump());
      const ShownPicture& picture = shown[i + 2].front();
      CHECK(shown[i + 2].size() == 1);
      CHECK(picture.frame == answers[i].at("frame"));
      CHECK(picture.stamp_ns >= answers[i].at("at_ns"));
      CHECK(picture.hash == hash_on_panel(steps[i].wall, panel));
    }
  }
}

}  // namespace

TEST_CASE("a paused wall shows what each transport request says, from its instant on",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", canvas_px, frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  const auto frame = [](std::int64_t number) { return numbered_picture(canvas_px, number); };
  check_steps(show, {{{{"type", "seek"}, {"frame", 10}}, frame(10)},
                     {{{"type", "seek"}, {"by", 3}}, frame(13)},
                     {{{"type", "step"}}, frame(14)},
                     {{{"type", "step"}, {"by", -4}}, frame(10)},
                     {{{"type", "seek"}, {"seconds", 1}}, frame(24)},
                     {{{"type", "seek"}, {"by_seconds", -0.5}}, frame(12)},
                     {{{"type", "range"}, {"first", 5}, {"last", 20}}, frame(12)},
                     {{{"type", "seek"}, {"by", 100}}, frame(20)},
                     {{{"type", "range"}}, frame(20)},
                     {{{"type", "seek"}, {"by", 100}}, frame(47)},
                     {{{"type", "speed"}, {"speed", "1/2"}}, frame(47)},
                     {{{"type", "reverse"}}, frame(47)},
                     {{{"type", "loop"}, {"mode", "ping_pong"}}, frame(47)}});
}

TEST_CASE("a paused wall shows the views that it is asked for", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", canvas_px, frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  check_steps(show, {{{{"type", "view"}, {"view_px", {40, 10, 320, 96}}}, moved(0, 40, 10)},
                     {{{"type", "pan"}, {"dx", 20}, {"dy", -6}}, moved(0, 20, 16)},
                     {{{"type", "view"}, {"whole", true}}, moved(0, 0, 0)},
                     {{{"type", "one_to_one"}}, moved(0, 0, 0)},
                     {{{"type", "fit"}, {"mode", "stretch"}}, moved(0, 0, 0)},
                     {{{"type", "blank"}, {"on", true}}, black()},
                     {{{"type", "blank"}, {"on", false}}, moved(0, 0, 0)},
                     {{{"type", "overlay"}, {"on", true}}, moved(0, 0, 0)}});
}

TEST_CASE("a paused wall shows regions and comparisons to the pixel", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", canvas_px, frames);
  write_numbered_movie(folder / "second", canvas_px, frames);
  write_numbered_movie(folder / "small", small_px, frames);
  const Json small = movie_source_json(folder / "small", small_px, frames);
  const Json second = movie_source_json(folder / "second", canvas_px, frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  const TestPicture main = numbered_picture(canvas_px, 0);
  const TestPicture seven = numbered_picture(canvas_px, 7);
  const TestPicture inset = numbered_picture(small_px, 0);
  const auto half = [](int below, int above) { return (below * 128 + above * 128 + 128) / 256; };
  const auto difference = [](int below, int above) { return std::abs(below - above); };
  const auto eightfold = [](int below, int above) {
    return std::min(8 * std::abs(below - above), 255);
  };
  const auto region = [](Json more) {
    more.update({{"type", "region"}, {"region", "inset"}});
    return more;
  };
  Json add = region({{"source", small}, {"canvas_px", {100, 20, 160, 60}}, {"group", "main"}});
  add["type"] = "add_region";
  const Json swipe = {{"type", "compare"}, {"mode", "swipe"}, {"line", 0.25}, {"source", second}};
  check_steps(
      show,
      {{{{"type", "region"}, {"region", "main"}, {"group", "main"}}, main},
       {add, with(main, inset, {100, 20})},
       {region({{"canvas_px", {10, 30, 160, 60}}}), with(main, inset, {10, 30})},
       {region({{"clip_px", {10, 30, 40, 60}}}),
        with(main, cropped(inset, {0, 0}, {40, 60}), {10, 30})},
       {region({{"unclip", true}, {"opacity", 0.5}}), with(main, inset, {10, 30}, half)},
       {region({{"opacity", 1}, {"blend", "difference"}}), with(main, inset, {10, 30}, difference)},
       {region({{"gain", 8}}), with(main, inset, {10, 30}, eightfold)},
       {region({{"place", 0}}), main},
       {{{"type", "remove_region"}, {"region", "inset"}}, main},
       {swipe, main},
       {{{"type", "seek"}, {"frame", 7}}, seven},
       {{{"type", "compare"}, {"mode", "difference"}}, black()},
       {{{"type", "compare"}, {"mode", "off"}}, seven},
       {{{"type", "open"}, {"source", second}}, main}});
}

TEST_CASE("a change of bezel mode moves the picture on all panels at one instant", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", canvas_px, frames);
  ControlledShow show(folder / "movie", "bezels.toml", {"--bezels", "show"});
  // Hidden, the canvas is 340 pixels wide, and the movie in its middle: 10 black ones at both ends.
  const TestPicture hidden =
      with(with(black(), cropped(numbered_picture(canvas_px, 0), {0, 0}, {150, 96}), {10, 0}),
           cropped(numbered_picture(canvas_px, 0), {170, 0}, {150, 96}), {160, 0});
  check_steps(show, {{{{"type", "bezels"}, {"mode", "hide"}}, hidden},
                     {{{"type", "bezels"}, {"mode", "show"}}, numbered_picture(canvas_px, 0)}});
}
