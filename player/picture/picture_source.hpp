// A movie, an image or a volume as a panel sees it: draw frame n, or the part of it that this panel
// shows, into a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "player/picture/draw_counters.hpp"
#include "player/picture/draw_parameters.hpp"
#include "player/picture/ready_pictures.hpp"
#include "player/scene/source_status.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::picture {

class PictureSource {
 public:
  virtual ~PictureSource() = default;
  [[nodiscard]] virtual SizePx size_px() const noexcept = 0;

  /// Draws frame `frame` as placed; every pixel of `picture` is written. What is damaged or missing
  /// is taken from `last_good` (same size; may be null: black) and counted. One caller at a time;
  /// uses its own threads inside. Never throws for bad file contents.
  virtual DrawStatus draw(std::int64_t frame, const Placement& placement, const ImageView& picture,
                          const ImageView* last_good) = 0;

  /// Holds for the draws from now on, until the next call. The caller of draw() only.
  virtual void set_parameters(const DrawParameters& parameters) { static_cast<void>(parameters); }

  /// Which frames are likely to be drawn after the coming draw(), the next first: from a disk one
  /// is read meanwhile, from a server as many as there is room for.
  virtual void expect(std::span<const std::int64_t> frames) { static_cast<void>(frames); }
  /// Whether expect() does anything.
  [[nodiscard]] virtual bool reads_ahead() const noexcept { return false; }

  /// The coming ready(), await() and draw() are of a picture of this size, so placed.
  virtual void aim(const Placement& placement, SizePx picture_px) {
    static_cast<void>(placement);
    static_cast<void>(picture_px);
  }

  /// What is there, for who would draw `frame`; empty for sources that decode in this process. The
  /// caller of draw() only.
  [[nodiscard]] virtual std::optional<ReadyPictures> ready(std::int64_t /*frame*/) {
    return std::nullopt;
  }

  /// Waits until `until` for what the last ready() did not have, `frame` above all; may return
  /// early. The other process may leave out frames that come too late. The caller of draw() only.
  virtual void await(std::int64_t /*frame*/, LocalInstant /*until*/) {}

  /// The coming draw() is of `frame`, and the ones after it follow: another process that decodes
  /// overwrites none of these pictures from now on. The caller of draw() only.
  virtual void reserve(std::int64_t /*frame*/) {}

  /// Nothing is drawn of it for a while: another process need keep no picture for this panel. The
  /// caller of draw() only.
  virtual void leave() {}

  [[nodiscard]] virtual const DrawCounters& counters() const noexcept = 0;

  /// Empty for sources that decode in this process. Any thread.
  [[nodiscard]] virtual std::optional<scene::DecoderStatus> decoder_status() const {
    return std::nullopt;
  }

  /// Empty for what is no volume. Any thread.
  [[nodiscard]] virtual std::optional<scene::VolumeStatus> volume_status() const {
    return std::nullopt;
  }
};

}  // namespace tilewall::picture
