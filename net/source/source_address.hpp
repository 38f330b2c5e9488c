// Where a source meets walls: the addresses that a simulation gives.
//
// Threads: values and free functions without state.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/socket.hpp"

namespace tilewall::net {

inline constexpr std::uint16_t default_wall_port = 7643;    ///< where a wall waits for sources
inline constexpr std::uint16_t default_source_port = 7644;  ///< where a source waits for walls
inline constexpr std::size_t most_source_addresses = 16;

struct SourcePlaces {
  std::optional<SocketAddress> listen;
  std::vector<SocketAddress> walls;
};

/// Parses and resolves "HOST[:PORT],listen:ADDRESS[:PORT],...": up to 16, at most one that listens.
/// May block while names are looked up. Throws InputError.
[[nodiscard]] SourcePlaces parse_source_places(std::string_view where);

}  // namespace tilewall::net
