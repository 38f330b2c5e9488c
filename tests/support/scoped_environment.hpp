// An environment variable of this process, for as long as a test needs it.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tilewall::test {

/// Sets an environment variable, "" = unset, and puts the old value back.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;
  ~ScopedEnvironment() { set(old_); }

 private:
  void set(const std::string& value) const {
    value.empty() ? ::unsetenv(name_) : ::setenv(name_, value.c_str(), 1);
  }
  const char* name_;
  std::string old_;
};

// Files of other projects that tests read where they exist: $TILEWALL_DATA, or the folder beside
// this project.

/// A file or folder of other projects; empty, after a warning that names it, where it does not
/// exist.
[[nodiscard]] inline std::filesystem::path shared_data(const std::filesystem::path& part) {
  const char* const set = std::getenv("TILEWALL_DATA");
  const std::filesystem::path data = set != nullptr ? set : TILEWALL_SOURCE_DIR "/../shared/data";
  if (std::filesystem::exists(data / part)) return data / part;
  WARN("skipped: no " << (data / part).string() << " (set TILEWALL_DATA)");
  return {};
}

}  // namespace tilewall::test
