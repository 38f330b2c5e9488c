// The place where a movie's decoding goes on after its decoder was replaced.
//
// Pure. Threads: one owner.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace tilewall::movie {

/// Finds the place where the processor goes on after a GPU has failed: behind the last picture that
/// was handed out. Finds it by that picture's stamp if all stamps so far were rising, else by
/// counting pictures from the start.
struct Resumption {
  std::optional<std::int64_t> sought_pts;  ///< the last seek's stamp; empty: none since the start
  std::int64_t handed_out = 0;             ///< pictures since that seek

  void note(std::optional<std::int64_t> pts) noexcept {
    exact_ = exact_ && pts && (!last_pts_ || *pts > *last_pts_);
    if (pts) last_pts_ = pts;
    ++handed_out;
    skips_ = false;
  }

  /// Starts the search. Pictures that were handed out come again until it ends.
  void begin() noexcept {
    skips_ = handed_out > 0;
    landed_ = false;
    steps_ = 0;
    skipped_ = 0;
  }

  /// The stamp to seek to next, each time farther back; empty: read from the start. `tick_s`:
  /// seconds per tick.
  std::optional<std::int64_t> next_seek(double tick_s) noexcept {
    // With B pictures or a coarse index, a seek may land behind the picture that is looked for.
    constexpr double steps_back_s[] = {0, 0.5, 4, 20};
    if (!skips_ || !by_stamp() || steps_ == std::size(steps_back_s)) {
      landed_ = true;
      return std::nullopt;
    }
    return *last_pts_ - std::llround(steps_back_s[steps_++] / tick_s);
  }

  enum class Verdict { new_picture, handed_out, landed_behind };

  /// Whether a decoded picture is new, was handed out before, or shows that the last seek landed
  /// behind the place. In the last case the caller seeks farther back.
  Verdict judge(std::optional<std::int64_t> pts) noexcept {
    if (!skips_) return Verdict::new_picture;
    if (!by_stamp()) return skipped_++ < handed_out ? Verdict::handed_out : Verdict::new_picture;
    if (!pts || *pts <= *last_pts_) {
      landed_ = true;
      return Verdict::handed_out;
    }
    // Without an old picture before it, this one need not be the first new one: those between the
    // last one handed out and the key picture of the seek would be missing.
    return landed_ ? Verdict::new_picture : Verdict::landed_behind;
  }

  /// Whether the search is still on at the movie's end, because a seek landed behind all pictures.
  [[nodiscard]] bool looks_for_picture() const noexcept { return skips_ && !landed_; }

 private:
  // After a seek, counting would need the number of the picture that the seek found, which nobody
  // knows. So stamps are used there even if they are not rising.
  [[nodiscard]] bool by_stamp() const noexcept { return last_pts_ && (exact_ || sought_pts); }

  bool exact_ = true;  // every picture had a stamp greater than the one before
  std::optional<std::int64_t> last_pts_;
  bool skips_ = false;   // the search is on: pictures may come that were handed out before
  bool landed_ = false;  // such a picture came, or reading began at the start
  std::size_t steps_ = 0;
  std::int64_t skipped_ = 0;
};

}  // namespace tilewall::movie
