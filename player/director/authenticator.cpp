#include "player/director/authenticator.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "net/secret_variables.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall {

Authenticator::Authenticator(ControlServer& server)
    : server_(server), key_(AuthKey::from_environment(control_secret_variable)) {}

void Authenticator::challenge(ConnectionId id) {
  const Challenge asked{random_nonce_hex()};
  challenges_[id] = asked;
  server_.send(id, to_json(asked));
}

void Authenticator::admit(ConnectionId id, const std::string& text, const std::string& tag_hex) {
  if (key_) {
    const auto tag = tag_from_hex(tag_hex);
    if (!tag || !key_->matches(std::as_bytes(std::span(text)), *tag))
      throw InputError({"message"}, "tag", "the show's key", "another");
  }
  server_.trust(id);
}

void Authenticator::admit_client(ConnectionId id, const std::string& verb,
                                 const nlohmann::json& request) {
  if (clients_.contains(id)) return;
  const auto tag = request.contains("tag") ? json_field<std::string>(request, "tag") : "";
  admit(id, request_text(challenges_[id], verb), tag);
  clients_.insert(id);
}

void Authenticator::forget(ConnectionId id) {
  challenges_.erase(id);
  clients_.erase(id);
}

}  // namespace tilewall
