#include "render/count_code.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "render/paint.hpp"

namespace tilewall {
namespace {

constexpr int code_columns = 8;
constexpr int code_rows = 6;
constexpr int min_code_contrast = 40;

using CodeRows = std::array<std::uint8_t, code_rows>;  // bit 7 is the leftmost block

constexpr std::uint8_t sync_row = 0b10101010;

std::uint8_t crc8(std::uint32_t number) noexcept {
  std::uint8_t crc = 0xff;  // so that black all over is no code
  for (int bit = 31; bit >= 0; --bit) {
    const bool carry = ((crc >> 7) ^ (number >> bit & 1)) != 0;
    crc = static_cast<std::uint8_t>(crc << 1 ^ (carry ? 0x07 : 0));  // x^8 + x^2 + x + 1
  }
  return crc;
}

CodeRows code_of(std::uint32_t number) noexcept {
  return {sync_row,
          static_cast<std::uint8_t>(number >> 24),
          static_cast<std::uint8_t>(number >> 16),
          static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number),
          crc8(number)};
}

/// Where the code's blocks lie in a picture; fractions of its size.
RectF code_place(SizePx size) noexcept {
  return {size.width * 0.08, size.height * 0.22, size.width * 0.40, size.height * 0.60};
}

/// The place of block (column, row), shrunk about its centre to `share` of its width and height.
RectPx block_place(const RectF& code, int column, int row, double share) noexcept {
  const double width = code.width / code_columns;
  const double height = code.height / code_rows;
  const double left = code.x + (column + (1 - share) / 2) * width;
  const double top = code.y + (row + (1 - share) / 2) * height;
  const int x = static_cast<int>(std::lround(left));
  const int y = static_cast<int>(std::lround(top));
  return {x, y, static_cast<int>(std::lround(left + share * width)) - x,
          static_cast<int>(std::lround(top + share * height)) - y};
}

/// Mean of red, green and blue in the inner half of a block.
int block_level(const ImageView& picture, const RectF& code, int column, int row) noexcept {
  const RectPx place = block_place(code, column, row, 0.5);
  std::int64_t sum = 0;
  for (int y = place.y; y < place.bottom(); ++y) {
    for (int x = place.x; x < place.right(); ++x) {
      const std::uint8_t* pixel = picture.pixel(x, y);
      sum += pixel[0] + pixel[1] + pixel[2];
    }
  }
  const std::int64_t samples = std::int64_t{3} * place.width * place.height;
  return samples == 0 ? 0 : static_cast<int>(sum / samples);
}

/// Half way between the sync row's white and black; empty where they do not differ enough.
std::optional<int> threshold_of(const ImageView& picture, const RectF& code) noexcept {
  int white_sum = 0;
  int black_sum = 0;
  for (int column = 0; column < code_columns; column += 2) {
    white_sum += block_level(picture, code, column, 0);
    black_sum += block_level(picture, code, column + 1, 0);
  }
  const int pairs = code_columns / 2;
  if (white_sum - black_sum < min_code_contrast * pairs) return std::nullopt;
  return (white_sum + black_sum) / (2 * pairs);
}

}  // namespace

void paint_count_code(std::int64_t number, const ImageView& picture) noexcept {
  const RectF code = code_place(picture.size_px);
  const RectPx around = {static_cast<int>(code.x - code.width / 32),
                         static_cast<int>(code.y - code.width / 32),
                         static_cast<int>(code.width * 17 / 16) + 1,
                         static_cast<int>(code.height + code.width / 16) + 1};
  fill(picture, around, white);
  const CodeRows rows = code_of(static_cast<std::uint32_t>(number));
  for (int row = 0; row < code_rows; ++row) {
    for (int column = 0; column < code_columns; ++column) {
      const bool set = (rows[static_cast<std::size_t>(row)] >> (7 - column) & 1) != 0;
      fill(picture, block_place(code, column, row, 1), set ? white : black);
    }
  }
}

std::optional<std::int64_t> read_count_code(const ImageView& picture) noexcept {
  const RectF code = code_place(picture.size_px);
  const std::optional<int> threshold = threshold_of(picture, code);
  if (!threshold) return std::nullopt;
  CodeRows rows{};
  for (int row = 0; row < code_rows; ++row)
    for (int column = 0; column < code_columns; ++column)
      rows[static_cast<std::size_t>(row)] =
          static_cast<std::uint8_t>(rows[static_cast<std::size_t>(row)] << 1 |
                                    (block_level(picture, code, column, row) > *threshold ? 1 : 0));
  std::uint32_t number = 0;
  for (std::size_t row = 1; row <= 4; ++row) number = number << 8 | rows[row];
  if (rows != code_of(number)) return std::nullopt;
  return number;
}

}  // namespace tilewall
