#include "tests/attack/hostile_connections.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "net/slab/handshake.hpp"

namespace tilewall::test {
namespace {

using namespace net;

enum Kind { silent, half_message, garbage, wrong_tag, slow_reader, kinds };

constexpr std::int64_t turn_ms = 20;
constexpr std::int64_t act_gap_ms = 1000;
constexpr int most_connects_a_turn = 40;  // 2000 a second

std::int64_t now_in_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

SocketAddress here(std::uint16_t port) {
  return resolve("127.0.0.1:" + std::to_string(port), "port");
}

std::string framed_bytes(const std::string& text) {
  const std::uint32_t header[3] = {0x4d435754, static_cast<std::uint32_t>(text.size()), 0};
  return std::string(reinterpret_cast<const char*>(header), sizeof header) + text;
}

/// A hello under another key, for another challenge.
std::string hello_of_nobody() {
  const std::string secret = "a key that nobody else has";
  const std::optional<AuthKey> key(std::in_place, std::as_bytes(std::span(secret)));
  SlabHello hello;
  hello.nonce = std::string(32, 'b');
  hello.packet_bytes = 1452;
  hello.seal = SealKind::tag;
  return framed_bytes(SlabHandshake(key, std::string(32, 'a')).hello(hello).dump());
}

/// Whether the peer has closed the connection, or it could not be made.
bool is_closed(int socket) {
  pollfd state = {socket, POLLIN | POLLRDHUP, 0};
  return ::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

}  // namespace

HostileConnections::HostileConnections(const std::vector<std::uint16_t>& ports, int count)
    : peers_(static_cast<std::size_t>(count)) {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    peers_[i].kind = static_cast<int>(i / ports.size()) % kinds;
    peers_[i].port = ports[i % ports.size()];
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void HostileConnections::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::int64_t now_ms = now_in_ms();
    int connects = 0;
    int open = 0;
    for (Peer& peer : peers_) {
      if (!peer.socket.empty() && is_closed(peer.socket.get())) peer.socket = {};
      if (peer.socket.empty()) {
        if (++connects > most_connects_a_turn) continue;
        peer.socket = begin_connect_tcp(here(peer.port));
        peer.acts_at_ms = now_ms + turn_ms;
        made_ += peer.socket.empty() ? 0 : 1;
      } else {
        ++open;
        if (peer.acts_at_ms <= now_ms) act(peer, now_ms);
      }
    }
    open_ = open;
    std::this_thread::sleep_for(std::chrono::milliseconds(turn_ms));
  }
}

void HostileConnections::act(Peer& peer, std::int64_t now_ms) {
  peer.acts_at_ms = now_ms + act_gap_ms;
  if (peer.kind == slow_reader) {
    std::array<char, 1> byte = {};
    static_cast<void>(::recv(peer.socket.get(), byte.data(), byte.size(), MSG_DONTWAIT));
    return;
  }
  speak(peer);
}

void HostileConnections::speak(const Peer& peer) const {
  static const std::string hello = hello_of_nobody();
  const auto send = [&](const std::string& bytes) {
    static_cast<void>(
        ::send(peer.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  };
  if (peer.kind == half_message) send(hello.substr(0, 20));
  if (peer.kind == garbage) send(std::string(256, '\xa5'));
  if (peer.kind == wrong_tag) send(hello);
}

}  // namespace tilewall::test
