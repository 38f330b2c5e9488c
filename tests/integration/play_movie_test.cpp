// Ordinary movies played without import: every panel shows its part of the right frame, and a
// decoder that dies or stalls takes only itself down.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "player/movie/decoder/frame_store.hpp"
#include "player/movie/decoder/slot_writer.hpp"
#include "player/movie/shared/picture_painter.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "tests/support/control_port.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx panel_px = {160, 96};
constexpr SizePx wall_px = {320, 192};
const std::vector<std::string> panel_names = {"c0r0", "c1r0", "c0r1", "c1r1"};

PointPx place_of(const std::string& panel) {
  return {(panel[1] - '0') * panel_px.width, (panel[3] - '0') * panel_px.height};
}

/// What a panel of the two by two wall shows of every frame of a movie that covers it, drawn in
/// this process.
std::vector<std::string> expected_hashes(const fs::path& file, const std::string& panel) {
  FrameCursor cursor(file);
  const SizePx movie_px = cursor.info().size_px;
  PicturePainter painter(movie_px, 1);
  const PointPx at = place_of(panel);
  const Placement placement = {
      {0, 0, static_cast<double>(movie_px.width), static_cast<double>(movie_px.height)},
      {static_cast<double>(-at.x), static_cast<double>(-at.y), wall_px.width, wall_px.height}};
  std::vector<std::string> hashes;
  while (const auto picture = cursor.next()) {
    const SharedPicture layout = shared_layout(*picture->frame, cursor.info().orientation, "test");
    std::vector<std::uint8_t, SampleAllocator<std::uint8_t>> slot(picture_bytes(layout));
    store_frame(*picture->frame, layout, "test", slot);
    const TestPicture drawn(panel_px);
    DrawCounters counters;
    REQUIRE(painter.place(placement, panel_px) == RectPx{0, 0, panel_px.width, panel_px.height});
    REQUIRE(painter.paint(*checked_picture(layout, slot), drawn.view(), counters));
    hashes.insert(hashes.end(), static_cast<std::size_t>(picture->span.count), hex(hash_of(drawn)));
  }
  return hashes;
}

void check_frames(const Show& show, const fs::path& file, const std::vector<std::int64_t>& frames) {
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("damaged_frames") == 0);
  CHECK(show.report.at("frames_shown") == frames.size());
  for (const std::string& panel : panel_names) {
    CAPTURE(panel);
    const std::vector<std::string> hashes = expected_hashes(file, panel);
    std::vector<ShownHash> expected;
    for (const std::int64_t frame : frames)
      expected.push_back({frame, hashes.at(static_cast<std::size_t>(frame))});
    CHECK(shown_by(show.report, panel) == expected);
  }
}

std::vector<std::int64_t> run_of(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> frames;
  for (std::int64_t frame = first; frame < end; ++frame) frames.push_back(frame);
  return frames;
}

/// A show of a counting movie that goes on until `frames` ticks are over.
class RunningMovie {
 public:
  RunningMovie(const TemporaryFolder& folder, int frames, const Words& more)
      : run_dir_(folder / "run"), report_(folder / "report.json") {
    CountingMovieOptions options;
    options.size_px = wall_px;
    make_counting_movie(folder / "m.mp4", options);
    Words words = looping_options(folder.path(), 30, frames);
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(play_words(folder / "m.mp4", "two-by-two.toml", words));
    REQUIRE(eventually([&] { return fs::exists(folder / "begun.png"); }));
  }

  [[nodiscard]] pid_t decoder() const { return pid_in(run_dir_ / "pids/decoder"); }

  /// Waits for another decoder than `old`.
  [[nodiscard]] bool comes_back(pid_t old) const {
    return eventually([&] { return decoder() > 0 && decoder() != old && is_alive(decoder()); });
  }

  Show finish() { return end_of(*program_, report_); }

 private:
  const fs::path run_dir_;
  const fs::path report_;
  std::optional<RunningProgram> program_;
};

/// While it lives, programs that are started take so much longer for every picture of a movie.
class SlowDecoder {
 public:
  explicit SlowDecoder(int delay_ms) {
    ::setenv("LD_PRELOAD", preload_path(TILEWALL_SLOW_DECODER).c_str(), 1);
    ::setenv("TILEWALL_TEST_DECODE_DELAY_MS", std::to_string(delay_ms).c_str(), 1);
  }
  ~SlowDecoder() {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("TILEWALL_TEST_DECODE_DELAY_MS");
  }
  SlowDecoder(const SlowDecoder&) = delete;
  SlowDecoder& operator=(const SlowDecoder&) = delete;
};

/// The frame that each panel showed at a tick, in the order of panel_names, by tick: where all did.
std::map<std::int64_t, std::vector<std::int64_t>> frames_on_all(const nlohmann::json& report) {
  std::map<std::int64_t, std::vector<std::int64_t>> frames;
  for (const std::string& panel : panel_names) {
    const nlohmann::json part = panel_report(report, panel);
    for (const auto& shown : part.at("frames"))
      frames[shown.at("tick")].push_back(shown.at("frame"));
  }
  std::erase_if(frames, [](const auto& tick) { return tick.second.size() < panel_names.size(); });
  return frames;
}

/// Where the decoder is too slow: no tick at which panels differ, and no wrong picture.
void check_slow_show(const Show& show, const fs::path& file) {
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_late") > 0);
  CHECK(show.report.at("damaged_frames") == 0);
  std::int64_t late = 0;
  for (const auto& [tick, frames] : frames_on_all(show.report)) {
    CAPTURE(tick, frames);
    CHECK(std::all_of(frames.begin(), frames.end(),
                      [&](std::int64_t frame) { return frame == frames.front(); }));
    late += frames.front() != tick ? 1 : 0;
  }
  CHECK(late > 10);  // shown, but not at their own ticks
  CHECK(has_event(show.report, "decoder", "c0r0"));
  for (const std::string& panel : panel_names) {
    CAPTURE(panel);
    const std::vector<std::string> hashes = expected_hashes(file, panel);
    for (const ShownHash& shown : shown_by(show.report, panel))
      CHECK(shown.hash == hashes.at(static_cast<std::size_t>(shown.frame)));
  }
}

/// The decoder died once, came back, and the panels showed the movie before and after.
void check_returned(const Show& show, const fs::path& file) {
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK_THAT(show.program.err,
             Catch::StartsWith("tilewall: the decoder on ") && Catch::EndsWith(" died 1 time\n"));
  REQUIRE(show.report.at("restarts").size() == 1);
  const auto restart = show.report.at("restarts")[0];
  CHECK(restart.at("role") == "decoder");
  CHECK(restart.at("panel").is_null());
  CHECK_FALSE(restart.at("host").get<std::string>().empty());
  REQUIRE(restart.at("back_s").is_number());
  CHECK(restart.at("back_s") > restart.at("at_s"));
  CHECK(show.report.at("decoders")[0].at("deaths") == 1);
  for (const std::string& panel : panel_names) {
    const std::vector<std::string> hashes = expected_hashes(file, panel);
    const auto shown = shown_by(show.report, panel);
    REQUIRE_FALSE(shown.empty());
    CHECK(shown.back().hash == hashes.at(static_cast<std::size_t>(shown.back().frame)));
  }
}

}  // namespace

TEST_CASE("an ordinary movie is shown frame by frame without import", "[play][movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = wall_px;
  options.frames = 30;
  make_counting_movie(folder / "m.mp4", options);
  check_frames(play_show(folder / "m.mp4", "two-by-two.toml", {}), folder / "m.mp4", run_of(0, 30));
  std::vector<std::int64_t> back = run_of(0, 30);
  std::reverse(back.begin(), back.end());
  check_frames(play_show(folder / "m.mp4", "two-by-two.toml", {"--speed", "-4"}), folder / "m.mp4",
               back);
  check_frames(play_show(folder / "m.mp4", "two-by-two.toml",
                         {"--start", "27", "--loop", "--frames", "6", "--fps", "120"}),
               folder / "m.mp4", {27, 28, 29, 0, 1, 2});
}

TEST_CASE("a larger, turned movie of variable rate shows its frames by time", "[play][movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = {640, 384};
  options.turn_clockwise_deg = 90;
  options.frames = 12;
  for (int i = 0; i < 12; ++i) options.pts_ticks.push_back(i * 40 + (i > 5 ? 160 : 0));
  make_counting_movie(folder / "m.mp4", options);
  const Show show = play_show(folder / "m.mp4", "two-by-two.toml", {});
  check_frames(show, folder / "m.mp4",
               run_of(0, show.report.at("frames_scheduled").get<std::int64_t>()));
  CHECK(show.report.at("frames_scheduled") == expected_hashes(folder / "m.mp4", "c0r0").size());
  CHECK(show.report.at("frames_scheduled") > 12);  // the pause is filled with repeats
}

TEST_CASE("a paused movie is drawn again without being decoded again", "[play][movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = wall_px;
  options.frames = 120;  // from one key picture
  make_counting_movie(folder / "m.mp4", options);
  RunningProgram show(play_words(
      folder / "m.mp4", "two-by-two.toml",
      {"--headless", "--loop", "--run-dir", (folder / "run").string(), "--snapshot-folder",
       folder.path().string(), "--report", (folder / "report.json").string()}));
  REQUIRE(eventually([&] { return fs::exists(folder / "run" / "control.addr"); }));
  ControlPort port(folder / "run");
  CHECK(port.ask({{"type", "pause"}}).at("type") == "done");
  CHECK(port.ask({{"type", "seek"}, {"frame", 100}}).at("type") == "done");
  constexpr int times = 20;
  for (int i = 0; i < times; ++i) {
    const nlohmann::json taken =
        port.ask({{"type", "snapshot"}, {"file", (folder / "snapshot.png").string()}});
    CHECK(taken.at("frame") == 100);
    CHECK_FALSE(taken.contains("note"));
  }
  CHECK(port.ask({{"type", "quit"}}).at("type") == "done");
  CHECK(show.wait(std::chrono::seconds(20)).exit_code == 0);
  const nlohmann::json report = read_report(folder / "report.json");
  // Each time anew, it would be more than a hundred pictures for every snapshot.
  CHECK(report.at("decoders").at(0).at("decoded_pictures").get<int>() < 100 * times / 2);
}

TEST_CASE("a movie played directly and from the cache shows the same numbers", "[play][movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = wall_px;
  options.frames = 8;
  make_counting_movie(folder / "m.mp4", options);
  ProgramOptions environment;
  environment.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()}};
  const auto number_of = [&](const Words& more) {
    const fs::path file = folder / "wall.png";
    Words words = {"--headless", "--snapshot", "5:" + file.string()};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(play_words(folder / "m.mp4", "two-by-two.toml", words),
                                             std::chrono::seconds(60), environment);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return read_frame_number(read_png(file).view());
  };
  CHECK(number_of({}) == 5);
  CHECK_FALSE(fs::exists(folder / "cache"));
  CHECK(number_of({"--import"}) == 5);
  CHECK(fs::exists(folder / "cache/tilewall"));
}

TEST_CASE("a killed decoder comes back while all panels play on", "[play][movie]") {
  const TemporaryFolder folder;
  RunningMovie running(folder, 60, {"--late", "drop"});
  const pid_t first = running.decoder();
  REQUIRE(is_alive(first));
  ::kill(first, SIGKILL);
  CHECK(running.comes_back(first));
  const Show show = running.finish();
  check_returned(show, folder / "m.mp4");
  CHECK(show.report.at("damage").at("decoder_deaths") == 1);
  CHECK_THAT(show.program.out, Catch::Contains("1 decoder death"));
}

TEST_CASE("a stalled decoder is replaced while all panels play on", "[play][movie]") {
  const TemporaryFolder folder;
  RunningMovie running(folder, 75, {"--late", "slow"});
  const pid_t first = running.decoder();
  REQUIRE(is_alive(first));
  ::kill(first, SIGSTOP);
  CHECK(running.comes_back(first));
  CHECK_FALSE(is_alive(first));
  const Show show = running.finish();
  check_returned(show, folder / "m.mp4");
  CHECK(show.report.at("frames_shown") == 75);
}

TEST_CASE("a panel that comes back takes the next frame, the decoder does not go back for it",
          "[play][movie]") {
  const TemporaryFolder folder;
  constexpr int frames = 120;
  CountingMovieOptions options;
  options.size_px = wall_px;
  options.frames = 2 * frames;  // from one key picture: going back means to begin anew
  make_counting_movie(folder / "m.mp4", options);
  const std::vector<std::string> hashes = expected_hashes(folder / "m.mp4", "c1r0");
  for (const std::string late : {"drop", "slow"}) {
    CAPTURE(late);
    const fs::path run_dir = folder / (late + "-run");
    const fs::path begun = folder / (late + ".png");
    const fs::path report = folder / (late + ".json");
    RunningProgram program(
        play_words(folder / "m.mp4", "two-by-two.toml",
                   {"--headless", "--hashes", "--fps", "30", "--frames", std::to_string(frames),
                    "--late", late, "--run-dir", run_dir.string(), "--report", report.string(),
                    "--snapshot", "40:" + begun.string()}));
    REQUIRE(eventually([&] { return fs::exists(begun); }, std::chrono::seconds(40)));
    const pid_t panel = pid_in(run_dir / "pids/panel-1");
    REQUIRE(is_alive(panel));
    ::kill(panel, SIGKILL);
    const Show show = end_of(program, report);
    CAPTURE(show.program.err);
    CHECK(show.program.exit_code == 0);
    REQUIRE(show.report.at("restarts").size() == 1);
    CHECK(show.report.at("restarts")[0].at("panel") == "c1r0");
    // A machine that is too slow for the rate has other reasons to decode pictures anew. The other
    // panels have the pictures of half a second, in which the small movie is decoded again.
    bool is_fast_enough = show.report.at("decimation").at("most_every_nth_tick") == 1;
    for (const char* other : {"c0r0", "c0r1", "c1r1"})
      is_fast_enough &= panel_report(show.report, other).at("frames_late") == 0;
    const nlohmann::json& restart = show.report.at("restarts")[0];
    is_fast_enough &= restart.at("back_s").is_number() &&
                      restart.at("back_s").get<double>() - restart.at("at_s").get<double>() < 0.5;
    if (is_fast_enough)
      CHECK(show.report.at("decoders")[0].at("decoded_pictures").get<int>() <=
            frames + SlotWriter::most_slots + 1);
    const auto shown = shown_by(show.report, "c1r0");
    REQUIRE_FALSE(shown.empty());
    // A busy machine may take longer to start a panel than the show lasts.
    const bool came_back = !show.report.at("restarts")[0].at("back_s").is_null();
    if (came_back) CHECK(shown.back().frame == frames - 1);
    for (const ShownHash& one : shown)
      CHECK(one.hash == hashes.at(static_cast<std::size_t>(one.frame)));
  }
}

TEST_CASE("a decoder that is too slow makes frames late on all panels alike", "[play][movie]") {
  const TemporaryFolder folder;
  const SlowDecoder slow(60);  // a picture takes almost two periods
  for (const int key_interval : {250, 12}) {
    CAPTURE(key_interval);
    const fs::path file = folder / (std::to_string(key_interval) + ".mp4");
    CountingMovieOptions options;
    options.size_px = wall_px;
    options.frames = 100;
    options.key_interval = key_interval;
    make_counting_movie(file, options);
    check_slow_show(play_show(file, "two-by-two.toml", {"--late", "drop", "--fps", "30"}), file);
  }
}

TEST_CASE("damaged movies are played or refused in one line", "[play][movie][bad-input]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 24;
  make_counting_movie(folder / "whole.mp4", options);
  std::ifstream whole(folder / "whole.mp4", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  std::ofstream(folder / "cut.mp4", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  std::string spoilt = bytes;
  for (std::size_t at = spoilt.size() / 4; at < spoilt.size() / 2; at += 97) spoilt[at] ^= 0x55;
  std::ofstream(folder / "spoilt.mp4", std::ios::binary) << spoilt;
  std::vector<fs::path> files = {folder / "cut.mp4", folder / "spoilt.mp4"};
  const fs::path others = shared_data("corrupt/mp4");
  if (!others.empty())
    for (const char* name : {"no_timescale.mp4", "invalid-bitstream.webm", "loop_forever.avif"})
      files.push_back(others / name);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    const ProgramResult result =
        run_program(play_words(file, "two-by-one.toml", {"--headless", "--frames", "3"}),
                    std::chrono::seconds(30));
    CAPTURE(result.err);
    CHECK((result.exit_code == 0 || result.exit_code == 2));
    if (result.exit_code != 0) CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  const Show strict = play_show(folder / "spoilt.mp4", "two-by-one.toml", {"--strict"});
  CAPTURE(strict.program.err);
  CHECK(strict.program.exit_code == 1);
  CHECK(strict.report.at("damage").at("frames_damaged") > 0);
  CHECK(play_show(folder / "whole.mp4", "two-by-one.toml", {"--strict"}).program.exit_code == 0);
}
