// Pictures of a volume by a GPU, equal to the reference's within a mean of 1/255 (test_gl_caster
// has the limits).
#pragma once

#include <memory>
#include <optional>

#include "render/gl/gl_engine.hpp"
#include "render/volume/picture_caster.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

struct NeededBricks;

/// The volume, as far as the style needs it, exceeds the budget. The processor's caster can show
/// it.
class GlTooLarge : public JobError {
 public:
  using JobError::JobError;
};

/// Threads: `cast` is called on the engine's thread, with GL. All other functions call no GL, and
/// belong to one thread at a time. May be destroyed on any thread, and after the engine.
class GlVolumeCaster final : public PictureCaster {
 public:
  /// Both outlive the last `cast`.
  GlVolumeCaster(GlEngine& engine, const Volume& volume);
  ~GlVolumeCaster() override;

  /// Finds the needed bricks. Throws GlTooLarge, too; the style before stays then.
  void set_style(const TransferFunction& function, const CastStyle& style,
                 int threads = 1) override;

  /// Loads needed bricks that are not on the GPU, on `threads` threads. Throws GlLost, too; no
  /// picture of this engine can be trusted after that.
  std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                     int threads = 1) override;

  [[nodiscard]] CastTimes times() const noexcept override { return times_; }

 private:
  GlEngine& engine_;
  const Volume& volume_;
  const std::shared_ptr<BrickAtlas> atlas_;
  CastStyle style_;
  std::optional<TransferFunction> function_;
  std::optional<TransferTable> table_;
  std::optional<TransferTable> fine_table_;  ///< Of refined samples, for styles that refine
  std::unique_ptr<NeededBricks> needed_;
  bool is_filled_ = false;  ///< The atlas has the needed bricks
  CastTimes times_;
};

}  // namespace tilewall::render
