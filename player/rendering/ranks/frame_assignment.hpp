// Decides which rank draws which frame of a movie.
//
// Frames are given out as ranks ask for them. A rank gets runs of neighbouring frames, as those
// need the same bricks of the volume; runs become shorter towards the end, down to single frames,
// so that all ranks end together. What a lost rank had not finished goes to others.
//
// Threads: one owner. Times are seconds of any steady clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace tilewall::rendering {

class FrameAssignment {
 public:
  static constexpr std::size_t longest_run = 32;

  /// `frames`: the numbers of the frames that are to be drawn, rising.
  FrameAssignment(const std::vector<std::int64_t>& frames, std::size_t ranks);

  /// The next frame for a rank; empty where nothing is left to give out.
  [[nodiscard]] std::optional<std::int64_t> next(std::size_t rank, double now_s);

  /// A frame that another rank has had for much longer than frames take, as if it hung, to be
  /// drawn by this rank too: the first of both counts. Empty where there is none, and while frames
  /// are left. Where that one hangs, too, the next one gets it.
  [[nodiscard]] std::optional<std::int64_t> overdue(std::size_t rank, double now_s);

  /// Whether the frame is under way at that rank.
  [[nodiscard]] bool has(std::size_t rank, std::int64_t frame) const;

  /// The frame is stored. Returns false where it was before.
  bool finish(std::int64_t frame, double now_s);

  /// The rank has ended. Returns its frames that were under way.
  std::vector<std::int64_t> lose(std::size_t rank);

  [[nodiscard]] bool complete() const noexcept { return left_ == 0; }
  /// Number of frames that a rank has and has not finished.
  [[nodiscard]] std::size_t under_way(std::size_t rank) const;
  /// The frame that a rank has had longest; empty: it has none.
  [[nodiscard]] std::optional<std::int64_t> oldest(std::size_t rank) const;

 private:
  struct UnderWay {
    std::size_t rank = 0;
    double since_s = 0;
    std::optional<std::size_t> helper;  ///< Another rank that draws it too
    double helped_since_s = 0;
  };

  std::deque<std::int64_t> waiting_;            // given to no rank
  std::vector<std::deque<std::int64_t>> runs_;  // by rank: what it gets next
  std::map<std::int64_t, UnderWay> under_way_;
  std::size_t left_;       // frames that are not finished
  double finished_s_ = 0;  // sum of the times that frames took
  std::size_t finished_ = 0;
};

}  // namespace tilewall::rendering
