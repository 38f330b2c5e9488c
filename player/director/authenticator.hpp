// Authenticates connections to the director: each gets a challenge, and its hello or first request
// carries a tag over that challenge, under the show's key.
//
// Threads: one owner, the director's thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "net/auth_key.hpp"
#include "player/director/control_server.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::director {

class Authenticator {
 public:
  /// Takes the key from the secret file that this process's environment names. `server` outlives
  /// this object.
  explicit Authenticator(ControlServer& server);

  /// Sends a new challenge to the connection.
  void challenge(ConnectionId id);
  [[nodiscard]] const scene::Challenge& challenge_of(ConnectionId id) { return challenges_[id]; }

  /// Lets the server trust the connection. `text` contains the connection's challenge. Throws
  /// InputError unless `tag_hex` is its tag.
  void admit(ConnectionId id, const std::string& text, const std::string& tag_hex);

  /// Admits a client by the tag of its first request. Does nothing for a client that was admitted
  /// before. Throws InputError.
  void admit_client(ConnectionId id, const std::string& verb, const nlohmann::json& request);

  void forget(ConnectionId id);

 private:
  ControlServer& server_;
  const net::AuthKey key_;
  std::map<ConnectionId, scene::Challenge> challenges_;
  std::set<ConnectionId> clients_;
};

}  // namespace tilewall::director
