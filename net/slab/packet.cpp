#include "net/slab/packet.hpp"

#include <cstring>

namespace tilewall::net {
namespace {

bool is_known(PacketKind kind) { return kind >= PacketKind::hello && kind <= PacketKind::cancel; }

}  // namespace

bool check_packet(const PacketHeader& header, std::size_t datagram_bytes) noexcept {
  return datagram_bytes >= packet_head_bytes && header.magic == packet_magic &&
         is_known(header.kind) && header.reserved == 0 &&
         header.payload_bytes == datagram_bytes - packet_head_bytes && header.sequence != 0 &&
         header.slab_bytes <= largest_slab_bytes;
}

std::optional<Ack> parse_ack(std::span<const std::byte> payload) noexcept {
  AckHeader header = {};
  if (payload.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, payload.data(), sizeof header);
  const auto bitmap = payload.subspan(sizeof header);
  if (header.bitmap_bits > most_ack_bits || header.bitmap_bits % 64 != 0 ||
      bitmap.size() != header.bitmap_bits / 8)
    return std::nullopt;
  return Ack{header, bitmap};
}

std::vector<std::uint32_t> parse_cancel(std::span<const std::byte> payload) {
  std::vector<std::uint32_t> requests(payload.size() / sizeof(std::uint32_t));
  if (!requests.empty())
    std::memcpy(requests.data(), payload.data(), requests.size() * sizeof(std::uint32_t));
  return requests;
}

}  // namespace tilewall::net
