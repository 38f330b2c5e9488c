// A running `tilewall clockd` on loopback.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace tilewall::test {

class Clockd {
 public:
  /// Returns once the daemon answers; its file lies in `folder`. `listen`: port 0 means any free
  /// one. Throws std::runtime_error where it does not start.
  explicit Clockd(const std::filesystem::path& folder, const std::vector<std::string>& more = {},
                  const std::string& listen = "127.0.0.1:0");

  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Sends `signal`, and returns how the daemon ended.
  ProgramResult stop(int signal);

 private:
  std::optional<RunningProgram> daemon_;
  std::string address_;
};

}  // namespace tilewall::test
