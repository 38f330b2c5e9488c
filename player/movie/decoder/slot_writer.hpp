// The decoder's side of a movie's slots: which one may be overwritten, and publishing a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "player/movie/decoder/decode_plan.hpp"
#include "player/movie/shared/movie_page.hpp"

namespace tilewall::movie {

/// What panels draw next, as their seats say; `frames` of the movie, 0 where that is not known.
[[nodiscard]] std::vector<FrameRequest> requests_on(const MoviePage& page, std::int64_t frames);

/// Threads: one owner; one writer a memory at a time.
class SlotWriter {
 public:
  /// Takes up the slots as an earlier decoder left them where they have that size; empties them
  /// otherwise, once no panel reads any. Throws JobError where not even min_movie_slots fit, or a
  /// panel reads for longer than a second.
  SlotWriter(const MovieMemory& memory, std::size_t slot_bytes);

  static constexpr int most_slots = 24;  ///< one second ahead; more only cools the caches

  [[nodiscard]] int slots() const noexcept { return slots_; }
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  /// Frames that slots hold.
  [[nodiscard]] std::vector<FrameReach> held() const;

  /// Whether acquire() would find a slot, as far as can be told beforehand.
  [[nodiscard]] bool has_room(std::int64_t distance, std::span<const FrameRequest> requests,
                              std::int64_t frames) const;

  /// A slot that nobody reads and that holds nothing as near as `distance` by these `requests`,
  /// emptied; nor anything that a panel has begun to want since. Empty where there is none (now).
  [[nodiscard]] std::optional<int> acquire(std::int64_t distance,
                                           std::span<const FrameRequest> requests,
                                           std::int64_t frames);

  [[nodiscard]] std::span<std::uint8_t> bytes(int slot) const noexcept {
    return memory_.slot(slot, slot_bytes_);
  }

  /// The slot holds `picture`, which fills `frames`: panels may have it.
  void publish(int slot, const SharedPicture& picture, const FrameReach& frames) noexcept;

 private:
  void empty_all();
  [[nodiscard]] bool is_read(int slot) const noexcept;
  [[nodiscard]] bool any_is_read() const noexcept;

  const MovieMemory& memory_;
  MoviePage& page_;
  const std::size_t slot_bytes_;
  int slots_ = 0;
};

}  // namespace tilewall::movie
