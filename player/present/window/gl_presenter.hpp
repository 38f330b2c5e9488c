// The GL presenter: one texture upload and one draw a frame; rotation, colour match and edge
// blend in the shader (picture_pass.hpp).
//
// Uploads go straight from the picture: drivers stage it themselves, and a pixel buffer of our own
// would be one copy more (measured on llvmpipe; the picture does not lie in one to begin with).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "player/present/presenter.hpp"
#include "player/present/window/display_refresh.hpp"
#include "player/present/window/gl_context.hpp"
#include "player/present/window/panel_window.hpp"
#include "player/present/window/picture_pass.hpp"

namespace tilewall::present {

class GlPresenter final : public Presenter {
 public:
  explicit GlPresenter(const PresenterOptions& options);

  [[nodiscard]] std::string name() const override { return "gl"; }
  using Presenter::prepare;
  void prepare(const ImageView& picture, const Inset& inset) override;
  LocalInstant swap() override;  // NOLINT(bugprone-exception-escape): it exchanges no objects
  [[nodiscard]] LocalInstant swap_instant(LocalInstant due) override;
  [[nodiscard]] std::vector<OperatorInput> poll_input() override;
  [[nodiscard]] ImageView shown() override;

 private:
  [[nodiscard]] PicturePass::Target window_target() const;
  void flip();

  const SizePx size_px_;
  const SizePx viewed_size_px_;
  SdlVideo video_;
  PanelWindow window_;
  GlContext context_;
  DisplayRefresh refresh_;
  PicturePass pass_;
  std::array<GlTexture, 2> pictures_;  ///< one shown, one being prepared
  GlTexture snapshot_;
  GlFramebuffer snapshot_target_;
  std::vector<std::uint8_t> snapshot_pixels_;
  std::size_t front_ = 0;
  bool any_shown_ = false;
  bool prepared_ = false;  ///< and not yet swapped
  bool repaint_due_ = false;
};

}  // namespace tilewall::present
