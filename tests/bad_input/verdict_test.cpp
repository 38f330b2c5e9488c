// What `info`, `info --verify`, `import` and `play` say of one still or movie is the same: all take
// it, or all refuse it. And what cannot be printed is not done.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "player/movie/convert/import_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds answer_limit{60};

/// The commands, with a cache and a run directory of their own.
class Commands {
 public:
  Commands() {
    options_.folder = folder_.path();
    options_.environment = {{"XDG_CACHE_HOME", (folder_ / "cache").string()},
                            {"XDG_RUNTIME_DIR", (folder_ / "runtime").string()}};
    fs::create_directory(folder_ / "runtime");
    fs::permissions(folder_ / "runtime", fs::perms::owner_all);
  }

  [[nodiscard]] ProgramResult run(Words words) const {
    words.insert(words.begin(), tilewall_program);
    return run_program(words, answer_limit, options_);
  }

  /// 0: taken, 1: taken with damage, 2: refused in one line that names the file.
  [[nodiscard]] int verdict(const fs::path& file, const Words& words) const {
    const ProgramResult result = run(words);
    CAPTURE(words, result.err);
    CHECK(result.exit_code >= 0);
    CHECK(result.exit_code <= 2);
    if (result.exit_code == 2) {
      CHECK(result.err.find(file.string()) != std::string::npos);
      CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    }
    return result.exit_code;
  }

  [[nodiscard]] int info(const fs::path& file) const { return verdict(file, {"info", file}); }
  [[nodiscard]] int info_verify(const fs::path& file) const {
    return verdict(file, {"info", "--verify", file});
  }
  /// Opens what `play` opens before it starts a process.
  [[nodiscard]] int play_plan(const fs::path& file) const {
    return verdict(file, {"play", file, "--wall", test_wall("two-by-one.toml"), "--plan"});
  }
  [[nodiscard]] int play(const fs::path& file) const {
    return verdict(file, {"play", file, "--wall", test_wall("two-by-one.toml"), "--headless",
                          "--frames", "1"});
  }

  [[nodiscard]] int import_frame(const fs::path& file) const {
    const TemporaryFolder output;
    ImportOptions options;
    options.inputs = {file.string()};
    options.output = output / "movie";
    options.frames = FrameRange{0, 0};
    SilentProgress silent;
    try {
      import_movie(options, silent);
      return 0;
    } catch (const InputError&) {
      return 2;
    }
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  const TemporaryFolder folder_;
  ProgramOptions options_;
};

/// A still of that name as ffmpeg makes it; false where there is no ffmpeg.
bool make_still(const fs::path& file, const Words& how = {}) {
  Words words = {"ffmpeg",    "-loglevel", "error", "-y",
                 "-f",        "lavfi",     "-i",    "testsrc2=size=96x64:rate=1",
                 "-frames:v", "1"};
  words.insert(words.end(), how.begin(), how.end());
  words.push_back(file.string());
  return run_program(words).exit_code == 0;
}

void cut(const fs::path& from, const fs::path& to, double share) {
  const std::string bytes = read_text_file(from, 1 << 24);
  std::ofstream(to, std::ios::binary)
      << bytes.substr(0, static_cast<std::size_t>(static_cast<double>(bytes.size()) * share));
}

}  // namespace

TEST_CASE("every command takes the same damaged stills", "[import][play][bad-input]") {
  const Commands commands;
  const TemporaryFolder& folder = commands.folder();
  std::vector<fs::path> files;
  for (const char* kind : {"jpg", "png", "tif"}) {
    const fs::path whole = folder / (std::string("whole.") + kind);
    if (!make_still(whole)) {
      WARN("skipped: there is no ffmpeg");
      return;
    }
    files.push_back(whole);
    for (const double share : {0.05, 0.4, 0.97}) {
      files.push_back(folder / ("cut-" + std::to_string(share) + "." + kind));
      cut(whole, files.back(), share);
    }
  }
  int refused = 0;
  for (const fs::path& file : files) {
    const int expected = commands.import_frame(file);
    refused += expected == 2 ? 1 : 0;
    CAPTURE(file.filename().string());
    CHECK(commands.info(file) == expected);
    CHECK((commands.info_verify(file) == 2) == (expected == 2));
    CHECK(commands.play_plan(file) == expected);
  }
  CHECK(refused >= 3);
  CHECK(refused <= 9);
}

TEST_CASE("a damaged image of a sequence is named by every command that reads it",
          "[import][bad-input]") {
  using Catch::Contains;
  const Commands commands;
  const TemporaryFolder& folder = commands.folder();
  for (const std::string kind : {"png", "jpg", "tif"}) {
    const fs::path images = folder / kind;
    fs::create_directory(images);
    const auto file = [&](int number) {
      return images / ("s-" + std::to_string(number) + "." + kind);
    };
    if (!make_still(file(1))) {
      WARN("skipped: there is no ffmpeg");
      return;
    }
    for (int i = 2; i <= 5; ++i) fs::copy_file(file(1), file(i));
    CAPTURE(kind);
    const ProgramResult sound = commands.run({"info", images, "--verify", "--json"});
    CHECK(sound.exit_code == 0);
    CHECK(nlohmann::json::parse(sound.out).at("judged_images") == 5);
    fs::resize_file(file(4), fs::file_size(file(4)) / 2);  // much of a JPEG can still be shown

    const ProgramResult first = commands.run({"info", images});
    CHECK(first.exit_code == 0);
    CHECK_THAT(first.out, Contains("only the first of 5; --verify judges all"));
    const auto report = nlohmann::json::parse(commands.run({"info", images, "--json"}).out);
    CHECK(report.at("judged_images") == 1);
    CHECK(report.at("problems").empty());

    const ProgramResult all = commands.run({"info", images, "--verify"});
    CHECK(all.exit_code == 1);
    CHECK_THAT(all.out, Contains(file(4).string() + ": damaged: "));
    CHECK_THAT(all.out, !Contains(file(3).string()));

    const fs::path list = folder / (kind + ".m3u");
    std::ofstream(list) << file(1).string() << '\n' << images.string() << '\n' << images.string();
    const ProgramResult listed = commands.run({"info", list, "--verify", "--json"});
    CHECK(listed.exit_code == 1);
    const auto verified = nlohmann::json::parse(listed.out);
    CHECK(verified.at("checked_frames") == 6);
    CHECK(verified.at("damaged_frames") == 1);
    const ProgramResult imported = commands.run({"import", images, "-o", folder / (kind + ".tw")});
    CHECK(imported.exit_code == 0);
    CHECK_THAT(imported.err, Contains(file(4).string() + ": damaged: "));
    CHECK_THAT(imported.err, Contains("1 damaged picture; "));
  }
}

TEST_CASE("a still that is to be turned is played as import turns it", "[play]") {
  const Commands commands;
  const fs::path upright = commands.folder() / "upright.jpg";
  if (!make_still(upright)) return;
  const std::string bytes = read_text_file(upright, 1 << 24);
  const char turned_by_exif[] =  // orientation 6, as cameras write it
      "\xff\xe1\x00\x22"
      "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0";
  const fs::path turned = commands.folder() / "turned.jpg";
  std::ofstream(turned, std::ios::binary)
      << bytes.substr(0, 2) << std::string(turned_by_exif, sizeof turned_by_exif)
      << bytes.substr(2);
  const auto report = nlohmann::json::parse(commands.run({"info", "--json", turned}).out);
  CHECK(report.at("width_px") == 64);
  CHECK(report.at("height_px") == 96);
  CHECK(report.at("played_from_cache") == true);
  const auto plain = nlohmann::json::parse(commands.run({"info", "--json", upright}).out);
  CHECK(plain.at("played_from_cache") == false);
  CHECK(commands.play_plan(turned) == 0);
}

TEST_CASE("a still that no decoder takes is refused by play, before anything starts",
          "[play][bad-input]") {
  const Commands commands;
  const fs::path whole = commands.folder() / "whole.png";
  if (!make_still(whole)) return;
  const fs::path headless = commands.folder() / "header.png";
  cut(whole, headless, 0.05);
  CHECK(commands.play(headless) == 2);
  CHECK(fs::is_empty(commands.folder() / "runtime"));
}

namespace {

/// Of every `step`-th file of each corpus.
void check_corpora(int step) {
  const fs::path corrupt = shared_data("corrupt");
  if (corrupt.empty()) return;
  const Commands commands;
  for (const char* kind : {"jpeg", "png", "tiff", "mp4"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(corrupt / kind)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (std::size_t i = 0; i < files.size(); i += static_cast<std::size_t>(step)) {
      const int expected = commands.import_frame(files[i]);
      CAPTURE(files[i].string());
      CHECK(commands.info(files[i]) == expected);
      CHECK(commands.play_plan(files[i]) == expected);
    }
  }
}

}  // namespace

TEST_CASE("every tenth file of the corpora has one verdict", "[import][play][bad-input]") {
  check_corpora(10);
}

TEST_CASE("every file of the corpora has one verdict", "[.][long][import][play][bad-input]") {
  check_corpora(1);
}

TEST_CASE("output that cannot be written is a failure", "[cli][bad-input]") {
  if (!fs::exists("/dev/full")) {
    WARN("skipped: there is no /dev/full");
    return;
  }
  const Commands commands;
  const std::string wall = test_wall("two-by-one.toml");
  const Words runs[] = {{"--help"},
                        {"--version"},
                        {"info", "--help"},
                        {"info", wall},
                        {"info", "--json", wall},
                        {"wall", "check", wall},
                        {"wall", "show", wall, "--json"},
                        {"wall", "show", wall, "--svg", "-"}};
  for (const Words& run : runs) {
    Words words = {"sh", "-c", "exec \"$0\" \"$@\" > /dev/full", tilewall_program};
    words.insert(words.end(), run.begin(), run.end());
    const ProgramResult result = run_program(words, answer_limit);
    CAPTURE(run);
    CHECK(result.exit_code == 1);
    CHECK(result.err == "tilewall: stdout: cannot be written: No space left on device\n");
  }
}
