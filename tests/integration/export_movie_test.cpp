#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <set>

#include "player/movie/convert/export_job.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/verify_job.hpp"
#include "player/movie/source/movie_file.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "player/sound/reader/sound_file.hpp"
#include "sync/base/error.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::sound;
using tilewall::test::audio_rate_hz;
using tilewall::test::CountingMovieOptions;
using tilewall::test::FileSizeLimit;
using tilewall::test::make_counting_movie;
using tilewall::test::read_frame_number;
using tilewall::test::TemporaryFolder;

namespace {

void make_wall_movie(const TemporaryFolder& folder, const CountingMovieOptions& options) {
  make_counting_movie(folder / "source.mkv", options);
  ImportOptions import;
  import.inputs = {(folder / "source.mkv").string()};
  import.output = folder / "movie";
  SilentProgress silent;
  import_movie(import, silent);
}

ExportOptions export_of(const TemporaryFolder& folder, const std::string& output) {
  ExportOptions options;
  options.movie = folder / "movie";
  options.output = folder / output;
  return options;
}

ExportResult run(const ExportOptions& options) {
  SilentProgress silent;
  return export_movie(options, silent);
}

/// Keeps what a job tells a person.
class Notes final : public ProgressSink {
 public:
  void update(const TransferProgress&) override {}
  void note(const std::string& line) override { text += line + "\n"; }
  std::string text;
};

/// Asks for the end of a job once it has written frames.
class StopWhenUnderWay final : public ProgressSink {
 public:
  void update(const TransferProgress& progress) override {
    if (progress.done >= 2) stop.request_stop();
  }
  void note(const std::string&) override {}
  std::stop_source stop;
};

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

/// When the loudest sample of the first second is heard, after the first picture.
double click_s(const std::filesystem::path& video) {
  SoundFile sound(video);
  std::vector<float> stereo(static_cast<std::size_t>(2 * sound.rate_hz()));
  sound.read(0, stereo);
  const auto quieter = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const auto loudest = std::max_element(stereo.begin(), stereo.end(), quieter);
  return static_cast<double>((loudest - stereo.begin()) / 2) / sound.rate_hz();
}

std::vector<int> numbers_in(const std::filesystem::path& video) {
  MovieFile movie(video, 2);
  const SizePx size = movie.info().size_px;
  PictureConverter converter(
      {size,
       {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)},
       {},
       size,
       Chroma::gray},
      video.string());
  std::vector<int> numbers;
  while (const auto picture = movie.next())
    numbers.push_back(read_frame_number(converter.convert(*picture->frame).planes[0]));
  return numbers;
}

}  // namespace

TEST_CASE("a video made of a wall movie has its frames, rate, colour tags and sound", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 30;
  options.audio_codec = "aac";
  make_wall_movie(folder, options);
  const ExportResult result = run(export_of(folder, "out.mp4"));
  CHECK(result.frames == 30);
  CHECK(result.damaged_frames == 0);
  CHECK(result.with_sound);
  const MovieFile movie(folder / "out.mp4", 1);
  CHECK(movie.info().fps == options.fps);
  CHECK(movie.info().matrix == "smpte170m");
  CHECK(movie.info().range == "tv");
  CHECK(movie.info().audio_codec == "aac");
  const std::vector<int> numbers = numbers_in(folder / "out.mp4");
  REQUIRE(numbers.size() == 30);
  for (int i = 0; i < 30; ++i) CHECK(numbers[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("odd sides grow by one, and a range keeps to itself", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = {101, 77};
  options.codec = "ffv1";
  options.frames = 12;
  make_wall_movie(folder, options);
  ExportOptions range = export_of(folder, "out.mkv");
  range.frames = FrameRange{4, 6};
  Notes notes;
  const ExportResult result = export_movie(range, notes);
  CHECK(result.size_px == SizePx{102, 78});
  CHECK(result.movie_px == SizePx{101, 77});
  CHECK_THAT(notes.text, Catch::Contains("out.mkv: 102x78 instead of 101x77"));
  CHECK(numbers_in(folder / "out.mkv") == std::vector<int>{4, 5, 6});
}

TEST_CASE("a range keeps the sound of its frames, in step with them", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 72;
  options.audio_codec = "pcm_f32le";
  constexpr std::int64_t click = audio_rate_hz * 3 / 2;  // at 1.5 s, which frame 36 begins
  options.sound = [](std::int64_t sample) { return sample == click ? 1.0F : 0.0F; };
  make_wall_movie(folder, options);
  for (const char* name : {"out.mkv", "out.mov"}) {
    CAPTURE(name);
    ExportOptions range = export_of(folder, name);
    range.frames = FrameRange{24, 47};
    CHECK(run(range).with_sound);
    CHECK(numbers_in(folder / name).size() == 24);
    CHECK(std::abs(click_s(folder / name) - 0.5) < 1e-3);  // from the first picture on
  }
  ExportOptions other_rate = export_of(folder, "faster.mkv");
  other_rate.fps = Rational{30, 1};
  Notes notes;
  CHECK_FALSE(export_movie(other_rate, notes).with_sound);
  CHECK_THAT(notes.text, Catch::Contains("faster.mkv: without the movie's sound"));
}

TEST_CASE("images keep their numbers, and import again as they were", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 8;
  make_wall_movie(folder, options);
  for (const ExportImages format : {ExportImages::png, ExportImages::jpeg}) {
    const bool png = format == ExportImages::png;
    ExportOptions images = export_of(folder, png ? "png" : "jpeg");
    images.frames = FrameRange{3, 7};
    images.images = format;
    CHECK(run(images).frames == 5);
    CHECK(std::filesystem::exists(images.output / (png ? "frame-000003.png" : "frame-000003.jpg")));
    CHECK(numbers_in(images.output / (png ? "frame-000007.png" : "frame-000007.jpg")) ==
          std::vector<int>{7});
  }
}

TEST_CASE("a missing frame shows the one before it and is counted; verify names it", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 10;
  make_wall_movie(folder, options);
  std::filesystem::remove(folder.path() / "movie" / frame_file_name(5));
  std::filesystem::resize_file(folder.path() / "movie" / frame_file_name(7), 200);
  CHECK(run(export_of(folder, "out.mkv")).damaged_frames == 2);
  CHECK(numbers_in(folder / "out.mkv") == std::vector<int>{0, 1, 2, 3, 4, 4, 6, 6, 8, 9});
  SilentProgress silent;
  const VerifyResult found = verify_movie(folder / "movie", {}, silent);
  CHECK(found.checked_frames == 10);
  CHECK(found.missing_frames == 1);
  CHECK(found.damaged_frames == 1);
  REQUIRE(found.problems.size() >= 2);
  CHECK(found.problems.front().find("frame-000005.tif") != std::string::npos);
}

TEST_CASE("a wrong movie, range, output or container is refused, and nothing is left",
          "[export][bad-input]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 4;
  make_wall_movie(folder, options);
  using Catch::Contains;
  ExportOptions wrong = export_of(folder, "out.mp4");
  wrong.frames = FrameRange{3, 4};
  CHECK_THROWS_WITH(run(wrong), Contains("--frames: expected frames from 0 to 3, found 3-4"));
  CHECK_THROWS_AS(run(export_of(folder, "out.gif")), InputError);
  CHECK_THROWS_AS(run(export_of(folder, "out.xyz")), InputError);
  CHECK_THROWS_WITH(run(export_of(folder, "source.mkv")), Contains("one that exists"));
  CHECK_THROWS_AS(run(export_of(folder, "none/out.mp4")), JobError);
  wrong = export_of(folder, "out.mp4");
  wrong.movie = folder.path();
  CHECK_THROWS_WITH(run(wrong), Contains("no movie.toml"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CAPTURE(entry.path().string());
    CHECK(entry.path().extension() != ".tmp");
    ++files;
  }
  CHECK(files == 2);  // source.mkv and movie
}

TEST_CASE("a folder that is overwritten holds the new images alone", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 6;
  make_wall_movie(folder, options);
  ExportOptions images = export_of(folder, "images");
  CHECK(run(images).frames == 6);
  CHECK_THROWS_WITH(run(images), Catch::Contains("one that exists"));
  images.overwrite = true;
  images.frames = FrameRange{1, 2};
  images.images = ExportImages::jpeg;
  CHECK(run(images).frames == 2);
  CHECK(names_in(images.output) == std::set<std::string>{"frame-000001.jpg", "frame-000002.jpg"});
}

TEST_CASE("a folder that holds other files than images of frames is refused as it is",
          "[export][bad-input]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 3;
  make_wall_movie(folder, options);
  ExportOptions images = export_of(folder, "images");
  CHECK(run(images).frames == 3);
  std::ofstream(images.output / "notes.txt") << "mine\n";
  const std::set<std::string> before = names_in(images.output);
  images.overwrite = true;
  CHECK_THROWS_WITH(run(images), Catch::Contains("found \"notes.txt\" in it"));
  CHECK(names_in(images.output) == before);
  ExportOptions movie = export_of(folder, "movie");
  const std::set<std::string> frames = names_in(movie.output);
  movie.overwrite = true;
  CHECK_THROWS_AS(run(movie), InputError);
  CHECK(names_in(movie.output) == frames);
}

TEST_CASE("images of an export that ends early are removed", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 60;
  make_wall_movie(folder, options);
  StopWhenUnderWay sink;
  ExportOptions stopped = export_of(folder, "stopped");
  stopped.stop = sink.stop.get_token();
  CHECK_THROWS_WITH(export_movie(stopped, sink),
                    Catch::Contains("interrupted; nothing half-written is left"));
  CHECK_FALSE(std::filesystem::exists(stopped.output));
  const ExportOptions full = export_of(folder, "full");
  std::filesystem::create_directory(full.output);
  {
    const FileSizeLimit disk(200);
    CHECK_THROWS_AS(run(full), JobError);
  }
  CHECK(names_in(full.output).empty());
}

TEST_CASE("a movie of which no frame can be read is not exported", "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 4;
  make_wall_movie(folder, options);
  ExportOptions old = export_of(folder, "old");
  CHECK(run(old).frames == 4);
  for (int frame = 0; frame < 4; ++frame)
    std::filesystem::resize_file(folder.path() / "movie" / frame_file_name(frame), 200);
  for (const char* output : {"out.mp4", "out", "out.png"}) {
    CAPTURE(output);
    ExportOptions bad = export_of(folder, output);
    if (bad.output.extension() == ".png") bad.frames = FrameRange{2, 2};
    CHECK_THROWS_AS(run(bad), JobError);
    CHECK_FALSE(std::filesystem::exists(bad.output));
  }
  old.overwrite = true;
  CHECK_THROWS_WITH(run(old), Catch::Contains("no frame of 0-3 can be read"));
  CHECK(names_in(old.output).size() == 4);
}

TEST_CASE("the suffix of an image is read in either case, and other images are refused",
          "[export][bad-input]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 2;
  make_wall_movie(folder, options);
  for (const char* output : {"y.PNG", "y.JPG", "y.Jpeg"}) {
    CAPTURE(output);
    ExportOptions image = export_of(folder, output);
    CHECK_THROWS_WITH(run(image), Catch::Contains("--frames: expected one frame"));
    image.frames = FrameRange{1, 1};
    CHECK(run(image).frames == 1);
  }
  for (const char* output : {"y.tif", "y.bmp", "y.exr", "y.ppm", "y.jp2", "y.TIFF"}) {
    CAPTURE(output);
    CHECK_THROWS_WITH(run(export_of(folder, output)),
                      Catch::Contains("output: expected .png, .jpg or a movie's name, found \""));
    CHECK_FALSE(std::filesystem::exists(folder / output));
  }
}

TEST_CASE("lost sound is found by verify, noted by export and written by a resumed import",
          "[export]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 24;
  options.audio_codec = "aac";
  make_wall_movie(folder, options);
  const std::filesystem::path sound =
      folder.path() / "movie" / load_manifest(folder / "movie").audio_file;
  SilentProgress silent;
  CHECK(verify_movie(folder / "movie", {}, silent).problems.empty());
  const auto expect_found = [&](const char* video) {
    const VerifyResult found = verify_movie(folder / "movie", {}, silent);
    CHECK(found.lost_sounds == 1);
    REQUIRE(found.problems.size() == 1);
    CHECK_THAT(found.problems.front(), Catch::Contains("audio.mka"));
    Notes notes;
    CHECK_FALSE(export_movie(export_of(folder, video), notes).with_sound);
    CHECK_THAT(notes.text, Catch::Contains(std::string(video) + ": without the movie's sound") &&
                               Catch::Contains("audio.mka"));
  };
  std::ofstream(sound) << "no sound\n";
  expect_found("unreadable.mp4");
  std::filesystem::remove(sound);
  expect_found("missing.mp4");
  ImportOptions import;
  import.inputs = {(folder / "source.mkv").string()};
  import.output = folder / "movie";
  CHECK_FALSE(import_movie(import, silent).already_complete);
  CHECK(verify_movie(folder / "movie", {}, silent).problems.empty());
  CHECK(run(export_of(folder, "again.mp4")).with_sound);
  CHECK(import_movie(import, silent).already_complete);
}
