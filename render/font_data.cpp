// The bytes of the font file, which the assembler includes: a compiler takes seconds for an array
// of 760 kB.

#include <cstddef>
#include <span>

extern "C" const std::byte tilewall_font_begin[];
extern "C" const std::byte tilewall_font_end[];

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global tilewall_font_begin\n"
    "tilewall_font_begin:\n"
    ".incbin \"" TILEWALL_FONT_FILE
    "\"\n"
    ".global tilewall_font_end\n"
    "tilewall_font_end:\n"
    ".popsection\n");

namespace tilewall::render {

std::span<const std::byte> font_bytes() noexcept {
  return {tilewall_font_begin, tilewall_font_end};
}

}  // namespace tilewall::render
