// One direction of an emulated path: a queue, a link of some rate, and a delay.
//
// Each client draws its own lots (PathDice); all share the link. Threads: one owner each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "sync/global_time.hpp"

namespace tilewall::test {

/// Properties of one direction. Shares are in [0, 1], and drawn anew for every datagram.
struct PathShape {
  Nanos delay{0};   ///< one way
  Nanos jitter{0};  ///< Additional delay, evenly spread up to this; datagrams overtake each other
  double loss = 0;  ///< Share of datagrams that are lost; they still use their part of the rate
  double reorder = 0;    ///< Share that comes after the next three of the same client
  double duplicate = 0;  ///< Share that comes twice
  double corrupt = 0;    ///< Share with one bit flipped; for TCP the share of chunks (up to 64 KiB)
  double rate_gbit_s = 0;  ///< Rate of payload; 0: no limit
  /// Bytes that may wait for the rate; more is dropped.
  std::size_t queue_bytes = std::size_t{32} << 20;
};

class PathDice {
 public:
  explicit PathDice(std::uint64_t seed) : random_(seed) {}

  /// Draws a lot; none where the share is 0.
  [[nodiscard]] bool happens(double share);
  [[nodiscard]] Nanos up_to(Nanos most);
  /// @pre there are bytes
  void flip_a_bit(std::span<std::byte> bytes);

 private:
  std::mt19937_64 random_;
};

/// A link works on instants given to it, so it needs neither a clock nor a thread.
class PathLink {
 public:
  explicit PathLink(const PathShape& shape) { reshape(shape); }

  void reshape(const PathShape& shape);
  [[nodiscard]] const PathShape& shape() const noexcept { return shape_; }

  /// Whether so many more bytes may wait. An idle link also passes what is longer than the queue.
  [[nodiscard]] bool has_room(std::size_t bytes, LocalInstant now) const noexcept;

  /// Accepts bytes. Returns the instant at which the last one has passed the rate and the delay.
  [[nodiscard]] LocalInstant pass(std::size_t bytes, LocalInstant now) noexcept;

  /// The instant at which at most half of the queue waits. Then TCP, which is never dropped, may
  /// add to it.
  [[nodiscard]] LocalInstant open_to_streams_at() const noexcept;

  /// Bytes that a stream may have in flight here: the bandwidth-delay product, and the queue.
  [[nodiscard]] std::size_t window_bytes() const noexcept;

  /// Bytes to read of a stream at once: at most those that pass in a millisecond.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept;

  /// Time that the rate needs for so many bytes; 0 where it has no limit.
  [[nodiscard]] Nanos time_of(double bytes) const noexcept;

 private:
  [[nodiscard]] double bytes_in(Nanos time) const noexcept;

  PathShape shape_;
  LocalInstant free_at_;  // instant at which the rate has let everything pass
};

}  // namespace tilewall::test
