// Glyphs of the one font of everything that is written into pictures, as coverage of pixels.
//
// The font is DejaVu Sans of Debian's fonts-dejavu-core (or CMake's TILEWALL_FONT). It is compiled
// into the programs, so a host of the wall needs no font package, and all hosts draw the same
// pixels.
//
// Threads: a Font has one owner. own_font() is a font for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tilewall::render {

/// A glyph in the pixels of a size, relative to a pen on the baseline.
struct Glyph {
  int left_px = 0;  ///< From the pen to the bitmap's first column
  int rise_px = 0;  ///< From the baseline up to the bitmap's first row
  int width_px = 0;
  int height_px = 0;
  int advance_px = 0;                  ///< From this pen to the next glyph's
  std::vector<std::uint8_t> coverage;  ///< Rows of width_px; 255: the pixel is covered
};

class Font {
 public:
  /// Reads a font file, whose bytes outlive this object. Throws InputError naming `file` where
  /// FreeType does not read it as a scalable font.
  Font(std::span<const std::byte> bytes, const std::string& file);

  /// Glyph of a Unicode letter, whose capitals are `letter_px` high, widened by `rim_px` to all
  /// sides. A letter that the font does not have is a box. Drawn once and kept, in 16 MiB at most;
  /// valid until the next call.
  [[nodiscard]] const Glyph& glyph(char32_t letter, double letter_px, double rim_px = 0);

 private:
  struct Library;  // of FreeType, with the face
  using Key = std::tuple<char32_t, int, int>;

  [[nodiscard]] Glyph drawn(const Key& key) const;

  std::shared_ptr<Library> library_;
  double letter_share_ = 0;  // of the em: the height of a capital
  std::map<Key, Glyph> glyphs_;
  std::size_t glyph_bytes_ = 0;
};

/// The calling thread's copy of the font of all programs.
[[nodiscard]] Font& own_font();

}  // namespace tilewall::render
