// The decoder's side of a movie's slots: chooses the slot to overwrite, and publishes pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "player/movie/decoder/decode_plan.hpp"
#include "player/movie/shared/movie_page.hpp"

namespace tilewall::movie {

/// The panels' requests, read from their seats. Frames beyond the end wrap to the start. `frames`:
/// length of the movie; 0 if unknown.
[[nodiscard]] std::vector<FrameRequest> requests_on(const MoviePage& page, std::int64_t frames);

/// Threads: one owner. A memory has one writer at a time, over all processes.
class SlotWriter {
 public:
  /// Keeps the pictures of an earlier decoder if its slots had the same size; else empties all
  /// slots and waits until no panel reads any. `memory` outlives this object. Throws JobError if
  /// fewer than min_movie_slots fit, or a panel reads for longer than a second.
  SlotWriter(const MovieMemory& memory, std::size_t slot_bytes);

  /// A second ahead, and the pictures behind that panels may draw again. More would only miss the
  /// CPU's caches.
  static constexpr int most_slots = max_movie_slots;

  [[nodiscard]] int slots() const noexcept { return slots_; }
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  /// Empties all slots, because their pictures are of a file that has changed. Throws JobError if a
  /// panel reads one for longer than a second.
  void empty_all();

  /// Frames that slots hold, one span for each picture.
  [[nodiscard]] std::vector<FrameReach> held() const;

  /// Whether acquire() would find a slot at present; panels may begin to read it meanwhile.
  [[nodiscard]] bool has_room(std::int64_t distance, std::span<const FrameRequest> requests,
                              std::int64_t frames) const;

  /// Empties a slot for a picture at `distance` and returns it. No panel reads the slot, its
  /// picture was farther away than `distance` from all `requests`, and no panel has requested it
  /// since. Empty if there is no such slot at present.
  [[nodiscard]] std::optional<int> acquire(std::int64_t distance,
                                           std::span<const FrameRequest> requests,
                                           std::int64_t frames);

  [[nodiscard]] std::span<std::uint8_t> bytes(int slot) const noexcept {
    return memory_.slot(slot, slot_bytes_);
  }

  /// Offers the slot's `picture`, which fills `frames`, to the panels and wakes them.
  /// @pre the slot is from acquire(), and its bytes are written
  void publish(int slot, const SharedPicture& picture, const FrameReach& frames) noexcept;

 private:
  [[nodiscard]] bool is_read(int slot) const noexcept;
  [[nodiscard]] bool any_is_read() const noexcept;

  const MovieMemory& memory_;
  MoviePage& page_;
  const std::size_t slot_bytes_;
  int slots_ = 0;
};

}  // namespace tilewall::movie
