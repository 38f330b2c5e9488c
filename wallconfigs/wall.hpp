// The wall as its validated wall file describes it.
//
// A wall is a grid of columns x rows of panels, seen from the front; grid places may be holes.
// Lengths are millimetres on the unrolled wall surface, x right, y down. The origin is the upper
// left corner of the box around the lit areas of the panels that stand in the grid (of the first
// panel, on a regular wall); positions given in the file count from there. A curved wall is flat
// here; Pose says where each panel stands in the room.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wallconfigs/content_mode.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::wall {

/// How far the panel is turned clockwise from its upright position, seen from the front.
enum class Rotation { deg0, deg90, deg180, deg270 };

/// The picture where the wall has frames. hide: it goes on behind them. show: panels abut in it.
enum class BezelMode { hide, show };
inline constexpr std::string_view bezel_mode_names[] = {"hide", "show"};

struct SizeMm {
  double width = 0;
  double height = 0;
};

struct PointMm {
  double x = 0;
  double y = 0;
};

/// Frame widths around the lit area, as seen from the front (after rotation).
struct SidesMm {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
  [[nodiscard]] bool any() const noexcept { return left > 0 || right > 0 || top > 0 || bottom > 0; }
};

/// Per-channel correction applied last: out = gain * in^gamma on [0, 1]; order red, green, blue.
struct ColorMatch {
  std::array<double, 3> gain = {1, 1, 1};
  std::array<double, 3> gamma = {1, 1, 1};
  [[nodiscard]] bool identity() const noexcept { return *this == ColorMatch{}; }
  bool operator==(const ColorMatch&) const = default;
};

/// Where the panel's centre stands in the room, and which way the panel faces. Millimetres,
/// right-handed: x right, y up, z towards the viewer; the origin is the wall's centre (on an arc:
/// where it is straight ahead). Angles are in degrees: yaw about y, then pitch about x, then roll
/// about z, each about the axes as turned before. All zero faces the viewer; a screen to the right
/// that looks back at the viewer has a negative yaw.
struct Pose {
  std::array<double, 3> centre_mm = {0, 0, 0};
  double yaw_deg = 0;
  double pitch_deg = 0;
  double roll_deg = 0;
  bool operator==(const Pose&) const = default;
};

struct Panel {
  std::string name;  ///< Unique; "c<column>r<row>" unless the file names it
  int column = 0;    ///< Column from the left, from 0
  int row = 0;       ///< Row from the top, from 0
  SizePx size_px;    ///< Size of the frame buffer, before rotation
  SizeMm size_mm;    ///< Size of the lit area as seen on the wall, after rotation
  SidesMm bezel_mm;
  Rotation rotation = Rotation::deg0;
  PointMm position_mm;  ///< Upper left corner of the lit area
  Pose pose;
  std::string host;     ///< Host that drives the panel; "" = this machine
  std::string display;  ///< X display such as ":0.1"; "" = the environment's
  std::optional<PointPx>
      window_px;  ///< window position on its display; empty = laid out as the wall
  ColorMatch color;
  bool critical = false;  ///< a show ends when this panel dies and does not come back

  /// The frame buffer's size as the viewer sees it: width and height swapped at 90 and 270 degrees.
  [[nodiscard]] SizePx viewed_size_px() const noexcept;

  [[nodiscard]] bool turned_sideways() const noexcept {
    return rotation == Rotation::deg90 || rotation == Rotation::deg270;
  }

  /// The rectangle of the lit area on the wall, and that of the frame around it.
  [[nodiscard]] RectF lit_mm() const noexcept;
  [[nodiscard]] RectF frame_mm() const noexcept;
};

/// A grid place declared to have no panel: a door, a beam, a speaker.
struct Hole {
  std::string name;
  int column = 0;
  int row = 0;
  RectF cell_mm;  ///< The rectangle that a panel with its frame would fill
};

/// A machine that drives panels.
struct Host {
  std::string name;  ///< Name that Panel::host refers to
  /// Name or address for mpirun and sockets; the name unless the file gives one.
  std::string address;
};

/// Screens of one or more columns stand on a circle around the viewer and face its centre.
struct Arc {
  double radius_mm = 0;  ///< From the centre to the middle of each screen
  /// Direction of the first screen; 0 is straight ahead, negative to the left.
  double start_angle_deg = 0;
  double increment_deg = 0;    ///< Angle from one screen to the next, to the right
  int columns_per_screen = 1;  ///< Columns of a screen, which is flat

  [[nodiscard]] int screens(int columns) const noexcept {
    return (columns - 1) / columns_per_screen + 1;
  }
};

/// Width and height of the picture that neighbouring panels show twice, in millimetres.
struct OverlapMm {
  double horizontal = 0;
  double vertical = 0;
};

/// The edge blend where panels overlap. When it is on, each panel fades out towards its edge, so
/// that together they are as bright as one. `gamma` is the exponent of their light over pixel
/// values.
struct EdgeBlend {
  bool on = true;
  double gamma = 2.2;
};

struct Wall {
  std::string name;
  std::filesystem::path file;
  int columns = 0;
  int rows = 0;
  std::vector<Panel> panels;  ///< Row by row, holes left out; at least one
  std::vector<Hole> holes;    ///< Grid places without a panel
  std::vector<Host> hosts;    ///< Hosts that Panel::host refers to, in the file's order
  OverlapMm overlap_mm;
  EdgeBlend edge_blend;  ///< Edge blend where panels overlap
  std::optional<Arc> arc;
  ContentMode content = ContentMode::arc_length;  ///< Content mode unless a show sets another
  /// Eye point of content mode eye and of volumes, in the axes of Pose.
  std::array<double, 3> eye_mm = {0, 0, 0};
  bool has_bezels = false;    ///< A panel has a bezel wider than 0
  std::string clock_address;  ///< "HOST:PORT" of a clock daemon that runs elsewhere; "" = none
  std::string standby_clock_address;  ///< "HOST:PORT" of a second clock daemon; "" = none
  std::string control_address;  ///< "HOST:PORT" that the control port listens on; "" = loopback

  /// hide where the file gives bezels, else show (both mean the same there).
  [[nodiscard]] BezelMode default_bezel_mode() const noexcept {
    return has_bezels ? BezelMode::hide : BezelMode::show;
  }

  /// The box around all lit areas.
  [[nodiscard]] RectF lit_box_mm() const noexcept;

  /// Whether all panels lie in one plane and face the viewer.
  [[nodiscard]] bool flat() const noexcept;

  /// The host of that name; null where there is none.
  [[nodiscard]] const Host* find_host(std::string_view host_name) const noexcept;
};

/// Reads and validates a wall file. Throws InputError naming file, line and field.
[[nodiscard]] Wall load_wall(const std::filesystem::path& file);

/// A wall of one panel without bezels.
[[nodiscard]] Wall one_panel_wall(SizePx size_px);

/// The default wall: 5x3 panels without bezels, scaled to fit into `screen_px`.
[[nodiscard]] Wall scaled_wall_5x3(SizePx screen_px);

/// The same scaled to fit into a part of the screen, its windows in the middle of that part.
[[nodiscard]] Wall scaled_wall_5x3(const RectPx& area_px);

/// The picture plane of a wall in one bezel mode and one content mode; the one place that converts
/// between wall millimetres, canvas pixels and panel pixels. Immutable.
///
/// Content mode arc_length: the unrolled wall. The canvas has the pixel density of the commonest
/// panel, so those panels' pixels are canvas pixels and their rectangles are whole; others are
/// scaled. Hide: every panel lies where it hangs. Show: what no panel lights is left out and panels
/// abut along common seams (see abutment.hpp). On a regular wall without bezels both are the same.
/// Panels overlap only where the wall declares it.
///
/// Content modes eye and flat, on walls whose screens do not stand in one plane: a flat picture
/// (see picture_plane.hpp), in which the panel nearest to the wall's middle keeps its own pixels.
class Canvas {
 public:
  /// In the wall's own content mode.
  Canvas(const Wall& wall, BezelMode mode);

  /// @pre content has no content_obstacle() on this wall
  Canvas(const Wall& wall, BezelMode mode, ContentMode content);

  [[nodiscard]] BezelMode mode() const noexcept { return mode_; }
  [[nodiscard]] ContentMode content() const noexcept { return content_; }
  [[nodiscard]] SizePx size_px() const noexcept { return size_px_; }

  /// Canvas pixels per millimetre along x on the unrolled wall; along y it differs by the commonest
  /// panel's pixel aspect.
  [[nodiscard]] double px_per_mm() const noexcept { return px_per_mm_; }

  [[nodiscard]] std::size_t panel_count() const noexcept { return panel_rects_px_.size(); }

  /// Where panel number `panel` (index into Wall::panels) lies on the canvas, in canvas pixels; the
  /// rectangle around it where it is none itself.
  [[nodiscard]] const RectF& panel_rect_px(std::size_t panel) const {
    return panel_rects_px_.at(panel);
  }

  /// From the panel's own pixels as seen (before rotation into its frame buffer) to canvas pixels.
  [[nodiscard]] const PanelMap& panel_map(std::size_t panel) const { return panel_maps_.at(panel); }

 private:
  BezelMode mode_;
  ContentMode content_;
  double px_per_mm_ = 1;
  SizePx size_px_;
  std::vector<RectF> panel_rects_px_;
  std::vector<PanelMap> panel_maps_;
};

}  // namespace tilewall::wall
