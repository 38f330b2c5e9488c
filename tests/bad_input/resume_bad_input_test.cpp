// `tilewall play --resume` and journals from which no show can go on: one line that says what is
// wrong, and the journal stays. A journal that is damaged in the middle gives the show as it was.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "player/director/log/journal.hpp"
#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int frames = 24;
constexpr std::int64_t frame = 17;
constexpr std::chrono::seconds answer_limit{10};

/// The run directory of a show whose supervisor was killed. It stood still at `frame` of a movie
/// that was opened after the start.
class DeadShow {
 public:
  DeadShow() {
    write_numbered_movie(folder_ / "movie", pair_canvas_px, frames);
    fs::copy(test_wall("two-by-one.toml"), folder_ / "wall.toml");
    RunningProgram show({tilewall_program, "play", "pattern:count", "--wall",
                         (folder_ / "wall.toml").string(), "--headless", "--loop", "--run-dir",
                         run_dir().string()});
    {
      WallClient client(run_dir());
      const Json movie = movie_source_json(folder_ / "movie", pair_canvas_px, frames);
      for (const Json& request : std::vector<Json>{{{"type", "open"}, {"source", movie}},
                                                   {{"type", "pause"}},
                                                   {{"type", "seek"}, {"frame", frame}}})
        version_ = client.ask(request).at("version");
    }
    REQUIRE(eventually([&] { return newest_version() >= version_; }));
    live_answer_ = resume();
    pid_ = pid_in(run_dir() / "pids/supervisor");
    const std::vector<pid_t> others = processes_with(run_dir().string());
    show.send_signal(SIGKILL);
    static_cast<void>(show.wait(answer_limit));
    REQUIRE(eventually([&] { return std::ranges::none_of(others, is_alive); }));
    journal_ = read_text_file(file(), 1 << 20);
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] fs::path file() const { return run_dir() / "journal.jsonl"; }
  [[nodiscard]] const std::string& journal() const { return journal_; }
  /// What --resume said while the show was alive, and the process number of its supervisor.
  [[nodiscard]] const ProgramResult& live_answer() const { return live_answer_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

  [[nodiscard]] ProgramResult resume() const {
    return run_program({tilewall_program, "play", "--resume", run_dir().string()}, answer_limit);
  }

  void write(const std::string& journal) const { write_file_atomically(file(), journal); }

  /// Checks the exit code and the one line on stderr, and that the journal is as it was.
  void refuses(const std::string& line) const {
    const ProgramResult result = resume();
    CHECK(result.err == "tilewall: " + line + "\n");
    CHECK(result.exit_code == 2);
    CHECK(fs::exists(file()));
  }
  void refuses_journal(const std::string& journal, const std::string& line) const {
    write(journal);
    refuses(file().string() + ": " + line);
  }

 private:
  [[nodiscard]] std::int64_t newest_version() const {
    std::ifstream stream(file());
    std::int64_t version = 0;
    for (std::string line; std::getline(stream, line);) {
      const Json entry = Json::parse(line, nullptr, false);
      if (entry.is_object() && entry.at("kind") == "scene")
        version = entry.at("data").at("scene").at("version");
    }
    return version;
  }

  TemporaryFolder folder_;
  std::int64_t version_ = 0;
  ProgramResult live_answer_;
  pid_t pid_ = 0;
  std::string journal_;
};

/// The text with the line that holds `part` changed by `change`.
std::string with_line(const std::string& text, const std::string& part,
                      const std::function<std::string(std::string line)>& change) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at) + 1;
  const std::size_t end = text.find('\n', at);
  return text.substr(0, begin) + change(text.substr(begin, end - begin)) + text.substr(end);
}

}  // namespace

TEST_CASE("a show is not resumed from a bad journal, and resumed from one with noise",
          "[play][bad-input]") {
  const DeadShow show;
  const std::string& journal = show.journal();
  CHECK(show.live_answer().exit_code == 2);
  CHECK(show.live_answer().err ==
        "tilewall: --resume: expected a folder that no show uses, found " +
            show.run_dir().string() + ", of a show that runs (process " +
            std::to_string(show.pid()) + ")\n");
  const std::size_t first_end = journal.find('\n') + 1;
  const std::size_t first_scene = journal.find("\n", journal.find(R"("kind":"scene")")) + 1;
  const std::string no_show = "expected a journal of version 1, found ";
  show.refuses_journal("", no_show + "no beginning of a show");
  show.refuses_journal(journal.substr(0, first_end - 1), no_show + "no beginning of a show");
  show.refuses_journal(journal.substr(first_end), no_show + "no beginning of a show");
  show.refuses_journal("\xff\xfe noise\n" + journal.substr(first_end), no_show + "1 damaged line");
  show.refuses_journal(journal.substr(0, first_end),
                       "expected a scene of the show, found none that is whole");
  show.refuses_journal(journal.substr(0, first_scene - 1),
                       "expected a scene of the show, found none that is whole");
  const auto of_version_2 = [](std::string line) {
    director::JournalEntry entry = *director::entry_from_line(line);
    entry.data["version"] = 2;
    line = director::to_line(entry);
    line.pop_back();
    return line;
  };
  show.refuses_journal(with_line(journal, R"("kind":"show")", of_version_2), no_show + "version 2");
  fs::remove(show.file());
  const std::string no_journal =
      "--resume: expected the run directory of a show that died, with "
      "its journal, found " +
      show.run_dir().string();
  CHECK(show.resume().err == "tilewall: " + no_journal + "\n");
  fs::create_directory(show.file());
  show.refuses(no_journal);
  fs::remove(show.file());

  show.write(journal);
  fs::rename(show.folder() / "movie", show.folder() / "elsewhere");
  show.refuses(show.file().string() + ": expected a source that is there, found " +
               (show.folder() / "movie").string());
  fs::rename(show.folder() / "elsewhere", show.folder() / "movie");
  fs::rename(show.folder() / "wall.toml", show.folder() / "same.toml");
  fs::copy(test_wall("two-by-two.toml"), show.folder() / "wall.toml");
  show.refuses(show.file().string() +
               ": expected the wall \"wall\" with 2 panels, found \"wall\" "
               "with 4");
  fs::rename(show.folder() / "same.toml", show.folder() / "wall.toml");

  const std::string noise(1 << 20, '\xfe');
  show.write(with_line(journal, R"("kind":"time")", [&](const std::string&) { return noise; }));
  const fs::path report = show.folder() / "report.json";
  RunningProgram resumed(
      {tilewall_program, "play", "--resume", show.run_dir().string(), "--report", report.string()});
  const fs::path pid_file = show.run_dir() / "pids/supervisor";
  REQUIRE(eventually([&] { return pid_in(pid_file) > 0 && pid_in(pid_file) != show.pid(); }));
  {
    WallClient client(show.run_dir());
    REQUIRE(eventually([&] {
      return client.ask({{"type", "status"}}).value("phase", "") == "paused";
    }));
    show.refuses("--resume: expected a folder that no show uses, found " + show.run_dir().string() +
                 ", of a show that runs (process " + std::to_string(pid_in(pid_file)) + ")");
    const Json region = client.ask({{"type", "status"}}).at("scene").at("regions").at(0);
    CHECK(region.at("path") == (show.folder() / "movie").string());
    CHECK(region.at("frame") == frame);
    client.ask({{"type", "quit"}});
  }
  const Show end = end_of(resumed, report);
  CHECK(end.program.exit_code == 0);
  CHECK(end.program.err.find("1 damaged line") != std::string::npos);
  CHECK(end.report.at("notes").dump().find("1 damaged line") != std::string::npos);
  CHECK_FALSE(fs::exists(show.run_dir()));
}
