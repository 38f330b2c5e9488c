#include "player/panel/pattern_source.hpp"

#include <cstring>
#include <vector>

#include "render/pattern.hpp"
#include "sync/base/host_name.hpp"

namespace tilewall {
namespace {

class PatternSource final : public PictureSource {
 public:
  PatternSource(const Pattern& pattern, PatternInfo info, SizePx canvas_px)
      : pattern_(pattern), info_(std::move(info)), canvas_px_(canvas_px) {}

  [[nodiscard]] SizePx size_px() const noexcept override { return canvas_px_; }

  /// A pattern is made for the panel itself: it needs no placement.
  DrawStatus draw(std::int64_t frame, const Placement&, const ImageView& picture,
                  const ImageView*) override {
    info_.frame = frame;
    if (pattern_.moves)
      pattern_.paint(info_, picture);
    else
      copy_still(picture);
    return DrawStatus::whole;
  }

  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }

 private:
  /// Painted once: some patterns take a second for a large panel. @pre always of one size
  void copy_still(const ImageView& picture) {
    const std::size_t row_bytes = static_cast<std::size_t>(picture.size_px.width) * 4;
    if (still_.empty()) {
      still_.resize(row_bytes * static_cast<std::size_t>(picture.size_px.height));
      pattern_.paint(info_, {still_.data(), picture.size_px, row_bytes});
    }
    for (int y = 0; y < picture.size_px.height; ++y)
      std::memcpy(picture.row(y), still_.data() + static_cast<std::size_t>(y) * row_bytes,
                  row_bytes);
  }

  const Pattern& pattern_;
  PatternInfo info_;
  const SizePx canvas_px_;
  std::vector<std::uint8_t> still_;  // empty until the first picture of a pattern that stands still
  DrawCounters counters_;
};

}  // namespace

std::unique_ptr<PictureSource> open_pattern(const std::string& name, const PanelConfig& config,
                                            const FlatView& view) {
  PatternInfo info;
  info.canvas_px = view.canvas_px;
  info.panel_on_canvas_px = view.drawn.canvas_px;
  info.panel = config.name;
  info.host = config.host.empty() ? host_name() : config.host;
  info.column = config.column;
  info.row = config.row;
  info.lit_width_mm = config.lit_mm.width;
  info.lit_height_mm = config.lit_mm.height;
  return std::make_unique<PatternSource>(find_pattern(name), info, info.canvas_px);
}

}  // namespace tilewall
