// Reads a movie's pictures as frames of constant rate, in order or from any frame on.
//
// A frame's number does not depend on how the cursor came to it: it follows from the picture's time
// stamp and that of the first picture. Where stamps are missing or broken, no seek is possible, and
// the cursor goes back by decoding the movie again from its start.
//
// Threads: one owner; FFmpeg decodes on threads of its own inside the calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/movie_file.hpp"

namespace tilewall::movie {

/// A picture and the frames that show it, at least one.
struct TimedPicture {
  FrameSpan span;
  SharedFrame frame;
  /// The frames after the first may stand for pictures that the decoder left out in a hurry.
  bool before_gap = false;
  bool repeats_lost = false;  ///< the frames after the first stand for pictures lost in the file
};

class FrameCursor {
 public:
  /// Opens `file`. `fps` is the rate of the frames, empty = the movie's own; the other parameters
  /// are those of MovieFile's constructor, and so are the errors.
  explicit FrameCursor(std::filesystem::path file, std::optional<Rational> fps = {},
                       int threads = 0, ReadErrors read_errors = ReadErrors::end,
                       std::shared_ptr<HardwareDecoder> hardware = nullptr);

  /// The movie's data, with the rate and the estimated number of the frames that next() returns.
  [[nodiscard]] const MovieInfo& info() const noexcept { return info_; }

  /// The next picture that at least one frame shows; empty at the end. Throws InputError when
  /// no picture comes for media_stall_limit, JobError when memory runs out and, with
  /// ReadErrors::thrown, on read errors.
  [[nodiscard]] std::optional<TimedPicture> next();

  enum class Way { any, jump };  ///< any: decode on or seek, whichever is cheaper; jump: seek

  /// Moves the cursor so that next() reaches `frame` after few pictures: by decoding on from here,
  /// or from a key picture before `frame`; returns whether it has left its place for that. Throws
  /// as next() does.
  bool go_to(std::int64_t frame, Way way = Way::any);

  /// Whether next() leaves out pictures that no other picture refers to. Without effect where time
  /// stamps are missing or broken, as they alone tell which frames are left out.
  void hurry(bool in_a_hurry) noexcept;

  /// Whether the decoder may have left out pictures around the one that next() returns now. Stays
  /// true for some pictures after a hurry, which the decoder began in the hurry.
  [[nodiscard]] bool hurried() const noexcept { return in_a_hurry_ || hurried_pictures_ > 0; }

  /// The first frame that next() can still return without a jump.
  [[nodiscard]] std::int64_t position() const noexcept;

  /// Whether next() has reached the end of a movie that has at least one picture.
  [[nodiscard]] bool at_end() const noexcept { return ended_ && held_any_; }

  [[nodiscard]] std::int64_t decoded_pictures() const noexcept { return decoded_pictures_; }
  [[nodiscard]] const TimingCounters& timing_counters() const noexcept {
    return timing_->counters();
  }
  [[nodiscard]] DecodeCounters decode_counters() const noexcept { return movie_->counters(); }

 private:
  void open();
  void hold_first();
  [[nodiscard]] bool has_exact_stamps() const noexcept;  ///< a stamp alone gives the frame's number
  [[nodiscard]] bool decodes_through_to(std::int64_t frame) const;
  [[nodiscard]] bool jump(std::int64_t frame, double back_s);

  const std::filesystem::path file_;
  const int threads_;
  const ReadErrors read_errors_;
  const std::shared_ptr<HardwareDecoder> hardware_;
  std::unique_ptr<MovieFile> movie_;
  MovieInfo info_;
  std::optional<FrameTiming> timing_;
  SharedFrame held_;  // the newest picture; its span ends at the next picture's stamp
  bool held_any_ = false;
  bool ended_ = false;
  std::int64_t jumped_for_ = -1;  // target of the last jump; another one would not land closer
  bool stamped_ = true;           // every picture had a stamp so far
  std::int64_t decoded_pictures_ = 0;
  bool in_a_hurry_ = false;
  int hurried_pictures_ = 0;  // pictures to come that the decoder may have begun in a hurry
};

}  // namespace tilewall::movie
