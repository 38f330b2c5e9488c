// Interface of the objects that fetch compressed blocks for a StagedPrefetcher, from a server or
// from files.
//
// Threads: one owner calls everything; the fetching is done by other threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/slab/slab_buffer.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/picture/draw_counters.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {

class BlockFetcher {
 public:
  using Ticket = std::uint64_t;

  /// A request for some blocks of a frame.
  struct Asked {
    Ticket ticket = 0;
    std::vector<int> blocks;  ///< numbers of the blocks, ascending
  };

  /// The answer to a request.
  struct Brought {
    bool has_frame = false;  ///< false: the frame does not exist (yet), or its index is damaged
    net::SlabBuffer memory;
    std::vector<std::span<const std::uint8_t>> blocks;  ///< parts of `memory`; empty: no such block
    std::uint64_t read_bytes = 0;                       ///< read or received, for statistics
  };

  virtual ~BlockFetcher() = default;

  /// now: the panel waits for the blocks already.
  enum class Haste { ahead, now };

  /// Requests blocks (numbers, ascending) of a level of a frame, and returns the requests that it
  /// was split into. Requests are answered in order, those with `now` before the others if
  /// possible.
  [[nodiscard]] virtual std::vector<Asked> fetch(std::int64_t frame, int level,
                                                 std::vector<int> blocks, Haste haste) = 0;
  virtual void cancel(std::vector<Ticket> tickets) = 0;

  /// Hands over an answer, once; empty while there is none. `blocks`: number of requested blocks.
  [[nodiscard]] virtual std::optional<Brought> take(Ticket ticket, std::size_t blocks) = 0;
  /// Returns an answer's memory for later ones.
  virtual void give_back(net::SlabBuffer memory) noexcept = 0;

  /// Number of answers so far.
  [[nodiscard]] virtual std::uint64_t news() const = 0;
  /// Waits until news() differs from `known`, but not beyond `until`.
  virtual void wait_for_news(std::uint64_t known, LocalInstant until) = 0;

  /// The function of the same name in PictureSource.
  [[nodiscard]] virtual bool is_busy() const { return false; }

  /// Adds what this fetcher counts to a source's counters.
  virtual void count(picture::DrawCounters& counters) const { static_cast<void>(counters); }
};

// Reading blocks of a frame's file into memory of the caller.

/// The places of the wanted blocks; a block that the index does not have gets size 0.
[[nodiscard]] std::vector<BlockPlace> places_of(std::span<const BlockPlace> index,
                                                const std::vector<int>& wanted);

[[nodiscard]] std::size_t total_bytes(std::span<const BlockPlace> places) noexcept;

/// Reads the i-th place's bytes to `to[i]`, neighbours in the file by one call. A block that the
/// file no longer has whole gets size 0 in `places`; its bytes are undefined.
void read_blocks(int fd, std::vector<BlockPlace>& places, const std::vector<std::byte*>& to);

}  // namespace tilewall::movie
