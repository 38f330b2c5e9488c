// tilewall render: a flight as PNG and EXR images, and a frame of its movie as an image.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/integration/flight.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/exr_picture.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

TEST_CASE("a flight becomes PNG images, with the pixels of a lossless movie", "[render]") {
  const Flight flight(1);
  const auto images = [&](const Words& more) {
    Words words = {program_path("tilewall"),
                   "render",
                   flight.path(),
                   "-o",
                   flight.at("images"),
                   "--size",
                   "160x100",
                   "--frames",
                   "3-6",
                   "--png"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, std::chrono::seconds(60));
  };
  const ProgramResult result = images({});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto files = files_of_movie(flight.at("images"));
  REQUIRE(files.size() == 5);
  CHECK(files.contains("pictures.toml"));
  const TestPicture movie = first_frame(flight, "movie", {"--frames", "4-4", "--size", "160x100"});
  CHECK(same_pixels(read_png(fs::path(flight.at("images")) / "frame-000001.png").view(),
                    movie.view()));
  fs::remove(fs::path(flight.at("images")) / "frame-000002.png");
  CHECK(images({"--ranks", "2"}).exit_code == 0);
  CHECK(files_of_movie(flight.at("images")) == files);
  CHECK(images({"--lit"}).err.find("pictures.toml: look: expected") != std::string::npos);
  // Neither kind of frames is written into a folder of the other one.
  CHECK(flight.render("images").exit_code == 2);
  CHECK(flight.render("movie", {"--png"}).exit_code == 2);
  const ProgramResult without_size = run_program(
      {program_path("tilewall"), "render", flight.path(), "-o", flight.at("x"), "--png"});
  CHECK(without_size.err.starts_with("tilewall: --wall: expected the wall file of the movie, or"));
  CHECK(without_size.exit_code == 2);
}

namespace {

/// The level of sRGB, from 0 to 255, that a pixel of an EXR image has over black. Its colours are
/// mixed in sRGB, and multiplied by the opacity in light.
double level_of(float light, float opacity) {
  if (!(opacity > 0)) return 0;
  const double straight = light / opacity;
  const double coded =
      straight <= 0.0031308 ? 12.92 * straight : 1.055 * std::pow(straight, 1 / 2.4) - 0.055;
  return std::min(255 * coded * opacity, 255.0);
}

}  // namespace

TEST_CASE("a flight becomes EXR images, with the light of its PNG images", "[render]") {
  const Flight flight(1);
  const bool is_surface = GENERATE(true, false);
  CAPTURE(is_surface);
  const auto images = [&](const char* folder, const Words& more) {
    Words words = {program_path("tilewall"),
                   "render",
                   flight.path(),
                   "-o",
                   flight.at(folder),
                   "--size",
                   "64x40",
                   "--frames",
                   "3-6",
                   "--caster",
                   "cpu"};
    if (is_surface) words.insert(words.end(), {"--iso", "100"});
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, std::chrono::seconds(60));
  };
  const ProgramResult result = images("exr", {"--exr"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE(images("png", {"--png"}).exit_code == 0);
  const TestPicture png = read_png(fs::path(flight.at("png")) / "frame-000001.png");
  const ExrPicture exr = read_exr(fs::path(flight.at("exr")) / "frame-000001.exr");
  REQUIRE(exr.size_px == SizePx{64, 40});
  int seen = 0;
  double worst = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 64; ++x) {
      const auto at = static_cast<std::size_t>(64 * y + x);
      const float opacity = exr.channels.at("A")[at];
      if (is_surface) CHECK((opacity == 0 || opacity == 1));
      // The eye is 65 to 85 from places on the ball.
      const float depth = exr.channels.at("Z")[at];
      CHECK((opacity < 0.5F ? std::isinf(depth) : depth > 55 && depth < 95));
      if (opacity > 0) ++seen;
      const Bgrx pixel = pixel_at(png.view(), {x, y});
      const char* const names[] = {"B", "G", "R"};
      for (std::size_t channel = 0; channel < 3; ++channel)
        worst = std::max(worst, std::abs(level_of(exr.channels.at(names[channel])[at], opacity) -
                                         pixel[channel]));
    }
  CHECK(seen > 50);
  CHECK(worst < 4);
  // Any number of ranks writes the same bytes, and goes on where another one ended.
  const auto files = files_of_movie(flight.at("exr"));
  REQUIRE(files.size() == 5);
  fs::remove(fs::path(flight.at("exr")) / "frame-000002.exr");
  CHECK(images("exr", {"--exr", "--ranks", "2"}).exit_code == 0);
  CHECK(files_of_movie(flight.at("exr")) == files);
  // A pixel of several rays is their mean, and a part of a surface's edge is opaque.
  REQUIRE(images("fine", {"--exr", "--samples", "4"}).exit_code == 0);
  const auto& edges = read_exr(fs::path(flight.at("fine")) / "frame-000001.exr").channels.at("A");
  if (is_surface) CHECK(std::ranges::count(edges, 0.25F) > 0);
}

TEST_CASE("while images are rendered, the newest one is shown", "[render]") {
  const Flight flight(60);
  const std::string kind = GENERATE("--png", "--exr");
  const std::string ranks = GENERATE("", "2");
  CAPTURE(kind, ranks);
  Words more = {kind, "--size", "640x400"};
  if (!ranks.empty()) more.insert(more.end(), {"--ranks", ranks});
  const fs::path folder = flight.at("images");
  const fs::path newest = folder / "status.png";
  {
    const RunningProgram running(flight.command("images", more));
    REQUIRE(eventually([&] { return fs::exists(newest); }, std::chrono::minutes(1)));
    ::kill(running.pid(), SIGKILL);
  }
  const TestPicture shown = read_png(newest);
  CHECK(shown.view().size_px == SizePx{320, 200});
  // The ball is in the middle, before a black background.
  const auto green_at = [&](PointPx at) { return int{pixel_at(shown.view(), at)[1]}; };
  CHECK(green_at({160, 100}) > 60);
  CHECK(green_at({2, 2}) == 0);
  more.insert(more.end(), {"--frames", "0-1", "--overwrite"});
  REQUIRE(flight.render("images", more).exit_code == 0);
  CHECK_FALSE(fs::exists(newest));
}

TEST_CASE("EXR images take no annotations, and other folders no EXR images",
          "[render][bad-input]") {
  const Flight flight(1);
  const auto refusal = [&](const char* folder, const Words& more) {
    Words words = {"--exr", "--size", "64x40", "--frames", "0-0"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = flight.render(folder, words);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(refusal("x", {"--bar"}) ==
        "tilewall: --exr: expected a flight without annotations, captions and logo, found "
        "annotations or a caption at key 1\n");
  CHECK(refusal("x", {"--png"}).find("--png excludes --exr") != std::string::npos);
  REQUIRE(flight.render("movie", {"--size", "64x40", "--frames", "0-0"}).exit_code == 0);
  CHECK(refusal("movie", {}).find("images to go on with") != std::string::npos);
  REQUIRE(flight.render("png", {"--png", "--size", "64x40", "--frames", "0-0"}).exit_code == 0);
  CHECK(refusal("png", {}).find("\"frame-000000.png\" in it") != std::string::npos);
  std::ofstream(flight.path(), std::ios::app) << "caption = \"there\"\n";
  CHECK(refusal("x", {}).find("annotations or a caption at key 2\n") != std::string::npos);
}

TEST_CASE("a frame is exported as an image", "[render][export]") {
  const Flight flight(1);
  REQUIRE(flight.render("movie", {"--frames", "0-3"}).exit_code == 0);
  const auto exported = [&](const char* file, const char* frames) {
    return run_program({program_path("tilewall"), "export", flight.at("movie"), "-o",
                        flight.at(file), "--frames", frames});
  };
  REQUIRE(exported("frames", "2").exit_code == 0);
  REQUIRE(exported("one.png", "2").exit_code == 0);
  CHECK(same_pixels(read_png(flight.at("one.png")).view(),
                    read_png(fs::path(flight.at("frames")) / "frame-000002.png").view()));
  REQUIRE(exported("one.jpg", "2").exit_code == 0);
  CHECK(fs::file_size(flight.at("one.jpg")) > 500);
  const ProgramResult several = exported("all.png", "0-3");
  CHECK(several.exit_code == 2);
  CHECK(several.err.find("--frames: expected one frame for the image") != std::string::npos);
  CHECK_FALSE(fs::exists(flight.at("all.png")));
}
