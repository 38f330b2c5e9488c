#include "wallconfigs/content_mode.hpp"

namespace tilewall {

std::string_view to_string(ContentMode mode) noexcept {
  switch (mode) {
    case ContentMode::arc_length:
      return "arc_length";
    case ContentMode::eye:
      return "eye";
    case ContentMode::flat:
      return "flat";
  }
  return "";
}

std::optional<ContentMode> parse_content_mode(std::string_view text) noexcept {
  for (const ContentMode mode : content_modes)
    if (to_string(mode) == text) return mode;
  return std::nullopt;
}

}  // namespace tilewall
