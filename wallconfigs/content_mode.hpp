// How a picture is laid on screens that do not stand in one plane.
#pragma once

#include <optional>
#include <string_view>

namespace tilewall::wall {

/// arc_length: along the screens, as if the wall were unrolled; nothing is stretched. eye: as a
/// flat picture plane looks from one point; straight lines look straight from there. flat: as seen
/// from far away in front. On a wall in one plane all three are the same.
enum class ContentMode { arc_length, eye, flat };

inline constexpr ContentMode content_modes[] = {ContentMode::arc_length, ContentMode::eye,
                                                ContentMode::flat};

inline constexpr std::string_view content_mode_names[] = {"arc_length", "eye", "flat"};
[[nodiscard]] std::string_view to_string(ContentMode mode) noexcept;

/// The mode of that name; empty for any other text.
[[nodiscard]] std::optional<ContentMode> parse_content_mode(std::string_view text) noexcept;

}  // namespace tilewall::wall
