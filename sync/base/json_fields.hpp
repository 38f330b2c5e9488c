// Typed access to the fields of a JSON message from another process, which may lack them.
#pragma once

#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {

template <typename T>
concept JsonList = requires {
  typename T::value_type;
}
&&!std::same_as<T, std::string> && !std::same_as<T, nlohmann::json>;

/// Whether T can hold the value. nlohmann::json itself converts fractions and large numbers to
/// whole numbers without an error.
template <typename T>
[[nodiscard]] bool fits_type(const nlohmann::json& value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
    return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  } else if constexpr (JsonList<T>) {
    return std::all_of(value.begin(), value.end(), fits_type<typename T::value_type>);
  } else {
    return true;
  }
}

/// The field's value as T. Throws InputError naming the field when it is missing or of another
/// type.
template <typename T>
[[nodiscard]] T json_field(const nlohmann::json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  try {
    if (found != object.end() && fits_type<T>(*found)) return found->template get<T>();
  } catch (const nlohmann::json::exception&) {  // the field has another type
  }
  throw InputError({"message"}, field, "a value of its type",
                   found != object.end() ? shown_json(*found) : "none");
}

/// The field's value, or nothing where it is null. Throws as json_field() does.
template <typename T>
[[nodiscard]] std::optional<T> nullable_json_field(const nlohmann::json& object,
                                                   const char* field) {
  if (json_field<nlohmann::json>(object, field).is_null()) return std::nullopt;
  return json_field<T>(object, field);
}

/// The value, or null where there is none, for nullable_json_field().
template <typename T>
[[nodiscard]] nlohmann::json json_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// The line of an InputError about a message without its place "message: ", for those who know what
/// the message was made of.
[[nodiscard]] inline std::string_view without_message_place(std::string_view line) {
  constexpr std::string_view place = "message: ";
  if (line.starts_with(place)) line.remove_prefix(place.size());
  return line;
}

/// Throws InputError naming the field where `holds` is false.
inline void expect_field(bool holds, const char* field, const char* expected) {
  if (!holds) throw InputError({"message"}, field, expected, "another value");
}

/// A whole number in [least, most], for fields that are used in arithmetic without further checks.
/// Throws as json_field() does.
template <std::integral T>
[[nodiscard]] T json_number(const nlohmann::json& object, const char* field, T least, T most) {
  const T value = json_field<T>(object, field);
  if (value < least || value > most)
    throw InputError({"message"}, field,
                     "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                     std::to_string(value));
  return value;
}

/// The enumerator whose name the field holds; `names[i]` belongs to the enum's value i.
template <typename Enum, std::size_t count>
[[nodiscard]] Enum json_enum(const nlohmann::json& object, const char* field,
                             const std::string_view (&names)[count]) {
  const auto text = json_field<std::string>(object, field);
  std::string known;
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
    known.append(i == 0 ? "" : ", ").append(names[i]);
  }
  throw InputError({"message"}, field, known, shown_json(text));
}

}  // namespace tilewall
