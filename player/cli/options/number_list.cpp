#include "player/cli/options/number_list.hpp"

#include <charconv>
#include <cmath>

namespace tilewall {

std::vector<double> parse_number_list(const std::string& text, double largest) {
  std::vector<double> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !(std::abs(value) <= largest)) return {};  // nor nan
    found.push_back(value);
    if (stop == end) return found;
    if (*stop != ',') return {};
    at = stop + 1;
  }
  return {};
}

}  // namespace tilewall
