// A movie's pictures as frames of constant rate, one after the other or from any frame on.
//
// Frame numbers are the same however one comes to them: they follow from a picture's stamp and the
// first picture's. Where stamps are broken, a jump decodes the movie again from its start.
//
// Threads: one owner; FFmpeg decodes on threads of its own inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/movie_file.hpp"

namespace tilewall {

/// A picture and the frames it fills, at least one.
struct TimedPicture {
  FrameSpan span;
  SharedFrame frame;
  bool before_gap =
      false;  ///< it may stand for pictures that were left out, but in its first frame
  bool repeats_lost = false;  ///< the same for pictures that are lost in the file
};

class FrameCursor {
 public:
  /// `fps` empty = the movie's own rate; `threads` decode, 0 = one per core, or `hardware` until it
  /// gives up. Throws as MovieFile does.
  explicit FrameCursor(std::filesystem::path file, std::optional<Rational> fps = {},
                       int threads = 0, ReadErrors read_errors = ReadErrors::end,
                       std::shared_ptr<HardwareDecoder> hardware = nullptr);

  /// Its rate and frame count are those of the frames.
  [[nodiscard]] const MovieInfo& info() const noexcept { return info_; }

  /// Empty at the end. Throws InputError when it stalls, JobError when memory is out or, where they
  /// are to be thrown, on read errors.
  [[nodiscard]] std::optional<TimedPicture> next();

  enum class Way { any, jump };  ///< jump: not through the pictures from here on

  /// next() goes on so that it comes to `frame` soon: through the pictures before it, or from a key
  /// picture before it. Throws as next() does.
  void go_to(std::int64_t frame, Way way = Way::any);

  /// In a hurry, next() leaves out pictures that no other needs, where stamps tell which are
  /// missing.
  void hurry(bool in_a_hurry) noexcept;

  /// Whether pictures that come now may be left out, or have been just now.
  [[nodiscard]] bool hurried() const noexcept { return in_a_hurry_ || hurried_pictures_ > 0; }

  /// No frame before this one comes from next() without a jump.
  [[nodiscard]] std::int64_t position() const noexcept;

  /// next() has come to the end, and there was a picture.
  [[nodiscard]] bool at_end() const noexcept { return ended_ && held_any_; }

  [[nodiscard]] std::int64_t decoded_pictures() const noexcept { return decoded_pictures_; }
  [[nodiscard]] const TimingCounters& timing_counters() const noexcept {
    return timing_->counters();
  }
  [[nodiscard]] DecodeCounters decode_counters() const noexcept { return movie_->counters(); }

 private:
  void open();
  void hold_first();
  [[nodiscard]] bool has_exact_stamps() const noexcept;  ///< frame numbers follow from each alone
  [[nodiscard]] bool decodes_through_to(std::int64_t frame) const;
  [[nodiscard]] bool jump(std::int64_t frame, double back_s);

  const std::filesystem::path file_;
  const int threads_;
  const ReadErrors read_errors_;
  const std::shared_ptr<HardwareDecoder> hardware_;
  std::unique_ptr<MovieFile> movie_;
  MovieInfo info_;
  std::optional<FrameTiming> timing_;
  SharedFrame held_;  // decoded; its span is known once the next picture's stamp is
  bool held_any_ = false;
  bool ended_ = false;
  std::int64_t jumped_for_ = -1;  // no jump leads closer to this frame than from where it landed
  bool stamped_ = true;           // every picture had a stamp so far
  std::int64_t decoded_pictures_ = 0;
  bool in_a_hurry_ = false;
  int hurried_pictures_ = 0;  // still to come, that the decoder may have begun in a hurry
};

}  // namespace tilewall
