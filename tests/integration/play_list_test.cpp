// A list of five kinds of input in a loop on fifteen panels: no decoder dies, and every snapshot
// shows the frame that is due. Run by hand, by tests/bench/list_loop.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/control_port.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr int movie_frames = 48;
constexpr int still_s = 4;
constexpr int list_fps = 24;
constexpr std::chrono::milliseconds snapshot_interval{1500};

/// One entry of the list, whose pictures count from `first_number` on.
struct Entry {
  std::string file;
  int first_number = 0;
  int frames = movie_frames;  ///< Frames of the list
  bool is_still = false;
};

const std::vector<Entry> entries = {{"vp9.webm", 0},
                                    {"still.jpg", 500, still_s* list_fps, true},
                                    {"h264.mp4", 1000},
                                    {"mpeg2.ts", 1500},
                                    {"imported", 2000}};

void make_movie(const fs::path& file, const std::string& codec, SizePx size_px, int first_number,
                int frames = movie_frames, const std::string& pixel_format = "yuv420p") {
  CountingMovieOptions options;
  options.codec = codec;
  options.size_px = size_px;
  options.first_number = first_number;
  options.frames = frames;
  options.pixel_format = pixel_format;
  options.key_interval = 24;
  make_counting_movie(file, options);
}

fs::path make_list(const fs::path& folder) {
  make_movie(folder / "vp9.webm", "libvpx-vp9", {1280, 720}, 0);
  make_movie(folder / "still.jpg", "mjpeg", {7680, 4320}, 500, 1, "yuvj420p");
  make_movie(folder / "h264.mp4", "libx264", {1920, 1080}, 1000);
  make_movie(folder / "mpeg2.ts", "mpeg2video", {1280, 720}, 1500);
  make_movie(folder / "source.mp4", "libx264", {1280, 720}, 2000);
  const ProgramResult imported =
      run_program({tilewall_program, "import", (folder / "source.mp4").string(), "-o",
                   (folder / "imported").string()},
                  std::chrono::minutes(2));
  CAPTURE(imported.err);
  REQUIRE(imported.exit_code == 0);
  std::ofstream list(folder / "list.m3u");
  for (const Entry& entry : entries) {
    if (entry.is_still) list << "#EXTINF:" << still_s << ",a still\n";
    list << entry.file << '\n';
  }
  return folder / "list.m3u";
}

/// The number in the picture of a frame of the list, which is a loop.
int number_of(std::int64_t frame) {
  std::int64_t frames = 0;
  for (const Entry& entry : entries) frames += entry.frames;
  frame = (frame % frames + frames) % frames;
  for (const Entry& entry : entries) {
    if (frame < entry.frames)
      return entry.first_number + (entry.is_still ? 0 : static_cast<int>(frame));
    frame -= entry.frames;
  }
  return -1;
}

/// Processes that decoded for the show so far, by the names of their pid files.
std::set<std::pair<std::string, pid_t>> decoders_of(const fs::path& run_dir) {
  std::set<std::pair<std::string, pid_t>> found;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(run_dir / "pids", error))
    if (const std::string name = file.path().filename(); name.starts_with("decoder"))
      if (const pid_t pid = pid_in(file.path()); pid > 0) found.insert({name, pid});
  return found;
}

std::chrono::seconds wanted_time() {
  const char* const seconds = std::getenv("TILEWALL_LIST_LOOP_S");
  return std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 120);
}

}  // namespace

TEST_CASE("a list of five kinds of input loops on fifteen panels", "[.][list-loop]") {
  const TemporaryFolder folder;
  const fs::path list = make_list(folder.path());
  const fs::path run_dir = folder / "run";
  RunningProgram show({tilewall_program, "play", list.string(), "--wall",
                       TILEWALL_SOURCE_DIR "/wallconfigs/mini-5x3.toml", "--headless", "--loop",
                       "--fit", "stretch", "--no-audio", "--snapshot-folder",
                       folder.path().string(), "--run-dir", run_dir.string(), "--report",
                       (folder / "report.json").string()});
  REQUIRE(eventually([&] { return fs::exists(run_dir / "control.addr"); }));
  ControlPort port(run_dir);
  const fs::path picture = folder / "snapshot.png";
  std::set<std::pair<std::string, pid_t>> decoders;
  int snapshots = 0;
  int wrong = 0;
  const auto until = std::chrono::steady_clock::now() + wanted_time();
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(snapshot_interval);
    decoders.merge(decoders_of(run_dir));
    const Json taken = port.ask({{"type", "snapshot"}, {"file", picture.string()}});
    CAPTURE(taken.dump());
    REQUIRE(taken.at("type") == "done");
    ++snapshots;
    const auto frame = taken.at("frame").get<std::int64_t>();
    const int found = read_frame_number(read_png(picture).view());
    // The list began at tick 0 and was not sought: at tick n, frame n is due. Ticks that are left
    // out are never named.
    const auto tick = taken.at("tick").get<std::int64_t>();
    if (found == number_of(frame) && found == number_of(tick)) continue;
    ++wrong;
    WARN(taken.dump() << ": expected picture " << number_of(tick) << " of the named tick, found "
                      << found);
  }
  CHECK(port.ask({{"type", "quit"}}).at("type") == "done");
  CHECK(show.wait(std::chrono::seconds(20)).exit_code == 0);
  const Json report = read_report(folder / "report.json");
  std::set<std::string> names;
  for (const auto& [name, pid] : decoders) names.insert(name);
  WARN(snapshots << " snapshots, " << wrong << " of another frame than the one due; "
                 << decoders.size() << " decoders of " << names.size() << " movies, "
                 << report.at("restarts").size() << " restarts; " << report.at("frames_shown")
                 << " of " << report.at("frames_scheduled") << " frames shown by all, "
                 << report.at("frames_late") << " late");
  CHECK(snapshots > 0);
  CHECK(wrong == 0);
  CHECK(decoders.size() == names.size());
  CHECK(names.size() == 3);
  CHECK(report.at("restarts").empty());
  CHECK(report.at("damaged_frames") == 0);
}
