#include "render/transfer/named_transfers.hpp"

#include <cstdint>
#include <span>

#include "render/transfer/colour_space.hpp"
#include "render/transfer/transfer_curves.hpp"

namespace tilewall::render {
namespace {

// Colours as 0xrrggbb, evenly spaced: every fifth entry of matplotlib's tables of 256, which are
// CC0 (S. van der Walt, N. Smith, E. Firing, 2015). Straight lines between them stay within 0.009.
constexpr std::uint32_t viridis[] = {
    0x440154, 0x46085c, 0x471063, 0x481769, 0x481d6f, 0x482475, 0x472a7a, 0x46307e, 0x453781,
    0x433d84, 0x414287, 0x3f4889, 0x3d4e8a, 0x3a538b, 0x38598c, 0x355e8d, 0x33638d, 0x31688e,
    0x2e6d8e, 0x2c718e, 0x2a768e, 0x297b8e, 0x27808e, 0x25848e, 0x23898e, 0x218e8d, 0x20928c,
    0x1f978b, 0x1e9c89, 0x1fa188, 0x21a585, 0x24aa83, 0x28ae80, 0x2eb37c, 0x35b779, 0x3dbc74,
    0x46c06f, 0x50c46a, 0x5ac864, 0x65cb5e, 0x70cf57, 0x7cd250, 0x89d548, 0x95d840, 0xa2da37,
    0xb0dd2f, 0xbddf26, 0xcae11f, 0xd8e219, 0xe5e419, 0xf1e51d, 0xfde725};
constexpr std::uint32_t plasma[] = {
    0x0d0887, 0x1b068d, 0x260591, 0x2f0596, 0x38049a, 0x41049d, 0x4903a0, 0x5102a3, 0x5901a5,
    0x6100a7, 0x6900a8, 0x7100a8, 0x7801a8, 0x8004a8, 0x8707a6, 0x8e0ca4, 0x9511a1, 0x9c179e,
    0xa21d9a, 0xa82296, 0xae2892, 0xb42e8d, 0xba3388, 0xbf3984, 0xc43e7f, 0xc9447a, 0xcd4a76,
    0xd24f71, 0xd6556d, 0xda5b69, 0xde6164, 0xe26660, 0xe66c5c, 0xe97257, 0xed7953, 0xf07f4f,
    0xf3854b, 0xf58c46, 0xf79342, 0xf99a3e, 0xfba139, 0xfca835, 0xfdaf31, 0xfeb72d, 0xfebe2a,
    0xfdc627, 0xfcce25, 0xfbd724, 0xf8df25, 0xf6e826, 0xf3f027, 0xf0f921};
constexpr std::uint32_t inferno[] = {
    0x000004, 0x02020c, 0x050417, 0x0a0722, 0x10092d, 0x160b39, 0x1e0c45, 0x260c51, 0x2f0a5b,
    0x380962, 0x400a67, 0x490b6a, 0x510e6c, 0x59106e, 0x61136e, 0x69166e, 0x71196e, 0x781c6d,
    0x801f6c, 0x88226a, 0x902568, 0x982766, 0xa02a63, 0xa82e5f, 0xb0315b, 0xb73557, 0xbf3952,
    0xc63d4d, 0xcc4248, 0xd34743, 0xd94d3d, 0xdf5337, 0xe45a31, 0xe9612b, 0xed6925, 0xf1711f,
    0xf47918, 0xf78212, 0xf98b0b, 0xfa9407, 0xfb9d07, 0xfca60c, 0xfcb014, 0xfbba1f, 0xfac42a,
    0xf8cd37, 0xf6d746, 0xf4e156, 0xf2ea69, 0xf2f27d, 0xf5f992, 0xfcffa4};
constexpr std::uint32_t magma[] = {
    0x000004, 0x02020b, 0x050416, 0x090720, 0x0e0b2b, 0x140e36, 0x1a1042, 0x21114e, 0x29115a,
    0x311165, 0x390f6e, 0x420f75, 0x4a1079, 0x52137c, 0x5a167e, 0x621980, 0x6a1c81, 0x721f81,
    0x792282, 0x812581, 0x892881, 0x912b81, 0x992d80, 0xa1307e, 0xaa337d, 0xb2357b, 0xba3878,
    0xc23b75, 0xca3e72, 0xd2426f, 0xd9466b, 0xe04c67, 0xe75263, 0xec5860, 0xf1605d, 0xf4695c,
    0xf7725c, 0xf97b5d, 0xfb8560, 0xfc8e64, 0xfd9869, 0xfea16e, 0xfeaa74, 0xfeb47b, 0xfebd82,
    0xfec68a, 0xfecf92, 0xfed89a, 0xfde2a3, 0xfdebac, 0xfcf4b6, 0xfcfdbf};

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

}  // namespace

std::span<const std::string_view> transfer_names() noexcept {
  static constexpr std::string_view names[] = {"default", "gray",  "viridis", "plasma",
                                               "inferno", "magma", "coolwarm"};
  return names;
}

std::optional<TransferSpec> named_transfer(std::string_view name) {
  std::vector<TransferPoint> colours;
  if (name == "gray") colours = {{0, {0, 0, 0, 1}}, {1, {1, 1, 1, 1}}};
  if (name == "viridis" || name == "default") colours = colours_of(viridis);
  if (name == "plasma") colours = colours_of(plasma);
  if (name == "inferno") colours = colours_of(inferno);
  if (name == "magma") colours = colours_of(magma);
  if (name == "coolwarm") colours = coolwarm();
  if (colours.empty()) return std::nullopt;
  TransferSpec spec;
  spec.name = name;
  spec.points = joined(colours, default_opacity(0, 1));
  return spec;
}

}  // namespace tilewall::render
