#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "sync/base/arguments.hpp"
#include "sync/base/bounded_queue.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/process.hpp"
#include "sync/base/rational.hpp"
#include "sync/base/run_queue.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;

TEST_CASE("rates are read exactly and anything else is refused", "[base]") {
  CHECK(parse_rational("24") == Rational{24, 1});
  CHECK(parse_rational("30000/1001") == Rational{30000, 1001});
  CHECK(parse_rational("29.97") == Rational{30000, 1001});
  CHECK(parse_rational("12.5") == Rational{25, 2});
  CHECK(parse_rational("-0.5") == Rational{-1, 2});
  for (const char* bad :
       {"", "x", "1/0", "1/-2", "1.", "1.1234567", "2000000000", "-2000000000", "1 ", "0x10"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rational(bad));
  }
}

TEST_CASE("rates have parts of at most a billion, and NTSC's have names", "[base]") {
  CHECK(parse_rational("1000000000") == Rational{1'000'000'000, 1});
  CHECK(parse_rational("-1000000000") == Rational{-1'000'000'000, 1});
  CHECK(parse_rational("1/1000000000") == Rational{1, 1'000'000'000});
  CHECK(parse_rational("0/5") == Rational{0, 1});
  CHECK(parse_rational(".5") == Rational{1, 2});
  CHECK(parse_rational("-.5") == Rational{-1, 2});
  CHECK(parse_rational("0.123456") == Rational{1929, 15625});
  CHECK(parse_rational("24.000") == Rational{24, 1});
  CHECK(parse_rational("23.976") == Rational{24000, 1001});
  CHECK(parse_rational("23.98") == Rational{24000, 1001});
  CHECK(parse_rational("47.952") == Rational{48000, 1001});
  CHECK(parse_rational("59.94") == Rational{60000, 1001});
  CHECK(parse_rational("119.88") == Rational{120000, 1001});
  CHECK(parse_rational("23.97") == Rational{2397, 100});
  for (const char* bad : {"1000000001", "-1000000001", "1/", "/2", "1/2/3", ".", "-", "1.5x"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rational(bad));
  }
  CHECK(to_string(Rational{25, 1}) == "25");
  CHECK(Rational{2, 3} * Rational{-9, 4} == Rational{-3, 2});
}

TEST_CASE("products of rates are in lowest terms", "[base]") {
  CHECK(Rational{30000, 1001} * Rational{1001, 1000} == Rational{30, 1});
  CHECK(to_string(Rational{30000, 1001}) == "30000/1001");
  CHECK(reduced(6, -4) == Rational{-3, 2});
  CHECK(reduced(-6, -4) == Rational{3, 2});
  CHECK(reduced(0, 7) == Rational{0, 1});
}

TEST_CASE("the nearest word is the one a user meant", "[base]") {
  const std::string_view words[] = {"columns", "rows", "panel", "bezel_mm"};
  CHECK(nearest_word("colums", words) == "columns");
  CHECK(nearest_word("bezels_mm", words) == "bezel_mm");
  CHECK(edit_distance("ab", "ba") == 1);
}

TEST_CASE("a near word is a misspelling or a beginning, and no other word", "[base]") {
  const std::string_view words[] = {"status", "seek", "snapshot", "--frames"};
  CHECK(near_word("staus", words) == "status");
  CHECK(near_word("snap", words) == "snapshot");
  CHECK(near_word("--frame", words) == "--frames");
  CHECK(near_word("explode", words) == "");
  CHECK(near_word("", words) == "");
  CHECK(near_word(std::string(100'000, 's'), words) == "");
  CHECK(near_word("seek", {}) == "");
}

TEST_CASE("ranges have one syntax: A-B, A-, -B or N", "[base]") {
  CHECK(parse_number_range("3-5") == WholeNumberRange{3, 5});
  CHECK(parse_number_range("3-") == WholeNumberRange{3, std::nullopt});
  CHECK(parse_number_range("-5") == WholeNumberRange{std::nullopt, 5});
  CHECK(parse_number_range("7") == WholeNumberRange{7, 7});
  CHECK(parse_number_range("7-7") == WholeNumberRange{7, 7});
  CHECK(parse_number_range("0-9223372036854775807") == WholeNumberRange{0, INT64_MAX});
  for (const char* bad : {"", "-", "--", "5-3", "-1-3", "3--5", "a-b", "3-5x", "+3", "3,5", " 3",
                          "1e3", "9223372036854775808", "3-9223372036854775808", "0x3-5"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_number_range(bad));
  }
}

TEST_CASE("an input error names file, line, field, expected and found", "[base]") {
  const InputError error({"5x3.toml", 14}, "panels[3].width_px", "an integer", "\"wide\"");
  CHECK(std::string(error.what()) ==
        "5x3.toml:14: panels[3].width_px: expected an integer, found \"wide\"");
}

TEST_CASE("a failed check throws with the operands", "[base]") {
  const int frame = 7;
  CHECK_THROWS_WITH([&] { TW_CHECK(frame < 5, "frame {}", frame); }(),
                    Catch::Contains("frame < 5") && Catch::Contains("frame 7"));
}

TEST_CASE("a queue's waits end when stop is requested", "[base]") {
  BoundedQueue<int> queue(1);
  std::stop_source stop;
  REQUIRE(queue.push(1, stop.get_token()));
  std::jthread producer([&] { CHECK_FALSE(queue.push(2, stop.get_token())); });
  stop.request_stop();
  producer.join();
  CHECK(queue.pop(stop.get_token()) == 1);
  CHECK_FALSE(queue.pop(stop.get_token()));
}

TEST_CASE("reading says what is wrong with a file, and writing leaves nothing behind", "[base]") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tilewall-base-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  CHECK_THROWS_WITH(read_text_file(folder / "none", 10), Catch::Contains("No such file"));
  CHECK_THROWS_WITH(read_text_file(folder, 10), Catch::Contains("a directory"));
  write_file_atomically(folder / "a", "hello");
  CHECK(read_text_file(folder / "a", 5) == "hello");
  CHECK_THROWS_AS(read_text_file(folder / "a", 4), InputError);
  CHECK_THROWS_AS(write_file_atomically(folder / "none" / "a", "x"), JobError);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("the ends of a file are read, and its bytes replaced in place", "[base]") {
  const test::TemporaryFolder folder;
  const auto file = folder / "log";
  write_file_atomically(file, "one\ntwo 1\ntwo 2\nthree");
  CHECK(file_beginning(file, 5) == "one\nt");
  CHECK(file_beginning(file, 100) == "one\ntwo 1\ntwo 2\nthree");
  CHECK(file_ending(file, 5) == "three");
  CHECK(file_ending(file, 21) == "one\ntwo 1\ntwo 2\nthree");
  CHECK(file_ending(file, 100) == "one\ntwo 1\ntwo 2\nthree");
  CHECK(file_ending(folder / "none", 5) == "");
  CHECK(last_line_beginning(file_beginning(file, 100), "two") == "two 2");
  CHECK(last_line_beginning(file_beginning(file, 100), "thr") == "three");
  CHECK(last_line_beginning(file_beginning(file, 100), "four") == "");
  CHECK(overwrite_file(file, "short"));
  CHECK(read_text_file(file, 100) == "short");
  CHECK(overwrite_file(file, ""));
  CHECK(read_text_file(file, 100) == "");
  CHECK_FALSE(overwrite_file(folder / "none", "x"));
  const std::string long_text(40'000, 'x');  // more than one read
  write_file_atomically(file, long_text);
  CHECK(read_text_file(file, 40'000) == long_text);
  CHECK_THROWS_WITH(read_text_file(file, 39'999), Catch::Contains("at most 39999 bytes"));
}

TEST_CASE("a secret file is read up to its limit, and no further", "[base]") {
  const test::TemporaryFolder folder;
  write_private_file(folder / "key", "12345678");
  CHECK(read_private_file(folder / "key", 9) == "12345678");
  CHECK(read_private_file(folder / "key", 8) == "12345678");
  CHECK_THROWS_WITH(read_private_file(folder / "key", 7), Catch::Contains("at most 7 bytes"));
}

TEST_CASE("a private folder is one in which others may do no more than they are let", "[base]") {
  const test::TemporaryFolder parent;
  const auto folder = parent / "run";
  REQUIRE(make_private_folder(folder));
  CHECK_FALSE(make_private_folder(folder));  // the name is taken
  const auto fault = [&](mode_t mode, OthersMay others) {
    REQUIRE(::chmod(folder.c_str(), mode) == 0);
    return fault_of_private_folder(folder, others);
  };
  CHECK(fault(0700, OthersMay::nothing).empty());
  for (const mode_t bit : {0001, 0002, 0004, 0010, 0020, 0040}) {
    CAPTURE(bit);
    CHECK(fault(0700 | bit, OthersMay::nothing) == fmt::format("mode {:04o}", 0700 | bit));
    const bool writes = bit == 0002 || bit == 0020;
    CHECK(fault(0700 | bit, OthersMay::read).empty() == !writes);
    CHECK(fault(0700 | bit, OthersMay::anything).empty());
  }
  CHECK(make_private(folder).empty());
  CHECK(fault_of_private_folder(folder).empty());
  std::filesystem::create_symlink(folder, parent / "link");
  CHECK(fault_of_private_folder(parent / "link") == "a symbolic link");
  CHECK(make_private(parent / "link") == "a symbolic link");
  write_private_file(parent / "file", "");
  CHECK(fault_of_private_folder(parent / "file") == "no folder");
  CHECK_FALSE(fault_of_private_folder(parent / "none").empty());
}

TEST_CASE("a program exists where its file, or one in PATH, can be run", "[base]") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tool", "");
  const test::ScopedEnvironment path("PATH", "/nowhere:" + folder.path().string());
  CHECK_FALSE(program_exists("tool"));
  CHECK_FALSE(program_exists(folder / "tool"));
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  CHECK(program_exists("tool"));
  CHECK(program_exists(folder / "tool"));
  CHECK_FALSE(program_exists("tool2"));
  CHECK_FALSE(program_exists("./tool"));  // a path is not looked for in PATH
  CHECK_FALSE(program_exists(folder.path()));
}

TEST_CASE("a child's end is told with its code or its signal", "[base]") {
  const ChildEnd ended =
      wait_for(start_program({"sh", "-c", "exit 7"}, {}), std::chrono::minutes(1));
  CHECK(ended.exit_code == 7);
  CHECK(ended.signal == 0);
  const ChildEnd killed =
      wait_for(start_program({"sh", "-c", "kill -TERM $$"}, {}), std::chrono::minutes(1));
  CHECK(killed.signal == SIGTERM);
  const ChildEnd missing =
      wait_for(start_program({"/nowhere/program"}, {}), std::chrono::minutes(1));
  CHECK(missing.exit_code == 127);
  const ChildEnd late =
      wait_for(start_program({"sleep", "600"}, {}), std::chrono::milliseconds(10));
  CHECK(late.signal == SIGKILL);
}

namespace {

volatile std::sig_atomic_t taken_signals = 0;

/// While it lives, this process counts SIGTERM instead of ending.
class CountedSigterm {
 public:
  CountedSigterm() {
    struct sigaction action = {};
    action.sa_handler = [](int) { taken_signals = taken_signals + 1; };
    ::sigaction(SIGTERM, &action, &before_);
  }
  ~CountedSigterm() { ::sigaction(SIGTERM, &before_, nullptr); }
  CountedSigterm(const CountedSigterm&) = delete;
  CountedSigterm& operator=(const CountedSigterm&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace

TEST_CASE("a child that is asked to end before it runs its program ends", "[base]") {
  const CountedSigterm counted;
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    const pid_t child = start_program({"sleep", "600"}, {});
    ::kill(child, SIGTERM);
    REQUIRE(wait_for(child, std::chrono::seconds(20)).signal == SIGTERM);
  }
  // The parent's own handler is as it was.
  ::raise(SIGTERM);
  CHECK(taken_signals == 1);
}

TEST_CASE("an isolated fork keeps one descriptor beside the standard ones", "[base]") {
  // Several descriptors that are open before and behind the one that is kept.
  std::vector<UniqueFd> opened;
  for (int i = 0; i < 5; ++i) opened.emplace_back(::open("/dev/null", O_RDONLY));
  const int kept = opened[2].get();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    isolate_fork(parent, kept);
    int open_ones = 0;
    for (int fd = STDERR_FILENO + 1; fd < 1000; ++fd)
      open_ones += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    const bool is_kept = ::fcntl(kept, F_GETFD) >= 0;
    ::_exit(is_kept && open_ones == 1 ? 7 : 1);
  }
  CHECK(wait_for(child, std::chrono::seconds(10)).exit_code == 7);
}

TEST_CASE("a terminal that is closed stops a program, or is told to it", "[base]") {
  using namespace std::chrono_literals;
  const auto after = [](const ChildWatch& watch, int signal) {
    ::raise(signal);
    const WatchEvent event = watch.wait(0ms);
    CHECK(watch.wait(0ms) == WatchEvent::nothing);
    return event;
  };
  {
    const ChildWatch watch;
    CHECK(after(watch, SIGHUP) == WatchEvent::stop);
    CHECK(after(watch, SIGTERM) == WatchEvent::stop);
    CHECK(after(watch, SIGINT) == WatchEvent::stop);
    CHECK(after(watch, SIGCHLD) == WatchEvent::child);
  }
  {
    const ChildWatch watch(Hangup::is_told);
    CHECK(after(watch, SIGHUP) == WatchEvent::hangup);
    CHECK(after(watch, SIGTERM) == WatchEvent::stop);
  }
  CHECK(::signal(SIGHUP, SIG_DFL) == SIG_IGN);  // nor does it end the program later
}

TEST_CASE("a program may be ended by a closed pipe, though the parent may not", "[base]") {
  void (*const before)(int) = ::signal(SIGPIPE, SIG_IGN);
  const pid_t child = start_program({"sh", "-c", "kill -PIPE $$; exit 3"}, {});
  ::signal(SIGPIPE, before);
  CHECK(wait_for(child, std::chrono::seconds(20)).signal == SIGPIPE);
}

TEST_CASE("a child has the environment and the output that it was started with", "[base]") {
  const test::TemporaryFolder folder;
  ChildOptions options;
  options.environment = {{"TILEWALL_WORD", "hello"}};
  options.output = folder / "output";
  const pid_t child = start_program({"sh", "-c", "echo $TILEWALL_WORD; echo trouble >&2"}, options);
  CHECK(wait_for(child, std::chrono::minutes(1)).exit_code == 0);
  CHECK(read_text_file(folder / "output", 100) == "hello\ntrouble\n");
  const pid_t role = start_role("role", options, [] { return 5; });
  CHECK(wait_for(role, std::chrono::minutes(1)).exit_code == 5);
  const pid_t failed = start_role("role", options, []() -> int { throw JobError("no disk"); });
  CHECK(wait_for(failed, std::chrono::minutes(1)).exit_code == exit_failed);
  CHECK(read_text_file(folder / "output", 1000) == "hello\ntrouble\ntilewall: role: no disk\n");
}

TEST_CASE("a pipe is written to, not replaced by a file", "[base]") {
  const test::TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  write_file_atomically(pipe, "words");
  char words[6] = {};
  CHECK(::read(reader.get(), words, sizeof words) == 5);
  CHECK(std::string(words) == "words");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("programs find each other in a build, in an installation and from installed tests",
          "[base]") {
  const test::TemporaryFolder prefix;
  const auto helpers = prefix / "libexec" / "tilewall";
  for (const auto& folder : {prefix / "bin", helpers / "tests"})
    std::filesystem::create_directories(folder);
  const std::string name = "tilewall-panel";
  write_file_atomically(helpers / name, "");
  CHECK(own_program(name, helpers) == helpers / name);
  CHECK(own_program(name, prefix / "bin") == helpers / name);
  CHECK(own_program(name, helpers / "tests") == helpers / name);
  CHECK(own_program("missing", prefix / "bin") == prefix / "bin" / "missing");
  write_file_atomically(prefix / "bin" / name, "");
  CHECK(own_program(name, prefix / "bin") == prefix / "bin" / name);
}

TEST_CASE("the run-queue wait is a schedstat's second number", "[base]") {
  CHECK(parse_run_queue_wait("120 4500 3\n") == std::chrono::nanoseconds(4500));
  CHECK(parse_run_queue_wait("0 0 0") == std::chrono::nanoseconds(0));
  for (const char* text :
       {"", "120", "120 ", "120 4500", "120 x 3", "120 -1 3", "1 99999999999999999999 2"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_run_queue_wait(text));
  }
}

TEST_CASE("open files are allowed up to the hard limit, and to half a million", "[base]") {
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 64;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  CHECK(open_files_limit() == 64);
  allow_open_files();
  const std::uint64_t allowed = open_files_limit();
  CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(allowed == std::min<std::uint64_t>(before.rlim_max, 524'288));
}
