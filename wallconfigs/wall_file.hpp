// A wall file as it is written: every key read, typed and in its range, nothing computed yet.
// README.md explains the keys; load_wall.cpp makes a Wall of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

struct PoseSpec {
  std::optional<std::array<double, 3>> centre_mm;
  std::optional<double> yaw_deg;
  std::optional<double> pitch_deg;
  std::optional<double> roll_deg;
};

/// Settings of [panels] or of one [[panel]]; empty = not given. Sizes and bezels are as on the data
/// sheet, before rotation.
struct PanelSpec {
  std::string field;  ///< "panels" or "panel[3]", for messages
  int line = 0;
  std::optional<SizePx> size_px;
  std::optional<SizeMm> size_mm;
  std::optional<double> diagonal_inches;
  std::optional<SidesMm> bezel_mm;
  std::optional<Rotation> rotation;
  std::optional<ColorMatch> color;
  std::optional<std::string> display;
  // Keys for one [[panel]] alone:
  std::optional<std::string> name;
  std::optional<int> column;  ///< without a row: all of the column; and the other way round
  std::optional<int> row;
  std::optional<std::string> host;
  std::optional<bool> critical;
  std::optional<PointMm> position_mm;
  std::optional<PointPx> window_px;
  std::optional<PoseSpec> pose;
};

struct HoleSpec {
  std::string name;
  int column = 0;
  int row = 0;
  int line = 0;
};

struct HostSpec {
  std::string field;
  int line = 0;
  std::string name;
  std::string address;
  std::vector<int> columns;
  std::vector<int> rows;
  std::vector<std::string> panels;
  std::string display;
  bool critical = false;  ///< all its panels are, unless they say otherwise
};

/// A length along each axis, each in millimetres or in pixels of the commonest panel.
struct OverlapSpec {
  int line = 0;
  OverlapMm mm;
  std::optional<int> horizontal_px;
  std::optional<int> vertical_px;
  EdgeBlend blend;
};

struct ArcSpec {
  std::optional<double> radius_mm;
  std::optional<double> start_angle_deg;
  double increment_deg = 0;
  int columns_per_screen = 1;
  ContentMode content = ContentMode::arc_length;
  int content_line = 0;
  int line = 0;
};

struct WallFile {
  std::string file;
  std::string name;
  int columns = 0;
  int rows = 0;
  PanelSpec defaults;
  std::vector<PanelSpec> panels;
  std::vector<HoleSpec> holes;
  std::vector<HostSpec> hosts;
  std::optional<OverlapSpec> overlap;
  std::optional<ArcSpec> arc;
  std::optional<std::array<double, 3>> eye_mm;
  std::string eye_field;  ///< where it stands, of the two places that it may
  int eye_line = 0;
  std::vector<std::string> clock_addresses;  ///< at most two
  std::string control_address;
};

/// Throws InputError naming file, line and field.
[[nodiscard]] WallFile read_wall_file(const std::filesystem::path& file);

}  // namespace tilewall::wall
