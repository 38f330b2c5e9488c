// The wall: what a wall file says, validated.
//
// A wall is a grid of columns x rows of panels, seen from the front; grid places may be holes. Lengths
// are millimetres on the unrolled wall surface, origin at the upper left corner of the first panel's
// lit area, x right, y down. A curved wall is flat here; Pose says where each panel stands in the room.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// How far the panel is turned clockwise, seen from the front, against its own upright position.
enum class Rotation { deg0, deg90, deg180, deg270 };

/// What the picture does where the wall has frames: it goes on behind them, or panels abut in it.
enum class BezelMode { hide, show };

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
};

/// Per-channel correction applied last: out = gain * in^gamma on [0, 1]; order red, green, blue.
struct ColorMatch {
  std::array<double, 3> gain = {1, 1, 1};
  std::array<double, 3> gamma = {1, 1, 1};
  [[nodiscard]] bool identity() const noexcept { return *this == ColorMatch{}; }
  bool operator==(const ColorMatch&) const = default;
};

/// Where the panel's centre stands in the room and which way it faces. Millimetres, right-handed: x
/// right, y up, z towards the viewer, origin at the wall's centre; yaw about y, pitch about x, roll
/// about z, degrees, applied in that order; all zero faces the viewer.
struct Pose {
  std::array<double, 3> centre_mm = {0, 0, 0};
  double yaw_deg = 0;
  double pitch_deg = 0;
  double roll_deg = 0;
};

struct Panel {
  std::string name;         ///< unique; "c<column>r<row>" unless the file names it
  int column = 0;           ///< from the left, from 0
  int row = 0;              ///< from the top, from 0
  SizePx size_px;           ///< of its frame buffer, before rotation
  SizeMm size_mm;           ///< of its lit area as seen on the wall, after rotation
  SidesMm bezel_mm;
  Rotation rotation = Rotation::deg0;
  PointMm position_mm;      ///< upper left corner of the lit area
  Pose pose;
  std::string host;         ///< "" = this machine
  std::string display;      ///< X display such as ":0.1"; "" = the environment's
  std::optional<PointPx> window_px;  ///< window position on its display; empty = laid out as the wall
  ColorMatch color;

  /// The frame buffer's size as the viewer sees it: width and height swapped at 90 and 270 degrees.
  [[nodiscard]] SizePx viewed_size_px() const noexcept;
};

struct Wall {
  std::string name;
  std::filesystem::path file;
  int columns = 0;
  int rows = 0;
  std::vector<Panel> panels;            ///< row by row, holes left out; at least one
  std::vector<std::string> hole_names;  ///< of the grid places without a panel
  bool has_bezels = false;              ///< any panel has a bezel wider than 0
  std::string clock_address;            ///< "HOST:PORT" of a clock daemon that runs elsewhere, or ""
  std::string control_address;          ///< "HOST:PORT" the control port listens on, or "" = loopback

  /// hide where the file gives bezels, else show (both mean the same there).
  [[nodiscard]] BezelMode default_bezel_mode() const noexcept {
    return has_bezels ? BezelMode::hide : BezelMode::show;
  }
};

/// Reads and validates a wall file. Throws InputError naming file, line and field.
[[nodiscard]] Wall load_wall(const std::filesystem::path& file);

/// The default wall: 5x3 panels without bezels, scaled to fit into `screen_px`.
[[nodiscard]] Wall scaled_wall_5x3(SizePx screen_px);

/// The picture plane of a wall in one bezel mode; the one place that converts between wall
/// millimetres, canvas pixels and panel pixels. Immutable.
///
/// The canvas has the pixel density of the commonest panel, so those panels' pixels are canvas pixels
/// and their rectangles are whole; others are scaled.
class Canvas {
 public:
  Canvas(const Wall& wall, BezelMode mode);

  [[nodiscard]] BezelMode mode() const noexcept { return mode_; }
  [[nodiscard]] SizePx size_px() const noexcept { return size_px_; }
  [[nodiscard]] double px_per_mm() const noexcept { return px_per_mm_; }

  /// Where panel number `panel` (index into Wall::panels) lies on the canvas, in canvas pixels.
  [[nodiscard]] const RectF& panel_rect_px(std::size_t panel) const { return panel_rects_px_.at(panel); }

  /// A canvas rectangle in the panel's own pixels as seen (before rotation into its frame buffer).
  [[nodiscard]] RectF to_panel_px(std::size_t panel, const RectF& canvas_px) const;

  /// The same the other way round.
  [[nodiscard]] RectF to_canvas_px(std::size_t panel, const RectF& panel_px) const;

 private:
  BezelMode mode_;
  double px_per_mm_ = 1;
  SizePx size_px_;
  std::vector<RectF> panel_rects_px_;
  std::vector<SizePx> viewed_sizes_px_;
};

}  // namespace tilewall
