// Sends and receives packets of slabs on a UDP socket, a batch for each system call: with
// UDP_SEGMENT (GSO, udp(7)) when sending and UDP_GRO when receiving. The kernel scatters received
// payloads straight to their places in slabs, so there is no second copy.
//
// Threads: one owner for sending and one for receiving; these may be two threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

/// Bytes of a full packet (header, tag and payload) to `peer`: 8952 if the path's MTU is known to
/// be 9000 or more, else 1452.
[[nodiscard]] std::uint32_t packet_bytes_to(const SocketAddress& peer);

/// Prepares a UDP socket: large buffers, GRO, non-blocking. Returns the size in bytes of its
/// receive buffer as the kernel counts it. Throws JobError if it cannot be made non-blocking.
std::size_t prepare_packet_socket(int socket);

/// A sealed packet to send. The caller keeps the payload alive until the batch is sent.
struct OutgoingPacket {
  std::byte head[packet_head_bytes];   ///< header and tag
  std::span<const std::byte> payload;  ///< ciphertext if the session encrypts
};

class PacketSender {
 public:
  explicit PacketSender(int socket) noexcept : socket_(socket) {}

  /// Most packets of `packet_bytes` in one batch: 64 KiB in all and 64 segments, at least 1.
  [[nodiscard]] static std::size_t batch_of(std::size_t packet_bytes) noexcept;

  /// Sends a batch of packets of equal size, the last of which may be shorter. `to` is null for a
  /// connected socket. Returns false if the socket's buffer is full: none of the batch was sent.
  /// Packets that the network refuses count as lost on the way, so they return true.
  [[nodiscard]] bool send(std::span<const OutgoingPacket> batch, const SocketAddress* to);

 private:
  [[nodiscard]] bool send_one_by_one(std::span<const OutgoingPacket> batch,
                                     const SocketAddress* to);

  int socket_;
  bool segments_ = true;  // false once the kernel has refused UDP_SEGMENT
};

/// A received packet, valid until the next receive(). The payload lies in the place that the caller
/// offered for this position of the batch, or in the receiver's own memory. Which slab and piece it
/// belongs to is known from the header alone.
struct IncomingPacket {
  PacketHeader header;
  std::span<const std::byte> head;  ///< header without tag, as received, for the seal
  std::array<std::uint8_t, packet_tag_bytes> tag;
  std::span<std::byte> payload;
};

class PacketReceiver {
 public:
  /// `piece_bytes` is the payload size of a full packet.
  PacketReceiver(int socket, std::uint32_t piece_bytes);

  /// Receives one batch, without blocking. `expected[i]` is the place for the i-th packet's
  /// payload, with room for a whole piece; null or absent means the receiver's own memory. Writes
  /// the sender's address to `from` unless it is null. Malformed packets are left out and counted.
  /// The result is empty if nothing waits, and also if all packets were malformed: see
  /// got_anything().
  [[nodiscard]] std::span<IncomingPacket> receive(std::span<std::byte* const> expected,
                                                  SocketAddress* from = nullptr);

  /// Number of packets of full size that one receive() can scatter.
  [[nodiscard]] std::size_t batch() const noexcept { return heads_.size() / packet_head_bytes; }
  /// Whether the last receive() read a datagram, well-formed or not.
  [[nodiscard]] bool got_anything() const noexcept { return got_anything_; }
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }

 private:
  void add(std::span<const std::byte> head, std::span<std::byte> payload);
  void parse_together(std::size_t size, std::size_t packet_bytes, std::span<std::byte* const> at);
  void parse_in_line(std::size_t size, std::size_t packet_bytes, std::span<std::byte* const> at);

  int socket_;
  std::size_t piece_bytes_;
  std::vector<std::byte> heads_;
  std::vector<std::byte> payloads_;  // payloads without an expected place
  std::vector<std::byte> line_;      // packets of an unexpected size, put together again
  std::vector<std::byte*> places_;   // where the kernel writes each payload of a batch
  std::vector<IncomingPacket> packets_;
  bool got_anything_ = false;
  std::uint64_t malformed_ = 0;
};

}  // namespace tilewall::net
