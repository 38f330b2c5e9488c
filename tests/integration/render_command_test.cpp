// tilewall render: a flight through a volume becomes a wall movie, with the pixels of `view`, byte
// for byte the same after an interruption.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/integration/flight.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

/// The picture that view shows of a camera with these options.
TestPicture viewed(const Flight& flight, const std::string& camera, const Words& more) {
  std::ofstream(flight.at("camera.toml")) << camera;
  Words view = {program_path("tilewall"),
                "view",
                flight.at("ball.npy"),
                "--wall",
                flight_wall,
                "--camera",
                flight.at("camera.toml"),
                "--headless",
                "--frames",
                "1",
                "--snapshot",
                "0:" + flight.at("view.png")};
  view.insert(view.end(), more.begin(), more.end());
  REQUIRE(run_program(view, std::chrono::seconds(60)).exit_code == 0);
  return read_png(flight.at("view.png"));
}

}  // namespace

TEST_CASE("a rendered frame has the pixels that view shows of its camera", "[render]") {
  const Flight flight(1);
  const auto mode =
      GENERATE(values<Words>({{"--lit"},
                              {"--mode", "maximum"},
                              {"--iso", "100"},
                              {"--stretch", "1,0.5,2"},
                              {"--annotate", "audience", "--clip", "0,0.6,0,1,0,1"}}));
  CAPTURE(mode);
  Words more = {"--lossless", "zstd", "--frames", "0-0"};
  more.insert(more.end(), mode.begin(), mode.end());
  const ProgramResult rendered = flight.render("movie", more);
  CAPTURE(rendered.err);
  REQUIRE(rendered.exit_code == 0);
  REQUIRE(run_program(
              {program_path("tilewall"), "export", flight.at("movie"), "-o", flight.at("frames")})
              .exit_code == 0);
  const TestPicture frame = read_png(fs::path(flight.at("frames")) / "frame-000000.png");
  CHECK(same_pixels(frame.view(), viewed(flight, first_camera, mode).view()));
}

TEST_CASE("a pixel of several rays is their mean", "[render]") {
  const Flight flight(1);
  const TestPicture mean =
      first_frame(flight, "mean", {"--frames", "5-5", "--size", "64x40", "--samples", "16"});
  const TestPicture fine = first_frame(flight, "fine", {"--frames", "5-5", "--size", "256x160"});
  int worst = 0;
  int most = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 64; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        int sum = 0;
        for (int ray = 0; ray < 16; ++ray)
          sum += pixel_at(fine.view(), {4 * x + ray % 4, 4 * y + ray / 4})[channel];
        const int found = pixel_at(mean.view(), {x, y})[channel];
        worst = std::max(worst, std::abs(found - (sum + 8) / 16));
        most = std::max(most, found);
      }
  CHECK(worst == 0);
  CHECK(most > 50);
}

TEST_CASE("the style of a flight is that of its keys, and in between the mixture of both",
          "[render]") {
  const Flight flight(1);
  std::ofstream(flight.path()) << "volume = \"ball.npy\"\n[[key]]\n"
                               << first_camera << "clip = [0, 0.6, 0, 1, 0, 1]\nhold_s = 0.5\n"
                               << "range = [0, 200]\n[[key]]\n"
                               << first_camera << "time_s = 1.5\nhold_s = 0.5\n"
                               << "clip = [0.2, 1, 0, 1, 0, 1]\ntf = \"magma\"\nlit = true\n";
  const auto frame = [&](const char* movie, const char* number) {
    return first_frame(flight, movie, {"--frames", number, "--opacity", "2"});
  };
  const auto view = [&](const Words& words) {
    Words all = {"--opacity", "2", "--range", "0,200"};
    all.insert(all.end(), words.begin(), words.end());
    return viewed(flight, first_camera, all);
  };
  const TestPicture first = view({"--clip", "0,0.6,0,1,0,1"});
  CHECK(same_pixels(frame("begin", "0-0").view(), first.view()));
  CHECK(same_pixels(frame("leaves", "12-12").view(), first.view()));
  const TestPicture last = view({"--clip", "0.2,1,0,1,0,1", "--tf", "magma", "--lit"});
  CHECK(same_pixels(frame("end", "36-36").view(), last.view()));
  // Half of the way: half of the clip box's change, and of the colours' and the light's.
  std::ofstream(flight.path(), std::ios::app) << "[[key]]\n" << first_camera << "time_s = 3\n";
  const TestPicture middle = frame("middle", "24-24");
  CHECK_FALSE(same_pixels(middle.view(), first.view()));
  CHECK_FALSE(same_pixels(middle.view(), last.view()));
  const TestPicture clipped = view({"--clip", "0.1,0.8,0,1,0,1"});
  for (const PointPx at : {PointPx{0, 0}, PointPx{clipped.view().size_px.width / 2, 0}})
    CHECK(pixel_at(middle.view(), at) == pixel_at(clipped.view(), at));
}

TEST_CASE("a caption shows from its key to the next one that has one", "[render]") {
  const Flight flight(1);
  const auto frame = [&](const std::string& movie, const char* first, const char* second,
                         const char* number) {
    std::ofstream(flight.path()) << "volume = \"ball.npy\"\n[[key]]\n"
                                 << first_camera << first << "\n[[key]]\n"
                                 << first_camera << "time_s = 1\n"
                                 << second << "\n[[key]]\n"
                                 << first_camera << "time_s = 2\n";
    return first_frame(flight, movie.c_str(), {"--frames", number});
  };
  const TestPicture plain = frame("plain", "", "", "0-0");
  const char* const caption = "caption = \"A ball\"";
  const TestPicture shown = frame("shown", caption, "", "0-0");
  CHECK_FALSE(same_pixels(shown.view(), plain.view()));
  CHECK(same_pixels(frame("late", caption, "caption = \"\"", "23-23").view(), shown.view()));
  CHECK(same_pixels(frame("ended", caption, "caption = \"\"", "24-24").view(), plain.view()));
  CHECK(same_pixels(frame("on", caption, "", "40-40").view(), shown.view()));
  CHECK_FALSE(
      same_pixels(frame("moved", "caption = \"A ball\"\ncaption_at = [0.9, 0]", "", "0-0").view(),
                  shown.view()));
}

TEST_CASE("a logo lies over all frames, within one panel", "[render]") {
  const Flight flight(1);
  const std::string path = read_text_file(flight.path(), 1 << 16);
  const TestPicture red =
      first_frame(flight, "red", {"--frames", "0-0", "--size", "64x40", "--background", "#ff0000"});
  fs::copy_file(flight.at("red-frames") + "/frame-000000.png", flight.at("logo.png"));
  const TestPicture plain = first_frame(flight, "plain", {"--frames", "5-5"});
  const auto with_logo = [&](const std::string& logo) {
    std::ofstream(flight.path()) << path.substr(0, path.find("[[key]]")) << "[logo]\n"
                                 << logo << path.substr(path.find("[[key]]"));
  };
  with_logo("file = \"logo.png\"\nat = [0.5, 0]\nwidth = 0.1\n");
  const TestPicture shown = first_frame(flight, "shown", {"--frames", "5-5"});
  // 320 x 96 pixels in two panels: 32 x 20 pixels in the left one, 2 pixels from its edges.
  int outside = 0;
  int inside = 0;
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 320; ++x) {
      const bool is_different = pixel_at(shown.view(), {x, y}) != pixel_at(plain.view(), {x, y});
      const bool is_in = x >= 126 && x < 158 && y >= 2 && y < 22;
      outside += is_different && !is_in ? 1 : 0;
      inside += is_different && is_in ? 1 : 0;
    }
  CHECK(outside == 0);
  CHECK(inside == 32 * 20);
  CHECK(pixel_at(shown.view(), {126, 2}) == Bgrx{0, 0, 255, 255});
  const ProgramResult ranks =
      flight.render("ranks", {"--frames", "5-5", "--lossless", "zstd", "--ranks", "1"});
  CAPTURE(ranks.err);
  CHECK(ranks.exit_code == 0);
  CHECK(files_of_movie(flight.at("ranks")) == files_of_movie(flight.at("shown")));
  const auto refusal = [&](const std::string& logo) {
    with_logo(logo);
    const ProgramResult result = flight.render("none");
    CHECK(result.exit_code == 2);
    CHECK(std::ranges::count(result.err, '\n') == 1);
    return result.err;
  };
  const std::string place = "tilewall: " + flight.path() + ":4: logo.";
  CHECK(refusal("file = \"none.png\"\n")
            .starts_with(place + "file: " + flight.at("none.png") + ": expected"));
  std::ofstream(flight.at("text.png")) << "no image";
  CHECK(refusal("file = \"text.png\"\n").starts_with(place + "file: " + flight.at("text.png")));
  CHECK(refusal("width = 0.1\n").find("logo.file: expected an image, found nothing") !=
        std::string::npos);
  CHECK(refusal("at = \"1mm\"\nfile = \"logo.png\"\n")
            .starts_with(place + "at: expected two shares from 0 to 1, or as in"));
  CHECK(refusal("width = 2\nfile = \"logo.png\"\n").starts_with(place + "width: expected"));
}

TEST_CASE("faults of a flight's styles name file, line, key and field", "[render][bad-input]") {
  const Flight flight(1);
  const auto refusal = [&](const std::string& line) {
    std::ofstream(flight.path()) << "volume = \"ball.npy\"\n[[key]]\n"
                                 << first_camera << "[[key]]\nname = \"b\"\n"
                                 << "eye = [-40, -40, 30]\nlook_at = [11.5, 9.5, 7.5]\n"
                                 << line << "\n";
    const ProgramResult result = flight.render("movie", {});
    CHECK(result.exit_code == 2);
    CHECK(std::ranges::count(result.err, '\n') == 1);
    CHECK_FALSE(fs::exists(flight.at("movie")));
    return result.err;
  };
  const std::string place = "tilewall: " + flight.path() + ":11: key \"b\".";
  CHECK(refusal("clip = \"0,1\"").starts_with(place + "clip: expected X0,X1,Y0,Y1,Z0,Z1"));
  CHECK(refusal("opacity = 0").starts_with(place + "opacity: expected a number from"));
  CHECK(refusal("tf = \"none.toml\"").starts_with(place + "tf: none.toml: expected"));
  CHECK(refusal("range = [9, 8]").starts_with(place + "range: expected"));
  CHECK(refusal("caption = \"" + std::string(100'000, 'x') + "\"") ==
        place + "caption: expected at most 4096 bytes, found 100000\n");
  CHECK(refusal("caption = \"" + std::string(2000, 'x') + "\"") ==
        place + "caption: expected a line of at most 1024 bytes, found 2000 bytes\n");
  CHECK(refusal("caption_at = [2, 0]").starts_with(place + "caption_at: expected X,Y"));
}

TEST_CASE("a series plays while the camera flies", "[render]") {
  const Flight flight(1);
  write_npy(flight.at("later.npy"), 4);
  const auto path_with = [&](const char* volume, const char* first, const char* last) {
    std::ofstream(flight.path()) << "volume = " << volume << "\nduration_s = 1\n[[key]]\n"
                                 << first_camera << first << "[[key]]\n"
                                 << first_camera << "time_s = 1\n"
                                 << last;
  };
  path_with("\"later.npy\"", "", "");
  const TestPicture later = first_frame(flight, "later", {"--range", "0,255", "--frames", "0-0"});
  path_with("[\"ball.npy\", \"later.npy\"]", "timestep = 0\n", "timestep = 1.5\n");
  const TestPicture begin = first_frame(flight, "begin", {"--range", "0,255", "--frames", "0-0"});
  const TestPicture end = first_frame(flight, "end", {"--range", "0,255", "--frames", "20-20"});
  CHECK(same_pixels(end.view(), later.view()));
  CHECK_FALSE(same_pixels(begin.view(), later.view()));
  path_with("[\"ball.npy\", \"later.npy\"]", "", "timestep = 2\n");
  CHECK(flight.render("none").err ==
        "tilewall: " + flight.path() + ": key[1].timestep: expected a timestep under 2, found 2\n");
}

TEST_CASE("values of two timesteps are mixed before they get their colours", "[render]") {
  const Flight flight(1);
  write_npy(flight.at("later.npy"), 4);
  {
    std::string bytes = read_text_file(flight.at("ball.npy"), 1 << 20);
    const std::string later = read_text_file(flight.at("later.npy"), 1 << 20);
    for (std::size_t i = 128; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(
          (static_cast<unsigned char>(bytes[i]) + static_cast<unsigned char>(later[i]) + 1) / 2);
    std::ofstream(flight.at("mean.npy"), std::ios::binary) << bytes;
  }
  const auto frame = [&](const char* movie, const char* volume, const char* last,
                         const char* between) {
    std::ofstream(flight.path()) << "volume = " << volume << "\nduration_s = 1\n[[key]]\n"
                                 << first_camera << "timestep = 0\n[[key]]\n"
                                 << first_camera << "time_s = 1\ntimestep = " << last << "\n";
    return first_frame(flight, movie,
                       {"--range", "0,255", "--frames", "12-12", "--between", between, "--label"});
  };
  const char* const series = "[\"ball.npy\", \"later.npy\"]";
  const auto is_same = [](const TestPicture& a, const TestPicture& b) {
    // The label, in the upper left, names the timestep.
    const SizePx size = a.view().size_px;
    for (int y = size.height / 4; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        if (pixel_at(a.view(), {x, y}) != pixel_at(b.view(), {x, y})) return false;
    return true;
  };
  const TestPicture blended = frame("blended", series, "1", "blend");
  CHECK(is_same(blended, frame("mean", "\"mean.npy\"", "0", "hold")));
  CHECK_FALSE(is_same(blended, frame("held", series, "1", "hold")));
  CHECK(same_pixels(frame("whole", series, "0", "blend").view(),
                    frame("hold", series, "0", "hold").view()));
  CHECK(flight.render("none", {"--between", "fade"}).err.find("expected hold or blend") !=
        std::string::npos);
}

TEST_CASE("an open shutter shows the mean of pictures spread over its time", "[render]") {
  const Flight flight(1);
  const std::string path = read_text_file(flight.path(), 1 << 16);
  const TestPicture blurred =
      first_frame(flight, "blurred", {"--frames", "5-5", "--shutter", "0.5", "--samples", "4"});
  const TestPicture sharp = first_frame(flight, "sharp", {"--frames", "5-5", "--samples", "4"});
  CHECK_FALSE(same_pixels(blurred.view(), sharp.view()));
  // The same flight 32 times as slow: frames 161, 163 ... 175 are in the middles of the parts.
  std::string slow = path;
  slow.replace(slow.find("duration_s = 1"), 14, "ease_s = 32\nduration_s = 32");
  std::ofstream(flight.path()) << slow;
  REQUIRE(flight.render("slow", {"--frames", "160-175", "--samples", "4", "--lossless", "zstd"})
              .exit_code == 0);
  REQUIRE(run_program({program_path("tilewall"), "export", flight.at("slow"), "-o",
                       flight.at("slow-frames")})
              .exit_code == 0);
  std::vector<TestPicture> moments;
  for (int i = 1; i < 16; i += 2) {
    const std::string number = std::to_string(i);
    moments.push_back(read_png(fs::path(flight.at("slow-frames")) /
                               ("frame-" + std::string(6 - number.size(), '0') + number + ".png")));
  }
  const SizePx size = blurred.view().size_px;
  int worst = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        int sum = 0;
        for (const TestPicture& moment : moments) sum += pixel_at(moment.view(), {x, y})[channel];
        worst =
            std::max(worst, std::abs(pixel_at(blurred.view(), {x, y})[channel] - (sum + 4) / 8));
      }
  CHECK(worst <= 1);  // a mean of rounded means
  std::ofstream(flight.path()) << "volume = \"ball.npy\"\nduration_s = 1\n[[key]]\n"
                               << first_camera << "[[key]]\n"
                               << first_camera << "time_s = 1\n";
  CHECK(same_pixels(first_frame(flight, "still", {"--frames", "5-5", "--shutter", "1"}).view(),
                    first_frame(flight, "rest", {"--frames", "5-5"}).view()));
  CHECK(flight.render("none", {"--shutter", "1.5"}).err ==
        "tilewall: --shutter: expected a share of a frame's time, 0 to 1, found 1.5\n");
}

TEST_CASE("an estimate tells frames, time and space, and leaves nothing behind", "[render]") {
  const Flight flight(8);
  const ProgramResult result = flight.render("movie", {"--estimate", "--json"});
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("frames") == 192);
  CHECK(report.at("sampled_frames").get<int>() > 1);
  CHECK(report.at("sampled_share") == 1.0);
  CHECK(report.at("read_bytes") == 24 * 20 * 16);  // of all voxels
  CHECK(report.at("hosts") == 1);
  CHECK(report.at("frames_per_host") == 192);
  const ProgramResult some = flight.render("movie", {"--estimate", "--json", "--frames", "7-16"});
  CHECK(nlohmann::json::parse(some.out).at("frames") == 10);
  CHECK(report.at("estimated_s").get<double>() > 0);
  CHECK(report.at("error_s").get<double>() >= 0);
  CHECK(report.at("estimated_bytes").get<double>() > 192 * 500);
  for (const auto& entry : fs::directory_iterator(fs::path(flight.path()).parent_path()))
    CHECK_FALSE(entry.path().filename().string().starts_with("movie"));
}

TEST_CASE("an estimate of a series counts each timestep that is shown", "[render]") {
  const Flight flight(1);
  write_npy(flight.at("later.npy"), 4);
  std::ofstream(flight.path())
      << "volume = [\"ball.npy\", \"later.npy\"]\nduration_s = 1\n[[key]]\n"
      << first_camera << "timestep = 0\n[[key]]\n"
      << first_camera << "time_s = 1\ntimestep = 1.5\n";
  const ProgramResult result = flight.render("movie", {"--estimate", "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("sampled_share") == 1.0);
  CHECK(report.at("read_bytes") == 2 * 24 * 20 * 16);
}

TEST_CASE("OpenGL draws all frames of a flight, whichever worker asks for them", "[render]") {
  const Flight flight(1);
  const ProgramResult result =
      flight.render("movie", {"--caster", "gl", "--frames", "0-5", "--json"});
  if (result.err.find("OpenGL 4.3") != std::string::npos) {
    WARN("skipped: no OpenGL 4.3 here");
    return;
  }
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(nlohmann::json::parse(result.out).at("written_frames") == 6);
}

TEST_CASE("an interrupted rendering goes on, and ends with the same bytes", "[render]") {
  const Flight flight(8);  // 192 frames
  REQUIRE(flight.render("whole").exit_code == 0);
  {
    const RunningProgram running(flight.command("cut"));
    REQUIRE(
        eventually([&] { return fs::exists(fs::path(flight.at("cut")) / "frame-000020.tif"); }));
    ::kill(running.pid(), SIGKILL);
  }
  const auto cut = files_of_movie(flight.at("cut"));
  const auto there = static_cast<std::size_t>(std::ranges::count_if(cut, [](const auto& file) {
    return file.first.starts_with("frame-") && file.first.ends_with(".tif");
  }));
  CHECK(there < 192);
  const ProgramResult again = flight.render("cut", {"--json"});
  CAPTURE(again.err);
  REQUIRE(again.exit_code == 0);
  const auto report = nlohmann::json::parse(again.out);
  CHECK(report.at("frames") == 192);
  CHECK(report.at("written_frames").get<std::size_t>() == 192 - there);
  CHECK(files_of_movie(flight.at("cut")) == files_of_movie(flight.at("whole")));
  CHECK(flight.render("cut").out == flight.at("cut") + ": complete already, 192 frames\n");
}

TEST_CASE("a rendering for an audience goes on another day", "[render]") {
  const Flight flight(1);
  std::ofstream(flight.path(), std::ios::app) << "annotate = \"audience\"\n";
  fs::last_write_time(flight.path(), fs::last_write_time(flight.path()) - std::chrono::days(3));
  // The days of these two zones always differ.
  const auto render_at = [&](const char* zone, const char* movie, const Words& more) {
    Words words = flight.command(movie, {"--annotate", "audience"});
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, std::chrono::seconds(60),
                       {.environment = {{"TZ", zone}}, .folder = {}});
  };
  REQUIRE(render_at("<-12>12", "west", {}).exit_code == 0);
  const ProgramResult again = render_at("<+14>-14", "west", {});
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(again.out == flight.at("west") + ": complete already, 24 frames\n");
  REQUIRE(render_at("<+14>-14", "east", {}).exit_code == 0);
  CHECK(files_of_movie(flight.at("east")) == files_of_movie(flight.at("west")));
  // The date is drawn, and can be another one.
  REQUIRE(render_at("<-12>12", "dated", {"--date", "May 1"}).exit_code == 0);
  CHECK(files_of_movie(flight.at("dated")) != files_of_movie(flight.at("west")));
}

TEST_CASE("what a rendering began with cannot change on the way", "[render][bad-input]") {
  const Flight flight(1);
  REQUIRE(flight.render("movie").exit_code == 0);
  const auto refusal = [&](const Words& more) {
    const ProgramResult result = flight.render("movie", more);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(refusal({"--lit"}) == "tilewall: " + flight.at("movie") +
                                  "/movie.toml: look: expected the style with which the rendering "
                                  "began (--overwrite starts anew), found another one\n");
  CHECK(refusal({"--samples", "4"})
            .find("movie.toml: samples: expected \"1\", as the rendering began "
                  "(--overwrite starts anew), found \"4\"\n") != std::string::npos);
  CHECK(refusal({"--frames", "0-3"}).find("frames: expected none, as the rendering began") !=
        std::string::npos);
  CHECK(refusal({"--shutter", "0.5"}).find("shutter: expected none, as the rendering began") !=
        std::string::npos);
  CHECK(refusal({"--memory", "7"}).find("movie.toml: volume: expected the volume with which") !=
        std::string::npos);
  CHECK(refusal({"--quality", "50"}).find("movie.toml: quality: expected") != std::string::npos);
  write_npy(flight.at("ball.npy"), 1);  // another volume of the same name and size
  CHECK(refusal({}).find("movie.toml: volume: expected") != std::string::npos);
  {
    const std::string path = read_text_file(flight.path(), 1 << 16);
    std::string moved = path;
    moved.replace(moved.find("[30,"), 4, "[30.0000000000001,");  // seen by no eye, but another path
    std::ofstream(flight.path()) << moved;
    CHECK(refusal({}).find("source_identity: expected") != std::string::npos);
    std::ofstream(flight.path()) << path;
  }
  std::ofstream(flight.at("own.toml")) << "points = [{at = 0, color = [0, 0, 0]}, "
                                       << "{at = 1, color = [1, 1, 1]}]\n";
  std::ofstream(flight.path(), std::ios::app) << "fov_deg = 40\n";
  CHECK(refusal({}).find("source_identity: expected") != std::string::npos);
  std::ofstream(flight.path(), std::ios::app) << "tf = \"own.toml\"\n";
  CHECK(flight.render("movie", {"--overwrite"}).exit_code == 0);
  std::ofstream(flight.at("own.toml")) << "points = [{at = 0, color = [0, 0, 0]}, "
                                       << "{at = 1, color = [1, 0, 1]}]\n";
  CHECK(refusal({}).find("look: expected") != std::string::npos);
  CHECK(flight.render("movie", {"--overwrite"}).exit_code == 0);
}

TEST_CASE("flights that cannot be rendered are refused in one line", "[render][bad-input]") {
  const Flight flight(1);
  const auto refusal = [&](const Words& more) {
    const ProgramResult result = flight.render("movie", more);
    CHECK(result.exit_code == 2);
    CHECK(std::ranges::count(result.err, '\n') == 1);
    CHECK_FALSE(fs::exists(flight.at("movie")));
    return result.err;
  };
  CHECK(refusal({"--timestep", "1"}) ==
        "tilewall: --timestep: expected a timestep under 1, found 1\n");
  CHECK(refusal({"--portable", "--caster", "cpu"}).find("--caster") != std::string::npos);
  CHECK(refusal({"--caster", "scalar"}).find("--caster") != std::string::npos);
  CHECK(refusal({"--samples", "2"}) == "tilewall: --samples: expected 1, 4 or 16, found 2\n");
  CHECK(refusal({"--samples", "16", "--size", "30000x10000"})
            .starts_with("tilewall: --samples: expected a picture of at most 131072 rays a side"));
  CHECK(refusal({"--estimate", "--quality", "0"}).starts_with("tilewall: --quality: expected"));
  CHECK(refusal({"--size", "0x5"}).starts_with("tilewall: --size: expected"));
  CHECK(refusal({"--frames", "90-95"}) ==
        "tilewall: --frames: expected frames from 0 to 23, found 90-95\n");
  for (const char* const frames : {"20-24", "24"})
    CHECK(refusal({"--estimate", "--frames", frames})
              .starts_with("tilewall: --frames: expected frames from 0 to 23, found 2"));
  CHECK(refusal({"--volume", flight.at("none.npy")}).find("none.npy: expected a readable file") !=
        std::string::npos);
  std::ofstream(flight.path()) << "[[key]]\n"
                               << first_camera << "[[key]]\n"
                               << first_camera << "time_s = 1\n";
  CHECK(refusal({}) ==
        "tilewall: --volume: expected a volume to fly through, here or as volume = "
        "\"FILE\" in " +
            flight.path() + ", found none\n");
  std::ofstream(flight.path()) << "volume = \"ball.npy\"\n[[key]]\n"
                               << first_camera
                               << "[[key]]\neye = [1e9, 0, 0]\nlook_at = [0, 0, 0]\n";
  CHECK(refusal({}).starts_with("tilewall: " + flight.path() +
                                ": key[1].eye: expected a place within "));
}

TEST_CASE("a flight that looks away from the volume is rendered with a line that says so",
          "[render]") {
  const Flight flight(1);
  const auto fly_to = [&](const char* key) {
    std::ofstream(flight.path()) << "volume = \"ball.npy\"\nduration_s = 1\n[[key]]\n"
                                 << first_camera << "[[key]]\n"
                                 << key;
  };
  const auto remark = [&] {
    const ProgramResult rendered = flight.render("movie", {"--frames", "0-0", "--overwrite"});
    CHECK(rendered.exit_code == 0);
    const ProgramResult checked = run_program(
        {program_path("tilewall"), "path", "check", flight.path(), "--wall", flight_wall});
    CHECK(checked.exit_code == 0);
    CHECK(checked.err == rendered.err);
    return rendered.err;
  };
  const std::string line =
      "tilewall: " + flight.path() + ": key[1]: no part of the volume is in the picture (from 0.";
  fly_to("eye = [200, 0, 0]\nlook_at = [400, 0, 0]\n");  // behind the eye
  CHECK(remark().starts_with(line));
  fly_to("eye = [200, 0, 0]\nlook_at = [150, 100, 0]\n");  // beside the picture
  CHECK(remark().starts_with(line));
  fly_to("eye = [200, 0, 0]\nlook_at = [0, 0, 0]\n");
  CHECK(remark().empty());
}

TEST_CASE("on an arc, each screen has the rays that view sends through it", "[render]") {
  const Flight flight(1);
  const std::string arc = source_path("tests/data/walls/arc.toml");
  const std::string content = GENERATE("arc_length", "flat");
  CAPTURE(content);
  const Words look = {"--frames", "0-0",       "--lossless", "zstd", "--bezels",
                      "show",     "--content", content,      "--lit"};
  const ProgramResult rendered = flight.render("movie", look, arc);
  CAPTURE(rendered.err);
  REQUIRE(rendered.exit_code == 0);
  REQUIRE(rendered.err.empty());
  const auto picture_of = [&](const Words& more) {
    Words words = {program_path("tilewall")};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(),
                 {"--wall", arc, "--bezels", "show", "--content", content, "--headless", "--frames",
                  "1", "--snapshot", "0:" + flight.at(more.front() + ".png")});
    const ProgramResult result = run_program(words, std::chrono::seconds(60));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return read_png(flight.at(more.front() + ".png"));
  };
  std::ofstream(flight.at("camera.toml")) << first_camera;
  const TestPicture viewed =
      picture_of({"view", flight.at("ball.npy"), "--camera", flight.at("camera.toml"), "--lit"});
  const TestPicture played = picture_of({"play", flight.at("movie")});
  CHECK(same_pixels(played.view(), viewed.view()));
  Words ranked = look;
  ranked.insert(ranked.end(), {"--ranks", "2"});
  REQUIRE(flight.render("ranked", ranked, arc).exit_code == 0);
  CHECK(files_of_movie(flight.at("ranked")) == files_of_movie(flight.at("movie")));
  if (content != "arc_length") return;
  // Another arc is another movie.
  const std::string text = read_text_file(arc, 1 << 16);
  std::string wider = text;
  wider.replace(wider.find("increment_deg = 20"), 18, "increment_deg = 15");
  std::ofstream(flight.at("wider.toml")) << wider;
  CHECK(flight.render("movie", look, flight.at("wider.toml")).err.find("screens: expected") !=
        std::string::npos);
}

TEST_CASE("between an arc's screens nothing is left of the frames before", "[render]") {
  const Flight flight(1);
  const std::string arc = source_path("tests/data/walls/arc.toml");
  // An orthographic picture covers all of the canvas, bezels included.
  std::ofstream(flight.path()) << "volume = \"ball.npy\"\n[[key]]\n"
                               << first_camera << "lens = \"orthographic\"\nview_height = 40\n"
                               << "hold_s = 0.25\n[[key]]\n"
                               << first_camera << "lens = \"perspective\"\ntime_s = 0.75\n"
                               << "hold_s = 0.25\n";
  const ProgramResult rendered =
      flight.render("images", {"--png", "--bezels", "hide", "--background", "#ffffff"}, arc);
  CAPTURE(rendered.err);
  REQUIRE(rendered.exit_code == 0);
  const auto at_bezel = [&](const char* name) {
    const TestPicture frame = read_png(fs::path(flight.at("images")) / name);
    return pixel_at(frame.view(), {244, 40});  // between the first two columns
  };
  using Pixel = std::array<int, 3>;
  const auto orthographic = at_bezel("frame-000000.png");
  CHECK(Pixel{orthographic[0], orthographic[1], orthographic[2]} == Pixel{255, 255, 255});
  const auto perspective = at_bezel("frame-000023.png");
  CHECK(Pixel{perspective[0], perspective[1], perspective[2]} == Pixel{});
}

TEST_CASE("the manifest tells what has drawn the frames", "[render]") {
  const Flight flight(1);
  REQUIRE(flight.render("movie", {"--frames", "0-0", "--caster", "cpu"}).exit_code == 0);
  CHECK(read_text_file(fs::path(flight.at("movie")) / "movie.toml", 1 << 16)
            .find(" drawn_by=cpu: ") != std::string::npos);
}
