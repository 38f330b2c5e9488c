// The panel's side of a movie's slots: requests a frame, and holds its picture while it is drawn.
//
// Threads: a seat and its pin belong to the panel's drawing thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "player/movie/shared/movie_page.hpp"
#include "player/picture/ready_pictures.hpp"

namespace tilewall::movie {

/// Holds a slot's picture in place for as long as it lives.
class PicturePin {
 public:
  PicturePin(MovieSeat& seat, const PictureView& picture) noexcept
      : seat_(&seat), picture_(picture) {}
  PicturePin(PicturePin&& other) noexcept
      : seat_(std::exchange(other.seat_, nullptr)), picture_(other.picture_) {}
  PicturePin& operator=(PicturePin&&) = delete;
  ~PicturePin() {
    if (seat_ != nullptr) seat_->reading.store(-1);
  }

  [[nodiscard]] const PictureView& picture() const noexcept { return picture_; }

 private:
  MovieSeat* seat_;
  PictureView picture_;
};

/// next: the panel draws the frame next, and does not wait yet. waiting: it waits for this very
/// frame. newest: it waits, but draws a newer picture if the frame comes late.
enum class RequestKind { next, waiting, newest };

/// Writes the panel's request into its seat; wakes the decoder if the panel waits. `direction`: 1
/// or -1.
void set_request(const MovieMemory& memory, MovieSeat& seat, std::int64_t frame, int direction,
                 RequestKind kind) noexcept;

/// Marks the panel as no longer waiting; its request stays.
void end_wait(MovieSeat& seat) noexcept;

/// Clears the seat's request: the panel draws nothing of the movie for a while.
void withdraw_request(MovieSeat& seat) noexcept;

/// Pins the picture of `frame`; empty if no slot holds it or its description is not valid. Never
/// waits. @pre the seat holds no other pin
[[nodiscard]] std::optional<PicturePin> try_pin(const MovieMemory& memory, MovieSeat& seat,
                                                std::int64_t frame) noexcept;

/// The pictures in slots at present.
[[nodiscard]] std::vector<picture::ReadyPicture> ready_pictures(const MoviePage& page);

/// Whether `frame` will never come: it is beyond the end, it cannot be decoded, or the movie is
/// lost or refused.
[[nodiscard]] bool is_out_of_reach(const MoviePage& page, std::int64_t frame) noexcept;

/// Whether a panel waits for a frame that no slot holds and that can still come, so that the
/// decoder has work to do.
[[nodiscard]] bool anyone_waits(const MoviePage& page) noexcept;

}  // namespace tilewall::movie
