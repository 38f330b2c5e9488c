// Commands of a presentation that leave a line in its log.
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "player/director/log/show_log.hpp"
#include "player/director/verbs/show_control.hpp"

namespace tilewall::director {

/// A request, and where it came from.
struct LoggedRequest {
  nlohmann::json request;  ///< as it arrived
  std::string from;        ///< "127.0.0.1:40112", "key c0r1", "pointer c0r1", "follow", "replay"
};

/// Adds the line "command" of a request that makes no scene, or was refused: `error` is "" where it
/// was done.
void log_request(ShowLog& log, const LoggedRequest& what, const std::string& error,
                 GlobalInstant now);

/// The command with a line "command" once its outcome is known: what it was, when it took effect,
/// and the cue that it went to. `log` outlives the command, and `now` returns global time.
[[nodiscard]] Command logged(Command command, ShowLog& log, LoggedRequest what,
                             std::function<GlobalInstant()> now);

/// The request's short fields, at most 16: a client may send anything, and others are told of it.
/// Without those that mean something to the client alone, or prove who it is.
[[nodiscard]] nlohmann::json short_fields(const nlohmann::json& request);

/// Whether the request is a command that makes no scene: `quit`, `show`, `live`,
/// `snapshot`, `restart`.
[[nodiscard]] bool changes_without_scene(const nlohmann::json& request);

}  // namespace tilewall::director
