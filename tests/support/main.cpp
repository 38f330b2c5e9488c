// The main program of every test. The shows that tests start have run directories, a cache and a
// configuration of their own. So a `tilewall ctl` of the user does not find them, and the user's
// shows and settings do not change a test.
//
// A test case that cannot be carried out on this machine reports that by WARN("skipped: why") and
// returns. Where all test cases that were run did so, the program's exit code is 4: ctest, which
// runs one at a time, counts it as skipped (SKIP_RETURN_CODE in tests/CMakeLists.txt).
#define CATCH_CONFIG_RUNNER
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <iostream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace {

constexpr int skipped_exit_code = 4;

int cases = 0;          // run so far
int skipped_cases = 0;  // of them

struct SkipCounter : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo&) override { says_skipped_ = false; }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    const bool is_warning = result.getResultType() == Catch::ResultWas::Warning;
    if (is_warning && result.getMessage().rfind("skipped: ", 0) == 0) says_skipped_ = true;
    return false;
  }

  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++cases;
    if (says_skipped_) ++skipped_cases;
  }

 private:
  bool says_skipped_ = false;
};
CATCH_REGISTER_LISTENER(SkipCounter)

/// Programs inherit it.
void use_own_folder(const char* variable, const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  ::setenv(variable, folder.c_str(), 1);
}

/// Mesa's compiled shaders are the same for everybody, and take long to compile.
void keep_shader_cache() {
  const char* const cache = ::getenv("XDG_CACHE_HOME");
  const char* const home = ::getenv("HOME");
  if (cache != nullptr)
    ::setenv("MESA_SHADER_CACHE_DIR", cache, 0);
  else if (home != nullptr)
    ::setenv("MESA_SHADER_CACHE_DIR", (std::string(home) + "/.cache").c_str(), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const tilewall::test::TemporaryFolder own;
  keep_shader_cache();
  use_own_folder("XDG_RUNTIME_DIR", own / "run");
  use_own_folder("XDG_CACHE_HOME", own / "cache");
  use_own_folder("XDG_CONFIG_HOME", own / "config");
  use_own_folder("XDG_CONFIG_DIRS", own / "system");
  ::unsetenv("TILEWALL_WALL");
  const int failures = Catch::Session().run(argc, argv);
  if (skipped_cases > 0) std::cout << skipped_cases << " of " << cases << " test cases skipped\n";
  if (failures != 0) return failures == skipped_exit_code ? 1 : failures;
  return cases > 0 && skipped_cases == cases ? skipped_exit_code : 0;
}
