// One direction of an emulated path: a queue, a link of some rate, and a way that takes time.
//
// What draws lots does so for itself (PathDice); the link is shared by all that goes this way.
// Threads: one owner each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "sync/global_time.hpp"

namespace tilewall::test {

/// Shares are in [0, 1], each drawn for every datagram anew.
struct PathShape {
  Nanos delay{0};          ///< one way
  Nanos jitter{0};         ///< evenly spread, up to this much more; datagrams overtake each other
  double loss = 0;         ///< share of datagrams that never come; they take their part of the rate
  double reorder = 0;      ///< share that comes after the next three of the same client
  double duplicate = 0;    ///< share that comes twice
  double corrupt = 0;      ///< share with one bit flipped; of TCP: share of chunks (up to 64 KiB)
  double rate_gbit_s = 0;  ///< of payload; 0: no limit
  std::size_t queue_bytes = std::size_t{32} << 20;  ///< that wait for the rate; the rest is dropped
};

class PathDice {
 public:
  explicit PathDice(std::uint64_t seed) : random_(seed) {}

  /// Draws nothing where the share is 0.
  [[nodiscard]] bool happens(double share);
  [[nodiscard]] Nanos up_to(Nanos most);
  /// @pre there are bytes
  void flip_a_bit(std::span<std::byte> bytes);

 private:
  std::mt19937_64 random_;
};

/// Works on instants handed to it, so it needs neither a clock nor a thread.
class PathLink {
 public:
  explicit PathLink(const PathShape& shape) { reshape(shape); }

  void reshape(const PathShape& shape);
  [[nodiscard]] const PathShape& shape() const noexcept { return shape_; }

  /// Whether this much more may wait. What is longer than the queue still passes an idle link.
  [[nodiscard]] bool has_room(std::size_t bytes, LocalInstant now) const noexcept;

  /// Takes the bytes in; when their last one has passed the rate and the delay.
  [[nodiscard]] LocalInstant pass(std::size_t bytes, LocalInstant now) noexcept;

  /// When no more than half of the queue waits: then TCP, which is never dropped, may add to it.
  [[nodiscard]] LocalInstant open_to_streams_at() const noexcept;

  /// What a stream may have under way here: what the rate holds on the way, and the queue.
  [[nodiscard]] std::size_t window_bytes() const noexcept;

  /// What is read of a stream at once: at most what passes in a millisecond.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept;

  /// How long the rate takes for them; 0 where it has no limit.
  [[nodiscard]] Nanos time_of(double bytes) const noexcept;

 private:
  [[nodiscard]] double bytes_in(Nanos time) const noexcept;

  PathShape shape_;
  LocalInstant free_at_;  // when the rate has let through all that came
};

}  // namespace tilewall::test
