// An environment variable of this process, for as long as a test needs it.
#pragma once

#include <cstdlib>
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

}  // namespace tilewall::test
