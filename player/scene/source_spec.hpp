// Where a region's pictures come from, as the director tells the panels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "render/volume/orbit.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

/// movie: an ordinary one, decoded once per host. remote_movie: a wall movie on a server. playlist:
/// several of the others, one after the other. volume: drawn once per host; frames are timesteps.
enum class SourceKind { wall_movie, images, movie, remote_movie, pattern, playlist, volume };

struct PlaylistItem;

/// Immutable once shared.
struct SourceSpec {
  SourceKind kind = SourceKind::pattern;
  /// Folder of a wall movie or of images; file; URL; pattern's name; of a volume a VolumeJob as
  /// JSON.
  std::string path;
  std::vector<std::string> files;  ///< images: file names below `path`, frame by frame; "" = a gap
  SizePx size_px;                  ///< of the movie; {0,0} of patterns and volumes: they fill any
  std::int64_t frames = 1;         ///< > 0; of a playlist: of all of it, at its own rate
  Rational fps{24, 1};             ///< > 0; a playlist's is the greatest of its items
  std::string audio;               ///< file (or URL of the movie) with its sound; "" = none
  render::WorldBox box;            ///< volume: what a camera has to see
  bool growing = false;  ///< a wall movie, here or on a server, that is still being written
  std::vector<PlaylistItem> items;  ///< playlist: at least one
  bool operator==(const SourceSpec&) const;
};

using SourcePtr = std::shared_ptr<const SourceSpec>;

/// A part of a movie in a playlist: its frames [first_frame, end_frame), each shown at the movie's
/// own rate, `rounds` times over. A playlist counts frames over all its items at one rate, so a
/// frame of a slower movie fills several of them.
struct PlaylistItem {
  SourcePtr source;  ///< not a playlist itself
  std::int64_t first_frame = 0;
  std::int64_t end_frame = 1;
  std::int64_t rounds = 1;
  std::int64_t start = 0;  ///< where it begins, in frames of the playlist
  std::string title{};     ///< UTF-8; "" = it has none
  bool operator==(const PlaylistItem& other) const;
};

/// A playlist of the items in their order; sets every item's start, the frames and the rate.
/// Throws InputError where those are more than 2^48. @pre items are not empty and their ranges lie
/// within their movies
[[nodiscard]] SourceSpec make_playlist(std::vector<PlaylistItem> items);

/// The item of a playlist that a frame of it belongs to. @pre a playlist; 0 <= frame < frames
[[nodiscard]] std::size_t item_at(const SourceSpec& playlist, std::int64_t frame) noexcept;

/// What people call the item: its title, or the file name of its movie.
[[nodiscard]] std::string name_of(const PlaylistItem& item);

/// The item that people mean by `name`: its title, path or file name, else the only one whose title
/// or file name contains it, upper and lower case alike. The first one where several have the same
/// title or file. Throws InputError where no item or several fit. @pre a playlist
[[nodiscard]] std::size_t item_named(const SourceSpec& playlist, std::string_view name);

/// Whether it, or an item of it, has sound.
[[nodiscard]] bool has_sound(const SourceSpec& source) noexcept;

/// Whether it, or an item of it, is a volume.
[[nodiscard]] bool holds_volume(const SourceSpec& source) noexcept;

/// A frame of a source, and of which: itself, or the playlist's item.
struct SourceFrame {
  SourcePtr source;
  std::int64_t frame = 0;
};

/// What `frame` of the source shows. @pre 0 <= frame < frames
[[nodiscard]] SourceFrame resolve_frame(const SourcePtr& source, std::int64_t frame) noexcept;

[[nodiscard]] nlohmann::json to_json(const SourceSpec& source);

/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] SourceSpec source_from_json(const nlohmann::json& json);

/// What makes a folder a wall movie.
inline constexpr const char* manifest_name = "movie.toml";
[[nodiscard]] bool is_wall_movie(const std::filesystem::path& folder);

}  // namespace tilewall::scene
