// The sound process's connection to the director. A lost one is made again for as long as the
// process lives; the sound goes on meanwhile.
//
// Threads: one owner, who calls step() in a loop; the callbacks run within it.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "player/scene/sound_messages.hpp"

namespace tilewall::sound {

class SoundLink {
 public:
  struct Callbacks {
    std::function<void(const scene::Scene& scene)> scene;
    std::function<void(const scene::Release& release)> release;
    std::function<void()> quit;
  };

  /// `director`: "HOST:PORT". `key`: the show's.
  SoundLink(std::string director, const net::AuthKey& key, scene::SoundHello hello,
            Callbacks callbacks);

  /// Waits up to `limit` for messages and hands them on.
  void step(std::chrono::milliseconds limit);

  /// Sends what the director should know, at once as far as the socket takes it; dropped while
  /// there is no connection or too much waits already.
  void send(const scene::SoundStatus& status);

 private:
  void connect(std::chrono::milliseconds limit);
  void take_messages();
  void handle(const nlohmann::json& json);

  const std::string director_;
  const net::AuthKey key_;
  const scene::SoundHello hello_;
  const Callbacks callbacks_;
  std::optional<net::SealedStream> stream_;
  scene::ReceivedSources sources_;  // sources received over this connection
  bool greeted_ = false;
};

}  // namespace tilewall::sound
