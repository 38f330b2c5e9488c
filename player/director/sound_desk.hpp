// What the director knows of the show's sound process, which comes, dies and comes back as it
// likes. Pure; one owner.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/sound/sound_messages.hpp"

namespace tilewall {

class SoundDesk {
 public:
  /// A file whose decoding the process did not survive this often is left out.
  static constexpr int most_crashes = 3;

  /// `allowed`: not switched off by the user.
  explicit SoundDesk(bool allowed) : allowed_(allowed) {}

  /// A scene has sound. Whether a process is to be started for it: the first time, if allowed.
  [[nodiscard]] bool want();

  /// A sound process is there; returns what to tell it first.
  [[nodiscard]] SoundConfig welcome(ConnectionId from, const SoundHello& hello);

  /// Whose messages these are; empty while no process is there.
  [[nodiscard]] const std::optional<ConnectionId>& connection() const { return connection_; }
  [[nodiscard]] const std::string& host() const { return host_; }

  void take(SoundStatus status) { status_ = std::move(status); }

  /// The connection is gone. In the middle of the show that means: the process has died.
  void lose(bool in_the_middle);

  /// `audio` of the report and of status.
  [[nodiscard]] nlohmann::json report() const;
  [[nodiscard]] nlohmann::json status() const;

  /// Lines for the operator.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] nlohmann::json json(const std::string& state) const;
  [[nodiscard]] std::string state() const;

  const bool allowed_;
  bool wanted_ = false;
  std::optional<ConnectionId> connection_;
  std::string host_;
  std::optional<SoundStatus> status_;   // the newest
  std::map<std::string, int> crashes_;  // by file
};

}  // namespace tilewall
