// A secret for processes that a test starts without a show.
#pragma once

#include <filesystem>

#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

/// A secret that this process and the programs that it starts have, as those of one show.
class OwnSecret {
 public:
  OwnSecret() { write_private_file(folder_ / "secret", "a secret of this test alone"); }

 private:
  const TemporaryFolder folder_;
  const ScopedEnvironment file_{secret_file_variable, folder_ / "secret"};
};

}  // namespace tilewall::test
