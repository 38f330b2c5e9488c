// Interface through which a long job reports to its caller while it runs.
#pragma once

#include <cstdint>
#include <string>

namespace tilewall::movie {

struct TransferStatus;

struct TransferProgress {
  std::int64_t done = 0;
  std::int64_t total = 0;       ///< estimate; 0 = unknown
  std::uint64_t bytes = 0;      ///< bytes written so far, or read by a check
  const char* unit = "frames";  ///< unit of done and total; "rows" for one huge image
  std::int64_t newest = -1;     ///< number of the frame that was stored last; -1: none
};

/// Threads: the job calls it on its caller's thread.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  /// Called about ten times per second while the job runs, and once at its end.
  virtual void update(const TransferProgress& progress) = 0;

  /// Called about once per second while frames are written, with the rate, the time left, and what
  /// each worker does.
  virtual void status(const TransferStatus& /*status*/) {}

  /// Reports one line for people, such as gaps in a sequence or concealed damage.
  virtual void note(const std::string& line) = 0;
};

/// Ignores all reports.
class SilentProgress final : public ProgressSink {
 public:
  void update(const TransferProgress&) override {}
  void note(const std::string&) override {}
};

}  // namespace tilewall::movie
