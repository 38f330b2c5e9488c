// A UDP socket that takes and gives packets by the batch: GSO when sending, GRO when receiving,
// payloads where they belong without a second copy.
//
// One owner for sending and one for receiving, which may be two threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/socket.hpp"

namespace tilewall {

/// Packets are sent, and pieces cut, so large on the way to `peer`: what its MTU takes, 8952 bytes
/// at most.
[[nodiscard]] std::uint32_t packet_bytes_to(const SocketAddress& peer);

/// Makes a UDP socket ready: large buffers, GRO, never blocking. Returns how many bytes its receive
/// buffer takes.
std::size_t prepare_packet_socket(int socket);

/// A packet as it goes out: its head, sealed, and its payload, which stays the caller's until the
/// batch is sent.
struct OutgoingPacket {
  std::byte head[packet_head_bytes];
  std::span<const std::byte> payload;
};

/// One by one, whoever they are for.
class PacketSender {
 public:
  explicit PacketSender(int socket) noexcept : socket_(socket) {}

  /// How many packets of `packet_bytes` a batch takes.
  [[nodiscard]] static std::size_t batch_of(std::size_t packet_bytes) noexcept;

  /// Sends the batch, all packets of one size but for a shorter last one; `to` null: the socket is
  /// connected. False where the socket takes nothing now. What the network refuses counts as lost
  /// on the way.
  [[nodiscard]] bool send(std::span<const OutgoingPacket> batch, const SocketAddress* to);

 private:
  [[nodiscard]] bool send_one_by_one(std::span<const OutgoingPacket> batch,
                                     const SocketAddress* to);

  int socket_;
  bool segments_ = true;  // until the kernel refuses
};

/// A packet as it came. `payload` lies where the head was expected to tell, or in the receiver's
/// own memory; valid until the next receive().
struct IncomingPacket {
  PacketHeader header;
  std::span<const std::byte> head;  ///< header without tag, as it came
  std::array<std::uint8_t, packet_tag_bytes> tag;
  std::span<std::byte> payload;
};

class PacketReceiver {
 public:
  /// `piece_bytes`: of full packets' payloads.
  PacketReceiver(int socket, std::uint32_t piece_bytes);

  /// Receives what came together. `expected[i]`: where the i-th packet's payload should go, with
  /// room for a piece; null, or beyond the end: anywhere. `from`, where not null, is who sent it.
  /// Empty where nothing waits; what is no packet is left out and counted.
  [[nodiscard]] std::span<IncomingPacket> receive(std::span<std::byte* const> expected,
                                                  SocketAddress* from = nullptr);

  /// How many packets one receive() may return at most.
  [[nodiscard]] std::size_t batch() const noexcept { return heads_.size() / packet_head_bytes; }
  /// Whether the last receive() came upon anything at all.
  [[nodiscard]] bool got_anything() const noexcept { return got_anything_; }
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }

 private:
  void add(std::span<const std::byte> head, std::span<std::byte> payload);
  void parse_together(std::size_t size, std::size_t packet_bytes, std::span<std::byte* const> at);
  void parse_in_line(std::size_t size, std::size_t packet_bytes, std::span<std::byte* const> at);

  int socket_;
  std::size_t piece_bytes_;
  std::vector<std::byte> heads_;
  std::vector<std::byte> payloads_;  // of packets nobody expected
  std::vector<std::byte> line_;      // of packets of another size
  std::vector<std::byte*> places_;
  std::vector<IncomingPacket> packets_;
  bool got_anything_ = false;
  std::uint64_t malformed_ = 0;
};

}  // namespace tilewall
