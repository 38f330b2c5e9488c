// Ranges of whole numbers from 0 on as users type them: of frames, timesteps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewall {

/// The one syntax for all of them; both ends belong to the range.
inline constexpr std::string_view number_range_syntax = "A-B, A-, -B or N";

struct WholeNumberRange {
  std::optional<std::int64_t> first;  ///< empty: from the beginning
  std::optional<std::int64_t> last;   ///< empty: to the end
  bool operator==(const WholeNumberRange&) const = default;
};

/// Empty for another syntax, numbers beyond 64 bits, and a last number before the first one.
[[nodiscard]] std::optional<WholeNumberRange> parse_number_range(std::string_view text) noexcept;

}  // namespace tilewall
