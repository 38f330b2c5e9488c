// State of sources as panels report it: damaged frames, decoders, volumes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::scene {

/// What was shown in place of a frame that was due, from the least to the worst. blocks: a part of
/// it could not be decoded. repeated: nothing of it could be decoded, and the picture before
/// stayed. missing: the source has no such frame, and the picture before stayed. black: there was
/// no picture before either, or the source cannot be opened at all.
enum class FrameDamage : std::uint8_t { none, blocks, repeated, missing, black };
inline constexpr std::size_t frame_damage_kinds = 5;
inline constexpr std::string_view frame_damage_names[frame_damage_kinds] = {
    "none", "blocks", "repeated", "missing", "black"};

[[nodiscard]] constexpr std::string_view name_of(FrameDamage damage) noexcept {
  return frame_damage_names[static_cast<std::size_t>(damage)];
}

/// A decoder process that died and was started again; instants of this host's CLOCK_MONOTONIC.
struct DecoderDeath {
  std::int64_t died_ns = 0;
  std::int64_t back_ns = 0;  ///< Instant when it was started again; 0: not yet
};

/// Device that decodes an ordinary movie. `automatic` is only a setting: the host's first GPU
/// interface that decodes the movie's codec, else the processor.
enum class DecodeDevice : std::uint32_t { automatic, cpu, vaapi, cuda };
inline constexpr std::string_view decode_device_names[] = {"auto", "cpu", "vaapi", "cuda"};

[[nodiscard]] constexpr std::string_view name_of(DecodeDevice device) noexcept {
  return decode_device_names[static_cast<std::size_t>(device)];
}

/// Empty where `name` is none of decode_device_names.
[[nodiscard]] constexpr std::optional<DecodeDevice> parse_decode_device(
    std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(decode_device_names); ++i)
    if (decode_device_names[i] == name) return static_cast<DecodeDevice>(i);
  return std::nullopt;
}

/// Work of the decoders of one movie for all panels of their host, so far.
struct DecodedMovie {
  std::uint64_t id = 0;  ///< Number of the movie, unique on the host
  std::uint64_t pictures = 0;
  std::uint64_t px = 0;
  std::uint64_t cpu_ns = 0;
  bool operator==(const DecodedMovie&) const = default;
};

/// Adds figures that a panel reported. Several panels report the same movie at different times; the
/// newest figures, which are the largest, count.
inline void add_newest(std::vector<DecodedMovie>& movies, const DecodedMovie& told) {
  for (DecodedMovie& known : movies) {
    if (known.id != told.id) continue;
    if (told.pictures >= known.pictures) known = told;
    return;
  }
  movies.push_back(told);
}

/// Sum over several movies, with id 0.
[[nodiscard]] inline DecodedMovie sum_of(const std::vector<DecodedMovie>& movies) {
  DecodedMovie sum;
  for (const DecodedMovie& movie : movies) {
    sum.pictures += movie.pictures;
    sum.px += movie.px;
    sum.cpu_ns += movie.cpu_ns;
  }
  return sum;
}

/// State of the processes that decode for all panels of this host.
struct DecoderStatus {
  std::vector<DecodedMovie> movies;
  DecodeDevice device = DecodeDevice::cpu;  ///< Device that decodes now; never `automatic`
  std::string device_note;           ///< Why no GPU decodes, where one was requested or failed
  std::vector<DecoderDeath> deaths;  ///< The first deaths of decoders
};

/// Times from a request to its picture.
struct PictureTimes {
  std::uint64_t pictures = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p95_ns = 0;
  std::int64_t max_ns = 0;
};

/// Cost of a volume's pictures so far, and the memory that the volume has. Times are elapsed times
/// of this panel's pictures, unless a comment says otherwise.
struct VolumeStatus {
  static constexpr int all_read = 1000;
  std::uint64_t style_ns = 0;      ///< Time for the tables of new styles
  std::uint64_t occupancy_ns = 0;  ///< Time for finding the cells that a style shows
  std::uint64_t cast_ns = 0;       ///< Time for casting rays
  /// Part of cast_ns for lists of samples: CPU time of all threads.
  std::uint64_t beams_cpu_ns = 0;
  /// Part of cast_ns for sampling and shading: CPU time of all threads.
  std::uint64_t sample_cpu_ns = 0;
  std::uint64_t gpu_ns = 0;       ///< Part of cast_ns on a GPU
  std::uint64_t annotate_ns = 0;  ///< Time for axes, colour bar and label
  std::uint64_t wait_ns = 0;     ///< Time until the caster began: it drew for other panels, or read
  std::uint64_t copy_ns = 0;     ///< Time for copying pictures out of the shared memory
  std::uint64_t held_bytes = 0;  ///< Memory of voxels and of tables about them, on this host
  std::uint64_t limit_bytes = 0;  ///< Limit of held_bytes
  std::uint64_t read_bytes = 0;   ///< Bytes of voxels read on this host
  std::uint64_t read_bricks = 0;  ///< Bricks read on this host; 0 for files without bricks
  std::uint64_t read_ns = 0;      ///< Time for reading voxels from files
  std::uint64_t decode_ns = 0;    ///< Time for unpacking and packing voxels
  /// CPU time of this host's caster for the pictures of all panels.
  std::uint64_t caster_cpu_ns = 0;
  int level = 0;         ///< Level that the newest picture was drawn from, 0 the finest
  std::string drawn_by;  ///< What drew the newest picture: "gl: RENDERER" or "cpu: KERNELS"
  bool blank = false;    ///< The newest full picture is nothing but background
  /// The detail of the newest full picture cannot be read: it shows the overview.
  bool detail_failed = false;
  /// Thousandths of the volume that this host has read while its previews are shown; all_read: it
  /// is not read in stages, or all of it was read, or it cannot be read.
  int progress = all_read;
  PictureTimes still;   ///< Times of full pictures
  PictureTimes moving;  ///< Times of coarse pictures, while a camera moves or a style changes
};

}  // namespace tilewall::scene
