// The kinds of errors that users and engineers meet, and the one line that each prints.
//
// Bad input (arguments, files, packets from outside) is an InputError: exit 2. A job that failed
// for another reason (disk full, peer gone) is a JobError: exit 1. A broken invariant of our own is
// an InternalError (see check.hpp): exit 1. Library code throws; only main() prints.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tilewall {

/// Where bad input stands: a file (or "--option"), and a line counted from 1 where there is one.
struct InputPlace {
  std::string file;
  int line = 0;  ///< 0: the whole file
};

/// What the user gave is wrong. what() is the line to print, without the leading "tilewall: ".
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}

  /// "5x3.toml:14: panels[3].width_px: expected an integer in [1, 16384], found "wide"". An empty
  /// `field` or `found` is left out.
  InputError(const InputPlace& place, std::string_view field, std::string_view expected,
             std::string_view found);
};

/// The job failed although the input was fine. what() is the line to print.
class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Our own bug; thrown by TW_CHECK.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_input = 2;

}  // namespace tilewall
