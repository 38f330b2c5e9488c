#include "player/panel/pattern_source.hpp"

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
    pattern_.paint(info_, picture);
    return DrawStatus::whole;
  }

  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }

 private:
  const Pattern& pattern_;
  PatternInfo info_;
  const SizePx canvas_px_;
  DrawCounters counters_;
};

}  // namespace

std::unique_ptr<PictureSource> open_pattern(const std::string& name, const PanelConfig& config,
                                            BezelMode bezels) {
  const bool hide = bezels == BezelMode::hide;
  PatternInfo info;
  info.canvas_px = hide ? config.canvas_hide_size_px : config.canvas_show_size_px;
  info.panel_on_canvas_px = hide ? config.canvas_hide_px : config.canvas_show_px;
  info.panel = config.name;
  info.host = config.host.empty() ? host_name() : config.host;
  info.column = config.column;
  info.row = config.row;
  return std::make_unique<PatternSource>(find_pattern(name), info, info.canvas_px);
}

}  // namespace tilewall
