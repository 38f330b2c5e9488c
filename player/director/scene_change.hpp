// A draft of the next scene: several commands become one scene that takes effect at one instant, on
// all panels at once. Pure; one owner.
//
// A command that cannot hold throws InputError; the draft is then to be thrown away (keep a copy).
// A command about a region's transport or view is also one about the others of its group. Region ""
// is the first one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "player/scene/compare.hpp"
#include "player/scene/scene.hpp"
#include "player/scene/style_adjustment.hpp"

namespace tilewall::director {

/// Speeds lie between 1/8 and 16.
inline constexpr Rational slowest_speed{1, 8};
inline constexpr Rational fastest_speed{16, 1};

inline constexpr double max_audio_gain = 2;

/// Who may change every region.
inline constexpr std::string_view operator_name = "operator";

/// Whether it plays to the end of a movie that is still being written.
[[nodiscard]] bool plays_into_growth(const scene::Region& region) noexcept;

/// Of a hand that turns a volume.
struct OrbitAngles {
  double right_rad = 0;
  double down_rad = 0;
  double roll_rad = 0;  ///< clockwise
};

class SceneChange {
 public:
  /// From `before`, to take effect at `at`. `delay`: how far the wall has fallen behind its
  /// timelines (late policy slow); from `at` on they are shifted by it.
  SceneChange(const scene::Scene& before, GlobalInstant at, Nanos delay);

  [[nodiscard]] GlobalInstant at() const noexcept { return at_; }
  [[nodiscard]] const scene::Scene& draft() const noexcept { return draft_; }
  [[nodiscard]] const scene::Region& region(const std::string& name) const;
  /// The frame that a region has at `at`.
  [[nodiscard]] std::int64_t frame_of(const scene::Region& region) const;

  /// Refuses where `who` may not change the region: neither "operator" nor its owner.
  void check_owner(const std::string& name, const std::string& who) const;

  // --- transport
  void play(const std::string& name);  ///< from the beginning where it has ended
  void pause(const std::string& name);
  void toggle_pause(const std::string& name);
  void seek_to(const std::string& name, std::int64_t frame);  ///< of the range; others are refused
  void seek_to_seconds(const std::string& name, double seconds);  ///< from frame 0 on
  /// By so many frames; the range's ends hold it.
  void seek_by(const std::string& name, std::int64_t frames);
  void seek_by_seconds(const std::string& name, double seconds);
  void step_by(const std::string& name, std::int64_t frames);  ///< and pauses there
  void set_speed(const std::string& name, Rational speed);     ///< negative: backwards
  void multiply_speed(const std::string& name, Rational by);   ///< the limits hold it
  void reverse(const std::string& name);
  void set_loop(const std::string& name, sync::LoopMode loop);
  /// Plays only [first, end) from now on; without values all of the source.
  void set_range(const std::string& name, std::optional<std::int64_t> first,
                 std::optional<std::int64_t> end);
  void go_to_item(const std::string& name, std::int64_t item);  ///< of a playlist, from 0
  /// To the item that item_named() finds.
  void go_to_item_named(const std::string& name, std::string_view item_name);
  void skip_items(const std::string& name, int by);  ///< +1 next, -1 this one or previous

  // --- view: points and distances in pixels of the canvas
  /// Shows this part of the movie; refuses one without a pixel of it.
  void set_view(const std::string& name, const RectF& view_px, Nanos glide);
  /// Of a volume by the lens and field of view that it is seen with.
  void view_whole(const std::string& name, Nanos glide);
  /// Enlarges by `factor`; what is shown at (x, y) stays there. Limits hold it.
  void zoom_about(const std::string& name, double x, double y, double factor, Nanos glide);
  void one_to_one(const std::string& name, double x, double y, Nanos glide);
  /// The picture follows a hand that moves by (dx, dy).
  void pan_by(const std::string& name, double dx, double dy, Nanos glide);
  void set_fit(const std::string& name, scene::FitMode fit);

  // --- volumes: the views above move their cameras, and
  [[nodiscard]] bool shows_volume(const std::string& name) const;
  /// These refuse regions that show none.
  void set_camera(
      const std::string& name,
      const std::function<render::VolumeCamera(const render::VolumeCamera& before)>& camera,
      Nanos glide);
  /// The picture follows a hand that turns it.
  void orbit_by(const std::string& name, const OrbitAngles& by, Nanos glide);
  /// What `change` throws is the refusal.
  void change_style(const std::string& name,
                    const std::function<void(scene::VolumeStyle& style)>& change, Nanos glide);
  /// As adjusted() does.
  void adjust_style(const std::string& name, scene::StyleAdjustment what, double by, Nanos glide);

  // --- regions
  void add_region(scene::Region region);  ///< its timeline begins at `at`
  void remove_region(const std::string& name);
  void set_source(const std::string& name,
                  scene::SourcePtr source);  ///< from its first frame, whole
  /// Wherever the source is shown it has become `now`. What plays to its end goes on into the new
  /// frames, also where it waits there.
  void grow(const scene::SourcePtr& before, const scene::SourcePtr& now);
  void place(const std::string& name, const RectF& canvas_px);
  void clip(const std::string& name, std::optional<RectF> canvas_px);
  void set_opacity(const std::string& name, double opacity);
  void set_blend(const std::string& name, scene::BlendMode blend);
  /// Of a region that is blended as a difference: times it is enlarged.
  void set_difference_gain(const std::string& name, double gain);
  /// Is sought, paused and moved with the others of that group from now on, and in step with them.
  void join_group(const std::string& name, const std::string& group);
  /// Who may change it from now on, beside the operator.
  void set_owner(const std::string& name, const std::string& owner);
  /// To this place in the drawing order, 0 being the lowest.
  void restack(const std::string& name, std::size_t place);

  /// The first region and a second one in step with it; `source` may be null where there is a
  /// second one already.
  void compare(scene::CompareMode mode, scene::SourcePtr source, SizePx canvas_px, double line);
  void end_compare(SizePx canvas_px);
  /// Refuses where no swipe is shown. `x_px` on the canvas; its sides hold the line.
  void move_swipe_line(double x_px);

  // --- the whole wall
  /// `from_px`, `to_px`: the canvas in the old modes and in the new ones; regions keep their share.
  void set_canvas(wall::BezelMode bezels, wall::ContentMode content, SizePx from_px, SizePx to_px);
  void set_blank(bool blank);
  void set_coarser_by(int levels);
  /// Of a wall with several hosts: all have read the details of what stands still. They are shown
  /// from `at` on; while ticks go on, from the first one on that no panel has drawn by then.
  void show_details();
  void toggle_overlay();
  /// Whether keys leave hints from now on.
  void set_hints(bool on);
  /// All panels show the line over their pictures from `at` on for a short while. Nothing where it
  /// is empty or the wall is black.
  void show_hint(std::string text);
  /// What stands still is shown anew at this instant, as it is.
  void show_again();
  void set_audio_gain(double gain);
  void set_muted(bool muted);
  /// Views that have come to rest on the whole movie are no views any more.
  void settle_views();

  /// When the looks of volumes that commands changed have come to rest; empty where none was.
  [[nodiscard]] std::optional<GlobalInstant> look_settles_at() const noexcept {
    return look_settles_at_;
  }

  /// Whether a seek was among the commands.
  [[nodiscard]] bool sought() const noexcept { return sought_; }

  /// The scene: a new version, and a new epoch where pictures change.
  [[nodiscard]] scene::Scene finish() const;

 private:
  [[nodiscard]] std::size_t index_of(const std::string& name) const;
  [[nodiscard]] scene::Region& edit(const std::string& name);
  [[nodiscard]] scene::SourcePtr shown_source(const scene::Region& region) const;
  /// The region and the others of its group.
  [[nodiscard]] std::vector<scene::Region*> group_of(const std::string& name);
  void note_look(GlobalInstant settles_at);
  void check_volume(const std::string& name) const;
  void check_pixels(const std::string& name, const char* verb);
  template <typename Change>
  void move_cameras(const std::string& name, Nanos glide, Change&& change);
  void whole_cameras(const std::string& name, Nanos glide);
  void zoom_cameras(const std::string& name, double factor, Nanos glide);
  void pan_cameras(const std::string& name, double dx, double dy, Nanos glide);
  template <typename Change>
  void move_views(const std::string& name, Nanos glide, Change&& change);
  [[nodiscard]] bool stands_still() const;
  void restart_at(scene::Region& region, std::int64_t frame) const;
  void set_rate(scene::Region& region, bool playing) const;

  scene::Scene draft_;
  GlobalInstant at_;
  Nanos delay_;
  bool pictures_change_ = false;
  bool sought_ = false;
  std::optional<GlobalInstant> look_settles_at_;
};

}  // namespace tilewall::director
