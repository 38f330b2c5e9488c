#include "sync/base/nearest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tilewall {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> cost((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return cost[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = std::numeric_limits<int>::max();
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view near_word(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 64;  // the cost grows with the product of both lengths
  constexpr std::size_t shortest_beginning = 2;
  if (word.empty() || word.size() > longest) return "";
  const std::string_view best = nearest_word(word, candidates);
  const int most = std::max(1, static_cast<int>(word.size() + 1) / 3);
  if (!best.empty() && edit_distance(word, best) <= most) return best;
  if (word.size() < shortest_beginning) return "";
  const auto begins = [&](std::string_view candidate) { return candidate.starts_with(word); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), begins);
  return found == candidates.end() ? "" : *found;
}

}  // namespace tilewall
