// Imports, checks and exports of whole small movies, whose pictures carry their numbers.

#include "player/movie/convert/import_job.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/convert/export_job.hpp"
#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/convert/frame_reading.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/media_output.hpp"
#include "player/movie/convert/verify_job.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/media_input.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// Keeps the notes of a job.
class Notes final : public ProgressSink {
 public:
  void update(const TransferProgress& progress) override { last = progress; }
  void note(const std::string& line) override { lines.push_back(line); }
  [[nodiscard]] bool have(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
  TransferProgress last;
  std::vector<std::string> lines;
};

/// Pictures of 64x48 that are made by rows, with a row's number as its gray.
class RowsFetcher final : public FrameFetcher {
 public:
  explicit RowsFetcher(std::int64_t frames) {
    info_.stored_px = info_.size_px = {64, 48};
    info_.fps = {24, 1};
    info_.frames = frames;
  }

  [[nodiscard]] const MovieInfo& info() const noexcept override { return info_; }
  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    if (next_ == info_.frames) return std::nullopt;
    const std::int64_t frame = next_++;
    return SuppliedPicture{{frame, 1}, nullptr, static_cast<std::size_t>(frame)};
  }
  [[nodiscard]] SharedFrame load(const SuppliedPicture& /*picture*/) override { return {}; }
  [[nodiscard]] bool is_by_rows() const override { return true; }
  [[nodiscard]] std::unique_ptr<ImageRows> load_rows(const SuppliedPicture& picture) override {
    made.push_back(picture.list_index);
    return std::make_unique<Rows>();
  }
  [[nodiscard]] std::vector<SharedFrame> samples() override {
    return {share(new_packed_picture(AV_PIX_FMT_RGB24, {16, 16}))};
  }
  [[nodiscard]] std::string note() const override { return ""; }
  [[nodiscard]] std::int64_t judged_pictures() const override { return 0; }
  [[nodiscard]] FetcherCounters counters() const override { return {}; }
  [[nodiscard]] DamageLines damage() const override { return {}; }

  std::vector<std::size_t> made;  ///< the pictures of which rows were made

 private:
  class Rows final : public ImageRows {
   public:
    Rows() { size_px_ = {64, 48}; }
    void read_row(std::uint8_t* out) override { std::fill_n(out, 3 * 64, row_++); }

   private:
    std::uint8_t row_ = 0;
  };

  MovieInfo info_;
  std::int64_t next_ = 0;
};

/// A movie of 12 pictures at 24 fps, which are numbered from 0.
struct SmallMovie {
  explicit SmallMovie(const CountingMovieOptions& options = small()) {
    make_counting_movie(file, options);
  }
  static CountingMovieOptions small() {
    CountingMovieOptions options;
    options.size_px = {64, 48};
    options.frames = 12;
    return options;
  }
  [[nodiscard]] ImportOptions import_to(const std::string& name) const {
    ImportOptions options;
    options.inputs = {file.string()};
    options.output = folder / name;
    options.workers = 2;
    return options;
  }

  const TemporaryFolder folder;
  const fs::path file = folder / "movie.mkv";
  Notes notes;
};

std::vector<int> numbers_in(const fs::path& movie) {
  const MovieManifest manifest = load_manifest(movie);
  FrameReading reading(manifest, movie, 0, manifest.frames - 1, 2);
  std::vector<int> numbers;
  while (const SharedPicture picture = reading.next())
    numbers.push_back(read_frame_number(picture->planes[0]));
  return numbers;
}

using Numbers = std::vector<int>;
const Numbers all_twelve = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

}  // namespace

TEST_CASE("every picture of a movie is imported at its place, once", "[source][import]") {
  SmallMovie movie;
  const ImportOptions options = movie.import_to("wall");
  const ImportResult result = import_movie(options, movie.notes);
  CHECK(result.written_frames == 12);
  CHECK(result.damaged_frames == 0);
  CHECK(result.problems.empty());
  CHECK_FALSE(result.already_complete);
  CHECK(result.manifest.frames == 12);
  CHECK(result.manifest.complete);
  CHECK(result.manifest.size_px == SizePx{64, 48});
  CHECK(result.manifest.fps == Rational{24, 1});
  CHECK(result.manifest.audio_file.empty());
  CHECK(result.written_bytes > 0);
  CHECK(movie.notes.last.done == 12);
  CHECK(movie.notes.last.total == 12);
  CHECK(movie.notes.lines.empty());
  CHECK(numbers_in(options.output) == all_twelve);
  const ImportResult again = import_movie(options, movie.notes);
  CHECK(again.already_complete);
  CHECK(again.written_frames == 0);
  CHECK(again.manifest.frames == 12);
}

TEST_CASE("an import goes on where frames are missing", "[source][import]") {
  SmallMovie movie;
  const ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  fs::remove(options.output / "frame-000005.tif");
  fs::remove(options.output / "frame-000011.tif");
  write_file_atomically(options.output / "frame-000005.tif.77.tmp", "left by a killed import");
  const ImportResult result = import_movie(options, movie.notes);
  CHECK_FALSE(result.already_complete);
  CHECK(result.written_frames == 2);
  CHECK(result.manifest.frames == 12);
  CHECK(numbers_in(options.output) == all_twelve);
  CHECK_FALSE(fs::exists(options.output / "frame-000005.tif.77.tmp"));
}

TEST_CASE("a part of a movie is imported from its first to its last frame", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("part");
  options.frames = FrameRange{3, 6};
  CHECK(import_movie(options, movie.notes).manifest.frames == 4);
  CHECK(numbers_in(options.output) == Numbers{3, 4, 5, 6});
  options = movie.import_to("open");
  options.frames = FrameRange{9, max_frames - 1};
  import_movie(options, movie.notes);
  CHECK(numbers_in(options.output) == Numbers{9, 10, 11});
  options = movie.import_to("last");
  options.frames = FrameRange{11, 11};
  import_movie(options, movie.notes);
  CHECK(numbers_in(options.output) == Numbers{11});
  options = movie.import_to("none");
  options.frames = FrameRange{12, 20};
  CHECK_THROWS_WITH(import_movie(options, movie.notes),
                    Catch::Contains("frames from 0 to about 11, found 12-20"));
  CHECK(to_string(FrameRange{3, 5}) == "3-5");
  CHECK(to_string(FrameRange{3, max_frames - 1}) == "3-");
}

TEST_CASE("a rate that is asked for repeats or leaves out pictures", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("half");
  options.fps = Rational{12, 1};
  const ImportResult half = import_movie(options, movie.notes);
  CHECK(half.manifest.dropped_frames == 6);
  CHECK(half.manifest.repeated_frames == 0);
  CHECK(numbers_in(options.output).size() == 6);
  CHECK(movie.notes.have("brought to 12 frames per second by time stamps: 0 repeated, 6 dropped"));
  options = movie.import_to("double");
  options.fps = Rational{48, 1};
  const ImportResult twice = import_movie(options, movie.notes);
  CHECK(twice.written_frames == twice.manifest.frames);
  CHECK(twice.manifest.repeated_frames >= 11);
  const Numbers numbers = numbers_in(options.output);
  REQUIRE(numbers.size() >= 23);
  for (std::size_t i = 0; i < 23; ++i) CHECK(numbers[i] == static_cast<int>(i / 2));
}

TEST_CASE("an import takes no folder of others, and no movie with other options",
          "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  options.quality = 50;
  CHECK_THROWS_AS(import_movie(options, movie.notes), InputError);
  options.overwrite = true;
  CHECK(import_movie(options, movie.notes).written_frames == 12);
  write_file_atomically(options.output / "letter.txt", "mine");
  CHECK_THROWS_WITH(import_movie(options, movie.notes), Catch::Contains("\"letter.txt\" in it"));
  fs::create_directory(movie.folder / "other");
  write_file_atomically(movie.folder / "other" / "frame-000000.tif", "");
  CHECK_THROWS_AS(import_movie(movie.import_to("other"), movie.notes), InputError);
  CHECK_THROWS_WITH(import_movie(movie.import_to("movie.mkv"), movie.notes),
                    Catch::Contains("expected a folder, found a file"));
}

TEST_CASE("a movie that is overwritten is gone with all its files before the new one begins",
          "[source][import]") {
  SmallMovie movie;
  const ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  write_file_atomically(options.output / "audio.mka", "");
  write_file_atomically(options.output / "frame-000000.tif.123.tmp", "");
  const MovieManifest manifest = load_manifest(options.output);
  {
    const ImportFolder there(options.output, FrameFiles::movie, manifest, false);
    CHECK(there.complete());
    CHECK(there.frames_there() == 12);
    CHECK(there.has_frame(11));
    CHECK_FALSE(there.has_frame(12));
    CHECK_FALSE(there.has_frame(-1));
    CHECK_FALSE(fs::exists(options.output / "frame-000000.tif.123.tmp"));
    CHECK(there.existing().frames == 12);
  }
  const ImportFolder anew(options.output, FrameFiles::movie, manifest, true);
  CHECK(fs::is_empty(options.output));
  CHECK_FALSE(anew.complete());
  CHECK(anew.frames_there() == 0);
  CHECK_FALSE(anew.has_frame(0));
  CHECK(anew.existing().frames == MovieManifest().frames);
  CHECK_THROWS_WITH(ImportFolder(options.output, FrameFiles::movie, manifest, false),
                    Catch::Contains("locked by a running import"));
}

TEST_CASE("an import that is stopped says so, and another one goes on", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  CHECK_THROWS_AS(import_movie(options, movie.notes), JobError);
  options.stop = {};
  import_movie(options, movie.notes);
  CHECK(numbers_in(options.output) == all_twelve);
}

TEST_CASE("a movie's sound is kept beside it", "[source][import]") {
  CountingMovieOptions source = SmallMovie::small();
  source.audio_codec = "aac";
  SmallMovie movie(source);
  const ImportOptions options = movie.import_to("wall");
  CHECK(import_movie(options, movie.notes).manifest.audio_file == "audio.mka");
  CHECK(fs::file_size(options.output / "audio.mka") > 100);
  ExportOptions video;
  video.movie = options.output;
  video.output = movie.folder / "out.mkv";
  CHECK(export_movie(video, movie.notes).with_sound);
  video.output = movie.folder / "slow.mkv";
  video.fps = Rational{12, 1};
  CHECK_FALSE(export_movie(video, movie.notes).with_sound);
  CHECK(movie.notes.have("without the movie's sound, which fits to 24 frames per second"));
}

TEST_CASE("the sound of a part begins and ends with it", "[source][import]") {
  CountingMovieOptions source = SmallMovie::small();
  source.audio_codec = "aac";
  const TemporaryFolder folder;
  make_counting_movie(folder / "a.mkv", source);
  // The movie lasts for half a second, and a packet for 1024 samples.
  const double packet_s = 1024.0 / audio_rate_hz;
  for (const AudioSpan span : {AudioSpan{0.2, 0.4}, AudioSpan{0.1, 0.4}, AudioSpan{0.3, 0}}) {
    CAPTURE(span.from_s, span.until_s);
    REQUIRE(extract_audio(folder / "a.mkv", folder.path(), span) == "audio.mka");
    MediaInput input(folder / "audio.mka");
    AvPacket packet = new_packet();
    double last_s = -1;
    while (av_read_frame(input.get(), packet.get()) >= 0) {
      const AVRational unit = input.get()->streams[packet.get()->stream_index]->time_base;
      if (last_s < 0) CHECK(static_cast<double>(packet.get()->pts) * av_q2d(unit) < packet_s);
      last_s = static_cast<double>(packet.get()->pts) * av_q2d(unit);
      av_packet_unref(packet.get());
    }
    const double length_s = (span.until_s > 0 ? span.until_s : 0.5) - span.from_s;
    CHECK(last_s < length_s);
    CHECK(last_s >= length_s - 2 * packet_s);
  }
}

TEST_CASE("a check counts missing and damaged frames and names them", "[source][import]") {
  SmallMovie movie;
  const ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  VerifyResult found = verify_movie(options.output, {}, movie.notes);
  CHECK(found.checked_frames == 12);
  CHECK(found.missing_frames == 0);
  CHECK(found.damaged_frames == 0);
  CHECK(found.problems.empty());
  fs::remove(options.output / "frame-000002.tif");
  fs::resize_file(options.output / "frame-000007.tif", 100);
  fs::resize_file(options.output / "frame-000008.tif", 0);
  found = verify_movie(options.output, {}, movie.notes);
  CHECK(found.checked_frames == 12);
  CHECK(found.missing_frames == 1);
  CHECK(found.damaged_frames == 2);
  REQUIRE(found.problems.size() == 3);
  CHECK(found.problems[0].find("frame-000002") != std::string::npos);
  CHECK(found.problems[1].find("frame-000007") != std::string::npos);
  CHECK(found.problems[2].find("frame-000008") != std::string::npos);
  CHECK(found.more_problems == 0);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(verify_movie(options.output, stop.get_token(), movie.notes), JobError);

  const VerifyResult source = verify_source({movie.file.string()}, {}, movie.notes);
  CHECK(source.checked_frames == 12);
  CHECK(source.damaged_frames == 0);
  CHECK(source.missing_frames == 0);
  CHECK(source.problems.empty());
  CHECK_THROWS_AS(verify_source({movie.file.string()}, stop.get_token(), movie.notes), JobError);
}

TEST_CASE("of many damaged frames a hundred are named", "[source][import]") {
  CountingMovieOptions source = SmallMovie::small();
  source.frames = 103;
  SmallMovie movie(source);
  const ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  for (int i = 0; i < 103; ++i) fs::remove(options.output / frame_file_name(i));
  const VerifyResult found = verify_movie(options.output, {}, movie.notes);
  CHECK(found.missing_frames == 103);
  CHECK(found.problems.size() == 100);
  CHECK(found.more_problems == 3);
}

TEST_CASE("a movie is exported to a video and imported from it again", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  ExportOptions video;
  video.movie = options.output;
  video.output = movie.folder / "part.mkv";
  video.frames = FrameRange{2, 5};
  const ExportResult result = export_movie(video, movie.notes);
  CHECK(result.frames == 4);
  CHECK(result.damaged_frames == 0);
  CHECK(result.size_px == SizePx{64, 48});
  CHECK_FALSE(result.with_sound);
  CHECK(result.bytes == fs::file_size(video.output));
  options.inputs = {video.output.string()};
  options.output = movie.folder / "again";
  CHECK(import_movie(options, movie.notes).manifest.fps == Rational{24, 1});
  CHECK(numbers_in(options.output) == Numbers{2, 3, 4, 5});
  CHECK_THROWS_WITH(export_movie(video, movie.notes), Catch::Contains("--overwrite"));
  video.overwrite = true;
  CHECK(export_movie(video, movie.notes).frames == 4);
}

TEST_CASE("frames that an export asks for must exist", "[source][import]") {
  SmallMovie movie;
  const ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  ExportOptions images;
  images.movie = options.output;
  for (const FrameRange wrong : {FrameRange{12, 12}, FrameRange{0, 12}, FrameRange{3, 100},
                                 FrameRange{12, max_frames - 1}}) {
    images.output = movie.folder / "wrong";
    images.frames = wrong;
    CHECK_THROWS_WITH(export_movie(images, movie.notes), Catch::Contains("frames from 0 to 11"));
  }
  images.output = movie.folder / "images";
  images.frames = FrameRange{10, max_frames - 1};
  CHECK(export_movie(images, movie.notes).frames == 2);
  CHECK(fs::exists(images.output / "frame-000010.png"));
  CHECK(fs::exists(images.output / "frame-000011.png"));
  CHECK(std::distance(fs::directory_iterator(images.output), {}) == 2);
  images.output = movie.folder / "jpegs";
  images.images = ExportImages::jpeg;
  images.frames = FrameRange{0, 0};
  CHECK(export_movie(images, movie.notes).bytes > 0);
  CHECK(fs::exists(images.output / "frame-000000.jpg"));
  CHECK_THROWS_AS(export_movie(images, movie.notes), InputError);  // the folder has files now
  images.movie = movie.folder.path();
  CHECK_THROWS_WITH(export_movie(images, movie.notes), Catch::Contains("no movie.toml in it"));
}

TEST_CASE("an export repeats the last good frame for a damaged one", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  fs::resize_file(options.output / "frame-000004.tif", 100);
  ExportOptions video;
  video.movie = options.output;
  video.output = movie.folder / "out.mkv";
  CHECK(export_movie(video, movie.notes).damaged_frames == 1);
  options.inputs = {video.output.string()};
  options.output = movie.folder / "again";
  import_movie(options, movie.notes);
  CHECK(numbers_in(options.output) == Numbers{0, 1, 2, 3, 3, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("images are imported in the order of their numbers, gaps included", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  import_movie(options, movie.notes);
  ExportOptions images;
  images.movie = options.output;
  images.output = movie.folder / "images";
  export_movie(images, movie.notes);
  options = movie.import_to("again");
  options.inputs = {images.output.string()};
  const ImportResult result = import_movie(options, movie.notes);
  CHECK(result.manifest.fps == Rational{24, 1});
  CHECK(result.manifest.frames == 12);
  CHECK(numbers_in(options.output) == all_twelve);
  fs::remove(images.output / "frame-000006.png");
  fs::remove(images.output / "frame-000000.png");
  options = movie.import_to("gaps");
  options.inputs = {(images.output / "frame-%06d.png").string()};
  import_movie(options, movie.notes);
  // Frame 0 is the lowest number there is; in a gap the picture before stays.
  CHECK(numbers_in(options.output) == Numbers{1, 2, 3, 4, 5, 5, 7, 8, 9, 10, 11});
}

TEST_CASE("a video of odd sides is a pixel larger, and says so", "[source][import]") {
  SmallMovie movie;
  ImportOptions options = movie.import_to("wall");
  options.size_px = SizePx{63, 47};
  CHECK(import_movie(options, movie.notes).manifest.size_px == SizePx{63, 47});
  ExportOptions video;
  video.movie = options.output;
  video.output = movie.folder / "odd.mkv";
  const ExportResult result = export_movie(video, movie.notes);
  CHECK(result.size_px == SizePx{64, 48});
  CHECK(result.movie_px == SizePx{63, 47});
  CHECK(movie.notes.have("64x48 instead of 63x47"));
  CHECK(movie.notes.have("the last column and row are there twice"));
}

TEST_CASE("pictures that are made by rows are made once each, also of a resumed movie",
          "[movie][import]") {
  const TemporaryFolder folder;
  ImportOptions options;
  options.output = folder / "movie";
  const auto store = [&] {
    RowsFetcher fetcher(4);
    SilentProgress progress;
    const ImportResult result = store_pictures(
        fetcher,
        [] {
          return StoredSource{"rows", "1", ""};
        },
        options, progress);
    CHECK(result.manifest.frames == 4);
    return fetcher.made;
  };
  CHECK(store() == std::vector<std::size_t>{0, 1, 2, 3});
  fs::remove(options.output / frame_file_name(2, FrameFiles::movie));
  MovieManifest cut = load_manifest(options.output);
  cut.complete = false;
  save_manifest(options.output, cut);
  CHECK(store() == std::vector<std::size_t>{2});
  CHECK(store().empty());
}
