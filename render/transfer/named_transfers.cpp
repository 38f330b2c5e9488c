#include "render/transfer/named_transfers.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "render/transfer/colour_space.hpp"
#include "render/transfer/colour_tables.hpp"
#include "render/transfer/transfer_curves.hpp"

namespace tilewall::render {
namespace {

std::vector<TransferPoint> colours_of(std::span<const std::uint32_t> table) {
  std::vector<TransferPoint> colours;
  for (std::size_t i = 0; i < table.size(); ++i)
    colours.push_back(
        {static_cast<double>(i) / static_cast<double>(table.size() - 1), colour_of(table[i])});
  return colours;
}

/// Kenneth Moreland's map from its two ends (Diverging Color Maps for Scientific Visualization,
/// 2009).
std::vector<TransferPoint> coolwarm() {
  const Rgba cool = colour_of(0x3b4cc0);
  const Rgba warm = colour_of(0xb40426);
  std::vector<TransferPoint> colours = {{0, cool}};
  append_curve(
      colours, 1, [&](double part) { return mixed(ColourSpace::diverging, cool, warm, part); }, 64);
  return colours;
}

Rgba opaque(double r, double g, double b) {
  return {static_cast<float>(r), static_cast<float>(g), static_cast<float>(b), 1};
}

/// MATLAB's and matplotlib's, of three straight lines each.
std::vector<TransferPoint> jet() {
  return {{0, opaque(0, 0, 0.5)},   {0.125, opaque(0, 0, 1)}, {0.375, opaque(0, 1, 1)},
          {0.625, opaque(1, 1, 0)}, {0.875, opaque(1, 0, 0)}, {1, opaque(0.5, 0, 0)}};
}
std::vector<TransferPoint> hot() {
  return {{0, opaque(0.0416, 0, 0)},
          {0.365079, opaque(1, 0, 0)},
          {0.746032, opaque(1, 1, 0)},
          {1, opaque(1, 1, 1)}};
}

constexpr std::string_view reversed_suffix = "_r";

std::vector<TransferPoint> colours_named(std::string_view name) {
  if (name == "gray") return {{0, {0, 0, 0, 1}}, {1, {1, 1, 1, 1}}};
  if (name == "coolwarm") return coolwarm();
  if (name == "jet") return jet();
  if (name == "hot") return hot();
  for (const ColourTable& table : colour_tables())
    if (table.name == (name == "default" ? "viridis" : name)) return colours_of(table.colours);
  return {};
}

std::vector<std::string_view> all_names() {
  // Steps through the names begin with the first ones.
  std::vector<std::string_view> names = {"default",  "gray",  "viridis", "plasma",
                                         "inferno",  "magma", "turbo",   "cividis",
                                         "coolwarm", "jet",   "hot"};
  for (const ColourTable& table : colour_tables())
    if (std::find(names.begin(), names.end(), table.name) == names.end())
      names.push_back(table.name);
  return names;
}

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::span<const std::string_view> transfer_names() noexcept {
  static const std::vector<std::string_view> names = all_names();
  return names;
}

std::optional<TransferSpec> named_transfer(std::string_view name) {
  const bool is_reversed =
      name.size() > reversed_suffix.size() &&
      same_letters(name.substr(name.size() - reversed_suffix.size()), reversed_suffix);
  if (is_reversed) name.remove_suffix(reversed_suffix.size());
  const auto names = transfer_names();
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view known) {
    return same_letters(name, known);
  });
  if (found == names.end()) return std::nullopt;
  std::vector<TransferPoint> colours = colours_named(*found);
  if (is_reversed) {
    std::reverse(colours.begin(), colours.end());
    for (TransferPoint& point : colours) point.value = 1 - point.value;
  }
  TransferSpec spec;
  spec.name = *found;
  if (is_reversed) spec.name += reversed_suffix;
  spec.points = joined(colours, default_opacity(0, 1));
  spec.has_default_opacity = true;
  return spec;
}

}  // namespace tilewall::render
