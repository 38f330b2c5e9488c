// Blocks of a frame's file, read one behind the other into memory of the caller's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "player/movie/frames/frame_index.hpp"

namespace tilewall {

/// The places of the wanted blocks, nothing where the index has none.
[[nodiscard]] std::vector<BlockPlace> places_of(std::span<const BlockPlace> index,
                                                const std::vector<int>& wanted);

[[nodiscard]] std::size_t total_bytes(std::span<const BlockPlace> places) noexcept;

/// Reads each place's bytes to `to` of the same number, neighbours in the file by one call. A block
/// that the file no longer has whole gets size 0 in `places`; its bytes are undefined.
void read_blocks(int fd, std::vector<BlockPlace>& places, const std::vector<std::byte*>& to);

}  // namespace tilewall
