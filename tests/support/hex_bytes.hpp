// Bytes as golden tests write them down.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tilewall::test {

/// "0aff": two lower-case digits a byte.
inline std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace tilewall::test
