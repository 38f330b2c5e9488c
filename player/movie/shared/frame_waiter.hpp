// A panel's way to the frames of a movie that another process decodes: asks, waits within limits,
// and comes back to a host service or decoder that was started again.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "player/movie/shared/movie_request.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "player/movie/shared/shared_movie.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {

/// held: the frame does not come (now); the last picture is to be kept.
enum class FrameWaitEnd { got, held, abandoned };

struct FrameWait {
  FrameWaitEnd end = FrameWaitEnd::held;
  std::optional<PicturePin> pin;  ///< where end is got
};

/// Threads: one owner; decoder_status() may be called by any.
class FrameWaiter {
 public:
  /// Waits until the decoder has the file open. Throws InputError where it refuses it, JobError
  /// where there is no host service.
  explicit FrameWaiter(SharedMovieOptions options);

  /// @pre no pin of an earlier call is alive
  [[nodiscard]] FrameWait wait(std::int64_t frame);

  /// What wait() would have at once, and whether it would ever have `frame`.
  [[nodiscard]] picture::ReadyPictures ready(std::int64_t frame);

  /// Waits for what the last ready() did not have; the decoder may leave frames out to be in time.
  /// Only while it waits does the seat say so: the panel may go on without the frame.
  void await(std::int64_t frame, LocalInstant until);

  /// Tells the decoder that this frame and those after it are drawn next, before any is waited for.
  void reserve(std::int64_t frame) noexcept;

  /// Whether the coming draws are all of one frame, which the decoder is to keep.
  void stay(bool stays) { stays_ = stays; }

  /// Tells the decoder which frame is likely next after the one waited for last.
  void look_ahead();

  /// No frame is drawn for a while: the decoder need keep and decode nothing for this panel.
  void leave();

  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const;

 private:
  class Timeout;

  bool connect();
  /// The same in the middle of a show, where nothing is thrown.
  bool reconnect();
  void disconnect();
  void wait_until_open();
  void note_direction(std::int64_t frame) noexcept;
  [[nodiscard]] FrameWait wait_patiently(std::int64_t frame);

  const SharedMovieOptions options_;
  std::int64_t asked_frame_ = no_frame;    // by the last wait()
  std::int64_t last_frame_ = no_frame;     // that was drawn
  std::int64_t awaited_frame_ = no_frame;  // the request that stands, where it is await()'s
  std::int64_t awaited_since_ns_ = 0;      // since when that is waited for; CLOCK_MONOTONIC
  std::uint32_t seen_ = 0;                 // of the page's `published`, by the last ready()
  int last_step_ = 1;  // its sign; two alike are a direction, a loop's seam is none
  int direction_ = 1;
  bool stays_ = false;
  LocalInstant next_connect_;
  mutable std::mutex mutex_;
  std::optional<MovieSubscription> movie_;  // replaced under mutex_, by the owner alone
};

}  // namespace tilewall::movie
