#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "sync/base/arguments.hpp"
#include "sync/base/bounded_queue.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/rational.hpp"
#include "sync/base/run_queue.hpp"
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
  CHECK(queue.try_pop() == 1);
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
