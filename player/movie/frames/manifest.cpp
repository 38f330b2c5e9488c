#include "player/movie/frames/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "player/movie/frames/block_layout.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr std::int64_t format_version = 1;
constexpr std::int64_t max_blocks = 1 << 24;  // in level 0; block numbers fit well into an int

constexpr std::array known_keys = std::to_array<std::string_view>(
    {"format_version", "width_px", "height_px", "fps", "frames", "chroma", "compression", "quality",
     "block_width_px", "block_height_px", "levels", "block_order", "complete", "audio_file",
     "source", "source_identity", "import_options", "repeated_frames", "dropped_frames"});

template <typename Enum>
struct WordOf {
  std::string_view word;
  Enum value;
};

constexpr std::array chroma_words = std::to_array<WordOf<Chroma>>({{"gray", Chroma::gray},
                                                                   {"4:2:0", Chroma::yuv420},
                                                                   {"4:4:4", Chroma::yuv444},
                                                                   {"rgb", Chroma::rgb}});
constexpr std::array compression_words =
    std::to_array<WordOf<BlockCompression>>({{"jpeg", BlockCompression::jpeg},
                                             {"deflate", BlockCompression::deflate},
                                             {"zstd", BlockCompression::zstd}});
constexpr std::array order_words =
    std::to_array<WordOf<BlockOrder>>({{"rows", BlockOrder::rows}, {"panels", BlockOrder::panels}});

/// @pre `value` is in the list
template <typename Enum, std::size_t count>
std::string_view word_of(Enum value, const std::array<WordOf<Enum>, count>& words) {
  return std::ranges::find(words, value, &WordOf<Enum>::value)->word;
}

/// The value, as every key of movie.toml is required.
template <typename Value>
Value needed(const wall::TomlSection& table, std::string_view key, std::optional<Value> value) {
  if (!value) throw InputError({table.file()}, key, "this key", "none");
  return *std::move(value);
}

std::int64_t integer_of(const wall::TomlSection& table, std::string_view key,
                        wall::IntegerRange range) {
  return needed(table, key, table.integer(key, range));
}

std::string text_of(const wall::TomlSection& table, std::string_view key) {
  return needed(table, key, table.any_text(key));
}

template <typename Enum, std::size_t count>
Enum value_of(const wall::TomlSection& table, std::string_view key,
              const std::array<WordOf<Enum>, count>& words) {
  const std::string found = text_of(table, key);
  std::string expected = "one of";
  for (const WordOf<Enum>& entry : words) {
    if (entry.word == found) return entry.value;
    expected.append(" \"").append(entry.word).append("\"");
  }
  table.refuse(key, expected);
}

Rational read_fps(const wall::TomlSection& table) {
  const auto fps = parse_rational(text_of(table, "fps"));
  if (!fps || fps->num <= 0) table.refuse("fps", R"(a positive rate such as "24" or "30000/1001")");
  return *fps;
}

int read_block_side_px(const wall::TomlSection& table, const char* key) {
  const auto side = static_cast<int>(integer_of(table, key, {block_step_px, max_block_side_px}));
  if (side % block_step_px != 0) table.refuse(key, "a multiple of 16");
  return side;
}

std::int64_t block_count(const MovieManifest& movie) {
  const auto along = [](int side, int block) { return (std::int64_t{side} + block - 1) / block; };
  return along(movie.size_px.width, movie.block_px.width) *
         along(movie.size_px.height, movie.block_px.height);
}

void read_pixels(const wall::TomlSection& table, MovieManifest& movie) {
  movie.size_px.width = static_cast<int>(integer_of(table, "width_px", {1, max_movie_side_px}));
  movie.size_px.height = static_cast<int>(integer_of(table, "height_px", {1, max_movie_side_px}));
  movie.chroma = value_of(table, "chroma", chroma_words);
  movie.compression = value_of(table, "compression", compression_words);
  if (!can_hold(movie.compression, movie.chroma))
    table.refuse("chroma", "gray, 4:2:0 or 4:4:4 with JPEG blocks, gray or rgb with lossless ones");
  movie.quality = static_cast<int>(integer_of(table, "quality", {1, 100}));
  movie.block_px.width = read_block_side_px(table, "block_width_px");
  movie.block_px.height = read_block_side_px(table, "block_height_px");
  if (block_count(movie) > max_blocks)
    table.refuse("block_width_px",
                 fmt::format("blocks so large that a frame has at most {}", max_blocks),
                 fmt::format("{} blocks", block_count(movie)));
  movie.levels = static_cast<int>(
      integer_of(table, "levels", {1, pyramid_levels(movie.size_px, movie.block_px)}));
  movie.order = value_of(table, "block_order", order_words);
}

std::string read_audio_file(const wall::TomlSection& table) {
  std::string name = text_of(table, "audio_file");
  if (name.find('/') != std::string::npos || name == "..")
    table.refuse("audio_file", "the name of a file beside movie.toml");
  return name;
}

MovieManifest read_manifest(const wall::TomlSection& table) {
  integer_of(table, "format_version", {format_version, format_version});
  MovieManifest movie;
  movie.fps = read_fps(table);
  movie.frames = integer_of(table, "frames", {0, max_frames});
  read_pixels(table, movie);
  movie.complete = needed(table, "complete", table.boolean("complete"));
  movie.audio_file = read_audio_file(table);
  movie.source = text_of(table, "source");
  movie.source_identity = text_of(table, "source_identity");
  movie.import_options = text_of(table, "import_options");
  movie.repeated_frames = integer_of(table, "repeated_frames", {0, max_frames});
  movie.dropped_frames = integer_of(table, "dropped_frames", {0, max_frames});
  return movie;
}

}  // namespace

std::string_view to_string(BlockCompression compression) noexcept {
  return word_of(compression, compression_words);
}

std::string_view to_string(Chroma chroma) noexcept { return word_of(chroma, chroma_words); }

std::string frame_file_name(std::int64_t frame) { return fmt::format("frame-{:06}.tif", frame); }

std::int64_t count_frame_files(const std::filesystem::path& folder, std::int64_t frames) {
  std::int64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::string_view prefix = "frame-";
    std::int64_t number = -1;
    if (!name.starts_with(prefix)) continue;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (number >= 0 && number < frames && name == frame_file_name(number)) ++count;
  }
  return error ? 0 : count;
}

MovieManifest load_manifest(const std::filesystem::path& folder) {
  return load_manifest_file(folder / scene::manifest_name);
}

MovieManifest load_manifest_file(const std::filesystem::path& file) {
  const wall::TomlFile toml(file, max_file_bytes);
  return read_manifest(toml.root(known_keys));
}

MovieManifest parse_manifest(std::string_view text, const std::string& place) {
  const wall::TomlFile file(place, text, max_file_bytes);
  return read_manifest(file.root(known_keys));
}

std::string manifest_text(const MovieManifest& movie) {
  return fmt::format(
      "# A wall movie: one tiled, pyramidal BigTIFF a frame, beside this file.\n"
      "format_version = {}\nwidth_px = {}\nheight_px = {}\nfps = \"{}\"\nframes = {}\n"
      "chroma = \"{}\"\ncompression = \"{}\"\nquality = {}\nblock_width_px = {}\n"
      "block_height_px = {}\nlevels = {}\nblock_order = \"{}\"\ncomplete = {}\naudio_file = {}\n"
      "\n# Where it came from.\nsource = {}\nsource_identity = {}\nimport_options = {}\n"
      "repeated_frames = {}\ndropped_frames = {}\n",
      format_version, movie.size_px.width, movie.size_px.height, to_string(movie.fps), movie.frames,
      to_string(movie.chroma), to_string(movie.compression), movie.quality, movie.block_px.width,
      movie.block_px.height, movie.levels, word_of(movie.order, order_words), movie.complete,
      wall::toml_quoted(movie.audio_file), wall::toml_quoted(movie.source),
      wall::toml_quoted(movie.source_identity), wall::toml_quoted(movie.import_options),
      movie.repeated_frames, movie.dropped_frames);
}

void save_manifest(const std::filesystem::path& folder, const MovieManifest& movie) {
  save_manifest_file(folder / scene::manifest_name, movie);
}

void save_manifest_file(const std::filesystem::path& file, const MovieManifest& movie) {
  write_file_atomically(file, manifest_text(movie));
}

bool can_hold(BlockCompression compression, Chroma chroma) noexcept {
  if (chroma == Chroma::gray) return true;
  return (chroma == Chroma::rgb) == (compression != BlockCompression::jpeg);
}

SizePx level_size_px(SizePx movie_px, int level) noexcept {
  const auto shrunk = [level](int side) { return ((side - 1) >> level) + 1; };
  return {shrunk(movie_px.width), shrunk(movie_px.height)};
}

int pyramid_levels(SizePx movie_px, SizePx block_px) noexcept {
  int levels = 1;
  for (SizePx size = movie_px; size.width > block_px.width || size.height > block_px.height;
       size = level_size_px(movie_px, levels - 1))
    ++levels;
  return levels;
}

}  // namespace tilewall::movie
