// Single checks of a survey, and how they run in children.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "player/survey/file_facts.hpp"
#include "player/survey/host_survey.hpp"
#include "player/survey/survey_tasks.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::survey;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using test::TemporaryFolder;

namespace {

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

FileSubject subject_of(const fs::path& path, Hashing hashing) {
  FileSubject subject;
  subject.path = path;
  subject.facts = facts_of(path, {}, hashing);
  return subject;
}

}  // namespace

TEST_CASE("a folder's facts are those of all files below it", "[survey]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  write(folder / "a", "12345");
  write(folder / "deep" / "b", "678");
  const FileFacts facts = facts_of(folder.path(), {}, Hashing::contents);
  CHECK(facts.files == 2);
  CHECK(facts.size_bytes == 8);
  // The same bytes under another name are another folder.
  fs::rename(folder / "a", folder / "c");
  CHECK(facts_of(folder.path(), {}, Hashing::contents).hash != facts.hash);
  fs::rename(folder / "c", folder / "a");
  CHECK(facts_of(folder.path(), {}, Hashing::contents).hash == facts.hash);
  CHECK(facts_of(folder.path(), {"deep/b", ""}, Hashing::none).size_bytes == 3);
}

TEST_CASE("a folder was changed when the newest file in it was", "[survey]") {
  const TemporaryFolder folder;
  const auto write_at = [&](const char* name, std::time_t second) {
    write(folder / name, "1");
    const std::array<timespec, 2> times = {{{second, 7}, {second, 7}}};
    REQUIRE(::utimensat(AT_FDCWD, (folder / name).c_str(), times.data(), 0) == 0);
  };
  write_at("a", 300);
  write_at("b", 500);
  write_at("c", 400);
  CHECK(facts_of(folder.path(), {}, Hashing::none).modified_ns == 500'000'000'007);
  CHECK(facts_of(folder / "c", {}, Hashing::none).modified_ns == 400'000'000'007);
}

TEST_CASE("the hash of a file is the XXH3-64 of its contents", "[survey]") {
  const TemporaryFolder folder;
  write(folder / "empty", "");
  // The hash of no bytes, from the reference implementation's own tests.
  CHECK(facts_of(folder / "empty", {}, Hashing::contents).hash == "2d06800538d394c2");
}

TEST_CASE("a changed file is red, a copy with another date amber without a hash", "[survey]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "movie";
  write(file, "first");
  const FileSubject plain = subject_of(file, Hashing::none);
  const FileSubject hashed = subject_of(file, Hashing::contents);
  CHECK(check_files(plain).light == Light::green);
  CHECK(check_files(hashed).light == Light::green);

  const auto date = fs::last_write_time(file);
  write(file, "other");
  fs::last_write_time(file, date);
  CHECK(check_files(plain).light == Light::green);  // size and date cannot tell
  CHECK(check_files(hashed).light == Light::red);
  CHECK(check_files(hashed).text == "the same size, but other contents");

  write(file, "first");
  fs::last_write_time(file, date + 1h);
  CHECK(check_files(plain).light == Light::amber);
  CHECK(check_files(hashed).light == Light::green);

  write(file, "longer than before");
  CHECK(check_files(plain).text == "another size: 18 bytes, expected 5");
  fs::remove(file);
  CHECK(check_files(plain).light == Light::red);
  CHECK(check_files(plain).text == file.string() + ": expected a file, found none");
  FileSubject optional = plain;
  optional.required = false;
  CHECK(check_files(optional).light == Light::amber);
}

TEST_CASE("a folder that lost a file is red by its number of files", "[survey]") {
  const TemporaryFolder folder;
  write(folder / "a", "1");
  write(folder / "b", "");
  const FileSubject subject = subject_of(folder.path(), Hashing::none);
  fs::remove(folder / "b");
  CHECK(check_files(subject).text == "1 files, expected 2");
}

TEST_CASE("a pipe where a file should be is red at once", "[survey]") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  FileSubject subject;
  subject.path = pipe;
  subject.facts.hash = "2d06800538d394c2";
  CHECK(check_files(subject).text ==
        pipe.string() + ": expected a file or a folder, found neither");
}

TEST_CASE("memory, room for logs and version against what is needed", "[survey]") {
  const TemporaryFolder folder;
  REQUIRE(available_memory_bytes() > 0);
  CHECK(check_memory(1).light == Light::green);
  CHECK(check_memory(~std::uint64_t{0}).light == Light::red);
  // A folder that does not exist yet has the room of its parent.
  CHECK(check_logs({(folder / "new" / "newer").string(), 1}).light == Light::green);
  CHECK(check_logs({folder.path().string(), ~std::uint64_t{0}}).light == Light::red);
  CHECK(check_logs({"/proc/nothing", 1}).light == Light::red);
  CHECK(check_version(program_version()).light == Light::green);
  const SurveyCheck other = check_version("tilewall 0.0.1");
  CHECK(other.light == Light::red);
  CHECK(other.text == std::string(program_version()) + ", expected tilewall 0.0.1");
}

namespace {

SurveyTask task_of(const std::string& subject, std::chrono::milliseconds limit,
                   const std::function<std::vector<SurveyCheck>()>& run) {
  SurveyCheck check;
  check.kind = CheckKind::file;
  check.subject = subject;
  return {{check}, limit, run};
}

std::vector<SurveyCheck> green(const std::string& subject) {
  return {{CheckKind::file, subject, "", Light::green, "", "", "fine"}};
}

std::vector<SurveyCheck> hang() {
  for (;;) std::this_thread::sleep_for(1h);
}

}  // namespace

TEST_CASE("a check that hangs, throws or crashes is red, and the others go on", "[survey]") {
  std::vector<SurveyTask> tasks;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    if (i == 5 || i == 9) {  // both in the same child, one after the other
      tasks.push_back(task_of(name, 100ms, hang));
    } else if (i == 6) {
      tasks.push_back(task_of(name, 60s, [] {
        ::signal(SIGSEGV, SIG_DFL);
        ::raise(SIGSEGV);
        return std::vector<SurveyCheck>{};
      }));
    } else if (i == 7) {
      tasks.push_back(
          task_of(name, 60s, []() -> std::vector<SurveyCheck> { throw JobError("no luck"); }));
    } else if (i == 8) {
      tasks.push_back(task_of(name, 60s, []() -> std::vector<SurveyCheck> { ::_exit(0); }));
    } else {
      tasks.push_back(task_of(name, 60s, [name] { return green(name); }));
    }
  }
  tasks[3].alone = true;
  const std::vector<SurveyCheck> checks = run_tasks(tasks, 60s);
  REQUIRE(checks.size() == 40);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    CHECK(checks[i].subject == std::to_string(i));
    CHECK((checks[i].light == Light::red) == (i >= 5 && i <= 9));
  }
  CHECK(checks[5].text == "no answer within 0.1 s");
  CHECK(checks[6].text == "the check crashed (signal 11)");
  CHECK(checks[7].text == "no luck");
  CHECK(checks[8].text == "the check ended without a result");
  CHECK(checks[9].text == "no answer within 0.1 s");
}

TEST_CASE("a survey ends at its limit, whatever hangs", "[survey]") {
  std::vector<SurveyTask> tasks(9, task_of("disk", 1h, hang));
  tasks[8].alone = true;
  const std::vector<SurveyCheck> checks = run_tasks(tasks, 200ms);
  REQUIRE(checks.size() == 9);
  for (const SurveyCheck& check : checks) {
    CHECK(check.light == Light::red);
    CHECK(check.text == "no answer: the survey's 0.2 s were over");
  }
}

TEST_CASE("a child of a survey has none of its caller's streams", "[survey]") {
  const auto streams = [] {
    std::vector<SurveyCheck> checks = green("streams");
    for (const char* const stream : {"0", "1", "2"})
      checks[0].found += fs::read_symlink(fs::path("/proc/self/fd") / stream).string() + " ";
    return checks;
  };
  const std::vector<SurveyCheck> checks = run_tasks({task_of("streams", 60s, streams)}, 60s);
  CHECK(checks.at(0).found == "/dev/null /dev/null /dev/null ");
}

TEST_CASE("a survey has the checks that it was asked for, by kind", "[survey]") {
  SurveyRequest request;
  request.version = program_version();
  request.memory_bytes = 1;
  request.servers = {{"tilewall://127.0.0.1:1", "cue 4"}};
  request.omitted = {{CheckKind::display, "", "", Light::not_measured, "", "", "no windows"}};
  const SurveyAnswer answer = survey_host(request);
  REQUIRE(answer.checks.size() == 4);
  CHECK(answer.version == program_version());
  CHECK(answer.checks[0].kind == CheckKind::version);
  CHECK(answer.checks[1].kind == CheckKind::memory);
  CHECK(answer.checks[2].kind == CheckKind::display);
  CHECK(answer.checks[3].kind == CheckKind::server);
  CHECK(answer.checks[3].label == "cue 4");
  CHECK(answer.checks[3].light == Light::red);
}
