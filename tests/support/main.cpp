// The main program of every test. The shows that tests start are nobody else's: they have run
// directories, a cache and a configuration of their own, so that a `tilewall ctl` of the user does
// not find them, and what the user plays or has configured does not change a test.
#define CATCH_CONFIG_RUNNER
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace {

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
  return Catch::Session().run(argc, argv);
}
