#include "sync/base/error.hpp"

namespace tilewall {
namespace {

std::string line_of(const InputPlace& place, std::string_view field, std::string_view expected,
                    std::string_view found) {
  std::string line = place.file;
  if (place.line > 0) line += ":" + std::to_string(place.line);
  if (!field.empty()) line.append(": ").append(field);
  line.append(": expected ").append(expected);
  if (!found.empty()) line.append(", found ").append(found);
  return line;
}

}  // namespace

InputError::InputError(const InputPlace& place, std::string_view field, std::string_view expected,
                       std::string_view found)
    : std::runtime_error(line_of(place, field, expected, found)) {}

}  // namespace tilewall
