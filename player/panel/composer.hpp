// Draws a scene's regions into one picture of this panel.
//
// Threads: one owner, the decode thread, but for totals().
#pragma once

#include <array>
#include <string>
#include <vector>

#include "player/panel/panel_warp.hpp"
#include "player/panel/source_cache.hpp"
#include "player/picture/placement.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

/// What a region shows at one tick on this panel.
struct RegionPart {
  const Region* region = nullptr;
  SourceFrame shown;
  PanelPlacement at;
  std::shared_ptr<const VolumeShot> shot;  ///< of a volume
  bool stays = false;                      ///< no other frame follows

  /// Whether both show the same of the same scene.
  bool operator==(const RegionPart& other) const {
    return region == other.region && shown.source == other.shown.source &&
           shown.frame == other.shown.frame && at == other.at && stays == other.stays &&
           (shot == other.shot || (shot && other.shot && *shot == *other.shot));
  }
};

/// How a tick's volumes are drawn; as DrawParameters has them.
struct TickDetail {
  bool awaits_best = false;
  bool refines = false;
  bool defers = false;
  bool operator==(const TickDetail&) const = default;
};

/// A frame number for each region of a scene.
using RegionFrames = std::vector<std::int64_t>;

/// What the regions' timelines have at that instant.
[[nodiscard]] RegionFrames frames_at(const Scene& scene, GlobalInstant at);

/// A panel's picture at one tick, as regions that lie on it, the lowest first.
using Composition = std::vector<RegionPart>;

/// Whether anything of `region`, one of the scene's, is part of it.
[[nodiscard]] bool is_seen(const Composition& composition, const Region& region);

class Composer {
 public:
  /// `problem` is called with a line for people when a source cannot be opened; its region stays
  /// black.
  Composer(const PanelConfig& config, SourceCache::Open open,
           std::function<void(const std::string& line)> problem);

  /// From now on pictures are of this scene, which outlives the next call. Throws what opening
  /// a source throws while `strict`.
  void begin(const Scene& scene, bool strict);

  /// The regions that are seen at `due`: `frames` are theirs, one for each region of the scene.
  [[nodiscard]] Composition plan(GlobalInstant due, const RegionFrames& frames) const;

  /// Draws it all. `last` may be null: the picture that the draw before this one wrote, for what is
  /// damaged. `detail`: as DrawParameters's.
  DrawStatus draw(const Composition& composition, const ImageView& picture, const ImageView* last,
                  TickDetail detail = {});

  /// Whether a part that was drawn last will be better soon (finer_available, provisional),
  /// whatever is damaged beside it.
  [[nodiscard]] bool better_comes() const noexcept { return better_comes_; }

  /// What was drawn last in place of the regions' frames; the worst of them.
  [[nodiscard]] FrameDamage damage() const noexcept { return damage_; }

  /// Tells sources what they will draw, before they are asked whether they have it: `frames` at
  /// `due`. Returns plan().
  Composition aim(GlobalInstant due, const RegionFrames& frames);

  /// Tells the sources of regions that are not part of `composition` that nothing is drawn of them.
  void leave_unseen(const Composition& composition, const RegionFrames& frames);

  /// Opens and fetches ahead what coming ticks need: `ticks` has the regions' frames of each, the
  /// next one's first, and at least one.
  void expect(const std::vector<RegionFrames>& ticks);
  void want(const RegionFrames& frames);
  /// Whether any source makes use of more than the next tick: `frames` are the regions' at it.
  [[nodiscard]] bool reads_ahead(const RegionFrames& frames);

  /// The region's source at that frame; null where it cannot be opened, or nothing of it is seen.
  [[nodiscard]] PictureSource* source_of(const SourceFrame& frame);

  [[nodiscard]] DecodeTotals totals() const { return cache_.totals(); }

 private:
  /// What of a source lies where in the picture that was drawn last.
  struct DrawnPart {
    SourcePtr source;
    PanelPlacement at;
    bool is_black = false;  ///< in place of a frame
  };

  [[nodiscard]] DrawStatus draw_part(const RegionPart& part, const ImageView& picture,
                                     const ImageView* last);
  void set_parameters(const RegionPart& part, PictureSource& source) const;
  [[nodiscard]] DrawStatus draw_source(const RegionPart& part, PictureSource& source,
                                       const ImageView& picture, const ImageView* last);
  /// `has_last`: the picture before stands in for what is damaged.
  void note_damage(const RegionPart& part, FrameDamage damage, bool has_last);
  /// What was drawn last and can stand in for the part; null where nothing can.
  [[nodiscard]] const DrawnPart* drawn_before(const RegionPart& part) const;
  [[nodiscard]] DrawStatus draw_flat(const Composition& composition, const ImageView& picture,
                                     const ImageView* last);
  [[nodiscard]] bool covers(const RegionPart& part) const;
  /// Whether the picture that was drawn last can stand in for the part.
  [[nodiscard]] bool was_drawn(const RegionPart& part) const;
  void note_drawn(const Composition& composition);
  /// Of the picture that is drawn now.
  [[nodiscard]] bool is_black(const RegionPart& part) const;
  [[nodiscard]] ImageView scratch();
  [[nodiscard]] bool is_open_for(const Scene& scene) const;
  void look_from(const Scene& scene);

  const PanelConfig& config_;
  const std::function<void(const std::string& line)> problem_;
  const Scene* scene_ = nullptr;
  BezelMode open_bezels_ = BezelMode::show;
  ContentMode open_content_ = ContentMode::arc_length;
  FlatView view_;  // of the two
  bool strict_ = false;
  TickDetail detail_;                              // of the picture that is drawn
  std::array<std::vector<std::uint8_t>, 2> flat_;  // what is warped, and what was; empty without
  bool has_last_flat_ = false;
  std::vector<std::uint8_t> scratch_;  // a picture that is blended or cut; empty until needed
  std::vector<DrawnPart> drawn_;       // by the last draw()
  bool drew_one_whole_ = false;        // one source, all over the picture
  bool better_comes_ = false;
  FrameDamage damage_ = FrameDamage::none;
  std::vector<const RegionPart*> black_parts_;  // of the picture that is drawn
  std::vector<SourcePtr> refused_;              // could not be opened, and were told of
  SourceCache cache_;
};

}  // namespace tilewall
