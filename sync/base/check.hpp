// Checks of our own invariants (never of input), and of system calls.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

#include "sync/base/error.hpp"

namespace tilewall {

[[noreturn]] void throw_check_failed(const char* file, int line, const char* condition,
                                     std::string_view values);

/// Throws JobError naming the call and errno's text.
[[noreturn]] void throw_errno(std::string_view call, int error_number);

/// Returns `result`, or throws JobError naming `call` where it is negative.
template <typename T>
T check_sys(T result, std::string_view call) {
  if (result < 0) throw_errno(call, errno);
  return result;
}

/// Repeats a system call while it is interrupted by a signal.
template <typename Call>
auto retry_eintr(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace tilewall

/// Throws InternalError with the expression and, formatted by fmt, what else is given.
#define TW_CHECK(condition, ...)                                                     \
  do {                                                                               \
    if (!(condition)) [[unlikely]]                                                   \
      ::tilewall::throw_check_failed(__FILE__, __LINE__, #condition,                 \
                                     ::tilewall::detail::check_values(__VA_ARGS__)); \
  } while (false)

#ifdef NDEBUG
#define TW_DCHECK(condition, ...) \
  do {                            \
  } while (false)
#else
#define TW_DCHECK(condition, ...) TW_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif

namespace tilewall::detail {
inline std::string check_values() { return {}; }
template <typename... Args>
std::string check_values(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}
}  // namespace tilewall::detail
