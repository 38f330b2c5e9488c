// Draws the pictures of ticks into the ring's buffers. A picture that equals the last one is copied
// from it.
//
// Threads: one owner, the decode thread.
#pragma once

#include <cstdint>
#include <optional>

#include "player/panel/armed_scene.hpp"
#include "player/panel/composer.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/region_stays.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// The picture that was drawn last.
struct DrawnPicture {
  RegionFrames frames;      ///< frames of its regions; empty before an epoch's first picture
  Composition composition;  ///< contents of its buffer; empty where another draw may be better
  TickDetail detail;
  std::optional<std::size_t> buffer;  ///< empty before the first picture
  picture::DrawStatus status = picture::DrawStatus::whole;
  bool better_comes = false;  ///< value of Composer::better_comes()
  bool lacks_any = false;     ///< value of Composer::lacks_any()
  scene::FrameDamage damage = scene::FrameDamage::none;
  std::uint64_t hash = 0;  ///< XXH3-64 of its pixels; 0 unless hashes are asked for
  LocalInstant started;    ///< when its drawing began
};

/// What becomes of a picture that lacks the timestep of a live source.
enum class LiveParts {
  as_they_are,  ///< it is drawn, like one that lacks another source's frame
  complete      ///< it counts as abandoned
};

class TickDrawer {
 public:
  /// `composer` and `ring` outlive this object. `hashes`: each picture gets a hash.
  TickDrawer(Composer& composer, PictureRing& ring, bool hashes)
      : composer_(composer), ring_(ring), hashes_(hashes) {}

  /// Begins another version of the scene: no coming picture is copied from an earlier one.
  void begin_scene() noexcept { last_.composition.clear(); }
  /// Begins another epoch.
  void begin_epoch() noexcept;

  /// Draws the regions' `frames` at `due` into the buffer, and sets last(). On `abandoned` last()
  /// stays as it was, and the contents of the buffer are undefined.
  [[nodiscard]] picture::DrawStatus draw(GlobalInstant due, const RegionFrames& frames,
                                         TickDetail detail, std::size_t buffer,
                                         LiveParts live_parts = LiveParts::as_they_are);

  /// Copies a picture with the same composition into the buffer in place of draw().
  void copy(const ArmedPicture& armed, GlobalInstant due, const RegionFrames& frames,
            TickDetail detail, std::size_t buffer);

  [[nodiscard]] const DrawnPicture& last() const noexcept { return last_; }
  /// Which regions' pictures stay. Any thread.
  [[nodiscard]] const RegionStays& stays() const noexcept { return stays_; }

  /// Whether a decoder has delivered a frame of the last picture since that was drawn without it.
  [[nodiscard]] bool can_repair(const scene::Scene& scene, const RegionFrames& frames);

 private:
  /// Whether the picture that the composer has just drawn lacks the timestep of a live source.
  [[nodiscard]] bool lacks_timestep(const Composition& composition) const;
  /// Whether the last picture has the same composition, so that it can be copied.
  [[nodiscard]] bool is_drawn(const Composition& composition, TickDetail detail) const;
  [[nodiscard]] picture::DrawStatus draw_or_copy(const Composition& composition, TickDetail detail,
                                                 std::size_t buffer);

  Composer& composer_;
  PictureRing& ring_;
  const bool hashes_;
  DrawnPicture last_;
  RegionStays stays_;
};

}  // namespace tilewall::panel
