// Pictures of a volume by a GPU: those of the reference within a mean of 1/255 (test_gl_caster says
// how far).
#pragma once

#include <memory>
#include <optional>

#include "render/gl/gl_engine.hpp"
#include "render/volume/picture_caster.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

struct NeededBricks;

/// The volume, as far as the style needs it, is more than the budget: a caster of the processor's
/// can show it.
class GlTooLarge : public JobError {
 public:
  using JobError::JobError;
};

/// `cast` belongs to the engine's thread, with GL; all else calls no GL and belongs to one thread
/// at a time. May be destroyed on any, and after the engine.
class GlVolumeCaster final : public PictureCaster {
 public:
  /// Both outlive the last `cast`.
  GlVolumeCaster(GlEngine& engine, const Volume& volume);
  ~GlVolumeCaster() override;

  /// Finds what is needed. Throws GlTooLarge too; then the style before holds.
  void set_style(const TransferFunction& function, const CastStyle& style,
                 int threads = 1) override;

  /// Loads what is needed and not on the GPU, on `threads` threads. Throws GlLost too: no picture
  /// of this engine means anything after that.
  std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                     int threads = 1) override;

  [[nodiscard]] CastTimes times() const noexcept override { return times_; }

 private:
  GlEngine& engine_;
  const Volume& volume_;
  const std::shared_ptr<BrickAtlas> atlas_;
  CastStyle style_;
  std::optional<TransferTable> table_;
  std::unique_ptr<NeededBricks> needed_;
  bool is_filled_ = false;  ///< the atlas, with what is needed
  CastTimes times_;
};

}  // namespace tilewall::render
