// Requests the frames of a movie that another process decodes, and waits for them within limits.
// After a failure it connects again to the host service.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "player/movie/shared/movie_request.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "player/movie/shared/shared_movie.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {

/// got: the frame is pinned. held: the frame never comes, or not in time; the caller repeats its
/// last picture. abandoned: SharedMovieOptions::abandon ended the wait.
enum class FrameWaitEnd { got, held, abandoned };

struct FrameWait {
  FrameWaitEnd end = FrameWaitEnd::held;
  std::optional<PicturePin> pin;  ///< holds a picture if `end` is got
};

/// Threads: one owner; any thread may call decoder_status().
class FrameWaiter {
 public:
  /// Waits up to 12 s until the decoder has opened the file, or until
  /// SharedMovieOptions::abandon_open returns true. Throws InputError if the decoder
  /// refuses the file, JobError if no host service answers.
  explicit FrameWaiter(SharedMovieOptions options);

  /// Pins the picture of `frame`. Waits for it until the decoder has made no progress for 2.5 s,
  /// and for 30 s at most. @pre no pin of an earlier call is alive
  [[nodiscard]] FrameWait wait(std::int64_t frame);

  /// The pictures that are in slots now, and whether `frame` will never come. Does not wait.
  [[nodiscard]] picture::ReadyPictures ready(std::int64_t frame);

  /// Waits up to 20 ms, and not beyond `until`, for a picture newer than those of the last ready().
  /// The decoder may leave out frames to be in time. The seat is marked as waiting only during the
  /// call, because the panel may go on without the frame.
  void await(std::int64_t frame, LocalInstant until);

  /// Requests `frame` and the frames after it without waiting, so that their slots are kept.
  void reserve(std::int64_t frame) noexcept;

  /// Sets whether the coming draws are all of one frame, which the decoder then keeps.
  void stay(bool stays) { stays_ = stays; }

  /// Requests the frame that is likely to follow the last one waited for.
  void look_ahead();

  /// Whether nothing has been published since wait() was last abandoned. Does not wait.
  [[nodiscard]] bool is_late();

  /// Withdraws the request: the decoder neither keeps nor decodes pictures for this panel.
  void leave();

  /// Statistics of the movie's decoder; empty while there is no connection. Any thread.
  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const;

 private:
  class Timeout;

  /// Waits up to `limit` for the host service's answer.
  bool connect(std::chrono::milliseconds limit);
  /// Connects in the middle of a show, and returns false instead of throwing.
  bool reconnect(std::chrono::milliseconds limit);
  void disconnect();
  void wait_until_open();
  void note_direction(std::int64_t frame) noexcept;
  [[nodiscard]] FrameWait wait_patiently(std::int64_t frame);

  const SharedMovieOptions options_;
  std::int64_t asked_frame_ = no_frame;        // argument of the last wait()
  std::int64_t last_frame_ = no_frame;         // the frame drawn last
  std::int64_t awaited_frame_ = no_frame;      // the current request, if await() made it
  std::int64_t awaited_since_ns_ = 0;          // begin of the first await() for it; CLOCK_MONOTONIC
  std::uint32_t seen_ = 0;                     // the page's `published` at the last ready()
  std::optional<std::uint32_t> abandoned_at_;  // its value when wait() was last abandoned
  int last_step_ = 1;                          // sign of the last step from frame to frame
  int direction_ = 1;                          // sign of the last two equal steps
  bool stays_ = false;
  MovieSubscriber subscriber_;
  mutable std::mutex mutex_;
  std::optional<MovieSubscription> movie_;  // the owner replaces it under mutex_
};

}  // namespace tilewall::movie
