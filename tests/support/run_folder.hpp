// A folder of a test's own for what processes of a user leave for each other (user_run_folder()).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

/// It is $XDG_RUNTIME_DIR while this object lives.
class RunFolder {
 public:
  RunFolder() {
    if (const char* const before = std::getenv(variable)) before_ = before;
    ::setenv(variable, folder_.path().c_str(), 1);
  }
  ~RunFolder() {
    if (before_)
      ::setenv(variable, before_->c_str(), 1);
    else
      ::unsetenv(variable);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  static constexpr const char* variable = "XDG_RUNTIME_DIR";
  const TemporaryFolder folder_;
  std::optional<std::string> before_;
};

}  // namespace tilewall::test
