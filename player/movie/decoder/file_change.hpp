// Whether a movie's file has changed on its disk since it was opened.
//
// Threads: one owner. changed() may wait for the disk.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "sync/global_time.hpp"

namespace tilewall::movie {

class FileChange {
 public:
  /// To be made before the file is opened.
  explicit FileChange(std::string file);

  /// Whether the file is another one than at the last call that returned true, or than at first,
  /// and has stayed so for a second. A file that is gone counts as unchanged. Looks at the file
  /// once a second.
  [[nodiscard]] bool changed(LocalInstant now);
  /// Makes changed() return true again, because the changed file could not be read just now.
  void forget() noexcept { known_.reset(); }

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size_bytes = 0;
    Nanos modified{0};
    bool operator==(const Identity&) const = default;
  };
  [[nodiscard]] std::optional<Identity> look() const;

  const std::string file_;
  std::optional<Identity> known_;  // the file that was opened
  std::optional<Identity> last_;   // at the last look
  LocalInstant next_look_{};
};

}  // namespace tilewall::movie
