// What an import decides before it writes anything.

#include "player/movie/convert/import_plan.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/convert/frame_pipeline.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

constexpr std::size_t hashed_bytes = 65536;

/// Writes a file, and gives it always the same time of modification.
std::filesystem::path write_at_noon(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  const std::array<timespec, 2> noon = {{{43'200, 5}, {43'200, 5}}};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), noon.data(), 0) == 0);
  return file;
}

}  // namespace

TEST_CASE("a file's identity tells its size, its time, its beginning and its end", "[import]") {
  const TemporaryFolder folder;
  const std::string bytes(3 * hashed_bytes, 'x');
  const auto identity = [&](const std::string& text) {
    return source_identity({write_at_noon(folder / "a.mkv", text)});
  };
  const auto with = [&](std::size_t place) {
    std::string changed = bytes;
    changed[place] = 'y';
    return identity(changed);
  };
  const std::string as_it_was = identity(bytes);
  CHECK(as_it_was.starts_with("196608-43200.000000005-"));
  CHECK(identity(bytes) == as_it_was);
  CHECK(identity(bytes + "x") != as_it_was);
  CHECK(with(0) != as_it_was);
  CHECK(with(hashed_bytes - 1) != as_it_was);
  CHECK(with(hashed_bytes) == as_it_was);  // the middle is not read
  CHECK(with(2 * hashed_bytes - 1) == as_it_was);
  CHECK(with(2 * hashed_bytes) != as_it_was);
  CHECK(with(bytes.size() - 1) != as_it_was);
}

TEST_CASE("the identity of several files tells their names, their order and their gaps",
          "[import]") {
  const TemporaryFolder folder;
  const auto one = write_at_noon(folder / "1.png", "one");
  const auto two = write_at_noon(folder / "2.png", "two");
  const std::string both = source_identity({one, two});
  CHECK(both.starts_with("2-files-"));
  CHECK(source_identity({two, one}) != both);
  CHECK(source_identity({one, "", two}) != both);
  CHECK(source_identity({one, "", two}) != source_identity({one, two, ""}));
  CHECK(source_identity({one, write_at_noon(folder / "3.png", "two")}) != both);
}

TEST_CASE("an import's options are taken up to their bounds", "[import][bad-input]") {
  ImportOptions options;
  const auto is_taken = [&] {
    try {
      check_import_options(options);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  for (const auto& [quality, taken] :
       std::vector<std::pair<int, bool>>{{0, false}, {1, true}, {100, true}, {101, false}}) {
    CAPTURE(quality);
    options.quality = quality;
    CHECK(is_taken() == taken);
  }
  options.quality = 85;
  options.fps = Rational{0, 1};
  CHECK_FALSE(is_taken());
  options.fps = Rational{1, 1000};
  CHECK(is_taken());
  options.fps.reset();
  for (const auto& [size, taken] :
       std::vector<std::pair<SizePx, bool>>{{{1, 1}, true}, {{0, 9}, false}, {{9, 0}, false}}) {
    CAPTURE(size.width, size.height);
    options.size_px = size;
    CHECK(is_taken() == taken);
  }
  options.size_px.reset();
  for (const auto& [frames, taken] : std::vector<std::pair<FrameRange, bool>>{
           {{0, 0}, true}, {{-1, 3}, false}, {{3, 3}, true}, {{4, 3}, false}}) {
    CAPTURE(frames.first, frames.last);
    options.frames = frames;
    CHECK(is_taken() == taken);
  }
}

TEST_CASE("a crop lies within the picture", "[import][bad-input]") {
  ImportOptions options;
  options.inputs = {"a.mkv"};
  MovieInfo info;
  info.size_px = info.stored_px = {64, 48};
  info.fps = {24, 1};
  info.frames = 10;
  const auto crop = [&](const RectPx& part) {
    options.crop_px = part;
    return plan_import(options, {"a.mkv", "", ""}, info, Chroma::yuv420).manifest.size_px;
  };
  CHECK(crop({0, 0, 64, 48}) == SizePx{64, 48});
  CHECK(crop({60, 40, 4, 8}) == SizePx{4, 8});
  for (const RectPx& part : {RectPx{-1, 0, 8, 8}, RectPx{0, -1, 8, 8}, RectPx{57, 0, 8, 8},
                             RectPx{0, 41, 8, 8}, RectPx{0, 0, 0, 8}})
    CHECK_THROWS_AS(crop(part), InputError);
}

TEST_CASE("a plan has the frames that are asked for, as far as the source has them", "[import]") {
  ImportOptions options;
  options.inputs = {"a.mkv"};
  MovieInfo info;
  info.size_px = info.stored_px = {64, 48};
  info.fps = {24, 1};
  info.frames = 10;
  const auto frames_of = [&](FrameRange range) {
    options.frames = range;
    const ImportPlan plan = plan_import(options, {"a.mkv", "", ""}, info, Chroma::yuv420);
    CHECK(plan.first_frame == range.first);
    CHECK(plan.last_frame == range.last);
    return plan.manifest.frames;
  };
  CHECK(frames_of({2, 4}) == 3);
  CHECK(frames_of({2, 400}) == 8);
  CHECK(frames_of({9, 9}) == 1);
  CHECK(frames_of({50, 60}) == 1);  // an estimate may be wrong
}

TEST_CASE("as many workers have a picture as fit into memory, and one in any case", "[import]") {
  constexpr SizePx huge{30'000, 30'000};
  CHECK(affordable_workers(FrameFiles::movie, huge, 16) == 16);
  CHECK(affordable_workers(FrameFiles::png, huge, 16) == 16);
  CHECK(affordable_workers(FrameFiles::exr, {64, 48}, 16) == 16);
  CHECK(affordable_workers(FrameFiles::exr, {4096, 4096}, 16) == 2);  // of 48 bytes a pixel, 2 GiB
  CHECK(affordable_workers(FrameFiles::exr, huge, 16) == 1);
}
