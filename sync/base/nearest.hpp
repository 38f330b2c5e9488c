// The nearest known word to one that a user mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilewall {

/// Number of single-character insertions, deletions, replacements and neighbour swaps between them
/// (optimal string alignment distance).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance; "" when there are no candidates.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> candidates);

/// The candidate that `word` may be a misspelling or the beginning of: at most a third of its
/// letters differ. "" when no candidate is that near.
[[nodiscard]] std::string_view near_word(std::string_view word,
                                         std::span<const std::string_view> candidates);

}  // namespace tilewall
