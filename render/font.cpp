#include "render/font.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_STROKER_H

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"

namespace tilewall::render {

std::span<const std::byte> font_bytes() noexcept;  // font_data.cpp

namespace {

constexpr double units_per_px = 64;  // of FreeType's lengths
constexpr std::size_t most_kept_bytes = std::size_t{16} << 20;
constexpr double smallest_letter_px = 1;
constexpr double largest_letter_px = 2048;

int units_of(double px) { return static_cast<int>(std::lround(px * units_per_px)); }

}  // namespace

struct Font::Library {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  FT_Stroker stroker = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (stroker != nullptr) FT_Stroker_Done(stroker);
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
};

Font::Font(std::span<const std::byte> bytes, const std::string& file)
    : library_(std::make_shared<Library>()) {
  const auto refuse = [&](const std::string& found) {
    throw InputError({file}, "font", "a scalable font that FreeType reads", found);
  };
  if (FT_Init_FreeType(&library_->library) != 0 ||
      FT_Stroker_New(library_->library, &library_->stroker) != 0)
    refuse("no memory for FreeType");
  const FT_Error error =
      FT_New_Memory_Face(library_->library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                         static_cast<FT_Long>(bytes.size()), 0, &library_->face);
  if (error != 0)
    refuse("FreeType's error " + std::to_string(error) + " in " + std::to_string(bytes.size()) +
           " bytes");
  const FT_Face face = library_->face;
  if (FT_IS_SCALABLE(face) == 0) refuse("a font of bitmaps");
  const FT_UInt capital = FT_Get_Char_Index(face, 'H');
  if (capital == 0 || FT_Load_Glyph(face, capital, FT_LOAD_NO_SCALE) != 0 ||
      face->glyph->metrics.horiBearingY <= 0)
    refuse("one without the letter H");
  letter_share_ =
      static_cast<double>(face->glyph->metrics.horiBearingY) / std::max<int>(face->units_per_EM, 1);
}

Glyph Font::drawn(const Key& key) const {
  const auto& [letter, letter_units, rim_units] = key;
  const FT_Face face = library_->face;
  Glyph glyph;
  const auto em_units = static_cast<FT_F26Dot6>(std::lround(letter_units / letter_share_));
  if (FT_Set_Char_Size(face, 0, em_units, 72, 72) != 0 ||
      FT_Load_Glyph(face, FT_Get_Char_Index(face, letter),
                    FT_LOAD_NO_BITMAP | FT_LOAD_TARGET_LIGHT) != 0)
    return glyph;
  glyph.advance_px = static_cast<int>(face->glyph->advance.x / 64);  // whole, as it is hinted
  FT_Glyph shape = nullptr;
  if (FT_Get_Glyph(face->glyph, &shape) != 0) return glyph;
  if (rim_units > 0) {
    FT_Stroker_Set(library_->stroker, rim_units, FT_STROKER_LINECAP_ROUND,
                   FT_STROKER_LINEJOIN_ROUND, 0);
    FT_Glyph_StrokeBorder(&shape, library_->stroker, 0, 1);
  }
  if (FT_Glyph_To_Bitmap(&shape, FT_RENDER_MODE_NORMAL, nullptr, 1) == 0) {
    const auto* const drawn = reinterpret_cast<FT_BitmapGlyph>(shape);
    const FT_Bitmap& bitmap = drawn->bitmap;
    glyph.left_px = drawn->left;
    glyph.rise_px = drawn->top;
    glyph.width_px = static_cast<int>(bitmap.width);
    glyph.height_px = static_cast<int>(bitmap.rows);
    glyph.coverage.reserve(std::size_t{bitmap.width} * bitmap.rows);
    for (unsigned row = 0; row < bitmap.rows; ++row) {
      const unsigned char* const from =
          bitmap.buffer +
          static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(bitmap.pitch);
      glyph.coverage.insert(glyph.coverage.end(), from, from + bitmap.width);
    }
  }
  FT_Done_Glyph(shape);
  return glyph;
}

const Glyph& Font::glyph(char32_t letter, double letter_px, double rim_px) {
  const Key key{letter, units_of(std::clamp(letter_px, smallest_letter_px, largest_letter_px)),
                units_of(std::clamp(rim_px, 0.0, largest_letter_px))};
  if (const auto found = glyphs_.find(key); found != glyphs_.end()) return found->second;
  Glyph made = drawn(key);
  const std::size_t bytes = sizeof(Glyph) + made.coverage.size();
  if (glyph_bytes_ + bytes > most_kept_bytes) {
    glyphs_.clear();
    glyph_bytes_ = 0;
  }
  glyph_bytes_ += bytes;
  return glyphs_.emplace(key, std::move(made)).first->second;
}

Font& own_font() {
  thread_local Font font(font_bytes(), TILEWALL_FONT_FILE);
  return font;
}

}  // namespace tilewall::render
