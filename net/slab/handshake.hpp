// Messages that begin a session on its control connection (net/control/message_stream.hpp). Either
// side may have connected. The server is the side that provides slabs, the client the one that
// requests them, also where the server connected; `udp_port` and `stripe_port` are the client's
// ports in that case, and 0 otherwise.
//
//   server: {"type": "challenge", "version", "nonce", "keyed", "provides"}
//   client: {"type": "hello", "version", "nonce", "transport", "stripes", "packet_bytes",
//            "receive_buffer_bytes", "udp_port", "stripe_port", "seal", "tag"}
//   server: {"type": "welcome", "session", "tag"}
//
// Either side may send {"type": "refused", "error"} in place of its message, and then closes the
// connection. A stripe begins on a connection of its own, after a challenge as above:
//
//   client: {"type": "stripe", "session", "index", "rate_bytes_s", "tag"}
//   server: {"type": "joined", "window_bytes", "wanted_window_bytes", "congestion_control", "tag"}
//
// All messages after the welcome are sealed (control_seal.hpp): the client's questions, whose form
// belongs to the application, and the server's answers, refusals, and messages of its own accord:
//
//   server: {"type": "answer", "answer", "id"}   or   {"type": "refused", "error", "id"}
//   server: {"type": "told", "message": {...}}
//
// Each tag is made with the wall's key over the fields exchanged so far, the server's nonce
// included. So nobody can replay a hello, weaken its options, or stand in for the server. Without a
// key, tags are empty.
//
// Threads: no shared state; one owner each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/seal/packet_seal.hpp"

namespace tilewall::net {

inline constexpr int slab_protocol_version = 4;
inline constexpr std::size_t longest_provides_bytes = 256;

enum class SlabTransport { udp, tcp };

/// Options of a session, chosen by the client.
struct SlabHello {
  std::string nonce;  ///< the client's, hexadecimal
  SlabTransport transport = SlabTransport::udp;
  int stripes = 1;                         ///< TCP: number of connections that carry slabs
  std::uint32_t packet_bytes = 0;          ///< size of a full packet, header and tag included
  std::uint64_t receive_buffer_bytes = 0;  ///< UDP: size of the client's socket buffer
  std::uint16_t udp_port = 0;  ///< UDP, if the server connected: the client's port; else 0
  std::uint16_t stripe_port =
      0;  ///< TCP, if the server connected: where to connect stripes; else 0
  SealKind seal = SealKind::checksum;
};

struct SlabChallenge {
  std::string nonce;          ///< the server's, hexadecimal
  bool keyed = false;         ///< whether the server has a key
  std::string provides = {};  ///< the server's application's text, longest_provides_bytes at most
};

/// Builds and checks the messages of one connection after its challenge.
class SlabHandshake {
 public:
  /// `server_nonce` and `provides` are the challenge's. Without a key, tags are empty and not
  /// checked. `key` outlives this.
  SlabHandshake(const std::optional<AuthKey>& key, std::string server_nonce,
                const std::string& provides = {});

  [[nodiscard]] nlohmann::json hello(const SlabHello& hello) const;
  /// Throws InputError for a hello that is malformed or out of bounds, whose tag is wrong, or whose
  /// seal is weaker than the key allows. Whether the ports suit who connected is left to the
  /// caller.
  [[nodiscard]] SlabHello parse_hello(const nlohmann::json& message) const;

  [[nodiscard]] nlohmann::json welcome(const SlabHello& hello, std::uint64_t session) const;
  /// Returns the session number. Throws InputError if the server refused or the tag is wrong.
  [[nodiscard]] std::uint64_t parse_welcome(const SlabHello& hello,
                                            const nlohmann::json& message) const;

  struct Stripe {
    std::uint64_t session = 0;
    int index = 0;
    std::uint64_t rate_bytes_s = 0;  ///< rate of the stripe's path, bytes per second; 0: unknown
  };
  [[nodiscard]] nlohmann::json stripe(const Stripe& stripe) const;
  /// Throws InputError for a message that is malformed or out of bounds, or whose tag is wrong.
  [[nodiscard]] Stripe parse_stripe(const nlohmann::json& message) const;

  /// Parameters of the server's end of a stripe.
  struct Joined {
    std::uint64_t window_bytes = 0;         ///< most bytes that the server may have in flight
    std::uint64_t wanted_window_bytes = 0;  ///< larger if its kernel gave less than wanted
    std::string congestion_control;         ///< "bbr", "cubic"; "" if unknown
  };
  /// Accepts a stripe. The connection carries chunks after this message.
  [[nodiscard]] nlohmann::json joined(const Stripe& stripe, const Joined& joined) const;
  /// Throws InputError if the server refused, or for a wrong field or tag.
  [[nodiscard]] Joined parse_joined(const Stripe& stripe, const nlohmann::json& message) const;

  /// Keys of the session that began with this hello; all zero without a key.
  [[nodiscard]] SessionKeys keys(const SlabHello& hello) const;

 private:
  [[nodiscard]] std::string tag(const std::string& text) const;
  void check_tag(const std::string& text, const nlohmann::json& message) const;

  const std::optional<AuthKey>& key_;
  const std::string server_nonce_;
  const std::string challenge_;  // fields of the challenge as all tags cover them
};

/// Throws InputError unless the hello names the client's port exactly where the server connected
/// and the transport needs it.
void check_ports(const SlabHello& hello, bool server_connected);

/// Throws InputError for a text that a challenge cannot carry: too long, or not UTF-8.
void check_provides(const std::string& provides);

/// Serialises a message. Invalid UTF-8, such as a truncated word of the peer's, is replaced.
[[nodiscard]] std::string text_of(const nlohmann::json& message);

/// Returns the answer of the server's application. Throws InputError with its text if it refused.
[[nodiscard]] nlohmann::json parse_answer(const nlohmann::json& message);

/// A message of the server's application to all its clients.
[[nodiscard]] nlohmann::json told_message(const nlohmann::json& message);
[[nodiscard]] bool is_told(const nlohmann::json& message);
/// Returns the application's message, an object. Throws InputError for anything else.
/// @pre is_told(message)
[[nodiscard]] nlohmann::json parse_told(const nlohmann::json& message);

[[nodiscard]] nlohmann::json challenge_message(const SlabChallenge& challenge);
/// Throws InputError for another protocol, another version of this one, or too long a text.
[[nodiscard]] SlabChallenge parse_challenge(const nlohmann::json& message);

}  // namespace tilewall::net
