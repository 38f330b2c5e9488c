// A draft of the next scene. Several commands become one scene, which takes effect at one instant
// on all panels.
//
// A command that is refused throws InputError. The draft is then undefined; the caller keeps a
// copy. Commands about transport and view hold for all regions of the named region's group. The
// region "" is the first one.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "player/director/changes/cue_regions.hpp"
#include "player/scene/compare.hpp"
#include "player/scene/scene.hpp"
#include "player/scene/style_adjustment.hpp"

namespace tilewall::director {

/// Speeds lie between 1/8 and 16.
inline constexpr Rational slowest_speed{1, 8};
inline constexpr Rational fastest_speed{16, 1};

inline constexpr double max_audio_gain = 2;

/// The owner who may change every region.
inline constexpr std::string_view operator_name = "operator";

/// Whether the region plays to the end of a movie that is still being written.
[[nodiscard]] bool plays_into_growth(const scene::Region& region) noexcept;

/// Angles by which a hand turns a volume.
struct OrbitAngles {
  double right_rad = 0;
  double down_rad = 0;
  double roll_rad = 0;  ///< clockwise
};

/// What a key does with the flight path that the show keeps.
enum class KeyframeOrder {
  add,             ///< What the wall shows becomes its next key frame
  remove_nearest,  ///< The key frame that is nearest to what the wall shows goes
  preview,         ///< The wall flies the path, unless it does already
  stop_preview     ///< The flight ends where it is
};

class SceneChange {
 public:
  /// Begins a draft from `before` that takes effect at `at`. `delay` is the wall's delay after its
  /// timelines (late policy slow), else 0. Timelines are shifted by it from `at` on.
  SceneChange(const scene::Scene& before, GlobalInstant at, Nanos delay);

  [[nodiscard]] GlobalInstant at() const noexcept { return at_; }
  [[nodiscard]] const scene::Scene& draft() const noexcept { return draft_; }
  [[nodiscard]] const scene::Region& region(const std::string& name) const;
  /// The frame that a region has at `at`.
  [[nodiscard]] std::int64_t frame_of(const scene::Region& region) const;

  /// Throws InputError unless `who` is "operator" or the region's owner.
  void check_owner(const std::string& name, const std::string& who) const;

  // --- transport
  /// Plays on, or from the beginning where the region has ended.
  void play(const std::string& name);
  void pause(const std::string& name);
  void toggle_pause(const std::string& name);
  void seek_to(const std::string& name, std::int64_t frame);  ///< refuses frames outside the range
  void seek_to_seconds(const std::string& name, double seconds);  ///< counted from frame 0
  /// Seeks by so many frames, clamped to the range.
  void seek_by(const std::string& name, std::int64_t frames);
  void seek_by_seconds(const std::string& name, double seconds);
  void step_by(const std::string& name, std::int64_t frames);  ///< seeks, and pauses there
  void set_speed(const std::string& name, Rational speed);     ///< negative: backwards
  void multiply_speed(const std::string& name, Rational by);   ///< clamped to the limits
  void reverse(const std::string& name);
  void set_loop(const std::string& name, sync::LoopMode loop);
  /// Plays only the frames [first, end); without values all frames of the source.
  void set_range(const std::string& name, std::optional<std::int64_t> first,
                 std::optional<std::int64_t> end);
  void go_to_item(const std::string& name, std::int64_t item);  ///< item of a playlist, from 0
  /// Goes to the item that item_named() finds.
  void go_to_item_named(const std::string& name, std::string_view item_name);
  /// +1: the next item; -1: the begin of this item, or the previous one within its first 2 s.
  void skip_items(const std::string& name, int by);

  // --- view: points and distances in pixels of the canvas
  /// Shows this part of the movie; refuses a view without a pixel of the movie.
  void set_view(const std::string& name, const RectF& view_px, Nanos glide);
  /// Shows all of the movie or volume. A volume keeps its lens and field of view.
  void view_whole(const std::string& name, Nanos glide);
  /// Enlarges by `factor`, within limits; the picture's point at (x, y) stays there.
  void zoom_about(const std::string& name, double x, double y, double factor, Nanos glide);
  /// Shows a movie pixel for pixel; the picture's point at (x, y) stays there.
  void one_to_one(const std::string& name, double x, double y, Nanos glide);
  /// Moves the picture by (dx, dy).
  void pan_by(const std::string& name, double dx, double dy, Nanos glide);
  void set_fit(const std::string& name, scene::FitMode fit);

  // --- volumes: zoom_about, pan_by and view_whole move their cameras, too
  [[nodiscard]] bool shows_volume(const std::string& name) const;
  // The following four refuse regions without a volume.
  void set_camera(
      const std::string& name,
      const std::function<render::VolumeCamera(const render::VolumeCamera& before)>& camera,
      Nanos glide);
  /// Turns the volume.
  void orbit_by(const std::string& name, const OrbitAngles& by, Nanos glide);
  /// Changes the style. An InputError of `change` is the refusal.
  void change_style(const std::string& name,
                    const std::function<void(scene::VolumeStyle& style)>& change, Nanos glide);
  /// Changes the style by adjusted().
  void adjust_style(const std::string& name, scene::StyleAdjustment what, double by, Nanos glide);

  // --- regions
  void add_region(scene::Region region);  ///< Adds a region whose timeline begins at at()
  void remove_region(const std::string& name);
  /// Shows another source, whole and from its first frame.
  void set_source(const std::string& name, scene::SourcePtr source);
  /// Replaces a source that has grown in all regions. A region that plays to the end, or waits
  /// there, goes on into the new frames.
  void grow(const scene::SourcePtr& before, const scene::SourcePtr& now);
  void place(const std::string& name, const RectF& canvas_px);
  void clip(const std::string& name, std::optional<RectF> canvas_px);
  void set_opacity(const std::string& name, double opacity);
  void set_blend(const std::string& name, scene::BlendMode blend);
  /// Sets the factor, 1 to 255, of a region that is blended as a difference.
  void set_difference_gain(const std::string& name, double gain);
  /// Adds the region to a group, in step with it: they are sought, paused and moved together from
  /// now on. "" takes it out.
  void join_group(const std::string& name, const std::string& group);
  /// Sets who may change the region, beside the operator.
  void set_owner(const std::string& name, const std::string& owner);
  /// Shows this text in place of the region's pictures; "": shows its pictures.
  void set_slate(const std::string& name, std::string text) { edit(name).slate = std::move(text); }
  /// Moves the region to this place in the drawing order; 0 is the lowest.
  void restack(const std::string& name, std::size_t place);

  /// Compares the first region with a second one in step with it. `source` may be null where a
  /// comparison is shown already. `line` is the place of a swipe's line, 0 to 1.
  void compare(scene::CompareMode mode, scene::SourcePtr source, SizePx canvas_px, double line);
  void end_compare(SizePx canvas_px);
  /// Moves the line to `x_px` on the canvas, clamped to its sides. Refuses where no swipe is shown.
  void move_swipe_line(double x_px);

  // --- presentations
  /// Goes to a cue: the wall shows what the cue's state has, and nothing else of the operator's.
  void go_to(const CueChange& change);
  /// The cue to get ready for, instead of the one that comes next; "" = that one.
  void arm(std::string cue);
  void panic();   ///< Makes the wall black and silent until resume()
  void resume();  ///< Takes back panic() and set_frozen(): the wall goes on in step with its time
  /// Keeps the picture that is due at at() on the wall, while time goes on; or ends that.
  void set_frozen(bool frozen);

  // --- flight paths
  /// The show keeps a flight path.
  void keep_path() noexcept { keeps_path_ = true; }
  /// Changes nothing on the wall: whoever makes the scene has the path changed. Refuses where the
  /// show keeps no path, or the first region shows no volume.
  void order_keyframe(KeyframeOrder order);
  /// The orders so far.
  [[nodiscard]] const std::vector<KeyframeOrder>& keyframe_orders() const noexcept {
    return keyframe_orders_;
  }

  // --- the whole wall
  /// Sets the modes. `from_px` and `to_px` are the canvas sizes in the old and the new modes;
  /// regions keep their share of the canvas.
  void set_canvas(wall::BezelMode bezels, wall::ContentMode content, SizePx from_px, SizePx to_px);
  void set_blank(bool blank);
  void set_coarser_by(int levels);
  /// Shows the details of volumes from at() on, once all hosts have read them. While ticks go on,
  /// from the first tick that no panel has drawn by then.
  void show_details();
  /// Tells what is read of volumes, in place of what was told before.
  /// Without hints there is no such line.
  void set_progress(scene::Progress progress) {
    if (draft_.hints) draft_.progress = std::move(progress);
  }
  void toggle_overlay();
  /// Sets whether keys leave hints.
  void set_hints(bool on);
  /// Shows a hint on all panels from at() on, for 1.5 s. Does nothing where `text` is empty or the
  /// wall is black.
  void show_hint(std::string text);
  /// Shows a still picture again at at(), unchanged.
  void show_again();
  /// Lets the panels draw all pictures anew, whether any changes or not.
  void draw_anew() { pictures_change_ = true; }
  void set_audio_gain(double gain);  ///< 0 to 2; others are refused
  void set_muted(bool muted);
  /// Ends glides that have come to rest, and removes regions that have left. A view that rests on
  /// the whole movie is removed.
  void settle_views();

  /// When all changed looks of volumes have come to rest; empty where no command changed one.
  [[nodiscard]] std::optional<GlobalInstant> look_settles_at() const noexcept {
    return look_settles_at_;
  }

  /// Whether a seek was among the commands; steps do not count.
  [[nodiscard]] bool sought() const noexcept { return sought_; }

  /// The finished scene with a new version, and a new epoch where pictures change.
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
  bool keeps_path_ = false;
  std::vector<KeyframeOrder> keyframe_orders_;
  std::optional<GlobalInstant> look_settles_at_;
};

}  // namespace tilewall::director
