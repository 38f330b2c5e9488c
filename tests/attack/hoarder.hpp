// A client of a slab server, by TCP, that asks for much and takes not a byte of it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "net/slab/stripe.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

namespace tilewall::test {

struct Hoarder {
  explicit Hoarder(std::uint16_t port, const std::optional<AuthKey>& key = {})
      : control(try_connect_tcp(local(port), 5s)) {
    const SlabHandshake handshake(key, parse_challenge(control.next()).nonce);
    SlabHello hello = hello_of(key ? SealKind::tag : SealKind::checksum);
    hello.transport = SlabTransport::tcp;
    control.stream.queue({handshake.hello(hello).dump(), {}});
    const std::uint64_t session = handshake.parse_welcome(hello, control.next());
    to_server.emplace(hello.seal, handshake.keys(hello).to_server);
    RawPeer joining(try_connect_tcp(local(port), 5s));
    const SlabHandshake joins(key, parse_challenge(joining.next()).nonce);
    const SlabHandshake::Stripe wanted{session, 0, 0};
    joining.stream.queue({joins.stripe(wanted).dump(), {}});
    static_cast<void>(joins.parse_joined(wanted, joining.next()));
    stripe = joining.stream.release();
    writer.emplace(stripe.get(), 0, *to_server);
  }

  /// Whether the request was sent.
  bool ask(const std::vector<std::byte>& payload) {
    auto bytes = std::make_shared<std::vector<std::byte>>(payload);
    StripeHeader header = {};
    header.kind = PacketKind::request;
    header.request = ++requests;
    writer->start(header, *bytes, bytes);
    for (int turn = 0; turn < 1000 && !writer->idle(); ++turn)
      if (writer->write_some() != StripeStatus::open) return false;
    return writer->idle();
  }

  RawPeer control;
  UniqueFd stripe;
  std::optional<PacketSeal> to_server;
  std::optional<StripeWriter> writer;
  std::uint32_t requests = 0;
};

}  // namespace tilewall::test
