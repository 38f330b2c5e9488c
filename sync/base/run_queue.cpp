#include "sync/base/run_queue.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>

namespace tilewall {
namespace {

std::optional<std::chrono::nanoseconds> read_wait(int fd) {
  std::array<char, 128> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  if (got <= 0) return std::nullopt;
  return parse_run_queue_wait({text.data(), static_cast<std::size_t>(got)});
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_run_queue_wait(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  std::int64_t wait_ns = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + space + 1, end, wait_ns);
  if (error != std::errc() || wait_ns < 0 || rest == end || *rest != ' ') return std::nullopt;
  return std::chrono::nanoseconds(wait_ns);
}

std::optional<std::chrono::nanoseconds> run_queue_wait_of(pid_t pid) {
  std::optional<std::chrono::nanoseconds> sum;
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), error);
  for (; thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    const UniqueFd file(::open((thread->path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC));
    const auto wait = file.empty() ? std::nullopt : read_wait(file.get());
    if (wait) sum = sum.value_or(std::chrono::nanoseconds(0)) + *wait;
  }
  return sum;
}

ThreadRunQueue::ThreadRunQueue()
    : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

std::chrono::nanoseconds ThreadRunQueue::waited() const {
  const auto wait = file_.empty() ? std::nullopt : read_wait(file_.get());
  return wait.value_or(std::chrono::nanoseconds(0));
}

}  // namespace tilewall
