// What a long transfer tells its caller while it runs.
#pragma once

#include <cstdint>
#include <string>

namespace tilewall::movie {

struct TransferProgress {
  std::int64_t done = 0;
  std::int64_t total = 0;       ///< estimate; 0 = unknown
  std::uint64_t bytes = 0;      ///< written (or read, by a check) so far
  const char* unit = "frames";  ///< what is counted; "rows" of one huge image
};

/// Called from the thread that called the job.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// About ten times a second while the job runs, and once at its end.
  virtual void update(const TransferProgress& progress) = 0;
  /// One line that a person should read: gaps in a sequence, damage that was concealed.
  virtual void note(const std::string& line) = 0;
};

/// For callers who want neither.
class SilentProgress final : public ProgressSink {
 public:
  void update(const TransferProgress&) override {}
  void note(const std::string&) override {}
};

}  // namespace tilewall::movie
