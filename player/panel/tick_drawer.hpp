// Draws the pictures of ticks into the ring's buffers. A picture that is the same as the one before
// is copied.
//
// Threads: one owner, the decode thread.
#pragma once

#include <cstdint>
#include <optional>

#include "player/panel/composer.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// The newest picture that was drawn.
struct DrawnPicture {
  RegionFrames frames;      ///< of its regions; empty before the first picture of an epoch
  Composition composition;  ///< what its buffer holds; empty where a draw could change that
  TickDetail detail;
  std::optional<std::size_t> buffer;  ///< empty before the first picture
  picture::DrawStatus status = picture::DrawStatus::whole;
  bool better_comes = false;  ///< as Composer has it
  scene::FrameDamage damage = scene::FrameDamage::none;
  std::uint64_t hash = 0;  ///< XXH3-64 of its pixels; 0 unless hashes are asked for
  LocalInstant started;    ///< when its drawing began
};

class TickDrawer {
 public:
  /// `composer` and `ring` outlive this. `hashes`: of each picture.
  TickDrawer(Composer& composer, PictureRing& ring, bool hashes) noexcept
      : composer_(composer), ring_(ring), hashes_(hashes) {}

  /// The coming pictures are of another version of the scene: none is copied from one before.
  void begin_scene() noexcept { last_.composition.clear(); }
  /// The coming pictures are of another epoch.
  void begin_epoch() noexcept;

  /// Draws what the regions have at `due`, and sets last(). abandoned: last() stays as it was, and
  /// the buffer holds anything.
  [[nodiscard]] picture::DrawStatus draw(GlobalInstant due, const RegionFrames& frames,
                                         TickDetail detail, std::size_t buffer);

  [[nodiscard]] const DrawnPicture& last() const noexcept { return last_; }

  /// Whether a decoder has given a frame of the newest picture since it was drawn without it.
  [[nodiscard]] bool can_repair(const scene::Scene& scene, const RegionFrames& frames);

 private:
  /// Whether that is what was drawn last, and needs no drawing.
  [[nodiscard]] bool is_drawn(const Composition& composition, TickDetail detail) const;
  [[nodiscard]] picture::DrawStatus draw_or_copy(const Composition& composition, TickDetail detail,
                                                 std::size_t buffer);

  Composer& composer_;
  PictureRing& ring_;
  const bool hashes_;
  DrawnPicture last_;
};

}  // namespace tilewall::panel
