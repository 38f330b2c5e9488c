// What panels and their host's caster say to each other, in whole packets over a local socket.
//
//   panel                                     caster
//   OpenMessage                ->  nothing but whether the volume can be shown
//                                  CastAnswer     <-  once its first timestep can
//   style header + descriptor  ->  how the coming pictures are made: a memfd with JSON
//   memory header + descriptor ->  where they go: a memfd, its size sealed
//   CastMessage                ->  one picture
//                                  CastAnswer     <-  it is there, or never will be; where a finer
//                                                     one is being made ready, it says so
//
// A panel asks for one picture at a time. Where it asks again before the answer, the older request
// is forgotten and not answered. Nobody trusts anybody: the caster checks every number against the
// memory it was given, the panel copies pixels, whatever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "render/volume/camera.hpp"

namespace tilewall::volume {

inline constexpr std::size_t max_caster_request_bytes = std::size_t{64} << 10;
inline constexpr std::int64_t max_style_bytes = std::int64_t{1} << 20;
inline constexpr int max_picture_side_px = 1 << 17;  ///< of the whole wall's
inline constexpr int max_part_side_px = 16384;

enum class CastMessageKind : std::uint32_t { style = 1, memory = 2, cast = 3, open = 4 };

struct CastMessageHeader {
  std::uint32_t magic = 0x31435754;  //  0  'TWC1'
  CastMessageKind kind = CastMessageKind::cast;
};
static_assert(sizeof(CastMessageHeader) == 8 && offsetof(CastMessageHeader, kind) == 4 &&
              std::is_trivially_copyable_v<CastMessageHeader>);

/// How fine a picture has to be.
enum class CastDetail : std::int32_t {
  overview = 0,  ///< what is in memory for every view
  soon = 1,      ///< as fine as is there; what is better gets read, and CastAnswer::finer
  awaited = 2,   ///< answered once it is as fine as it gets
  deferred = 3,  ///< as overview, and what is better gets read, and CastAnswer::finer
};

/// What there is that is finer than what was drawn.
enum class FinerDetail : std::uint32_t {
  none = 0,
  comes = 1,   ///< it is being read
  there = 2,   ///< but was deferred
  failed = 3,  ///< it cannot be read
};

struct OpenMessage {
  CastMessageHeader header{.kind = CastMessageKind::open};
  std::uint64_t number = 0;
};
static_assert(sizeof(OpenMessage) == 16 && offsetof(OpenMessage, number) == 8 &&
              std::is_trivially_copyable_v<OpenMessage>);

/// The rectangle [x, x + width) x [y, y + height) of a picture of picture_width x picture_height
/// pixels, both in pixels of this panel's; rows of BGRX without padding.
struct CastMessage {
  CastMessageHeader header;
  std::uint64_t number = 0;   ///< of the request, growing
  std::int64_t timestep = 0;  ///< from 0
  std::int32_t lens = 0;      ///< Lens
  std::int32_t coarser_by =
      0;  ///< a ray for every 2^n-th pixel of a row and column, the others between
  double eye[3] = {};
  double look_at[3] = {};
  double up[3] = {};
  double fov_rad = 0;
  double view_height = 0;
  double centre_offset_px[2] = {};
  /// The region's own camera and size, in whole pixels, where `picture` is another grid of pixels:
  /// what is seen, for all panels the same; of tilted screens, what all of them see of it.
  double region_fov_rad = 0;
  double region_view_height = 0;
  double region_centre_offset_px[2] = {};
  std::int32_t region_width = 0;
  std::int32_t region_height = 0;
  CastDetail detail = CastDetail::overview;
  std::int32_t picture_width = 0;
  std::int32_t picture_height = 0;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int32_t sees_around = 0;  ///< 1: screens see beyond the region's flat picture, or behind it
  double tilt[9] = {};           ///< CastView's; all zero: none
};
static_assert(sizeof(CastMessage) == 280 && offsetof(CastMessage, number) == 8 &&
              offsetof(CastMessage, timestep) == 16 && offsetof(CastMessage, lens) == 24 &&
              offsetof(CastMessage, coarser_by) == 28 && offsetof(CastMessage, eye) == 32 &&
              offsetof(CastMessage, look_at) == 56 && offsetof(CastMessage, up) == 80 &&
              offsetof(CastMessage, fov_rad) == 104 && offsetof(CastMessage, view_height) == 112 &&
              offsetof(CastMessage, centre_offset_px) == 120);
static_assert(offsetof(CastMessage, region_fov_rad) == 136 &&
              offsetof(CastMessage, region_view_height) == 144 &&
              offsetof(CastMessage, region_centre_offset_px) == 152 &&
              offsetof(CastMessage, region_width) == 168 &&
              offsetof(CastMessage, region_height) == 172 && offsetof(CastMessage, detail) == 176 &&
              offsetof(CastMessage, picture_width) == 180 &&
              offsetof(CastMessage, picture_height) == 184);
static_assert(offsetof(CastMessage, x) == 188 && offsetof(CastMessage, y) == 192 &&
              offsetof(CastMessage, width) == 196 && offsetof(CastMessage, height) == 200 &&
              offsetof(CastMessage, sees_around) == 204 && offsetof(CastMessage, tilt) == 208 &&
              std::is_trivially_copyable_v<CastMessage>);

enum class CastStatus : std::uint32_t {
  done = 1,     ///< the picture is in the memory
  refused = 2,  ///< the volume, this timestep or the request: `line` says why
  waits = 3,    ///< `line` says for what, or what is not as it should be; another answer follows
};

struct CastAnswer {
  std::uint32_t magic = 0x31415754;  //  0  'TWA1'
  CastStatus status = CastStatus::done;
  std::uint64_t number = 0;
  std::uint64_t samples = 0;
  std::uint64_t cast_ns = 0;       ///< as time passes, all threads at it: all of the picture
  std::uint64_t style_ns = 0;      ///< of that, to find what a new style shows
  std::uint64_t occupancy_ns = 0;  ///< of style_ns, to find the cells that it needs
  std::uint64_t annotate_ns = 0;   ///< of cast_ns, for axes, colour bar and label
  std::uint64_t beams_cpu_ns = 0;  ///< as CastTimes has it, as the next two
  std::uint64_t sample_cpu_ns = 0;
  std::uint64_t gpu_ns = 0;
  // Of the host's caster.
  std::uint64_t held_bytes = 0;   ///< of volumes in memory, those that are being read included
  std::uint64_t read_bytes = 0;   ///< of voxels, since it was started
  std::uint64_t read_bricks = 0;  ///< for that; 0 of files without
  std::uint64_t read_ns = 0;      ///< from files, as time passes
  std::uint64_t decode_ns = 0;    ///< unpacking, and packing for the kernels, likewise
  std::uint64_t cpu_ns = 0;       ///< all of it, since it was started
  std::int32_t level = 0;         ///< of the volume, that was drawn: 0 the finest
  FinerDetail finer = FinerDetail::none;
  std::uint32_t blank = 0;  ///< 1: a picture in full that shows nothing but background
  char line[444] = {};      ///< why it was refused; of a picture, what drew it
};
static_assert(sizeof(CastAnswer) == 584 && offsetof(CastAnswer, status) == 4 &&
              offsetof(CastAnswer, number) == 8 && offsetof(CastAnswer, held_bytes) == 80 &&
              offsetof(CastAnswer, cpu_ns) == 120 && offsetof(CastAnswer, level) == 128 &&
              offsetof(CastAnswer, finer) == 132 && offsetof(CastAnswer, blank) == 136 &&
              offsetof(CastAnswer, line) == 140);
static_assert(std::is_trivially_copyable_v<CastAnswer> &&
              std::has_unique_object_representations_v<CastAnswer>);

[[nodiscard]] render::VolumeCamera camera_of(const CastMessage& message) noexcept;
void set_camera(CastMessage& message, const render::VolumeCamera& camera) noexcept;

/// The region's camera; its picture's size stands in the message.
[[nodiscard]] render::VolumeCamera region_camera_of(const CastMessage& message) noexcept;
void set_region(CastMessage& message, const render::VolumeCamera& camera, SizePx size_px) noexcept;

/// Empty where there is none.
[[nodiscard]] std::optional<wall::PanelMap> tilt_of(const CastMessage& message) noexcept;
void set_tilt(CastMessage& message, const wall::PanelMap& tilt) noexcept;

/// What a packet is; empty where it is none of ours.
[[nodiscard]] std::optional<CastMessageKind> kind_of(std::span<const std::byte> packet);

/// The number of an OpenMessage.
[[nodiscard]] std::optional<std::uint64_t> decode_open(std::span<const std::byte> packet);

/// Empty where the numbers cannot be a picture's that fits `memory_bytes`.
[[nodiscard]] std::optional<CastMessage> decode_cast(std::span<const std::byte> packet,
                                                     std::size_t memory_bytes);

void set_line(CastAnswer& answer, const std::string& line) noexcept;
[[nodiscard]] std::string line_of(const CastAnswer& answer);

/// Panel -> host service, ahead of all, and again when its caster is gone; answered by a
/// CasterGrant and the descriptor of a connection to the caster. The connection to the service
/// stays open for as long as the panel shows the volume.
struct CasterRequest {
  std::string volume;    ///< as JSON
  bool changed = false;  ///< another picture than the one before is wanted
};
struct CasterGrant {
  std::uint32_t magic = 0x32475754;  //  'TWG2'
  std::uint32_t granted = 0;         ///< 1, or 0: there is no caster for a while, `line` says why
  char line[248] = {};
};
static_assert(sizeof(CasterGrant) == 256 && offsetof(CasterGrant, granted) == 4 &&
              offsetof(CasterGrant, line) == 8 && std::is_trivially_copyable_v<CasterGrant>);
void set_line(CasterGrant& grant, const std::string& line) noexcept;
[[nodiscard]] std::string line_of(const CasterGrant& grant);
[[nodiscard]] std::vector<std::byte> encode_caster_request(const CasterRequest& request);
[[nodiscard]] std::optional<CasterRequest> decode_caster_request(std::span<const std::byte> packet);

}  // namespace tilewall::volume
