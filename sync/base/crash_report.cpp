#include "sync/base/crash_report.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <span>
#include <string_view>

#include "sync/base/elf_symbols.hpp"

namespace tilewall {
namespace {

#ifdef TILEWALL_SANITIZED
constexpr bool handles_signals = false;
#else
constexpr bool handles_signals = true;
#endif

constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t stack_bytes = 64 * 1024;  // unwinding takes about 12 KiB of it
constexpr std::size_t most_frames = 64;
constexpr off_t most_file_bytes = 256 * 1024;
constexpr std::int64_t second_ns = 1'000'000'000;

std::string_view name_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "Segmentation fault";
    case SIGBUS:
      return "Bus error";
    case SIGILL:
      return "Illegal instruction";
    case SIGFPE:
      return "Floating point exception";
    default:
      return "Aborted";
  }
}

/// A text of fixed size that the handler can read. It is written before there is a handler, or by
/// the thread that is about to abort.
template <std::size_t bytes>
class FixedText {
 public:
  void set(std::string_view text) noexcept {
    size_ = std::min(text.size(), bytes);
    std::copy_n(text.data(), size_, text_.data());
    text_[size_] = '\0';
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  [[nodiscard]] const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, bytes + 1> text_{};
  std::size_t size_ = 0;
};

constinit FixedText<63> program;
constinit FixedText<4095> file_path;
constinit FixedText<4095> executable;
constinit FixedText<80> build_id;
constinit FixedText<500> exception_text;
constinit std::atomic<bool> is_installed{false};
constinit std::atomic<pid_t> crashing_thread{0};  // 0: no thread has crashed
constinit int crash_signal = 0;                   // of that thread

struct TrailEntry {
  std::atomic<const char*> name{nullptr};
  std::atomic<std::int64_t> at_ns{0};
  std::atomic<pthread_t> thread{};
};
constexpr std::uint32_t trail_length = 64;
// Threads write without waiting for each other, so an entry that is overwritten just now may mix
// two events. All names are literals, and stay readable.
constinit std::array<TrailEntry, trail_length> trail{};
constinit std::atomic<std::uint32_t> trail_next{0};

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

/// Puts lines together and writes them to a descriptor, with system calls alone.
class RawWriter {
 public:
  explicit RawWriter(int fd) noexcept : fd_(fd) {}
  ~RawWriter() { flush(); }
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  RawWriter& text(std::string_view text) noexcept {
    for (const char c : text) put(c);
    return *this;
  }
  /// At least `digits` of them, with zeros before.
  RawWriter& number(std::uint64_t value, int digits = 1, unsigned base = 10) noexcept {
    std::array<char, 24> reversed{};
    int count = 0;
    for (; value != 0 || count < digits; value /= base)
      reversed[static_cast<std::size_t>(count++)] = "0123456789abcdef"[value % base];
    while (count > 0) put(reversed[static_cast<std::size_t>(--count)]);
    return *this;
  }
  RawWriter& address(std::uint64_t value) noexcept { return text("0x").number(value, 1, 16); }
  /// Seconds with six places.
  RawWriter& seconds(std::int64_t ns) noexcept {
    if (ns < 0) text("-");
    const auto us = static_cast<std::uint64_t>(ns < 0 ? -ns : ns) / 1000;
    return number(us / 1'000'000).text(".").number(us % 1'000'000, 6);
  }
  void flush() noexcept {
    for (std::size_t at = 0; at < size_;) {
      const ssize_t written = ::write(fd_, buffer_.data() + at, size_ - at);
      if (written < 0 && errno != EINTR) break;
      if (written > 0) at += static_cast<std::size_t>(written);
    }
    size_ = 0;
  }

 private:
  void put(char c) noexcept {
    if (size_ == buffer_.size()) flush();
    buffer_[size_++] = c;
  }

  const int fd_;
  std::array<char, 512> buffer_{};
  std::size_t size_ = 0;
};

int open_file() noexcept {
  if (file_path.view().empty()) return -1;
  const int fd =
      ::open(file_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat status = {};
  if (fd >= 0 && ::fstat(fd, &status) == 0 && status.st_size > most_file_bytes)
    static_cast<void>(::ftruncate(fd, 0));
  return fd;
}

/// The file's name with its folder: "logs/panel-3.crash".
std::string_view short_path(std::string_view path) noexcept {
  const auto name = path.rfind('/');
  if (name == std::string_view::npos || name == 0) return path;
  const auto folder = path.rfind('/', name - 1);
  return folder == std::string_view::npos ? path : path.substr(folder + 1);
}

void write_line(bool has_file, int signal) noexcept {
  RawWriter err(STDERR_FILENO);
  // The stamp is that of role_log.hpp; a handler has no mapping to global time.
  if (!file_path.view().empty()) err.text("[").seconds(clock_ns(CLOCK_MONOTONIC)).text(" local] ");
  err.text(program.view()).text(": crashed by signal ").number(static_cast<unsigned>(signal));
  err.text(" (").text(name_of(signal)).text(")");
  if (!exception_text.view().empty())
    err.text(", uncaught exception: ").text(exception_text.view());
  if (has_file) err.text(": see ").text(short_path(file_path.view()));
  err.text("\n");
}

/// UTC as 2026-11-24T12:00:00.123456Z.
void write_date(RawWriter& to, std::int64_t since_1970_ns) noexcept {
  namespace chrono = std::chrono;
  const auto seconds = static_cast<std::uint64_t>(since_1970_ns / second_ns);
  const chrono::year_month_day day{
      chrono::sys_days(chrono::days(static_cast<int>(seconds / 86'400)))};
  to.number(static_cast<unsigned>(static_cast<int>(day.year())), 4).text("-");
  to.number(static_cast<unsigned>(day.month()), 2).text("-");
  to.number(static_cast<unsigned>(day.day()), 2).text("T");
  to.number(seconds / 3600 % 24, 2).text(":").number(seconds / 60 % 60, 2).text(":");
  to.number(seconds % 60, 2).text(".");
  to.number(static_cast<std::uint64_t>(since_1970_ns % second_ns) / 1000, 6).text("Z");
}

void write_head(RawWriter& to, int signal, const siginfo_t& info) noexcept {
  std::array<char, 17> thread{};
  ::prctl(PR_GET_NAME, thread.data());
  to.text("crash of ").text(program.view()).text(", process ");
  to.number(static_cast<std::uint64_t>(::getpid()))
      .text(", thread ")
      .text(thread.data())
      .text("\n");
  to.text("signal ").number(static_cast<unsigned>(signal)).text(" (").text(name_of(signal));
  to.text(")");
  if (info.si_code > 0)
    to.text(", address ").address(reinterpret_cast<std::uint64_t>(info.si_addr));
  else
    to.text(", sent by process ").number(static_cast<std::uint64_t>(info.si_pid));
  if (!exception_text.view().empty()) to.text("\nuncaught exception: ").text(exception_text.view());
  to.text("\ntime ");
  write_date(to, clock_ns(CLOCK_REALTIME));
  to.text(", this host's CLOCK_MONOTONIC ").seconds(clock_ns(CLOCK_MONOTONIC)).text(" s\n");
  to.text("program ").text(executable.view()).text(", build id ").text(build_id.view()).text("\n");
}

/// Registers of the thread when it failed; null where they are not known here.
struct FailedAt {
  const void* instruction = nullptr;
  const void* const* stack = nullptr;
};
FailedAt failed_at(const void* context) noexcept {
#if defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): registers are integers
  return {reinterpret_cast<const void*>(registers[REG_RIP]),
          // NOLINTNEXTLINE(performance-no-int-to-ptr)
          reinterpret_cast<const void* const*>(registers[REG_RSP])};
#else
  static_cast<void>(context);
  return {};
#endif
}

bool is_code(const void* at) noexcept {
  dl_find_object module = {};
  return ::_dl_find_object(const_cast<void*>(at), &module) == 0;
}

/// Writes the module, the offset in its file, and the function. `is_return` tells an address to
/// which a called function returns, which may lie behind the end of the function that called.
class FrameWriter {
 public:
  explicit FrameWriter(RawWriter& to) noexcept : to_(to) {}

  void write(const void* code, bool is_return) noexcept {
    to_.text("#").number(count_++).text(" ");
    const auto at = reinterpret_cast<std::uint64_t>(code);
    dl_find_object module = {};
    if (::_dl_find_object(const_cast<void*>(code), &module) != 0) {
      to_.address(at).text("\n");
      return;
    }
    const link_map& map = *module.dlfo_link_map;
    const bool is_program = map.l_name == nullptr || *map.l_name == '\0';
    const std::uint64_t offset = at - map.l_addr;
    to_.text(is_program ? executable.view() : map.l_name).text("+").address(offset);
    if (open_ != &map) symbols_.open(is_program ? "/proc/self/exe" : map.l_name);
    open_ = &map;
    const auto function = symbols_.function_at(offset - (is_return ? 1 : 0));
    if (!function.name.empty())
      to_.text(" ").text(function.name).text("+").address(function.offset + (is_return ? 1 : 0));
    to_.text("\n");
    to_.flush();
  }

 private:
  RawWriter& to_;
  ElfSymbols symbols_;
  const link_map* open_ = nullptr;
  unsigned count_ = 0;
};

void write_stack(RawWriter& to, void* context) noexcept {
  to.text("stack, the failed function first (c++filt makes names readable):\n");
  to.flush();
  std::array<void*, most_frames> frames{};
  const int count = ::backtrace(frames.data(), most_frames);
  const std::span called(frames.data(), static_cast<std::size_t>(std::max(count, 0)));
  const FailedAt failed = failed_at(context);
  // The frames before the failed instruction are the handler's.
  auto next = std::ranges::find(called, failed.instruction);
  next = next == called.end() ? called.begin() : std::next(next);
  FrameWriter writer(to);
  writer.write(failed.instruction, false);
  // A call to an address without code ends the unwinding. The top of the stack has where it came
  // from.
  if (!is_code(failed.instruction) && failed.stack != nullptr && is_code(*failed.stack))
    writer.write(*failed.stack, true);
  for (; next != called.end(); ++next) writer.write(*next, true);
}

void write_trail(RawWriter& to) noexcept {
  to.text("last trace events, seconds before the crash:\n");
  const std::int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  const std::uint32_t next = trail_next.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < trail_length; ++i) {
    const TrailEntry& entry = trail[(next + i) % trail_length];
    const char* const name = entry.name.load(std::memory_order_acquire);
    if (name == nullptr) continue;
    const bool own = entry.thread.load(std::memory_order_relaxed) == ::pthread_self();
    to.seconds(now_ns - entry.at_ns.load(std::memory_order_relaxed));
    to.text(own ? " this thread: " : " another thread: ").text(name).text("\n");
  }
  to.text("end of the report\n\n");
}

[[noreturn]] void die_of(int signal) noexcept {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  ::raise(signal);  // waits, as the handler's signal is blocked
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::_exit(128 + signal);
}

void handle_crash(int signal, siginfo_t* info, void* context) {
  const auto own = static_cast<pid_t>(::syscall(SYS_gettid));
  pid_t first = 0;
  if (!crashing_thread.compare_exchange_strong(first, own)) {
    if (first == own) die_of(crash_signal);  // the report itself failed
    for (;;) ::pause();                      // the first thread ends the process
  }
  crash_signal = signal;
  const int fd = open_file();
  write_line(fd >= 0, signal);
  {
    RawWriter to(fd >= 0 ? fd : STDERR_FILENO);
    write_head(to, signal, *info);
    write_stack(to, context);
    write_trail(to);
  }
  die_of(signal);
}

/// Keeps the text of the exception for the handler, and aborts.
[[noreturn]] void end_by_exception() noexcept {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    std::string line = error.what();
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    exception_text.set(line.empty() ? "without a text" : line);
  } catch (...) {
    exception_text.set("of an unknown type");
  }
  std::abort();
}

/// Reads the build id of the program, the first object, from its notes.
int take_build_id(dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) {
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as integers
    const auto* const notes = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= header.p_memsz;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, notes + at, sizeof note);
      const std::size_t name_at = at + sizeof note;
      const std::size_t text_at = name_at + padded(note.n_namesz);
      at = text_at + padded(note.n_descsz);
      if (at > header.p_memsz) break;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
          std::memcmp(notes + name_at, "GNU", 4) != 0)
        continue;
      for (std::size_t byte = 0; byte < note.n_descsz; ++byte) {
        const auto value = static_cast<unsigned char>(notes[text_at + byte]);
        id += "0123456789abcdef"[value >> 4];
        id += "0123456789abcdef"[value & 15];
      }
    }
  }
  build_id.set(id.empty() ? "none" : id);
  return 1;
}

/// Does what must not be done in a handler: the first call of backtrace() loads a library.
void prepare() {
  std::array<void*, 2> frames{};
  static_cast<void>(::backtrace(frames.data(), static_cast<int>(frames.size())));
  std::error_code error;
  executable.set(std::filesystem::read_symlink("/proc/self/exe", error).string());
  ::dl_iterate_phdr(take_build_id, nullptr);
  static const CrashStack main_stack;
  std::set_terminate(end_by_exception);
}

}  // namespace

void report_crashes(const std::string& name, const std::filesystem::path& file) {
  if (!handles_signals) return;
  program.set(name);
  file_path.set(file.native().size() < 4096 ? file.native() : std::string());
  if (!is_installed.exchange(true)) prepare();
  for (const int signal : crash_signals) {
    struct sigaction action = {};
    action.sa_sigaction = handle_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

std::filesystem::path crash_file_of(const std::filesystem::path& log) {
  return std::filesystem::path(log).replace_extension(crash_suffix);
}

CrashStack::CrashStack() noexcept {
  stack_t present = {};
  if (!is_installed || ::sigaltstack(nullptr, &present) != 0 || present.ss_flags != SS_DISABLE)
    return;
  void* const at =
      ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  memory_ = at;
  const stack_t own = {at, 0, stack_bytes};
  ::sigaltstack(&own, nullptr);
}

CrashStack::~CrashStack() {
  if (memory_ == nullptr) return;
  const stack_t none = {nullptr, SS_DISABLE, 0};
  ::sigaltstack(&none, nullptr);
  ::munmap(memory_, stack_bytes);
}

void note_for_crash(const char* name) noexcept {
  TrailEntry& entry = trail[trail_next.fetch_add(1, std::memory_order_relaxed) % trail_length];
  entry.at_ns.store(clock_ns(CLOCK_MONOTONIC), std::memory_order_relaxed);
  entry.thread.store(::pthread_self(), std::memory_order_relaxed);
  entry.name.store(name, std::memory_order_release);
}

}  // namespace tilewall
