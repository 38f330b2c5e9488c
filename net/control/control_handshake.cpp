#include "net/control/control_handshake.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

constexpr std::string_view side_names[] = {"client", "server"};
constexpr std::string_view seal_names[] = {"checksum", "tag", "encrypted"};
constexpr std::size_t nonce_hex_chars = 32;
constexpr std::size_t longest_error = 300;
constexpr std::size_t longest_word = 40;

std::string_view name_of(SealKind seal) { return seal_names[static_cast<std::size_t>(seal)]; }

void expect_control_type(const Json& message, std::string_view type) {
  if (!message.is_object()) throw InputError({"message"}, "type", type, "no object");
  const auto found = json_field<std::string>(message, "type");
  if (found == "refused")
    throw InputError(
        printable_text(json_field<std::string>(message, "error").substr(0, longest_error)));
  if (found != type)
    throw InputError({"message"}, "type", type, printable_text(found.substr(0, longest_word)));
}

std::string control_nonce_of(const Json& message) {
  auto nonce = json_field<std::string>(message, "nonce");
  if (nonce.size() != nonce_hex_chars ||
      nonce.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw InputError({"message"}, "nonce", "32 hexadecimal digits",
                     printable_text(nonce.substr(0, longest_word)));
  return nonce;
}

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

Json to_json(const ControlChallenge& challenge) {
  return {{"type", "challenge"},
          {"version", control_protocol_version},
          {"nonce", challenge.nonce},
          {"seal", name_of(challenge.seal)}};
}

ControlChallenge control_challenge_from_json(const Json& message) {
  expect_control_type(message, "challenge");
  const Json version = message.value("version", Json());
  if (version != control_protocol_version)
    throw InputError({"message"}, "version", std::to_string(control_protocol_version),
                     shown_json(version));
  ControlChallenge challenge{control_nonce_of(message),
                             json_enum<SealKind>(message, "seal", seal_names)};
  if (challenge.seal == SealKind::checksum)
    throw InputError({"message"}, "seal", "tag or encrypted", name_of(challenge.seal));
  return challenge;
}

ControlHandshake::ControlHandshake(const AuthKey& key, const ControlChallenge& challenge,
                                   std::string_view client_nonce)
    : key_(key), challenge_(challenge), client_nonce_(client_nonce) {
  TW_CHECK(challenge.seal != SealKind::checksum);
}

ControlHandshake ControlHandshake::from_answer(const AuthKey& key,
                                               const ControlChallenge& challenge,
                                               const Json& answer) {
  expect_control_type(answer, "answer");
  ControlHandshake handshake(key, challenge, control_nonce_of(answer));
  handshake.check_tag(ControlSide::client, answer);
  return handshake;
}

/// All words but the nonces are fixed, and the nonces have a fixed length.
std::string ControlHandshake::tagged_text(ControlSide by) const {
  return fmt::format("tilewall control {} {} {} {} {}", control_protocol_version,
                     side_names[static_cast<std::size_t>(by)], name_of(challenge_.seal),
                     challenge_.nonce, client_nonce_);
}

std::string ControlHandshake::tag(ControlSide by) const {
  return to_hex(key_.tag(bytes_of_text(tagged_text(by))));
}

void ControlHandshake::check_tag(ControlSide by, const Json& message) const {
  const auto text = json_field<std::string>(message, "tag");
  const auto tag = tag_from_hex(text);
  // A tag has one spelling, so that no byte of a handshake can be changed.
  const bool is_spelled_well = tag && to_hex(*tag) == text;
  if (!is_spelled_well || !key_.matches(bytes_of_text(tagged_text(by)), *tag))
    throw InputError({"message"}, "tag", "the show's key",
                     "another (the key file, --key-file, has to be the same on every host)");
}

Json ControlHandshake::answer() const {
  return {{"type", "answer"}, {"nonce", client_nonce_}, {"tag", tag(ControlSide::client)}};
}

Json ControlHandshake::welcome() const {
  return {{"type", "welcome"}, {"tag", tag(ControlSide::server)}};
}

void ControlHandshake::check_welcome(const Json& message) const {
  expect_control_type(message, "welcome");
  check_tag(ControlSide::server, message);
}

ControlSeal ControlHandshake::seal(ControlSide side) const {
  const auto key_to = [&](ControlSide to) {
    const std::string label =
        fmt::format("tilewall control {} {} to {}", control_protocol_version,
                    name_of(challenge_.seal), side_names[static_cast<std::size_t>(to)]);
    return derive_session_key(key_, label, bytes_of_text(challenge_.nonce),
                              bytes_of_text(client_nonce_));
  };
  const bool is_client = side == ControlSide::client;
  return {challenge_.seal,
          {key_to(is_client ? ControlSide::server : ControlSide::client), key_to(side)}};
}

}  // namespace tilewall::net
