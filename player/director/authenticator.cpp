#include "player/director/authenticator.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "net/show_keys.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {

Authenticator::Authenticator(ControlServer& server)
    : server_(server), key_(net::key_of(net::Protocol::control)) {}

void Authenticator::challenge(ConnectionId id) {
  const scene::Challenge asked{net::random_nonce_hex()};
  challenges_[id] = asked;
  server_.send(id, scene::to_json(asked));
}

void Authenticator::admit(ConnectionId id, const std::string& text, const std::string& tag_hex) {
  const auto tag = net::tag_from_hex(tag_hex);
  if (!tag || !key_.matches(std::as_bytes(std::span(text)), *tag))
    throw InputError({"message"}, "tag", "the show's key", "another");
  server_.trust(id);
}

void Authenticator::admit_client(ConnectionId id, const std::string& verb,
                                 const nlohmann::json& request) {
  if (clients_.contains(id)) return;
  const auto tag = request.contains("tag") ? json_field<std::string>(request, "tag") : "";
  admit(id, scene::request_text(challenges_[id], verb), tag);
  clients_.insert(id);
}

void Authenticator::forget(ConnectionId id) {
  challenges_.erase(id);
  clients_.erase(id);
}

}  // namespace tilewall::director
