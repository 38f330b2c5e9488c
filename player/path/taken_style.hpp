// The style words that a key needs to keep its look where the key before it is removed.
#pragma once

#include <vector>

#include "player/path/path_file.hpp"

namespace tilewall::path {

/// The words of `removed` that the key `next` behind it has to take over. A word may set other
/// fields, too: a range sets window and level, an isosurface's value its shift and the mode, a
/// preset of annotations the annotations, and a transfer function's file may set scale, lit and
/// light. Reads the files of transfer functions; one that cannot be read counts as one without such
/// fields.
[[nodiscard]] std::vector<StyleWord> taken_words(const std::vector<StyleWord>& removed,
                                                 const std::vector<StyleWord>& next);

}  // namespace tilewall::path
