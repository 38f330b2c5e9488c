#include <png.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/verify_job.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "sync/base/error.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::counting_picture;
using tilewall::test::read_frame_number;
using tilewall::test::TemporaryFolder;

namespace {

constexpr SizePx image_px{96, 64};

void write_gray_png(const std::filesystem::path& file, SizePx size, int number) {
  const std::vector<std::uint8_t> gray = counting_picture(size, number);
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = PNG_FORMAT_GRAY;
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, gray.data(), 0, nullptr) != 0);
}

void write_rgb_png(const std::filesystem::path& file, SizePx size,
                   const std::vector<std::uint8_t>& rgb) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = PNG_FORMAT_RGB;
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, rgb.data(), 0, nullptr) != 0);
}

// Red and blue in turns: false colour at its worst.
std::vector<std::uint8_t> checkered(SizePx size) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < size.width * size.height; ++i) {
    const bool red = (i % size.width + i / size.width) % 2 == 0;
    rgb.insert(rgb.end(), {static_cast<std::uint8_t>(red ? 220 : 20), 60,
                           static_cast<std::uint8_t>(red ? 20 : 220)});
  }
  return rgb;
}

// Slow colour under fine-grained light, as in a photograph.
std::vector<std::uint8_t> grainy(SizePx size) {
  std::minstd_rand random(1);
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < size.width * size.height; ++i) {
    const auto light = static_cast<int>(random() % 64);
    rgb.insert(rgb.end(),
               {static_cast<std::uint8_t>(40 + 120 * (i % size.width) / size.width + light),
                static_cast<std::uint8_t>(80 + light),
                static_cast<std::uint8_t>(40 + 120 * (i / size.width) / size.height + light)});
  }
  return rgb;
}

ImportResult import(const std::string& input, const std::filesystem::path& output) {
  ImportOptions options;
  options.inputs = {input};
  options.output = output;
  SilentProgress silent;
  return import_movie(options, silent);
}

std::vector<int> numbers_in_movie(const std::filesystem::path& movie) {
  const MovieManifest manifest = load_manifest(movie);
  std::vector<int> numbers;
  for (std::int64_t frame = 0; frame < manifest.frames; ++frame)
    numbers.push_back(
        read_frame_number(decode_frame_to_planes(manifest, movie, frame, 0).planes[0]));
  return numbers;
}

}  // namespace

TEST_CASE("a gray sequence is stored gray, in natural order", "[import]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "in");
  for (int i = 0; i < 12; ++i)
    write_gray_png(folder.path() / "in" / ("s" + std::to_string(i) + ".png"), image_px, i);
  const ImportResult result = import((folder / "in").string(), folder / "movie");
  CHECK(result.manifest.chroma == Chroma::gray);
  CHECK(result.manifest.fps == Rational{24, 1});
  CHECK(numbers_in_movie(folder / "movie") ==
        std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("gaps and damaged images show the picture before them", "[import][bad-input]") {
  const TemporaryFolder folder;
  for (const int i : {5, 6, 9, 10, 11})
    write_gray_png(folder / ("s-00" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".png"),
                   image_px, i);
  std::ofstream(folder / "s-0010.png") << "no picture";
  const ImportResult result = import((folder / "s-%04d.png").string(), folder / "movie");
  CHECK(numbers_in_movie(folder / "movie") == std::vector<int>{5, 6, 6, 6, 9, 9, 11});
  CHECK(result.manifest.repeated_frames == 2);
  CHECK(result.damaged_frames == 1);
  const std::string damaged =
      (folder / "s-0010.png").string() + ": damaged: the whole of it cannot be decoded";
  CHECK(result.problems == std::vector<std::string>{damaged});
  SilentProgress silent;
  const VerifyResult found = verify_source({(folder / "s-%04d.png").string()}, {}, silent);
  CHECK(found.checked_frames == 5);
  CHECK(found.damaged_frames == 1);
  CHECK(found.missing_frames == 2);
  REQUIRE(found.problems.size() == 2);
  CHECK(found.problems.front() == damaged);
  CHECK_THAT(found.problems.back(), Catch::Contains("s-0007..0008 missing"));
}

TEST_CASE("images before the first readable one count as damaged once", "[import][bad-input]") {
  const TemporaryFolder folder;
  for (const int i : {1, 2, 3, 4})
    write_gray_png(folder / ("a" + std::to_string(i) + ".png"), image_px, i);
  for (const char* file : {"a1.png", "a2.png"}) std::filesystem::resize_file(folder / file, 60);
  const std::string input = (folder / "a*.png").string();
  const ImagesLook look = look_at_images({input});
  CHECK(look.judged_images == 3);
  CHECK(look.problems.size() == 2);
  const ImportResult result = import(input, folder / "movie");
  CHECK(result.damaged_frames == 2);
  CHECK(result.problems == look.problems);
  CHECK(numbers_in_movie(folder / "movie") == std::vector<int>{3, 3, 3, 4});
}

TEST_CASE("at most a hundred damaged images are named, and the others counted",
          "[import][bad-input]") {
  const TemporaryFolder folder;
  write_gray_png(folder / "a0.png", image_px, 0);
  for (int i = 1; i <= 103; ++i) std::ofstream(folder / ("a" + std::to_string(i) + ".png")) << "no";
  SilentProgress silent;
  const VerifyResult found = verify_source({(folder / "a*.png").string()}, {}, silent);
  CHECK(found.damaged_frames == 103);
  CHECK(found.problems.size() == 100);
  CHECK(found.more_problems == 3);
  CHECK_THAT(found.problems.front(), Catch::Contains("a1.png"));
}

TEST_CASE("images of another size are refused with both named", "[import][bad-input]") {
  const TemporaryFolder folder;
  write_gray_png(folder / "a1.png", image_px, 1);
  write_gray_png(folder / "a2.png", {64, 64}, 2);
  CHECK_THROWS_WITH(import((folder / "a*.png").string(), folder / "movie"),
                    Catch::Contains("a2.png: size: expected 96x64 as in") &&
                        Catch::Contains("a1.png") && Catch::Contains("found 64x64"));
}

TEST_CASE("RGB sources keep their chroma only where halving it would show", "[import]") {
  const TemporaryFolder folder;
  write_rgb_png(folder / "checkered.png", {256, 256}, checkered({256, 256}));
  write_rgb_png(folder / "grainy.png", {256, 256}, grainy({256, 256}));
  CHECK(import((folder / "checkered.png").string(), folder / "m1").manifest.chroma ==
        Chroma::yuv444);
  CHECK(import((folder / "grainy.png").string(), folder / "m2").manifest.chroma == Chroma::yuv420);
}

TEST_CASE("an image is a movie of one frame, down to a single pixel", "[import]") {
  const TemporaryFolder folder;
  for (const SizePx size : {SizePx{1, 1}, SizePx{642, 642}, SizePx{17, 3}}) {
    CAPTURE(size.width, size.height);
    const std::string name = std::to_string(size.width);
    write_gray_png(folder / (name + ".png"), size, 7);
    const ImportResult result = import((folder / (name + ".png")).string(), folder / name);
    CHECK(result.manifest.frames == 1);
    CHECK(result.manifest.size_px == size);
  }
}

TEST_CASE("a missing, empty, wrong or unreadable input is refused in one line",
          "[import][bad-input]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "empty.mp4");
  std::ofstream(folder / "empty.png");
  std::ofstream(folder / "text.mp4") << "this is no movie";
  std::filesystem::create_directory(folder / "nothing");
  for (const char* name : {"none.mp4", "empty.mp4", "empty.png", "text.mp4", "nothing"}) {
    CAPTURE(name);
    try {
      import((folder / name).string(), folder / "movie");
      FAIL("imported");
    } catch (const InputError& error) {
      const std::string line = error.what();
      CHECK(line.find(name) != std::string::npos);
      CHECK(line.find('\n') == std::string::npos);
    }
    CHECK_FALSE(std::filesystem::exists(folder / "movie"));
  }
}
