// Who brings compressed blocks into memory for a StagedPrefetcher: a server, or a thread that reads
// files.
//
// Threads: one owner, who calls everything; the bringing is done elsewhere.
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

  struct Asked {
    Ticket ticket = 0;
    std::vector<int> blocks;  ///< of those asked for, in their order
  };

  struct Brought {
    bool has_frame =
        false;  ///< false: there is no such frame (yet), or not even its index is whole
    net::SlabBuffer memory;
    std::vector<std::span<const std::uint8_t>> blocks;  ///< as asked, in `memory`; empty: none
    std::uint64_t read_bytes = 0;
  };

  virtual ~BlockFetcher() = default;

  enum class Haste { ahead, now };

  /// Asks for blocks (numbers, ascending) of a level of a frame, in as many parts as suits it. What
  /// was asked for first comes first; `now`: somebody waits for it already.
  [[nodiscard]] virtual std::vector<Asked> fetch(std::int64_t frame, int level,
                                                 std::vector<int> blocks, Haste haste) = 0;
  virtual void cancel(std::vector<Ticket> tickets) = 0;

  /// What came, once; empty while it has not. `blocks`: how many were asked for.
  [[nodiscard]] virtual std::optional<Brought> take(Ticket ticket, std::size_t blocks) = 0;
  virtual void give_back(net::SlabBuffer memory) noexcept = 0;

  /// How many answers have come so far; and waits until `until` for there to be more than `known`.
  [[nodiscard]] virtual std::uint64_t news() const = 0;
  virtual void wait_for_news(std::uint64_t known, LocalInstant until) = 0;

  virtual void count(picture::DrawCounters& counters) const { static_cast<void>(counters); }
};

// Blocks of a frame's file, read one behind the other into memory of the caller's.

/// The places of the wanted blocks, nothing where the index has none.
[[nodiscard]] std::vector<BlockPlace> places_of(std::span<const BlockPlace> index,
                                                const std::vector<int>& wanted);

[[nodiscard]] std::size_t total_bytes(std::span<const BlockPlace> places) noexcept;

/// Reads each place's bytes to `to` of the same number, neighbours in the file by one call. A block
/// that the file no longer has whole gets size 0 in `places`; its bytes are undefined.
void read_blocks(int fd, std::vector<BlockPlace>& places, const std::vector<std::byte*>& to);

}  // namespace tilewall::movie
