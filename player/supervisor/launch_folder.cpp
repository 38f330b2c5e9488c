#include "player/supervisor/launch_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall::supervisor {
namespace {

void remove_if_dead(const std::filesystem::path& folder, std::size_t pid_at) {
  const pid_t owner = std::atoi(folder.filename().c_str() + pid_at);
  std::error_code ignored;
  if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH)
    std::filesystem::remove_all(folder, ignored);
}

}  // namespace

LaunchFolder::LaunchFolder(const std::string& job) {
  const std::filesystem::path temporary = std::filesystem::temp_directory_path();
  const std::string prefix = fmt::format("tilewall-{}-{}-", job, ::getuid());
  for (const std::filesystem::path& entry : entries_of(temporary))
    if (entry.filename().string().starts_with(prefix)) remove_if_dead(entry, prefix.size());
  std::string name = (temporary / fmt::format("{}{}-XXXXXX", prefix, ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr) throw_errno(name, errno);
  path_ = name;
}

LaunchFolder::~LaunchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewall::supervisor
