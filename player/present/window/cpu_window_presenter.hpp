// The CPU presenter in a window: one copy into memory that the X server shares, and no GL at all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/correction/edge_mask.hpp"
#include "player/present/presenter.hpp"
#include "player/present/window/panel_window.hpp"

namespace tilewall::present {

class CpuWindowPresenter final : public Presenter {
 public:
  explicit CpuWindowPresenter(const PresenterOptions& options);

  [[nodiscard]] std::string name() const override { return "cpu"; }
  using Presenter::prepare;
  void prepare(const ImageView& picture, const Inset& inset) override;
  LocalInstant swap() override;
  [[nodiscard]] std::vector<OperatorInput> poll_input() override;
  [[nodiscard]] ImageView shown() override;

 private:
  enum class Surface { empty, prepared, shown };

  [[nodiscard]] SDL_Surface* window_surface();
  void convert_to(SDL_Surface* surface);

  const SizePx size_px_;
  const wall::Rotation rotation_;
  const std::optional<ColorTables> tables_;  ///< empty = colours as they are
  const EdgeMask edges_;
  SdlVideo video_;
  PanelWindow window_;
  Surface surface_state_ = Surface::empty;
  bool repaint_due_ = false;
  ImageView frame_buffer_;                ///< the window's surface, or `own_pixels_`
  std::vector<std::uint8_t> own_pixels_;  ///< only on displays of another depth or window size
};

}  // namespace tilewall::present
