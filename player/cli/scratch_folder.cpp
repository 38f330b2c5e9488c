#include "player/cli/scratch_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "sync/base/error.hpp"

namespace tilewall {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  std::string name = (parent / "tilewall-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw JobError(parent.string() + ": mkdtemp: " + std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewall
