// Keeps the state of the show's sound process, which may connect, die and come back at any time.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/scene/sound_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class SoundService {
 public:
  /// A process sends its status five times a second. After a longer silence it is stalled.
  static constexpr std::chrono::seconds silence_limit{2};

  /// `allowed`: the user has not switched sound off.
  explicit SoundService(bool allowed) : allowed_(allowed) {}

  /// Notes that a scene has sound. Returns whether a process has to be started: at the first call,
  /// if allowed.
  [[nodiscard]] bool want();

  /// Adds a process that has connected.
  void welcome(ConnectionId from, const scene::SoundHello& hello);

  /// The process's connection; empty while none is connected.
  [[nodiscard]] const std::optional<ConnectionId>& connection() const { return connection_; }
  [[nodiscard]] const std::string& host() const { return host_; }

  void take(scene::SoundStatus status, LocalInstant now);

  /// Notes that the connection was closed.
  void lose() { connection_.reset(); }

  // The value of `audio` in the report and in a status.
  [[nodiscard]] nlohmann::json report(LocalInstant now) const;
  [[nodiscard]] nlohmann::json status(LocalInstant now) const;

  /// Whether a process that played has not said anything for longer than silence_limit.
  [[nodiscard]] bool is_stalled(LocalInstant now) const {
    return wanted_ && connection_ && status_ && now - status_at_ > silence_limit;
  }

  /// Lines for the operator.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// The newest status, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  [[nodiscard]] nlohmann::json json(const std::string& state) const;
  [[nodiscard]] std::string state(LocalInstant now) const;

  const bool allowed_;
  bool wanted_ = false;
  std::optional<ConnectionId> connection_;
  std::string host_;
  std::optional<scene::SoundStatus> status_;  // the newest
  LocalInstant status_at_;
};

}  // namespace tilewall::director
