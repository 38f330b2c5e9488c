#include "wallconfigs/content_mode.hpp"

namespace tilewall::wall {

std::string_view to_string(ContentMode mode) noexcept {
  return content_mode_names[static_cast<std::size_t>(mode)];
}

std::optional<ContentMode> parse_content_mode(std::string_view text) noexcept {
  for (const ContentMode mode : content_modes)
    if (to_string(mode) == text) return mode;
  return std::nullopt;
}

}  // namespace tilewall::wall
