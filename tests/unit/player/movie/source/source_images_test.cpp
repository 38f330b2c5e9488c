#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/convert/picture_list.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "sync/base/error.hpp"
#include "sync/base/numbered_names.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

void touch(const std::filesystem::path& file, const std::string& bytes = "x") {
  std::ofstream(file) << bytes;
}

std::vector<std::string> names_of(const ImageSequence& sequence) {
  std::vector<std::string> names;
  for (const auto& file : sequence.files) names.push_back(file.filename().string());
  return names;
}

}  // namespace

TEST_CASE("natural order puts 2 before 10", "[source]") {
  CHECK(natural_less("a2", "a10"));
  CHECK_FALSE(natural_less("a10", "a2"));
  CHECK(natural_less("a02", "a2"));
  CHECK_FALSE(natural_less("a2", "a02"));
  CHECK(natural_less("a2b", "a2c"));
  CHECK(natural_less("a", "a1"));
  CHECK_FALSE(natural_less("a1", "a1"));
}

TEST_CASE("a folder is its images in natural order, with what is left out named", "[source]") {
  const TemporaryFolder folder;
  for (const char* name : {"f10.png", "f2.png", "f1.png", "notes.txt", "f4.PNG"})
    touch(folder / name);
  const auto sequence = resolve_images({folder.path().string()});
  REQUIRE(sequence);
  CHECK(names_of(*sequence) == std::vector<std::string>{"f1.png", "f2.png", "f4.PNG", "f10.png"});
  CHECK(sequence->gap_frames == 0);
  CHECK(sequence->missing.empty());  // not all named alike
  std::filesystem::remove(folder / "f4.PNG");
  CHECK(resolve_images({folder.path().string()})->missing == "f3..9");
}

TEST_CASE("a pattern is a numbered axis whose gaps keep their frames", "[source]") {
  const TemporaryFolder folder;
  for (const char* name : {"f-0007.png", "f-0008.png", "f-0012.png", "f-13.png", "f-0007.jpg"})
    touch(folder / name);
  const auto sequence = resolve_images({(folder / "f-%04d.png").string()});
  REQUIRE(sequence);
  CHECK(names_of(*sequence) ==
        std::vector<std::string>{"f-0007.png", "f-0008.png", "", "", "", "f-0012.png"});
  CHECK(sequence->gap_frames == 3);
  CHECK(sequence->missing == "f-0009..0011");
}

TEST_CASE("a glob, and the list a shell makes of one, name the same images", "[source]") {
  const TemporaryFolder folder;
  for (const char* name : {"a1.tif", "a3.tif", "a20.tif", "b1.tif"}) touch(folder / name);
  const auto glob = resolve_images({(folder / "a*.tif").string()});
  const auto list = resolve_images(
      {(folder / "a1.tif").string(), (folder / "a20.tif").string(), (folder / "a3.tif").string()});
  REQUIRE((glob && list));
  CHECK(glob->files == list->files);
  CHECK(glob->missing == "a2, a4..19");
}

TEST_CASE("one file is an image by its name or by its first bytes, else a movie", "[source]") {
  const TemporaryFolder folder;
  touch(folder / "a.jpg");
  touch(folder / "unnamed", "\x89PNG\r\n\x1a\n....");
  touch(folder / "a.mp4");
  CHECK(resolve_images({(folder / "a.jpg").string()}));
  CHECK(resolve_images({(folder / "unnamed").string()}));
  CHECK_FALSE(resolve_images({(folder / "a.mp4").string()}));
  touch(folder / "movie.toml");
  CHECK_FALSE(resolve_images({folder.path().string()}));
}

TEST_CASE("a list of images is a movie of the rate that is asked for", "[source]") {
  const TemporaryFolder folder;
  for (const char* name : {"f1.png", "f2.png", "f4.png"}) touch(folder / name);
  const auto list = list_images(*resolve_images({(folder / "f%d.png").string()}), {2, 1});
  CHECK(list->size() == 4);
  CHECK(list->has(0));
  CHECK_FALSE(list->has(2));
  CHECK(list->name_of(3) == (folder / "f4.png").string());
  const MovieInfo info = list->info(*new_packed_picture(AV_PIX_FMT_RGB24, {64, 48}).get(), 0);
  CHECK(info.size_px == SizePx{64, 48});
  CHECK(info.frames == 4);
  CHECK(info.fps == Rational{2, 1});
  CHECK(info.duration_s == 2.0);
  CHECK_THAT(list->note(),
             Catch::Contains("f%d.png: f3 missing; the picture before each gap stays"));
  CHECK(list_images(*resolve_images({(folder / "f1.png").string()}), {2, 1})->note().empty());
}

TEST_CASE("inputs that name no images are refused in one line", "[source][bad-input]") {
  const TemporaryFolder folder;
  touch(folder / "a.png");
  touch(folder / "n0.png");
  touch(folder / "n99999999.png");
  std::filesystem::create_directory(folder / "empty");
  using Catch::Contains;
  CHECK_THROWS_WITH(resolve_images({(folder / "none.png").string()}), Contains("No such file"));
  CHECK_THROWS_WITH(resolve_images({(folder / "empty").string()}), Contains("found neither"));
  CHECK_THROWS_WITH(resolve_images({(folder / "x*.png").string()}), Contains("images that match"));
  CHECK_THROWS_WITH(resolve_images({(folder / "x%04d.png").string()}), Contains("numbered images"));
  CHECK_THROWS_WITH(resolve_images({(folder / "n%d.png").string()}), Contains("span of at most"));
  touch(folder / "b.mp4");
  CHECK_THROWS_WITH(resolve_images({(folder / "a.png").string(), (folder / "b.mp4").string()}),
                    Contains("several files"));
  CHECK_THROWS_AS(resolve_images({(folder / "a.png").string(), (folder / "c.png").string()}),
                  InputError);
}
