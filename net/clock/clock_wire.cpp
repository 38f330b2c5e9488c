#include "net/clock/clock_wire.hpp"

#include <cmath>
#include <cstring>

#include "sync/saturating.hpp"

namespace tilewall::net {
namespace {

std::span<const std::byte> signed_part(const ClockMessage& message) noexcept {
  return std::as_bytes(std::span(&message, 1)).first(offsetof(ClockMessage, tag));
}

constexpr double ppt_per_ppb = 1e3;
constexpr std::int64_t most_rate_ppt = 1'000'000'000;

}  // namespace

ClockDecodeStatus decode(std::span<const std::byte> datagram, ClockMessage& out) noexcept {
  if (datagram.size() != sizeof(ClockMessage)) return ClockDecodeStatus::wrong_length;
  ClockMessage message;
  std::memcpy(&message, datagram.data(), sizeof message);
  if (message.magic != ClockMessage::magic_value) return ClockDecodeStatus::wrong_magic;
  if (message.version != ClockMessage::version_value) return ClockDecodeStatus::wrong_version;
  if (message.length_bytes != sizeof message) return ClockDecodeStatus::wrong_length;
  if (message.kind != ClockMessageKind::request && message.kind != ClockMessageKind::reply)
    return ClockDecodeStatus::wrong_kind;
  out = message;
  return ClockDecodeStatus::ok;
}

void put_word(ClockMessage& reply, const sync::DaemonWord& word) noexcept {
  reply.daemon_boot_id = word.boot_id;
  reply.utc_minus_global_ns = word.utc_minus_global.count();
  reply.axis_boot_id = word.axis_boot_id;
  if (word.axis_boot_id == 0 || word.axis_boot_id == word.boot_id) return;
  const LocalInstant sent{Nanos{reply.daemon_sent_ns}};
  const ClockMapping& to_axis = word.to_axis;
  reply.axis_minus_daemon_ns =
      sync::saturating_sub(to_axis.to_global(sent).since_epoch, sent.since_epoch).count();
  reply.axis_rate_ppt = std::llround(to_axis.rate_ppb * ppt_per_ppb);
  reply.axis_bound_ns = sync::saturating_add(to_axis.bound_at(sent), Nanos{1}).count();  // rounding
  reply.axis_bound_growth_ppt =
      static_cast<std::int64_t>(std::ceil(to_axis.bound_growth_ppb * ppt_per_ppb)) + 1;
}

std::optional<sync::DaemonWord> word_of(const ClockMessage& reply) noexcept {
  if (reply.daemon_boot_id == 0 || reply.axis_bound_ns < 0 || reply.axis_bound_growth_ppt < 0 ||
      reply.axis_bound_growth_ppt > most_rate_ppt || reply.axis_rate_ppt < -most_rate_ppt ||
      reply.axis_rate_ppt > most_rate_ppt)
    return std::nullopt;
  sync::DaemonWord word{
      reply.daemon_boot_id, reply.axis_boot_id, {}, Nanos{reply.utc_minus_global_ns}};
  if (word.axis_boot_id == 0 || word.axis_boot_id == word.boot_id) return word;
  word.to_axis.anchor_local = {Nanos{reply.daemon_sent_ns}};
  word.to_axis.anchor_global = {
      sync::saturating_add(Nanos{reply.daemon_sent_ns}, Nanos{reply.axis_minus_daemon_ns})};
  word.to_axis.rate_ppb = static_cast<double>(reply.axis_rate_ppt) / ppt_per_ppb;
  word.to_axis.bound_at_anchor = Nanos{reply.axis_bound_ns};
  word.to_axis.bound_growth_ppb = static_cast<double>(reply.axis_bound_growth_ppt) / ppt_per_ppb;
  return word;
}

void sign(ClockMessage& message, const std::optional<AuthKey>& key) noexcept {
  message.tag = key ? key->tag(signed_part(message)) : AuthTag{};
}

bool is_authentic(const ClockMessage& message, const std::optional<AuthKey>& key) noexcept {
  return key ? key->matches(signed_part(message), message.tag) : message.tag == AuthTag{};
}

}  // namespace tilewall::net
