// A director that clients connect to, played by a test message by message.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "tests/support/eventually.hpp"

namespace tilewall::test {

/// It has the key of the show. Threads: one owner.
class ListeningDirector {
 public:
  explicit ListeningDirector(const net::AuthKey& key) : key_(key) {}

  [[nodiscard]] std::string address() const {
    return net::to_string(net::local_address(socket_.get()));
  }

  /// Accepts the next connection.
  bool accept() {
    return eventually([&] {
      UniqueFd client(::accept(socket_.get(), nullptr, nullptr));
      if (client.empty()) return false;
      stream_.emplace(net::SealedStream::server(std::move(client), key_, net::SealKind::tag,
                                                {.blob_bytes = 1u << 20}));
      REQUIRE(stream_->write_some() == net::StreamStatus::open);
      return true;
    });
  }

  void send(const nlohmann::json& message) {
    stream_->queue({message.dump(), {}});
    REQUIRE(stream_->write_some() == net::StreamStatus::open);
  }

  /// Leaves most of what the next client sends on its way.
  void take_little_at_once() const {
    const int bytes = 4096;
    REQUIRE(::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0);
  }

  /// Sends a message; returns false where the client has closed the connection.
  bool sends(const nlohmann::json& message) {
    stream_->queue({message.dump(), {}});
    return stream_->write_some() == net::StreamStatus::open;
  }

  /// Reads once, and returns whether a message of the type has come by now.
  bool has_come(const std::string& type) {
    std::vector<net::Message> received;
    static_cast<void>(stream_->read_some(received));
    return std::ranges::any_of(received, [&](const net::Message& message) {
      return nlohmann::json::parse(message.text).at("type") == type;
    });
  }

  void close() { stream_.reset(); }

  /// The client's messages until one of that type has come.
  std::vector<net::Message> messages_until(const std::string& type) {
    std::vector<net::Message> all;
    REQUIRE(eventually([&] {
      REQUIRE(stream_->read_some(all) == net::StreamStatus::open);
      return std::ranges::any_of(all, [&](const net::Message& message) {
        return nlohmann::json::parse(message.text).at("type") == type;
      });
    }));
    return all;
  }

  /// The client's next message of the type; null where the connection ends before it comes.
  nlohmann::json next(const std::string& type) {
    nlohmann::json found;
    static_cast<void>(eventually([&] {
      std::vector<net::Message> received;
      const bool is_open = stream_->read_some(received) == net::StreamStatus::open;
      for (const net::Message& message : received)
        if (nlohmann::json json = nlohmann::json::parse(message.text); json.at("type") == type)
          found = json;
      return !found.is_null() || !is_open;
    }));
    return found;
  }

 private:
  const net::AuthKey key_;
  UniqueFd socket_ = net::listen_tcp_without_blocking(net::resolve("127.0.0.1:0", "test"));
  std::optional<net::SealedStream> stream_;
};

}  // namespace tilewall::test
