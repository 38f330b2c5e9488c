// Tables of colours by name, with their authors and licences. Pure data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewall::render {

struct ColourTable {
  std::string_view name;
  std::span<const std::uint32_t> colours;  ///< 0xrrggbb, evenly spaced
};

[[nodiscard]] std::span<const ColourTable> colour_tables() noexcept;

}  // namespace tilewall::render
