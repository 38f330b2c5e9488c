// Draws a scene's regions into one picture of this panel: opens their sources, places them, blends
// them, and warps the result where the panel stands on an arc.
//
// A source that is late (RegionSources) is left out: the region's last picture stays in its place,
// and it is drawn again once its data have come.
//
// Threads: one owner, the decode thread. totals() may be called by any thread.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "player/panel/panel_warp.hpp"
#include "player/panel/region_sources.hpp"
#include "player/panel/slate_painter.hpp"
#include "player/picture/placement.hpp"
#include "player/scene/live_messages.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// A region's part of this panel's picture at one tick.
struct RegionPart {
  const scene::Region* region = nullptr;
  scene::SourceFrame shown;
  picture::PanelPlacement at;
  std::shared_ptr<const scene::VolumeShot>
      shot;            ///< camera and look of a volume; null for other sources
  bool stays = false;  ///< the region keeps this frame
  double opacity = 1;  ///< over 0
  std::string note{};  ///< What a live source's label says of its timestep

  /// Whether both parts have the same pixels. @pre both belong to the same scene
  bool operator==(const RegionPart& other) const {
    return region == other.region && shown.source == other.shown.source &&
           shown.frame == other.shown.frame && at == other.at && stays == other.stays &&
           opacity == other.opacity && note == other.note &&
           (shot == other.shot || (shot && other.shot && *shot == *other.shot));
  }
};

/// How fine a tick's volumes are drawn; the fields are those of DrawParameters.
struct TickDetail {
  bool awaits_best = false;
  bool refines = false;
  bool defers = false;
  int most_stage = scene::whole_volumes.number;  ///< Stage of the wall, as in Scene::volume_stage
  bool operator==(const TickDetail&) const = default;
};

/// A frame number for each region of a scene.
using RegionFrames = std::vector<std::int64_t>;

/// The frames that the timelines of the scene's regions have at `at`.
[[nodiscard]] RegionFrames frames_at(const scene::Scene& scene, GlobalInstant at);

/// A panel's picture at one tick: the parts of its visible regions, the lowest first.
using Composition = std::vector<RegionPart>;

/// Whether both compositions have the same pixels, also where they belong to different scenes.
[[nodiscard]] bool have_same_pixels(const Composition& one, const Composition& other);

/// Whether volumes are in the same stages of their own in both, where panels are asked for the
/// wall's stages `stage` and `other_stage`. @pre have_same_pixels(one, other)
[[nodiscard]] bool have_same_stages(const Composition& one, int stage, const Composition& other,
                                    int other_stage);

/// Whether `region` has a part in the composition. @pre both belong to the same scene
[[nodiscard]] bool is_seen(const Composition& composition, const scene::Region& region);

/// The opaque parts of the last picture, which can stand in for damaged ones of the next.
class DrawnParts {
 public:
  /// A source's place in the last picture.
  struct Part {
    scene::SourcePtr source;
    std::size_t region = 0;  ///< hash of the region's name
    picture::PanelPlacement at;
    bool is_black = false;  ///< black stands in place of a frame
  };

  /// Nothing can stand in.
  void clear() noexcept;

  /// Begins the next picture, in place of the last one. `is_one_whole`: it is one source that
  /// covers the picture.
  void begin(bool is_one_whole) noexcept;
  void add(Part part) { parts_.push_back(std::move(part)); }

  /// The part that can stand in for `part`; null if none can. `covers`: the part is opaque and
  /// covers the picture.
  [[nodiscard]] const Part* before(const RegionPart& part, bool covers) const;

  /// What the same region showed at the same place, whatever its source; null if it did not.
  [[nodiscard]] const Part* of_region(const RegionPart& part) const;

 private:
  std::vector<Part> parts_;
  bool is_one_whole_ = false;
};

/// The flat pictures of the current and the last draw() of a panel that is warped. Empty until they
/// are needed.
class FlatPictures {
 public:
  /// Frees both.
  void clear();

  /// The picture that is drawn now.
  [[nodiscard]] ImageView current(SizePx size_px);
  /// The one before it; empty if there is none.
  [[nodiscard]] std::optional<ImageView> last(SizePx size_px);
  /// The current picture is drawn, and becomes the last one.
  void keep() noexcept;
  /// There is no last picture.
  void forget_last() noexcept { has_last_ = false; }

 private:
  std::array<std::vector<std::uint8_t>, 2> memory_;  // pixels of the current and the last picture
  bool has_last_ = false;
};

class Composer {
 public:
  /// `problem` is called with a readable line when a source cannot be opened; its region stays
  /// black. `config` and `cancellation` outlive this object. Without `cancellation` it waits for
  /// sources without a limit.
  Composer(const scene::PanelConfig& config, SourceCache::Open open,
           std::function<void(const std::string& line)> problem,
           DrawCancellation* cancellation = nullptr);

  /// The following calls draw this scene. `scene` lives until the next begin() or end(). With
  /// `strict`, a source that cannot be opened throws its error instead of staying black, and every
  /// source is waited for without a limit.
  void begin(const scene::Scene& scene, bool strict);

  /// Closes all sources; nothing is drawn until the next begin().
  void end();
  /// Closes the sources that the scene does not name.
  void close_unnamed() { sources_.close_unnamed(); }
  /// Takes the scene's sources that another composer has open for the same modes of the wall; with
  /// `replaces` also those that are open here. Returns whether any was taken.
  bool take_sources_of(Composer& other, bool replaces);
  /// Sets what plan() knows of the timesteps of live sources.
  void set_live(std::shared_ptr<const scene::LiveSteps> steps) { live_ = std::move(steps); }

  /// Starts to open the sources that the scene's regions have at `due` and that are closed, and
  /// waits for those that this panel shows: without a limit where it shows one region. False: a
  /// newer scene is needed.
  [[nodiscard]] bool open(GlobalInstant due);

  /// The parts that this panel shows at a tick that is due then. `frames` has one frame for each
  /// region of the scene.
  [[nodiscard]] Composition plan(GlobalInstant tick_due, const RegionFrames& frames) const;

  /// Draws the composition into `picture`. `last` is the picture that the draw() before wrote; it
  /// stands in for damaged parts, and may be null.
  picture::DrawStatus draw(const Composition& composition, const ImageView& picture,
                           const ImageView* last, TickDetail detail = {});

  /// Notes that a picture with this composition, which another composer drew whole, was copied in
  /// place of a draw(). `better_comes`: as for that picture.
  void note_copied(const Composition& composition, bool better_comes);

  /// Whether a part of the last draw() will be better soon (finer_available or provisional). Damage
  /// in other parts does not matter.
  [[nodiscard]] bool better_comes() const noexcept { return better_comes_; }

  /// Whether the last draw() waited in vain for a source.
  [[nodiscard]] bool has_late() const noexcept { return sources_.has_late(); }
  /// Whether the last draw() left out a source that is late or cannot be opened.
  [[nodiscard]] bool lacks_any() const noexcept { return sources_.lacks_any(); }
  /// Whether one of the sources that were left out has its data now.
  [[nodiscard]] bool can_draw_late() { return sources_.can_draw_late(); }

  /// Renews the connections of the open sources to other processes.
  void keep_connected() { sources_.keep_connected(); }

  /// The worst damage in the last draw(): what it drew in place of the regions' frames.
  [[nodiscard]] scene::FrameDamage damage() const noexcept { return damage_; }

  /// The same for each part of the composition.
  [[nodiscard]] const std::vector<scene::FrameDamage>& part_damages() const noexcept {
    return part_damages_;
  }

  /// Tells the sources of `frames` their placement at `due`, so that PictureSource::ready() can be
  /// asked for the frames. Returns plan().
  Composition aim(GlobalInstant due, const RegionFrames& frames);

  /// Tells the sources of regions outside the composition that this panel shows nothing of them.
  void leave_unseen(const Composition& composition, const RegionFrames& frames);

  /// Announces coming frames to their sources, which may read them ahead. `ticks` has the regions'
  /// frames of one or more ticks, the next tick first.
  void expect(const std::vector<RegionFrames>& ticks);
  /// Starts to open the playlist items that `frames` need, without waiting for them.
  void want(const RegionFrames& frames);
  /// Whether a source of `frames` reads more than one tick ahead.
  [[nodiscard]] bool reads_ahead(const RegionFrames& frames);

  /// The source of a resolved frame; null while it is being opened, and where it cannot be opened.
  /// Starts to open it. Does not wait.
  [[nodiscard]] picture::PictureSource* source_of(const scene::SourceFrame& frame) {
    return sources_.find(frame.source);
  }

  /// Whether the source could not be opened so far.
  [[nodiscard]] bool is_refused(const scene::SourcePtr& source) const {
    return sources_.is_refused(source);
  }

  [[nodiscard]] DecodeTotals totals() const { return sources_.totals(); }

 private:
  /// draw_part(), or stand_in() once the other regions have waited long enough.
  [[nodiscard]] picture::DrawStatus draw_in_time(const RegionPart& part, bool is_alone,
                                                 LocalInstant begun, const ImageView& picture,
                                                 const ImageView* last);
  /// Leaves the last picture in the part's place, or black where there is none.
  [[nodiscard]] picture::DrawStatus stand_in(const RegionPart& part, const ImageView& picture,
                                             const ImageView* last);
  [[nodiscard]] picture::DrawStatus draw_part(const RegionPart& part, RegionSources::Wait& wait,
                                              const ImageView& picture, const ImageView* last);
  void set_parameters(const RegionPart& part, picture::PictureSource& source) const;
  [[nodiscard]] picture::DrawStatus draw_source(const RegionPart& part,
                                                picture::PictureSource& source,
                                                const ImageView& picture, const ImageView* last);
  /// `has_last`: the source was given a last picture, which it drew in place of damaged parts.
  void note_damage(const RegionPart& part, scene::FrameDamage damage, bool has_last);
  /// The part of the last draw() that can stand in for `part`; null where none can.
  [[nodiscard]] const DrawnParts::Part* drawn_before(const RegionPart& part) const;
  [[nodiscard]] picture::DrawStatus draw_flat(const Composition& composition,
                                              const ImageView& picture, const ImageView* last);
  [[nodiscard]] bool covers(const RegionPart& part) const;
  /// Whether the last picture can stand in for the part.
  [[nodiscard]] bool was_drawn(const RegionPart& part) const;
  void note_drawn(const Composition& composition);
  /// Whether the current draw() has left the part black.
  [[nodiscard]] bool is_black(const RegionPart& part) const;
  [[nodiscard]] ImageView scratch();
  [[nodiscard]] bool is_open_for(const scene::Scene& scene) const;
  void look_from(const scene::Scene& scene);

  const scene::PanelConfig& config_;
  const scene::Scene* scene_ = nullptr;
  std::shared_ptr<const scene::LiveSteps> live_;  // null: nothing is known
  wall::BezelMode open_bezels_ = wall::BezelMode::show;
  wall::ContentMode open_content_ = wall::ContentMode::arc_length;
  FlatView view_;      // for open_bezels_ and open_content_
  TickDetail detail_;  // the argument of the current draw()
  FlatPictures flat_;
  std::vector<std::uint8_t> scratch_;  // a picture that is blended or cut; empty until needed
  DrawnParts drawn_;                   // by the last draw()
  bool better_comes_ = false;
  scene::FrameDamage damage_ = scene::FrameDamage::none;
  std::vector<scene::FrameDamage> part_damages_;
  std::vector<const RegionPart*> black_parts_;  // parts that the current draw() left black
  SlatePainter slates_;
  RegionSources sources_;
};

}  // namespace tilewall::panel
