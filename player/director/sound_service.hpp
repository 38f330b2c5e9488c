// What the director knows of the show's sound process, which comes, dies and comes back as it
// likes. Pure; one owner.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/scene/sound_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class SoundService {
 public:
  /// A file whose decoding the process did not survive this often within that time is left out.
  static constexpr int most_crashes = 3;
  static constexpr std::chrono::seconds crash_window{60};
  /// A process sends its status five times a second. Without one for so long it is stalled.
  static constexpr std::chrono::seconds silence_limit{2};

  /// `allowed`: not switched off by the user.
  explicit SoundService(bool allowed) : allowed_(allowed) {}

  /// A scene has sound. Whether a process is to be started for it: the first time, if allowed.
  [[nodiscard]] bool want();

  /// A sound process is there; returns what to tell it first.
  [[nodiscard]] scene::SoundConfig welcome(ConnectionId from, const scene::SoundHello& hello);

  /// Whose messages these are; empty while no process is there.
  [[nodiscard]] const std::optional<ConnectionId>& connection() const { return connection_; }
  [[nodiscard]] const std::string& host() const { return host_; }

  void take(scene::SoundStatus status, LocalInstant now);

  /// The connection is gone. In the middle of the show that means: the process has died.
  void lose(bool in_the_middle, LocalInstant now);

  /// `audio` of the report and of status.
  [[nodiscard]] nlohmann::json report(LocalInstant now) const;
  [[nodiscard]] nlohmann::json status(LocalInstant now) const;

  /// Lines for the operator.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] nlohmann::json json(const std::string& state) const;
  [[nodiscard]] std::string state(LocalInstant now) const;

  const bool allowed_;
  bool wanted_ = false;
  std::optional<ConnectionId> connection_;
  std::string host_;
  std::optional<scene::SoundStatus> status_;  // the newest
  LocalInstant status_at_;
  std::map<std::string, std::deque<LocalInstant>> crashes_;  // within crash_window, by file
  std::set<std::string> left_out_;
};

}  // namespace tilewall::director
