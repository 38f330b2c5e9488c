#include "net/source/field_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

void expect_name(std::string_view name) {
  if (const std::string fault = fault_of_live_name(name, "field"); !fault.empty())
    throw InputError(fault);
}

}  // namespace

void FieldTable::set_units(const std::string& name, const std::string& units) {
  expect_name(name);
  if (units.size() > longest_live_units)
    throw InputError(fmt::format("units of field {}: expected {} bytes at most, found {}", name,
                                 longest_live_units, units.size()));
  const auto known = std::ranges::find(fields_, name, &LiveField::name);
  if (known != fields_.end() && known->units != units)
    throw InputError(
        fmt::format("units of field {}: expected them before its first put, found later", name));
  if (!units_.contains(name) && units_.size() >= most_live_fields)
    throw InputError(fmt::format("field {}: expected 64 fields at most, found one more", name));
  units_[name] = units;
}

std::uint16_t FieldTable::put(std::string_view name, PutType type) {
  const auto known = std::ranges::find(fields_, name, &LiveField::name);
  const auto place = static_cast<std::size_t>(known - fields_.begin());
  if (known != fields_.end()) {
    if (types_[place] != type)
      throw InputError(fmt::format("field {}: expected {} as at its first put, found {}", name,
                                   put_type_names[static_cast<std::size_t>(types_[place])],
                                   put_type_names[static_cast<std::size_t>(type)]));
    return static_cast<std::uint16_t>(place);
  }
  expect_name(name);
  if (fields_.size() >= most_live_fields)
    throw InputError(fmt::format("field {}: expected 64 fields at most, found one more", name));
  const auto units = units_.find(std::string(name));
  fields_.push_back(
      {std::string(name), sent_type(type), units == units_.end() ? "" : units->second});
  types_.push_back(type);
  return static_cast<std::uint16_t>(place);
}

std::uint32_t FieldTable::f64_fields() const noexcept {
  return static_cast<std::uint32_t>(std::ranges::count(types_, PutType::f64));
}

}  // namespace tilewall::net
