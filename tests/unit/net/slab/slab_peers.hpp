// Both sides of slabs, for tests: a source whose slabs can be checked, and peers by hand.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/control_seal.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"

namespace tilewall::test {

using namespace net;
using namespace std::chrono_literals;

inline std::optional<AuthKey> test_key() {
  const std::string secret = "sixteen bytes or more";
  return AuthKey(std::as_bytes(std::span(secret)));
}

inline SlabHello hello_of(SealKind kind) {
  SlabHello hello;
  hello.nonce = random_nonce_hex();
  hello.packet_bytes = 1452;
  hello.seal = kind;
  return hello;
}

/// Either end of a control connection, by hand.
struct RawPeer {
  explicit RawPeer(UniqueFd socket) : stream(std::move(socket), {4096, 0}) {}

  void begin(SealKind kind, const ControlKeys& keys) {
    seal.emplace(kind, keys);
    stream.allow(seal->limits({4096, 0}));
  }
  /// The next message; null at the end of the connection, or where none comes.
  nlohmann::json next() {
    for (const LocalInstant until = local_now() + Nanos(10s); waiting.empty();) {
      if (local_now() > until || stream.write_some() != StreamStatus::open) return {};
      pollfd something = {stream.fd(), POLLIN, 0};
      ::poll(&something, 1, 100);
      if (stream.read_some(waiting) != StreamStatus::open && waiting.empty()) return {};
    }
    Message message = std::move(waiting.front());
    waiting.erase(waiting.begin());
    return nlohmann::json::parse(seal ? seal->open(std::move(message)).text : message.text);
  }

  MessageStream stream;
  std::optional<ControlSeal> seal;
  std::vector<Message> waiting;
};

inline std::uint64_t word_at(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + i;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The slab for a request of {seed, size}: so many bytes that only that seed has.
inline std::shared_ptr<const SlabBuffer> numbers_for(std::span<const std::byte> request) {
  std::uint64_t payload[2];
  if (request.size() != sizeof payload) throw InputError("expected two numbers");
  std::memcpy(payload, request.data(), sizeof payload);
  SlabBuffer slab;
  slab.resize(payload[1]);
  for (std::size_t i = 0; i < slab.size(); i += 8) {
    const std::uint64_t word = word_at(payload[0], i / 8);
    std::memcpy(slab.data() + i, &word, std::min<std::size_t>(8, slab.size() - i));
  }
  return std::make_shared<const SlabBuffer>(std::move(slab));
}

inline std::vector<std::byte> numbers_request(std::uint64_t seed, std::uint64_t size) {
  std::vector<std::byte> payload(16);
  std::memcpy(payload.data(), &seed, 8);
  std::memcpy(payload.data() + 8, &size, 8);
  return payload;
}

inline bool is_right(const SlabBuffer& slab, std::uint64_t seed, std::uint64_t size) {
  if (slab.size() != size) return false;
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = word_at(seed, i / 8);
    if (std::memcmp(slab.data() + i, &word, std::min<std::size_t>(8, size - i)) != 0) return false;
  }
  return true;
}

/// Asked for {seed, size}, gives so many bytes that only that seed has.
class Numbers final : public SlabSource {
 public:
  nlohmann::json call(const nlohmann::json& question) override {
    if (question.at("type") != "echo") throw InputError("expected echo");
    return question.at("word");
  }
  std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override {
    return numbers_for(request);
  }
};

/// A server that runs on a thread of its own. `source` outlives it.
class RunningServer {
 public:
  RunningServer(const SlabServerOptions& options, SlabSource& source)
      : server_(options, source),
        stop_(::eventfd(0, EFD_CLOEXEC)),
        thread_([this] { server_.run(stop_.get()); }) {}
  ~RunningServer() { ::eventfd_write(stop_.get(), 1); }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] SlabServerStatus status() const { return server_.status(); }
  [[nodiscard]] SlabServer& operator*() { return server_; }

 private:
  SlabServer server_;
  UniqueFd stop_;
  std::jthread thread_;
};

inline SocketAddress local(std::uint16_t port) {
  return resolve("127.0.0.1:" + std::to_string(port), "test");
}

inline SlabClientOptions client_of(std::uint16_t port, SlabTransport transport, int stripes = 1) {
  SlabClientOptions options;
  options.servers = {local(port)};
  options.session.transport = transport;
  options.session.stripes = stripes;
  return options;
}

inline std::optional<SlabBuffer> await(SlabClient& client, SlabClient::Ticket ticket,
                                       Nanos limit = std::chrono::seconds(20)) {
  const LocalInstant until = local_now() + limit;
  while (local_now() < until) {
    const std::uint64_t known = client.news();
    if (auto slab = client.take(ticket)) return slab;
    client.wait_for_news(known, std::min(until, local_now() + Nanos(10ms)));
  }
  return std::nullopt;
}

}  // namespace tilewall::test
