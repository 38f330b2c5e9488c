#include "net/slab/handshake.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "net/slab/packet.hpp"
#include "net/slab/stripe.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

constexpr std::string_view transports[] = {"udp", "tcp"};
constexpr std::string_view seals[] = {"checksum", "tag", "encrypted"};
constexpr std::size_t nonce_hex_chars = 32;
constexpr std::uint64_t fastest_bytes_s = 125'000'000'000;  // 1000 Gbit/s
constexpr std::uint64_t longest_window_bytes = std::uint64_t{1} << 31;
constexpr std::size_t longest_algorithm_name = 15;  // TCP_CA_NAME_MAX less its end

[[noreturn]] void refuse(const char* field, std::string_view expected, std::string_view found) {
  throw InputError({"message"}, field, expected, found);
}

std::uint64_t bounded(const Json& message, const char* name, std::uint64_t least,
                      std::uint64_t most) {
  const auto value = json_field<std::uint64_t>(message, name);
  if (value < least || value > most)
    refuse(name, fmt::format("{} to {}", least, most), std::to_string(value));
  return value;
}

std::string nonce_of(const Json& message) {
  auto nonce = json_field<std::string>(message, "nonce");
  if (nonce.size() < nonce_hex_chars || nonce.size() > 4 * nonce_hex_chars)
    refuse("nonce", "32 to 128 characters", std::to_string(nonce.size()));
  return nonce;
}

void expect_type(const Json& message, std::string_view type) {
  if (!message.is_object()) refuse("type", type, "no object");
  const auto found = json_field<std::string>(message, "type");
  if (found == "refused")
    throw InputError(printable_text(json_field<std::string>(message, "error").substr(0, 300)));
  if (found != type) refuse("type", type, found.substr(0, 40));
}

void expect_version(const Json& message) {
  const auto version = message.value("version", Json());
  if (version != slab_protocol_version)
    refuse("version", std::to_string(slab_protocol_version), shown_json(version));
}

std::string session_hex(std::uint64_t session) { return fmt::format("{:016x}", session); }

std::uint64_t session_of(const Json& message) {
  const auto text = json_field<std::string>(message, "session");
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse("session", "16 hexadecimal digits", text.substr(0, 40));
  return std::stoull(text, nullptr, 16);
}

/// The fields of a hello as its tag covers them.
std::string words_of(const SlabHello& hello) {
  return fmt::format("{} {} {} {} {} {} {} {}", hello.nonce,
                     transports[static_cast<std::size_t>(hello.transport)], hello.stripes,
                     hello.packet_bytes, hello.receive_buffer_bytes, hello.udp_port,
                     hello.stripe_port, seals[static_cast<std::size_t>(hello.seal)]);
}

std::string words_of(const SlabHandshake::Stripe& stripe) {
  return fmt::format("{} {} {}", session_hex(stripe.session), stripe.index, stripe.rate_bytes_s);
}

std::string words_of(const SlabHandshake::Joined& joined) {
  return fmt::format("{} {} {}", joined.window_bytes, joined.wanted_window_bytes,
                     joined.congestion_control);
}

}  // namespace

std::string text_of(const Json& message) { return json_text(message); }

Json challenge_message(const SlabChallenge& challenge) {
  return {{"type", "challenge"},
          {"version", slab_protocol_version},
          {"nonce", challenge.nonce},
          {"keyed", challenge.keyed},
          {"provides", challenge.provides}};
}

SlabChallenge parse_challenge(const Json& message) {
  expect_type(message, "challenge");
  expect_version(message);
  SlabChallenge challenge{nonce_of(message), json_field<bool>(message, "keyed"),
                          json_field<std::string>(message, "provides")};
  if (challenge.provides.size() > longest_provides_bytes)
    refuse("provides", fmt::format("at most {} bytes", longest_provides_bytes),
           std::to_string(challenge.provides.size()));
  return challenge;
}

Json parse_answer(const Json& message) {
  expect_type(message, "answer");
  return json_field<Json>(message, "answer");
}

void check_ports(const SlabHello& hello, bool server_connected) {
  const auto check = [](const char* field, bool is_needed, std::uint16_t port) {
    if (is_needed && port == 0) refuse(field, "1 to 65535, as this side connected", "0");
    if (!is_needed && port != 0) refuse(field, "0", std::to_string(port));
  };
  const bool is_udp = hello.transport == SlabTransport::udp;
  check("udp_port", server_connected && is_udp, hello.udp_port);
  check("stripe_port", server_connected && !is_udp, hello.stripe_port);
}

void check_provides(const std::string& provides) {
  if (provides.size() > longest_provides_bytes)
    throw InputError({"provides"}, "", fmt::format("at most {} bytes", longest_provides_bytes),
                     std::to_string(provides.size()));
  try {
    static_cast<void>(Json(provides).dump());
  } catch (const Json::exception&) {
    throw InputError({"provides"}, "", "UTF-8 text", "other bytes");
  }
}

Json told_message(const Json& message) { return {{"type", "told"}, {"message", message}}; }

bool is_told(const Json& message) {
  const auto type = message.find("type");  // the end where it is no object
  return type != message.end() && *type == "told";
}

Json parse_told(const Json& message) {
  auto told = json_field<Json>(message, "message");
  if (!told.is_object()) refuse("message", "a JSON object", shown_json(told));
  return told;
}

SlabHandshake::SlabHandshake(const std::optional<AuthKey>& key, std::string server_nonce,
                             const std::string& provides)
    : key_(key),
      server_nonce_(std::move(server_nonce)),
      // The length tells where the text ends, which may contain anything.
      challenge_(fmt::format("{} {} {}", server_nonce_, provides.size(), provides)) {}

std::string SlabHandshake::tag(const std::string& text) const {
  return key_ ? to_hex(key_->tag(std::as_bytes(std::span(text)))) : "";
}

void SlabHandshake::check_tag(const std::string& text, const Json& message) const {
  if (!key_) return;
  const auto tag =
      tag_from_hex(message.contains("tag") ? json_field<std::string>(message, "tag") : "");
  if (!tag || !key_->matches(std::as_bytes(std::span(text)), *tag))
    refuse("tag", "the wall's key", message.value("tag", "") == "" ? "no key" : "another");
}

Json SlabHandshake::hello(const SlabHello& hello) const {
  return {{"type", "hello"},
          {"version", slab_protocol_version},
          {"nonce", hello.nonce},
          {"transport", transports[static_cast<std::size_t>(hello.transport)]},
          {"stripes", hello.stripes},
          {"packet_bytes", hello.packet_bytes},
          {"receive_buffer_bytes", hello.receive_buffer_bytes},
          {"udp_port", hello.udp_port},
          {"stripe_port", hello.stripe_port},
          {"seal", seals[static_cast<std::size_t>(hello.seal)]},
          {"tag", tag("tilewall slab hello " + challenge_ + " " + words_of(hello))}};
}

SlabHello SlabHandshake::parse_hello(const Json& message) const {
  expect_type(message, "hello");
  expect_version(message);
  SlabHello hello;
  hello.nonce = nonce_of(message);
  hello.transport = json_enum<SlabTransport>(message, "transport", transports);
  hello.stripes = static_cast<int>(bounded(message, "stripes", 1, most_stripes));
  hello.packet_bytes = static_cast<std::uint32_t>(bounded(message, "packet_bytes",
                                                          packet_head_bytes + smallest_piece_bytes,
                                                          packet_head_bytes + largest_piece_bytes));
  hello.receive_buffer_bytes = bounded(message, "receive_buffer_bytes", 0, std::uint64_t{1} << 40);
  hello.udp_port = static_cast<std::uint16_t>(bounded(message, "udp_port", 0, 65'535));
  hello.stripe_port = static_cast<std::uint16_t>(bounded(message, "stripe_port", 0, 65'535));
  hello.seal = json_enum<SealKind>(message, "seal", seals);
  check_tag("tilewall slab hello " + challenge_ + " " + words_of(hello), message);
  if (key_ && hello.seal == SealKind::checksum) refuse("seal", "tag or encrypted", "checksum");
  if (!key_ && hello.seal != SealKind::checksum)
    refuse("seal", "checksum: this server has no key", "another");
  return hello;
}

Json SlabHandshake::welcome(const SlabHello& hello, std::uint64_t session) const {
  const std::string name = session_hex(session);
  return {{"type", "welcome"},
          {"session", name},
          {"tag", tag("tilewall slab welcome " + challenge_ + " " + words_of(hello) + " " + name)}};
}

std::uint64_t SlabHandshake::parse_welcome(const SlabHello& hello, const Json& message) const {
  expect_type(message, "welcome");
  const std::uint64_t session = session_of(message);
  check_tag(
      "tilewall slab welcome " + challenge_ + " " + words_of(hello) + " " + session_hex(session),
      message);
  return session;
}

Json SlabHandshake::stripe(const Stripe& stripe) const {
  return {{"type", "stripe"},
          {"session", session_hex(stripe.session)},
          {"index", stripe.index},
          {"rate_bytes_s", stripe.rate_bytes_s},
          {"tag", tag("tilewall slab stripe " + challenge_ + " " + words_of(stripe))}};
}

SlabHandshake::Stripe SlabHandshake::parse_stripe(const Json& message) const {
  expect_type(message, "stripe");
  const Stripe stripe{session_of(message),
                      static_cast<int>(bounded(message, "index", 0, most_stripes - 1)),
                      bounded(message, "rate_bytes_s", 0, fastest_bytes_s)};
  check_tag("tilewall slab stripe " + challenge_ + " " + words_of(stripe), message);
  return stripe;
}

Json SlabHandshake::joined(const Stripe& stripe, const Joined& joined) const {
  return {{"type", "joined"},
          {"window_bytes", joined.window_bytes},
          {"wanted_window_bytes", joined.wanted_window_bytes},
          {"congestion_control", joined.congestion_control},
          {"tag", tag("tilewall slab joined " + challenge_ + " " + words_of(stripe) + " " +
                      words_of(joined))}};
}

SlabHandshake::Joined SlabHandshake::parse_joined(const Stripe& stripe, const Json& message) const {
  expect_type(message, "joined");
  Joined joined{bounded(message, "window_bytes", 0, longest_window_bytes),
                bounded(message, "wanted_window_bytes", 0, longest_window_bytes),
                json_field<std::string>(message, "congestion_control")};
  if (joined.congestion_control.size() > longest_algorithm_name)
    refuse("congestion_control", fmt::format("up to {} characters", longest_algorithm_name),
           joined.congestion_control.substr(0, 40));
  check_tag("tilewall slab joined " + challenge_ + " " + words_of(stripe) + " " + words_of(joined),
            message);
  return joined;
}

SessionKeys SlabHandshake::keys(const SlabHello& hello) const {
  if (!key_) return {};
  return derive_session_keys(*key_, std::as_bytes(std::span(server_nonce_)),
                             std::as_bytes(std::span(hello.nonce)));
}

}  // namespace tilewall::net
