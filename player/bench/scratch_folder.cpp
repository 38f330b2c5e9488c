#include "player/bench/scratch_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "sync/base/error.hpp"

namespace tilewall {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  const auto& base = parent.empty() ? std::filesystem::temp_directory_path() : parent;
  std::string name = (base / "tilewall-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw JobError(base.string() + ": mkdtemp: " + std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewall
