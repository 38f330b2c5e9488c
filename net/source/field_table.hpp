// The fields of a rank: their names, types and units, in the order in which they were first put.
//
// Threads: no internal locking; guarded by its owner's mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "net/live/live_messages.hpp"

namespace tilewall::net {

/// Types of a simulation's values, as the interface in C numbers them.
enum class PutType : std::uint8_t { u8 = 0, u16 = 1, f32 = 2, f64 = 3 };
inline constexpr std::string_view put_type_names[] = {"u8", "u16", "f32", "f64"};

[[nodiscard]] constexpr std::size_t bytes_of(PutType type) noexcept {
  return std::size_t{1} << static_cast<unsigned>(type);
}
/// The type in which values are sent.
[[nodiscard]] constexpr LiveType sent_type(PutType type) noexcept {
  return type == PutType::f64 ? LiveType::f32 : static_cast<LiveType>(type);
}

class FieldTable {
 public:
  /// Notes the units of a field that is not put yet. Throws InputError for a wrong name, for more
  /// than 64 fields, units of more than 64 bytes, and a field that has other units already.
  void set_units(const std::string& name, const std::string& units);

  /// Returns the place of a field, which is new at its first put. Throws InputError for a wrong
  /// name, one field too many, and a type other than that of the first put.
  [[nodiscard]] std::uint16_t put(std::string_view name, PutType type);

  [[nodiscard]] const std::vector<LiveField>& fields() const noexcept { return fields_; }
  /// Number of fields that are given as f64.
  [[nodiscard]] std::uint32_t f64_fields() const noexcept;

 private:
  std::vector<LiveField> fields_;
  std::vector<PutType> types_;                // of fields_
  std::map<std::string, std::string> units_;  // by name; of fields to come, too
};

}  // namespace tilewall::net
