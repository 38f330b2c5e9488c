// What a process leaves behind when it dies of its own error: a file with the signal, the build,
// the stack of the thread that failed, and what the process did last.
//
//   signal 11 (Segmentation fault), address 0x10
//   ...
//   stack, the failed function first (c++filt makes names readable):
//   #0 /usr/libexec/tilewall/tilewall-panel+0xc13f2 _ZN8tilewall5panel8Composer...+0x42
//   ...
//   last trace events, seconds before the crash:
//   0.000213 this thread: picture
//
// A handler of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT writes the file. It allocates and locks
// nothing, and then lets the process die of the signal, so its exit status is what it would have
// been. An exception that nobody catches ends in SIGABRT, and its text is in the report. In builds
// with a sanitizer all of this does nothing, because these signals are the sanitizer's.
//
// Threads: any thread may crash. While one writes, others that crash wait for the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tilewall {

/// Installs the handlers. One line about a crash goes to standard error, beginning with `program`
/// ("tilewall-panel"; at most 63 bytes). The report is appended to `file`, an absolute path; where
/// that is "" or cannot be written to, it goes to standard error as well. A file of more than
/// 256 KiB is begun anew. May be called again, such as after a fork. Throws nothing; a path of 4096
/// bytes or more counts as "".
void report_crashes(const std::string& program, const std::filesystem::path& file);

inline constexpr const char* crash_suffix = ".crash";
/// The file for crashes of the role with this log: the same name with the ending ".crash".
[[nodiscard]] std::filesystem::path crash_file_of(const std::filesystem::path& log);

/// While it lives, the calling thread has a stack of its own for the handler, so that even an
/// overflow of the thread's stack is reported. Does nothing where no handlers are installed, or the
/// thread has such a stack already.
class CrashStack {
 public:
  CrashStack() noexcept;
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  void* memory_ = nullptr;
};

/// Remembers that `name`, a string literal, begins or happens now on this thread. The last 64 of a
/// process are in its report. Costs about 40 ns; any thread.
void note_for_crash(const char* name) noexcept;

}  // namespace tilewall
