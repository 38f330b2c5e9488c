// The handshake of the control port (net/CONTROL.md), by which both sides prove that they have the
// show's key. The server is the side that listens, the client the one that connects.
//
//   server: {"type": "challenge", "version", "nonce", "seal"}
//   client: {"type": "answer", "nonce", "tag"}
//   server: {"type": "welcome", "tag"}
//
// Either side may send {"type": "refused", "error"} in place of its message, and then closes the
// connection. Each tag covers both nonces, the seal, and which side made it. So nobody can replay a
// handshake, weaken the seal, or send a tag back to its maker. Messages after the welcome are
// sealed (control_seal.hpp).
//
// Threads: no shared state; one owner each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "net/auth_key.hpp"
#include "net/control/control_seal.hpp"

namespace tilewall::net {

inline constexpr int control_protocol_version = 2;

enum class ControlSide { client, server };

struct ControlChallenge {
  std::string nonce;  ///< the server's: 32 hexadecimal digits, random, for one connection
  SealKind seal = SealKind::tag;  ///< how messages after the handshake are sealed; no checksum
};

[[nodiscard]] nlohmann::json to_json(const ControlChallenge& challenge);
/// Throws InputError for another protocol, another version of this one, or if the server refused.
[[nodiscard]] ControlChallenge control_challenge_from_json(const nlohmann::json& message);

/// Builds and checks the messages after a challenge, on either side.
class ControlHandshake {
 public:
  /// `client_nonce` is as ControlChallenge::nonce, from the client.
  ControlHandshake(const AuthKey& key, const ControlChallenge& challenge,
                   std::string_view client_nonce);
  /// The handshake whose answer this is. Throws InputError for an answer that is malformed, whose
  /// tag is wrong, or if the client refused.
  [[nodiscard]] static ControlHandshake from_answer(const AuthKey& key,
                                                    const ControlChallenge& challenge,
                                                    const nlohmann::json& answer);

  [[nodiscard]] nlohmann::json answer() const;
  [[nodiscard]] nlohmann::json welcome() const;
  /// Throws InputError for a welcome that is malformed, whose tag is wrong, or if the server
  /// refused.
  void check_welcome(const nlohmann::json& message) const;

  /// The seal of the messages that follow, as `side` uses it. Throws as PacketSeal does.
  [[nodiscard]] ControlSeal seal(ControlSide side) const;

 private:
  [[nodiscard]] std::string tagged_text(ControlSide by) const;
  [[nodiscard]] std::string tag(ControlSide by) const;
  void check_tag(ControlSide by, const nlohmann::json& message) const;

  const AuthKey key_;
  const ControlChallenge challenge_;
  const std::string client_nonce_;
};

}  // namespace tilewall::net
