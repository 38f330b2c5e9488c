// Clients of a director's control port, in one thread with it.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "player/director/connections/control_server.hpp"

namespace tilewall::test {

/// The key of the shows that tests make up.
inline const net::AuthKey& control_key() {
  static const net::AuthKey key(
      std::as_bytes(std::span(std::string_view("the key of a show of a test"))));
  return key;
}

/// A client that both sides have found to have the key.
inline std::unique_ptr<net::SealedStream> authenticated_client(director::ControlServer& server,
                                                               const net::SocketAddress& address,
                                                               net::MessageLimits limits = {}) {
  auto client = std::make_unique<net::SealedStream>(net::SealedStream::client(
      net::try_connect_tcp(address, std::chrono::seconds(10)), control_key(), limits));
  std::vector<net::Message> none;
  while (!client->is_authenticated()) {
    server.poll(std::chrono::milliseconds(1));
    if (client->read_some(none) != net::StreamStatus::open) break;
  }
  return client;
}

}  // namespace tilewall::test
