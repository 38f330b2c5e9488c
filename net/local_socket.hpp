// Sockets between processes of one host, named by a path. Open files can be sent over them.
//
// Packets (SOCK_SEQPACKET) arrive whole. Sending never waits: a peer that does not read counts as
// gone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "sync/base/handle.hpp"

namespace tilewall::net {

/// A listening socket at `path`; a file that stands there is replaced. The path may be longer than
/// a socket address holds. Throws JobError naming it.
[[nodiscard]] UniqueFd listen_local(const std::filesystem::path& path);

/// Empty where nobody listens at `path`.
[[nodiscard]] UniqueFd try_connect_local(const std::filesystem::path& path);

/// The next connection that waits to be accepted; empty when there is none.
[[nodiscard]] UniqueFd accept_local(int listening);

/// Sends one packet and, where `file` is a descriptor, a duplicate of it. False: the peer is gone
/// or does not read.
[[nodiscard]] bool send_packet(int socket, std::span<const std::byte> bytes, int file = -1);

enum class PacketStatus { received, nothing_yet, closed };

struct ReceivedPacket {
  PacketStatus status = PacketStatus::nothing_yet;
  std::size_t bytes = 0;  ///< Size of the packet; bytes beyond the buffer are lost
  UniqueFd file;
};

[[nodiscard]] ReceivedPacket receive_packet(int socket, std::span<std::byte> buffer);

}  // namespace tilewall::net
