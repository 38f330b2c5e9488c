// Flight paths in files that people edit: PATH.toml, described in README.md.
#pragma once

#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/path/flight_path.hpp"

namespace tilewall::path {

/// A field of a volume's style, as `tilewall ctl style FIELD=VALUE` has it.
struct StyleWord {
  std::string field;
  std::string value;
  std::string place = {};  ///< "FILE:LINE: key[2].clip", for messages; "" if it is of no file
  bool operator==(const StyleWord& other) const {
    return field == other.field && value == other.value;
  }
};

struct PathKey {
  std::string name;  ///< "" = none
  render::FlightKey flight;
  /// Timestep of a series that is shown here; empty: between those of the keys around that have
  /// one.
  std::optional<double> timestep;
  /// Changes of the style of the key before, in the order of style_word_fields().
  std::vector<StyleWord> style = {};
};

/// An image over all frames. Lengths are shares of the picture's sides, or mm on the wall.
struct PathLogo {
  std::string file;
  double x = 1;  ///< Place of its middle, from the left and from the top
  double y = 0;
  bool is_in_mm = false;
  bool is_across = false;  ///< It may lie across bezels; else it lies within one panel
  double width = 0.1;      ///< Share of the picture's width
  bool width_is_in_mm = false;
  std::string place = {};  ///< "FILE:LINE: logo.file", for messages
};

struct PathFile {
  std::string name;  ///< Title; "" = none
  /// The volume that `render` flies through: files, or one on a server; empty = not named.
  std::vector<std::string> volume;
  render::FlightOptions options;
  std::optional<PathLogo> logo;
  std::vector<PathKey> keys;
};

inline constexpr std::size_t largest_path_bytes = std::size_t{16} << 20;
inline constexpr double farthest_place = 1e12;  ///< Limit of coordinates, in world units
inline constexpr double degree = std::numbers::pi / 180;

inline constexpr std::size_t longest_style_value = 4096;  ///< Limit of a style field, in bytes

/// The fields of a style that keys may have, in the order in which they are applied.
[[nodiscard]] std::vector<std::string_view> style_word_fields();

/// Reads PATH.toml. Names of files in it are relative to its folder there, and not any more in the
/// result. The values of style fields are not checked. Throws InputError naming file, line, key and
/// field.
[[nodiscard]] PathFile read_path_file(const std::string& file);

/// The same of a path that is still being made: of its keys only the fields are checked, and it may
/// have any number of them.
[[nodiscard]] PathFile read_path_draft(const std::string& file);

// Changes of a PATH.toml that leave all of its other lines as they are. Each reads the file, throws
// InputError as read_path_draft() does and where there is no such key, and writes it again.

/// Adds a key at the end; makes the file if there is none, with a line about `volume` unless that
/// is "". Returns the number of keys.
std::size_t add_key(const std::string& file, const PathKey& key, const std::string& volume);
/// Removes the key at `index`, from 0. The key behind it keeps its look: it gets what it took over
/// from that one.
void remove_key(const std::string& file, std::size_t index);
/// Moves the key at `index` so that it is at `to`, with its comments. What keys leave out is then
/// that of the keys that are now before them. Throws InputError where times would no longer rise.
void move_key(const std::string& file, std::size_t index, std::size_t to);
/// Sets the time of the key at `index`; empty: it has none any more.
void retime_key(const std::string& file, std::size_t index, std::optional<double> time_s);

/// The index of a key by its number, from 1, or its name. Throws InputError naming `file`.
[[nodiscard]] std::size_t find_key(const PathFile& path, const std::string& file,
                                   const std::string& key);

/// The index of the key whose camera is nearest to this one: its eye, and what it looks at. Throws
/// InputError naming `file` where there is no key.
[[nodiscard]] std::size_t nearest_key(const PathFile& path, const std::string& file,
                                      const render::VolumeCamera& camera);

/// The text of a PATH.toml with the path.
[[nodiscard]] std::string path_text(const PathFile& path);

[[nodiscard]] std::vector<render::FlightKey> flight_keys(const PathFile& path);

/// The path of the file's keys. Throws InputError naming `file`, the key and the field where
/// render::fault_of() finds a fault.
[[nodiscard]] render::FlightPath flight_of(const PathFile& path, const std::string& file);

/// The place in a series at an instant, with its fraction: it plays evenly from key to key, while
/// the camera flies; before the first key with a timestep and after the last one it stays. Empty:
/// no key has one.
[[nodiscard]] std::optional<double> timestep_at(const PathFile& path,
                                                const render::FlightPath& flight, double time_s);

/// The whole timestep that a place in a series has come to, but for rounding.
[[nodiscard]] double last_whole(double timestep);

}  // namespace tilewall::path
