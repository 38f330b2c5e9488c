// Interface of everything that a panel draws: a movie, an image or a volume draws frame n, or the
// part of it that this panel shows, into a picture.
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

  /// Draws frame `frame` as placed, and writes every pixel of `picture`. Damaged or missing parts
  /// are copied from `last_good` (of the same size; null: black) and counted. Bad file contents
  /// never throw. Threads: one caller at a time; uses its own threads inside.
  virtual DrawStatus draw(std::int64_t frame, const Placement& placement, const ImageView& picture,
                          const ImageView* last_good) = 0;

  /// Sets how the coming draws are done, until the next call. Only the caller of draw() may call
  /// it.
  virtual void set_parameters(const DrawParameters& parameters) { static_cast<void>(parameters); }

  /// Names the frames that are likely to be drawn after the coming draw(), the next one first. From
  /// a disk one frame is read meanwhile, from a server as many as there is room for.
  virtual void expect(std::span<const std::int64_t> frames) { static_cast<void>(frames); }
  /// Whether expect() has an effect.
  [[nodiscard]] virtual bool reads_ahead() const noexcept { return false; }

  /// Sets placement and picture size for the coming ready(), await() and draw().
  virtual void aim(const Placement& placement, SizePx picture_px) {
    static_cast<void>(placement);
    static_cast<void>(picture_px);
  }

  /// The pictures that a decoder process has ready for a draw of `frame`; empty for sources that
  /// decode in this process. Only the caller of draw() may call it.
  [[nodiscard]] virtual std::optional<ReadyPictures> ready(std::int64_t /*frame*/) {
    return std::nullopt;
  }

  /// Waits, at most until `until`, for pictures that the last ready() did not have, `frame` above
  /// all. May return early. A decoder process may leave out frames that come too late. Only the
  /// caller of draw() may call it.
  virtual void await(std::int64_t /*frame*/, LocalInstant /*until*/) {}

  /// Announces that draws go on from `frame`, so a decoder process overwrites neither this picture
  /// nor those after it. Only the caller of draw() may call it.
  virtual void reserve(std::int64_t /*frame*/) {}

  /// Announces that nothing is drawn for a while, so a decoder process need keep no picture for
  /// this panel. Only the caller of draw() may call it.
  virtual void leave() {}

  /// Renews the source's connections to other processes while nothing is drawn: a live source
  /// receives in another process, for which no picture may be due before that. Never waits. To be
  /// called about twice a second, by the caller of draw().
  virtual void keep_connected() {}

  /// Whether a thread of the source is in a call that cannot be cancelled, such as a read from a
  /// disk that does not answer. The destructor waits for its end. Only the caller of draw() may
  /// call it.
  [[nodiscard]] virtual bool is_busy() const { return false; }

  /// Whether the data that the last abandoned draw() waited for have still not come. Only the
  /// caller of draw() may call it.
  [[nodiscard]] virtual bool is_late() { return is_busy(); }

  [[nodiscard]] virtual const DrawCounters& counters() const noexcept = 0;

  /// Status of the decoder process; empty for sources that decode in this process. Any thread.
  [[nodiscard]] virtual std::optional<scene::DecoderStatus> decoder_status() const {
    return std::nullopt;
  }

  /// Status of the volume; empty for other sources. Any thread.
  [[nodiscard]] virtual std::optional<scene::VolumeStatus> volume_status() const {
    return std::nullopt;
  }
};

}  // namespace tilewall::picture
