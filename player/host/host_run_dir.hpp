// A host's share of a show's run directory, and the lock by which a host has one keeper at a time.
//
// Threads: one owner.
#pragma once

#include <chrono>
#include <filesystem>

#include "sync/base/handle.hpp"

namespace tilewall::host {

/// Makes the run directory on a host that does not have it, and removes it again at the end. Hosts
/// that share a file system may share the directory.
class HostRunDir {
 public:
  /// Ends the processes of an older keeper of this host: it gets SIGTERM and, after `patience`, its
  /// process group gets SIGKILL. Blocks until then. The caller becomes the leader of a process
  /// group. Throws JobError where the older processes do not end, or the directory cannot be made.
  HostRunDir(const std::filesystem::path& path, std::chrono::milliseconds patience);
  ~HostRunDir();
  HostRunDir(const HostRunDir&) = delete;
  HostRunDir& operator=(const HostRunDir&) = delete;

  /// The locked file. Processes that must end before the next keeper begins inherit it.
  [[nodiscard]] int lock() const noexcept { return lock_.get(); }

 private:
  [[nodiscard]] bool try_lock();

  const std::filesystem::path path_;
  const std::filesystem::path lock_file_;
  bool made_ = false;  // the directory is this keeper's own, and is removed with it
  UniqueFd lock_;
};

}  // namespace tilewall::host
