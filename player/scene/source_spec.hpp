// Where a region's pictures come from, in the form that the director sends to the panels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "render/volume/orbit.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

/// Kinds of sources. movie: an ordinary movie, decoded once per host. remote_movie: a wall movie on
/// a server. playlist: several other sources, one after the other. volume: drawn once per host,
/// with timesteps as frames.
enum class SourceKind { wall_movie, images, movie, remote_movie, pattern, playlist, volume };

struct PlaylistItem;

/// How people name a source: what opens it again.
struct SourceName {
  std::vector<std::string> inputs;             ///< inputs as of `play`, with absolute paths
  std::map<std::string, std::string> options;  ///< options of `view` about the part that is read

  bool operator==(const SourceName&) const = default;
};

/// A source. Immutable once shared.
struct SourceSpec {
  SourceKind kind = SourceKind::pattern;
  /// Folder of a wall movie or of images, file, URL, name of a pattern, or a volume's VolumeJob as
  /// JSON.
  std::string path;
  std::vector<std::string> files;  ///< Names of images below `path`, frame by frame; "" = a gap
  SizePx size_px;  ///< Size of the movie; {0,0} for patterns and volumes, which fill any size
  std::int64_t frames = 1;  ///< Number of frames, > 0; of a playlist, at its own rate
  Rational fps{24, 1};      ///< Frame rate, > 0; a playlist's is the greatest of its items
  std::string audio;        ///< File with the sound (or URL of the movie); "" = none
  render::WorldBox box;     ///< Box that a camera has to see; volumes only
  /// A volume of a field, such as a temperature, whose low values mean as much as its high ones.
  bool is_field = false;
  bool is_anatomical = false;  ///< A volume whose x, y and z are a patient's right, front and top
  Vec3d up = {0, 0, 1};        ///< Direction in a volume's world that is up at first
  bool growing = false;        ///< The wall movie, here or on a server, is still being written
  bool live = false;           ///< A volume whose timesteps a simulation sends (LiveStep)
  std::vector<PlaylistItem> items;  ///< Items of a playlist, at least one
  SourceName named{};               ///< What opens it again; no inputs: not known
  /// Compares the pictures and the sound, not the name.
  bool operator==(const SourceSpec& other) const;
};

using SourcePtr = std::shared_ptr<const SourceSpec>;

/// A part of a movie in a playlist: its frames [first_frame, end_frame), each shown at the movie's
/// own rate, `rounds` times over. A playlist counts frames over all its items at one rate, so a
/// frame of a slower movie fills several frames of the playlist.
struct PlaylistItem {
  SourcePtr source;  ///< Source of the item; not a playlist itself
  std::int64_t first_frame = 0;
  std::int64_t end_frame = 1;
  std::int64_t rounds = 1;
  std::int64_t start = 0;  ///< First frame of the item, in frames of the playlist
  std::string title{};     ///< Title in UTF-8; "" = none
  bool operator==(const PlaylistItem& other) const;
};

/// Makes a playlist of the items in their order, and sets every item's start, the frames and the
/// rate. Throws InputError for more than 2^48 frames. @pre there are items, and their ranges lie
/// within their movies
[[nodiscard]] SourceSpec make_playlist(std::vector<PlaylistItem> items);

/// The item of a playlist to which a frame belongs. @pre a playlist; 0 <= frame < frames
[[nodiscard]] std::size_t item_at(const SourceSpec& playlist, std::int64_t frame) noexcept;

/// The item's name for people: its title, or the file name of its movie.
[[nodiscard]] std::string name_of(const PlaylistItem& item);

/// The item that people mean by `name`: its title, path or file name, else the only one whose title
/// or file name contains it, ignoring case. The first one where several have the same title or
/// file. Throws InputError where no item or several fit. @pre the source is a playlist
[[nodiscard]] std::size_t item_named(const SourceSpec& playlist, std::string_view name);

/// Whether the source, or an item of it, has sound.
[[nodiscard]] bool has_sound(const SourceSpec& source) noexcept;

/// Whether the source, or an item of it, is a volume.
[[nodiscard]] bool holds_volume(const SourceSpec& source) noexcept;

/// A frame and the source that it belongs to: for a playlist, the item's.
struct SourceFrame {
  SourcePtr source;
  std::int64_t frame = 0;
};

/// The frame that a source shows at its `frame`. @pre 0 <= frame < frames
[[nodiscard]] SourceFrame resolve_frame(const SourcePtr& source, std::int64_t frame) noexcept;

[[nodiscard]] nlohmann::json to_json(const SourceSpec& source);

/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] SourceSpec source_from_json(const nlohmann::json& json);

/// The file that makes a folder a wall movie.
inline constexpr const char* manifest_name = "movie.toml";
[[nodiscard]] bool is_wall_movie(const std::filesystem::path& folder);

}  // namespace tilewall::scene
