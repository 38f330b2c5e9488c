#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "sync/base/busy_folder.hpp"
#include "sync/base/error.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_folder.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::CountingMovieOptions;
using tilewall::test::make_counting_movie;
using tilewall::test::read_frame_number;
using tilewall::test::TemporaryFolder;

namespace {

ImportOptions import_of(const std::filesystem::path& input, const std::filesystem::path& output) {
  ImportOptions options;
  options.inputs = {input.string()};
  options.output = output;
  return options;
}

ImportResult import(const ImportOptions& options) {
  SilentProgress silent;
  return import_movie(options, silent);
}

int number_of_frame(const std::filesystem::path& movie, std::int64_t frame) {
  const PlanarPicture picture = decode_frame_to_planes(load_manifest(movie), movie, frame, 0);
  return read_frame_number(picture.planes[0]);
}

std::vector<int> numbers_of_frames(const std::filesystem::path& movie) {
  std::vector<int> numbers;
  const std::int64_t frames = load_manifest(movie).frames;
  for (std::int64_t frame = 0; frame < frames; ++frame)
    numbers.push_back(number_of_frame(movie, frame));
  return numbers;
}

std::vector<int> counted(int first, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(first + i);
  return numbers;
}

}  // namespace

TEST_CASE("frame n of any codec and container is stored as frame n", "[import]") {
  struct Case {
    const char* file;
    CountingMovieOptions options;
  };
  std::vector<Case> cases(7);
  cases[0].file = "long-gop.mp4";
  cases[0].options.frames = 100;
  cases[0].options.b_frames = 3;
  cases[1].file = "stamps-in-ms.mkv";
  cases[1].options.fps = {24000, 1001};
  cases[2].file = "ts.ts";
  cases[2].options.codec = "mpeg2video";
  cases[2].options.key_interval = 12;
  cases[2].options.fps = {25, 1};
  cases[3].file = "ten-bit.mkv";
  cases[3].options.pixel_format = "yuv420p10le";
  cases[4].file = "rgb.mkv";
  cases[4].options.codec = "ffv1";
  cases[4].options.pixel_format = "bgra";
  cases[5].file = "odd.mkv";
  cases[5].options.codec = "ffv1";
  cases[5].options.size_px = {101, 77};
  cases[6].file = "fast.mov";
  cases[6].options.fps = {120, 1};
  cases[6].options.codec = "mjpeg";
  cases[6].options.pixel_format = "yuvj422p";
  for (const Case& test : cases) {
    CAPTURE(test.file);
    const TemporaryFolder folder;
    make_counting_movie(folder / test.file, test.options);
    const ImportResult result = import(import_of(folder / test.file, folder / "movie"));
    CHECK(result.manifest.fps == test.options.fps);
    CHECK(result.manifest.complete);
    CHECK(result.manifest.repeated_frames + result.manifest.dropped_frames +
              result.damaged_frames ==
          0);
    CHECK(numbers_of_frames(folder / "movie") == counted(0, test.options.frames));
  }
}

TEST_CASE("coloured movies keep their colours, and as much chroma as they have", "[import]") {
  for (const bool full : {false, true}) {
    CAPTURE(full);
    const TemporaryFolder folder;
    CountingMovieOptions options;
    options.codec = "ffv1";
    options.frames = 2;
    options.pixel_format = full ? "yuv444p" : "yuv420p";
    options.left_chroma = {90, 170};
    make_counting_movie(folder / "a.mkv", options);
    import(import_of(folder / "a.mkv", folder / "movie"));
    const MovieManifest manifest = load_manifest(folder / "movie");
    CHECK(manifest.chroma == (full ? Chroma::yuv444 : Chroma::yuv420));
    const PlanarPicture picture = decode_frame_to_planes(manifest, folder / "movie", 1, 0);
    CHECK(read_frame_number(picture.planes[0]) == 1);
    REQUIRE(picture.planes.size() == 3);
    // Of limited range are 224 steps, stored are 255: 128 - 38 * 255 / 224 and 128 + 42 * 255 /
    // 224.
    const int expected[] = {85, 176};
    for (std::size_t i = 0; i < 2; ++i) {
      CAPTURE(i);
      const Plane& plane = picture.planes[i + 1];
      REQUIRE(plane.size_px == (full ? SizePx{320, 240} : SizePx{160, 120}));
      const int width = plane.size_px.width;
      CHECK(std::abs(plane.row(50)[width / 4] - expected[i]) <= 3);
      CHECK(std::abs(plane.row(50)[width * 3 / 4] - 128) <= 3);
    }
  }
}

TEST_CASE("what an edit list cuts off is no frame, and a late start is no gap", "[import]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.first_pts = -10;
  make_counting_movie(folder / "cut.mp4", options);
  import(import_of(folder / "cut.mp4", folder / "cut"));
  CHECK(numbers_of_frames(folder / "cut") == counted(10, options.frames - 10));
  options.first_pts = 30;
  make_counting_movie(folder / "late.mp4", options);
  import(import_of(folder / "late.mp4", folder / "late"));
  CHECK(numbers_of_frames(folder / "late") == counted(0, options.frames));
}

TEST_CASE("a movie that asks to be turned is stored upright", "[import]") {
  for (const int turn : {90, 180, 270}) {
    CAPTURE(turn);
    const TemporaryFolder folder;
    CountingMovieOptions options;
    options.turn_clockwise_deg = turn;
    options.frames = 12;
    make_counting_movie(folder / "turned.mp4", options);
    const ImportResult result = import(import_of(folder / "turned.mp4", folder / "movie"));
    CHECK(result.manifest.size_px == options.size_px);
    CHECK(numbers_of_frames(folder / "movie") == counted(0, 12));
  }
}

TEST_CASE("pixels that are not square are stored square", "[import]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = {240, 240};
  options.pixel_aspect = {4, 3};
  options.frames = 3;
  make_counting_movie(folder / "wide.mkv", options);
  CHECK(import(import_of(folder / "wide.mkv", folder / "movie")).manifest.size_px ==
        SizePx{320, 240});
  CHECK(number_of_frame(folder / "movie", 2) == 2);
}

TEST_CASE("a variable rate becomes a constant one, repeats and drops counted", "[import]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.pts_ticks = {0, 100, 200, 500, 600, 610, 700, 800};  // milliseconds
  options.frames = static_cast<int>(options.pts_ticks.size());
  make_counting_movie(folder / "vfr.mkv", options);
  ImportOptions import_options = import_of(folder / "vfr.mkv", folder / "movie");
  import_options.fps = Rational{10, 1};
  const ImportResult result = import(import_options);
  CHECK(numbers_of_frames(folder / "movie") == std::vector<int>{0, 1, 2, 2, 2, 3, 5, 6, 7});
  CHECK(result.manifest.repeated_frames == 2);
  CHECK(result.manifest.dropped_frames == 1);
}

TEST_CASE("a range, a crop and a size are stored as asked", "[import]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mp4", {});
  ImportOptions options = import_of(folder / "a.mp4", folder / "movie");
  options.frames = FrameRange{20, 29};
  options.size_px = SizePx{501, 333};
  CHECK(import(options).manifest.size_px == SizePx{501, 333});
  CHECK(numbers_of_frames(folder / "movie") == counted(20, 10));
  ImportOptions crop = import_of(folder / "a.mp4", folder / "crop");
  crop.crop_px = RectPx{0, 0, 160, 240};
  CHECK(import(crop).manifest.size_px == SizePx{160, 240});
}

TEST_CASE("an interrupted import goes on where it ended, and a complete one is left alone",
          "[import]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mp4", {});
  const ImportOptions options = import_of(folder / "a.mp4", folder / "movie");
  import(options);
  for (const int frame : {3, 17, 47})
    std::filesystem::remove(folder.path() / "movie" / frame_file_name(frame));
  std::ofstream(folder.path() / "movie" / "frame-000003.tif.4711.tmp") << "half";
  const ImportResult resumed = import(options);
  CHECK(resumed.written_frames == 3);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "movie" / "frame-000003.tif.4711.tmp"));
  CHECK(numbers_of_frames(folder / "movie") == counted(0, 48));
  CHECK(import(options).already_complete);
}

TEST_CASE("a stop leaves a movie to go on with, and no half frames", "[import]") {
  struct StopAtOnce final : ProgressSink {
    std::stop_source stop;
    void update(const TransferProgress&) override { stop.request_stop(); }
    void note(const std::string&) override {}
  };
  const TemporaryFolder folder;
  CountingMovieOptions movie;
  movie.size_px = {1280, 720};
  movie.frames = 150;
  make_counting_movie(folder / "a.mp4", movie);
  ImportOptions options = import_of(folder / "a.mp4", folder / "movie");
  StopAtOnce sink;
  options.stop = sink.stop.get_token();
  CHECK_THROWS_WITH(import_movie(options, sink), Catch::Contains("interrupted"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "movie"))
    CHECK(entry.path().extension() != ".tmp");
  CHECK_FALSE(load_manifest(folder / "movie").complete);
  options.stop = {};
  import(options);
  CHECK(load_manifest(folder / "movie").complete);
  CHECK(number_of_frame(folder / "movie", 149) == 149);
}

TEST_CASE("another source or other options are refused by name, unless all starts anew",
          "[import]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mp4", {});
  CountingMovieOptions other;
  other.first_number = 1000;
  make_counting_movie(folder / "b.mp4", other);
  import(import_of(folder / "a.mp4", folder / "movie"));
  ImportOptions options = import_of(folder / "b.mp4", folder / "movie");
  CHECK_THROWS_WITH(import(options), Catch::Contains("movie.toml: source_identity: expected"));
  ImportOptions quality = import_of(folder / "a.mp4", folder / "movie");
  quality.quality = 50;
  CHECK_THROWS_WITH(import(quality),
                    Catch::Contains("quality: expected \"85\"") && Catch::Contains("found \"50\""));
  CHECK(number_of_frame(folder / "movie", 5) == 5);
  options.overwrite = true;
  import(options);
  CHECK(numbers_of_frames(folder / "movie") == counted(1000, 48));
}

TEST_CASE("a folder with other files in it is never written to", "[import][bad-input]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mp4", {});
  std::filesystem::create_directory(folder / "holidays");
  std::ofstream(folder.path() / "holidays" / "frame-000001.tif") << "mine";
  ImportOptions options = import_of(folder / "a.mp4", folder / "holidays");
  options.overwrite = true;
  CHECK_THROWS_WITH(import(options), Catch::Contains("a new or empty folder"));
  CHECK(std::filesystem::file_size(folder.path() / "holidays" / "frame-000001.tif") == 4);
  options.output = folder / "a.mp4";
  CHECK_THROWS_AS(import(options), InputError);
}

TEST_CASE("a damaged middle is counted, and the last good picture stays", "[import][bad-input]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 96;
  options.key_interval = 8;
  options.b_frames = 0;
  make_counting_movie(folder / "a.mp4", options);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(folder / "a.mp4"));
  {
    std::fstream file(folder / "a.mp4", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(size / 2);
    file << std::string(static_cast<std::size_t>(size / 8), '\xa5');
  }
  const ImportResult result = import(import_of(folder / "a.mp4", folder / "movie"));
  CHECK(result.damaged_frames > 0);
  REQUIRE_FALSE(result.problems.empty());
  CHECK_THAT(result.problems.front(), Catch::Contains(": frame"));
  CHECK(result.manifest.frames == 96);
  CHECK(number_of_frame(folder / "movie", 10) == 10);
  CHECK(number_of_frame(folder / "movie", 95) == 95);
}

TEST_CASE("sound is kept beside the movie, from the movie's first frame on", "[import]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.audio_codec = "aac";
  make_counting_movie(folder / "a.mp4", options);
  const ImportResult result = import(import_of(folder / "a.mp4", folder / "movie"));
  CHECK(result.manifest.audio_file == "audio.mka");
  CHECK(std::filesystem::file_size(folder.path() / "movie" / "audio.mka") > 1000);
}

TEST_CASE("wrong options name themselves", "[import][bad-input]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mp4", {});
  using Catch::Contains;
  ImportOptions options = import_of(folder / "a.mp4", folder / "movie");
  options.crop_px = RectPx{300, 0, 40, 40};
  CHECK_THROWS_WITH(import(options),
                    Contains("--crop: expected a part of the picture, which is 320x240"));
  options = import_of(folder / "a.mp4", folder / "movie");
  options.frames = FrameRange{480, 500};
  CHECK_THROWS_WITH(import(options), Contains("--frames") && Contains("480-500"));
  options = import_of(folder / "a.mp4", folder / "movie");
  options.fps = Rational{0, 1};
  CHECK_THROWS_WITH(import(options), Contains("--fps"));
  options = import_of(folder / "a.mp4", folder / "movie");
  options.size_px = SizePx{0, 10};
  CHECK_THROWS_WITH(import(options), Contains("--size"));
  CHECK_FALSE(std::filesystem::exists(folder / "movie"));
}

TEST_CASE("while a movie is imported a note names its folder, for consoles", "[import]") {
  const TemporaryFolder folder;
  const test::RunFolder notes;
  CountingMovieOptions clip;
  clip.frames = 600;
  make_counting_movie(folder / "clip.mkv", clip);
  const std::filesystem::path movie = folder / "movie";
  const RunningProgram running({test::program_path("tilewall"), "import",
                                (folder / "clip.mkv").string(), "-o", movie.string()});
  CHECK(test::eventually([&] { return busy_folders() == std::vector{movie}; }));
  CHECK(test::eventually([&] { return busy_folders().empty(); }));
}

TEST_CASE("imports and exports print their progress and their result as lines of JSON",
          "[import]") {
  const TemporaryFolder folder;
  CountingMovieOptions clip;
  clip.frames = 60;
  make_counting_movie(folder / "clip.mkv", clip);
  const auto lines_of = [&](const char* verb, const std::filesystem::path& from,
                            const std::filesystem::path& to) {
    const ProgramResult result = run_program(
        {test::program_path("tilewall"), verb, from.string(), "-o", to.string(), "--json-lines"});
    CAPTURE(result.out, result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.err.empty());
    std::vector<nlohmann::json> lines;
    std::istringstream out(result.out);
    for (std::string line; std::getline(out, line);) lines.push_back(nlohmann::json::parse(line));
    REQUIRE(lines.size() >= 2);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      CHECK(lines[i].at("running").at("total") == 60);
      CHECK(lines[i].at("running").at("per_s").is_number());
    }
    return lines;
  };
  CHECK(lines_of("import", folder / "clip.mkv", folder / "movie").back().at("written_frames") ==
        60);
  CHECK(lines_of("export", folder / "movie", folder / "frames").back().at("frames") == 60);
  CHECK(lines_of("export", folder / "movie", folder / "out.mkv").back().at("frames") == 60);
}
