// How a session begins, on its control connection (see ../control/message_stream.hpp):
//
//   server: {"type": "challenge", "version", "nonce", "keyed"}
//   client: {"type": "hello", "version", "nonce", "transport", "stripes", "packet_bytes",
//            "receive_buffer_bytes", "seal", "tag"}
//   server: {"type": "welcome", "session", "tag"}   or   {"type": "refused", "error"}
//
// and a stripe's connection likewise with {"type": "stripe", "session", "index", "rate_bytes_s",
// "tag"} and {"type": "joined", "window_bytes", "wanted_window_bytes", "congestion_control",
// "tag"}. What follows the welcome is sealed: see control_seal.hpp. Each tag is the wall's key's
// over all that was said, nonces included: nobody can replay a hello, ask for less than the client
// did, or stand in for the server. Without a key the tags are empty.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/packet_seal.hpp"

namespace tilewall {

inline constexpr int slab_protocol_version = 2;
/// What either side accepts of the other until it has shown the key.
inline constexpr MessageLimits unauthenticated_limits{4096, 0};

enum class SlabTransport { udp, tcp };

/// What a client wants.
struct SlabHello {
  std::string nonce;  ///< hexadecimal
  SlabTransport transport = SlabTransport::udp;
  int stripes = 1;                         ///< tcp: connections
  std::uint32_t packet_bytes = 0;          ///< udp: of a full packet
  std::uint64_t receive_buffer_bytes = 0;  ///< udp: of its socket
  SealKind seal = SealKind::checksum;
};

struct SlabChallenge {
  std::string nonce;  ///< hexadecimal
  bool keyed = false;
};

/// Between a client and a server that know each other's nonces. Null key: no tags.
class SlabHandshake {
 public:
  SlabHandshake(const std::optional<AuthKey>& key, std::string server_nonce);

  [[nodiscard]] nlohmann::json hello(const SlabHello& hello) const;
  /// Throws InputError for a hello that is malformed, out of bounds, not the key's, or asks for
  /// less than the key is there for.
  [[nodiscard]] SlabHello parse_hello(const nlohmann::json& message) const;

  [[nodiscard]] nlohmann::json welcome(const SlabHello& hello, std::uint64_t session) const;
  /// The session. Throws InputError.
  [[nodiscard]] std::uint64_t parse_welcome(const SlabHello& hello,
                                            const nlohmann::json& message) const;

  struct Stripe {
    std::uint64_t session = 0;
    int index = 0;
    std::uint64_t rate_bytes_s = 0;  ///< that its way carries; 0: nobody said
  };
  [[nodiscard]] nlohmann::json stripe(const Stripe& stripe) const;
  /// Throws InputError.
  [[nodiscard]] Stripe parse_stripe(const nlohmann::json& message) const;

  /// How the server sends.
  struct Joined {
    std::uint64_t window_bytes = 0;         ///< that it may have under way
    std::uint64_t wanted_window_bytes = 0;  ///< more: its kernel gave no more
    std::string congestion_control;         ///< "bbr", "cubic"
  };
  /// The server's word that the connection is that stripe: chunks follow.
  [[nodiscard]] nlohmann::json joined(const Stripe& stripe, const Joined& joined) const;
  /// Throws InputError.
  [[nodiscard]] Joined parse_joined(const Stripe& stripe, const nlohmann::json& message) const;

  /// Of a session that began with this hello.
  [[nodiscard]] SessionKeys keys(const SlabHello& hello) const;

 private:
  [[nodiscard]] std::string tag(const std::string& text) const;
  void check_tag(const std::string& text, const nlohmann::json& message) const;

  const std::optional<AuthKey>& key_;
  const std::string server_nonce_;
};

/// A message's text. What is no UTF-8 in it, such as a cut word of the peer's, is replaced.
[[nodiscard]] std::string text_of(const nlohmann::json& message);

/// What the server's application answered. Throws InputError where it refused.
[[nodiscard]] nlohmann::json parse_answer(const nlohmann::json& message);

[[nodiscard]] nlohmann::json challenge_message(const SlabChallenge& challenge);
/// Throws InputError for another protocol or version.
[[nodiscard]] SlabChallenge parse_challenge(const nlohmann::json& message);

}  // namespace tilewall
