// Packets that a kernel merges and that a receiver takes apart again.

#include "net/slab/packet_socket.hpp"

#include <poll.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::uint32_t piece_bytes = 1000;

struct Datagrams {
  Datagrams()
      : to(bind_udp(resolve("127.0.0.1:0", "test"))), from(connect_udp(local_address(to.get()))) {
    prepare_packet_socket(to.get());
  }

  /// Sends one batch of payloads of these sizes, whose bytes are all the packet's number.
  void send(const std::vector<std::size_t>& payload_sizes) {
    payloads.clear();
    std::vector<OutgoingPacket> batch(payload_sizes.size());
    for (const std::size_t size : payload_sizes)
      payloads.emplace_back(size, static_cast<std::byte>(payloads.size() + 1));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      PacketHeader header = {};
      header.magic = packet_magic;
      header.kind = PacketKind::request;
      header.payload_bytes = static_cast<std::uint16_t>(payloads[i].size());
      header.sequence = i + 1;
      std::memset(batch[i].head, 0, sizeof batch[i].head);
      std::memcpy(batch[i].head, &header, sizeof header);
      batch[i].payload = payloads[i];
    }
    REQUIRE(PacketSender(from.get()).send(batch, nullptr));
  }

  /// Receives as many packets; checks that each is the one that was sent.
  void check_received(PacketReceiver& receiver) {
    std::size_t got = 0;
    while (got < payloads.size()) {
      pollfd something = {to.get(), POLLIN, 0};
      REQUIRE(::poll(&something, 1, 20'000) == 1);
      for (const IncomingPacket& packet : receiver.receive({})) {
        REQUIRE(got < payloads.size());
        CHECK(packet.header.sequence == got + 1);
        CHECK(std::vector<std::byte>(packet.payload.begin(), packet.payload.end()) ==
              payloads[got]);
        ++got;
      }
      REQUIRE(receiver.malformed() == 0);
    }
  }

  UniqueFd to;
  UniqueFd from;
  std::vector<std::vector<std::byte>> payloads;
};

}  // namespace

TEST_CASE("a batch of packets comes whole, the shorter one at its end as well", "[slab]") {
  Datagrams datagrams;
  PacketReceiver receiver(datagrams.to.get(), piece_bytes);
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{piece_bytes},
                                                {piece_bytes, piece_bytes},
                                                {1000, 1000, 1000, 1},
                                                {1000, 999},
                                                {7},
                                                {300, 300, 300},
                                                {300, 300, 299},
                                                {300, 1}}) {
    CAPTURE(sizes);
    datagrams.send(sizes);
    datagrams.check_received(receiver);
  }
}
