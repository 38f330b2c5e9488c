// What a process that dies of its own error leaves behind. Builds with a sanitizer leave these
// signals to it.

#include "sync/base/crash_report.hpp"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "sync/base/child_process.hpp"
#include "sync/base/elf_symbols.hpp"
#include "sync/base/file.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using tilewall::test::TemporaryFolder;

// A name that the compiler neither changes nor inlines.
extern "C" __attribute__((noinline)) void crash_test_writes_to_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

extern "C" __attribute__((noinline)) int crash_test_calls_null() {
  int (*volatile nothing)() = nullptr;
  return nothing() + 1;
}

namespace {

constexpr std::size_t most_bytes = 1 << 20;

struct Crash {
  ChildEnd end;
  std::string report;
  std::string log;
};

/// Runs `body` in a process with a log, and waits for its end.
Crash crash_of(const TemporaryFolder& folder, const std::function<int()>& body) {
  const std::filesystem::path log = folder / "role.log";
  const pid_t pid = start_role("tw-test", {{}, log}, body);
  Crash crash;
  crash.end = wait_for(pid, std::chrono::seconds(60));
  crash.report = file_beginning(crash_file_of(log), most_bytes);
  crash.log = file_beginning(log, most_bytes);
  return crash;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Says so, too.
bool is_left_to_sanitizer() {
  if (test::sanitized()) WARN("skipped: a sanitizer reports these signals itself");
  return test::sanitized();
}

}  // namespace

TEST_CASE("a write to null leaves the signal, the build, the stack and the last events",
          "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const Crash crash = crash_of(folder, [] {
    for (int i = 0; i < 100; ++i) note_for_crash("one of many");
    note_for_crash("draws the picture");
    crash_test_writes_to_null();
    return 0;
  });
  CAPTURE(crash.report, crash.log);
  CHECK(crash.end.signal == SIGSEGV);
  CHECK(crash.report.starts_with("crash of tilewall: tw-test, process "));
  CHECK(has(crash.report, "\nsignal 11 (Segmentation fault), address 0x0\n"));
  CHECK(has(crash.report, "\nprogram " + std::filesystem::read_symlink("/proc/self/exe").string() +
                              ", build id "));
  CHECK_FALSE(has(crash.report, "build id none"));
  const auto first = crash.report.find("\n#0 ");
  REQUIRE(first != std::string::npos);
  CHECK(has(crash.report.substr(first, crash.report.find('\n', first + 1) - first),
            " crash_test_writes_to_null+0x"));
  CHECK(has(crash.report, " main+0x"));
  CHECK(has(crash.report, " this thread: draws the picture\n"));
  CHECK(count_of(crash.report, " this thread: ") == 64);
  CHECK(has(crash.report, "\nend of the report\n"));
  CHECK(count_of(crash.log, "\n") == 1);
  CHECK(
      has(crash.log, " local] tilewall: tw-test: crashed by signal 11 (Segmentation fault): see "));
  CHECK(crash.log.ends_with("/role.crash\n"));
}

TEST_CASE("a call through a null pointer names the caller", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const Crash crash = crash_of(folder, [] { return crash_test_calls_null(); });
  CAPTURE(crash.report);
  CHECK(crash.end.signal == SIGSEGV);
  CHECK(has(crash.report, "\n#0 0x0\n#1 "));
  CHECK(has(crash.report, " crash_test_calls_null+0x"));
}

TEST_CASE("a signal that another process sends leaves a report, and stays the exit status",
          "[crash]") {
  if (is_left_to_sanitizer()) return;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    const TemporaryFolder folder;
    const Crash crash = crash_of(folder, [signal] {
      ::kill(::getpid(), signal);
      for (;;) ::pause();
      return 0;
    });
    CAPTURE(signal, crash.report);
    CHECK(crash.end.signal == signal);
    CHECK(has(crash.report, "\nsignal " + std::to_string(signal) + " ("));
    CHECK(has(crash.report, ", sent by process "));
  }
}

TEST_CASE("an exception that nobody catches is named in the report and in one line", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const Crash crash = crash_of(folder, [] {
    std::thread([] { throw std::runtime_error("the last\nstraw"); }).join();
    return 0;
  });
  CAPTURE(crash.report, crash.log);
  CHECK(crash.end.signal == SIGABRT);
  CHECK(has(crash.report, "\nuncaught exception: the last straw\n"));
  CHECK(has(crash.log, "crashed by signal 6 (Aborted), uncaught exception: the last straw: see "));
  CHECK(count_of(crash.log, "\n") == 1);
}

namespace {

/// Overflows the stack; the compiler cannot know that it never returns.
__attribute__((noinline)) int without_end(int depth) {
  volatile char used[4096];
  used[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : without_end(depth + 1) + used[0];
}

}  // namespace

TEST_CASE("a thread that overflows its stack is reported", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const Crash crash = crash_of(folder, [] {
    std::thread([] {
      const CrashStack stack;
      static_cast<void>(without_end(0));
    }).join();
    return 0;
  });
  CAPTURE(crash.report);
  CHECK(crash.end.signal == SIGSEGV);
  CHECK(has(crash.report, "without_end"));
}

TEST_CASE("of threads that crash together one is reported, whole", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const Crash crash = crash_of(folder, [] {
    std::atomic<int> ready = 0;
    const auto fail = [&] {
      ++ready;
      while (ready < 4) std::this_thread::yield();
      crash_test_writes_to_null();
    };
    std::jthread threads[] = {std::jthread(fail), std::jthread(fail), std::jthread(fail),
                              std::jthread(fail)};
    return 0;
  });
  CAPTURE(crash.report);
  CHECK(crash.end.signal == SIGSEGV);
  CHECK(count_of(crash.report, "crash of ") == 1);
  CHECK(count_of(crash.report, "end of the report") == 1);
}

TEST_CASE("a report that cannot be written goes to the log", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "role.crash");  // no file can have this name
  const Crash crash = crash_of(folder, [] {
    crash_test_writes_to_null();
    return 0;
  });
  CAPTURE(crash.log);
  CHECK(crash.end.signal == SIGSEGV);
  CHECK(has(crash.log, "tilewall: tw-test: crashed by signal 11 (Segmentation fault)\n"));
  CHECK(has(crash.log, " crash_test_writes_to_null+0x"));
}

TEST_CASE("reports are appended, and a file of more than 256 KiB is begun anew", "[crash]") {
  if (is_left_to_sanitizer()) return;
  const TemporaryFolder folder;
  const auto crash = [&] {
    return crash_of(folder, [] {
      crash_test_writes_to_null();
      return 0;
    });
  };
  CHECK(count_of(crash().report, "crash of ") == 1);
  CHECK(count_of(crash().report, "crash of ") == 2);
  std::filesystem::resize_file(folder / "role.crash", 256 * 1024 + 1);
  CHECK(count_of(crash().report, "crash of ") == 1);
}

TEST_CASE("functions are found in the files of programs, and nothing in other files", "[crash]") {
  const TemporaryFolder folder;
  ElfSymbols symbols;
  CHECK(symbols.function_at(0).name.empty());
  symbols.open((folder / "missing").c_str());
  CHECK(symbols.function_at(0).name.empty());
  const std::string program = read_text_file("/proc/self/exe", std::size_t{1} << 30);
  // Every truncation of the header, and some of the rest, is refused or read within its bounds.
  for (std::size_t size = 0; size < program.size(); size += size < 128 ? 1 : program.size() / 16) {
    const std::filesystem::path file = folder / "part";
    write_file_atomically(file, std::string_view(program).substr(0, size));
    symbols.open(file.c_str());
    CHECK(symbols.function_at(0x1000).name.size() < program.size());
  }
  symbols.open("/proc/self/exe");
  std::uint64_t load_bias = 0;
  // The first object is the program.
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* bias) {
        *static_cast<std::uint64_t*>(bias) = object->dlpi_addr;
        return 1;
      },
      &load_bias);
  const auto at = reinterpret_cast<std::uint64_t>(&crash_test_writes_to_null) - load_bias;
  CHECK(symbols.function_at(at).name == "crash_test_writes_to_null");
  CHECK(symbols.function_at(at).offset == 0);
  CHECK(symbols.function_at(at + 1).name == "crash_test_writes_to_null");
  CHECK(symbols.function_at(at + 1).offset == 1);
}
