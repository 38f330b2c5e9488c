// Who may talk to the director: every connection is given a challenge, and what it says of itself
// carries a tag made of that under the show's key. Without a key everyone is let in.
//
// One owner, the director's thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>

#include "net/auth_key.hpp"
#include "player/director/control_server.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::director {

class Authenticator {
 public:
  /// The key is taken from this process's environment. `server` outlives this.
  explicit Authenticator(ControlServer& server);

  void challenge(ConnectionId id);
  [[nodiscard]] const scene::Challenge& challenge_of(ConnectionId id) { return challenges_[id]; }

  /// From now on the server trusts the connection. Throws InputError where `tag_hex` is not that of
  /// `text`, which is made of its challenge.
  void admit(ConnectionId id, const std::string& text, const std::string& tag_hex);

  /// A client with its first request; nothing for one that was admitted before: one tag that is
  /// right serves for the whole connection. Throws InputError.
  void admit_client(ConnectionId id, const std::string& verb, const nlohmann::json& request);

  void forget(ConnectionId id);

 private:
  ControlServer& server_;
  const std::optional<net::AuthKey> key_;
  std::map<ConnectionId, scene::Challenge> challenges_;
  std::set<ConnectionId> clients_;
};

}  // namespace tilewall::director
