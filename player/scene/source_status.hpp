// How sources are, as panels report it: what became of a frame, decoders, volumes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::scene {

/// What was shown in place of a frame that was due, from the least to the worst. blocks: a part of
/// it could not be decoded. repeated: the decoder could not give it, and the picture before stayed.
/// missing: the source has no such frame, and the picture before stayed. black: there was no
/// picture before either, or the source cannot be opened at all.
enum class FrameDamage : std::uint8_t { none, blocks, repeated, missing, black };
inline constexpr std::size_t frame_damage_kinds = 5;

/// A decoder process that died and was started again; instants of this host's CLOCK_MONOTONIC.
struct DecoderDeath {
  std::int64_t died_ns = 0;
  std::int64_t back_ns = 0;  ///< 0: not yet
};

/// What decodes an ordinary movie. `automatic` is a choice only: the first GPU interface of the
/// host that takes the movie's codec, else the processor.
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

/// What the decoders of one movie did for all panels of their host.
struct DecodedMovie {
  std::uint64_t id = 0;  ///< no other movie of the host has it
  std::uint64_t pictures = 0;
  std::uint64_t px = 0;
  std::uint64_t cpu_ns = 0;
  bool operator==(const DecodedMovie&) const = default;
};

/// Panels tell of one movie each for themselves: of several figures the newest, which are the
/// largest, count.
inline void add_newest(std::vector<DecodedMovie>& movies, const DecodedMovie& told) {
  for (DecodedMovie& known : movies) {
    if (known.id != told.id) continue;
    if (told.pictures >= known.pictures) known = told;
    return;
  }
  movies.push_back(told);
}

/// Its id is 0.
[[nodiscard]] inline DecodedMovie sum_of(const std::vector<DecodedMovie>& movies) {
  DecodedMovie sum;
  for (const DecodedMovie& movie : movies) {
    sum.pictures += movie.pictures;
    sum.px += movie.px;
    sum.cpu_ns += movie.cpu_ns;
  }
  return sum;
}

/// What the processes did that decode for all panels of this host.
struct DecoderStatus {
  std::vector<DecodedMovie> movies;
  DecodeDevice device = DecodeDevice::cpu;  ///< that decodes now; never automatic
  std::string device_note;           ///< why no GPU decodes, where one was asked for or failed
  std::vector<DecoderDeath> deaths;  ///< the first ones
};

/// How long pictures took, from the request until they were there.
struct PictureTimes {
  std::uint64_t pictures = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p95_ns = 0;
  std::int64_t max_ns = 0;
};

/// What a volume's pictures cost so far, and what the volume takes. Times are of this panel's
/// pictures, as time passes, where nothing else is said.
struct VolumeStatus {
  std::uint64_t style_ns = 0;       ///< tables of a new style
  std::uint64_t occupancy_ns = 0;   ///< finding the cells that it shows
  std::uint64_t cast_ns = 0;        ///< rays
  std::uint64_t beams_cpu_ns = 0;   ///< of that, lists of samples: computing time of all threads
  std::uint64_t sample_cpu_ns = 0;  ///< and taking and shading them, likewise
  std::uint64_t gpu_ns = 0;         ///< of cast_ns, by a GPU
  std::uint64_t annotate_ns = 0;    ///< axes, colour bar, label
  std::uint64_t wait_ns = 0;        ///< for the caster: at other panels' pictures, or reading
  std::uint64_t copy_ns = 0;        ///< out of the memory that both have
  std::uint64_t held_bytes = 0;     ///< of voxels and what is kept beside them, on this host
  std::uint64_t limit_bytes = 0;    ///< what that may be
  std::uint64_t read_bytes = 0;     ///< of voxels, on this host
  std::uint64_t read_bricks = 0;    ///< for that; 0 of files without
  std::uint64_t read_ns = 0;        ///< for that, from files
  std::uint64_t decode_ns = 0;      ///< and unpacking and packing them
  std::uint64_t caster_cpu_ns = 0;  ///< computing time of this host's caster, all panels' pictures
  int level = 0;                    ///< of the newest picture, 0 the finest
  std::string drawn_by;             ///< it: "gl: RENDERER" or "cpu: KERNELS"
  bool blank = false;               ///< the newest one in full shows nothing but background
  bool detail_failed = false;       ///< and its detail cannot be read: it shows the overview
  PictureTimes still;               ///< pictures in full
  PictureTimes moving;              ///< coarse ones: while a camera moves or a style changes
};

}  // namespace tilewall::scene
