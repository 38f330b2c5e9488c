// The panel's side of a movie's slots: wait for a frame, hold its picture while it is drawn.
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

/// Says which frame this panel draws next. waiting: it does nothing else until it has it. newest:
/// it waits, and where that comes late it draws what came instead.
enum class RequestKind { next, waiting, newest };
void set_request(const MovieMemory& memory, MovieSeat& seat, std::int64_t frame, int direction,
                 RequestKind kind) noexcept;

/// The panel goes on without what it waited for; its request stays.
void end_wait(MovieSeat& seat) noexcept;

/// Nothing of the movie is drawn for a while: the seat has no request.
void withdraw_request(MovieSeat& seat) noexcept;

/// The picture of `frame`, where a slot holds it and it is sound. Never waits. @pre the seat holds
/// no other
[[nodiscard]] std::optional<PicturePin> try_pin(const MovieMemory& memory, MovieSeat& seat,
                                                std::int64_t frame) noexcept;

/// What slots hold now.
[[nodiscard]] std::vector<picture::ReadyPicture> ready_pictures(const MoviePage& page);

/// Whether nobody will ever deliver `frame`: beyond the end, undecodable, or all is lost.
[[nodiscard]] bool is_out_of_reach(const MoviePage& page, std::int64_t frame) noexcept;

/// Whether a panel waits for a frame that no slot holds and that can still come: then the decoder
/// has work to do.
[[nodiscard]] bool anyone_waits(const MoviePage& page) noexcept;

}  // namespace tilewall::movie
