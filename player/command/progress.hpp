// Progress of a long job on stderr: a bar that is drawn over itself on a terminal, a plain line
// every few seconds elsewhere. With --json stdout stays free for the result either way.
#pragma once

#include <chrono>
#include <string>

#include "player/movie/convert/progress_sink.hpp"

namespace tilewall::command {

/// Draws nothing before the first update. Threads: one owner.
class ProgressLine final : public movie::ProgressSink {
 public:
  /// `verb`: what is being done, such as "import".
  explicit ProgressLine(std::string verb);
  ~ProgressLine() override;  ///< leaves the cursor on a line of its own
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const movie::TransferProgress& progress) override;
  void note(const std::string& line) override;

 private:
  void clear_bar();

  const std::string verb_;
  const bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_line_;
  // Frames that existed before, which do not count for the rate.
  std::int64_t frames_at_start_ = -1;
  bool bar_drawn_ = false;
};

/// A bar such as "[######..................] ", of 24 cells; "" where the total is unknown.
[[nodiscard]] std::string progress_bar(const movie::TransferProgress& progress);

/// Text such as "import 120/720 frames, 118.2 frames/s, 14.1 MB/s, 0:05 left". Frames up to
/// `already` do not count for the rate.
[[nodiscard]] std::string progress_text(const std::string& verb,
                                        const movie::TransferProgress& progress,
                                        std::int64_t already, double elapsed_s);

}  // namespace tilewall::command
