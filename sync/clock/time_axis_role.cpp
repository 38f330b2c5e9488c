#include "sync/clock/time_axis_role.hpp"

namespace tilewall::sync {

TimeAxisRole::TimeAxisRole(std::uint64_t own_boot_id, Nanos own_utc_minus_global, bool follows,
                           LocalInstant start)
    : own_boot_id_(own_boot_id),
      own_utc_minus_global_(own_utc_minus_global),
      start_(start),
      role_(follows ? Role::waiting : Role::begins) {}

DaemonWord TimeAxisRole::word(const ClockStatus& other, LocalInstant now) noexcept {
  if (role_ == Role::waiting) role_ = decide(other, now);
  switch (role_) {
    case Role::begins:
      return {own_boot_id_, own_boot_id_, {}, own_utc_minus_global_};
    case Role::carries:
      return {own_boot_id_, other.axis_boot_id, other.mapping, other.utc_minus_global};
    case Role::waiting:
      break;
  }
  return {own_boot_id_, 0, {}, own_utc_minus_global_};
}

TimeAxisRole::Role TimeAxisRole::decide(const ClockStatus& other, LocalInstant now) const noexcept {
  // The other daemon carries on our axis.
  if (other.axis_boot_id == own_boot_id_) return Role::begins;
  if (other.axis_boot_id != 0) return Role::carries;
  const bool is_heard = other.daemon_boot_id != 0;
  if (is_heard && own_boot_id_ <= other.daemon_boot_id) return Role::begins;
  return !is_heard && now - start_ >= begin_after ? Role::begins : Role::waiting;
}

}  // namespace tilewall::sync
