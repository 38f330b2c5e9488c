// The connection of a live source's caster to the director. A lost one is made again for as long as
// the caster lives; what was received stays meanwhile.
//
// Threads: one owner, who waits on watched() and then calls step(). Connecting takes up to 250 ms
// where the director's host does not answer, and then a fifth of the time.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "player/scene/live_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

class LiveLink {
 public:
  /// `director`: "HOST:PORT". `key`: the show's.
  LiveLink(std::string director, const net::AuthKey& key, scene::CasterHello hello);

  [[nodiscard]] std::optional<pollfd> watched() const;
  /// Connects where there is no connection, sends and receives. Returns the newest order, where one
  /// has come.
  [[nodiscard]] std::optional<scene::LiveOrder> step(LocalInstant now);
  /// Whether the director knows this caster. A report that is sent before is dropped.
  [[nodiscard]] bool is_greeted() const noexcept { return greeted_; }
  /// Whether a new connection was made since the last call; the director knows nothing then.
  [[nodiscard]] bool take_is_new() noexcept { return std::exchange(is_new_, false); }
  void send(const scene::LiveReport& report);

 private:
  void connect();
  void take(const nlohmann::json& json, std::optional<scene::LiveOrder>& order);
  void say_hello();

  const std::string director_;
  const net::AuthKey key_;
  const scene::CasterHello hello_;
  std::optional<net::SealedStream> stream_;
  LocalInstant next_try_{};
  bool greeted_ = false;
  bool is_new_ = false;
};

}  // namespace tilewall::volume
