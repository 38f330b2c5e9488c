// The messages between panels and their host's caster. Each is one packet on a local socket
// (SOCK_SEQPACKET), in the byte order of the host.
//
//   panel                                     caster
//   OpenMessage                ->  asks whether the volume can be shown
//                                  CastAnswer     <-  sent once the first timestep is loaded
//   style header + descriptor  ->  the style of the next pictures, as JSON in a memfd
//   memory header + descriptor ->  memory for the next pictures: a memfd with a sealed size
//   CastMessage                ->  requests one picture
//                                  CastAnswer     <-  the picture is drawn, or refused; tells
//                                                     whether a finer one can follow
//
// A panel requests one picture at a time. A new request replaces one that was not answered yet.
// Neither side trusts the other: the caster checks every number against the memory that it was
// given, and the panel only copies pixels.
//
// Threads: values and free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "render/volume/camera.hpp"

namespace tilewall::volume {

inline constexpr std::size_t max_caster_request_bytes = std::size_t{64} << 10;
inline constexpr std::int64_t max_style_bytes = std::int64_t{1} << 20;
inline constexpr int max_picture_side_px = 1 << 17;  ///< limit for the whole wall's picture
inline constexpr int max_part_side_px = 16384;       ///< limit for one panel's part

enum class CastMessageKind : std::uint32_t { style = 1, memory = 2, cast = 3, open = 4 };

struct CastMessageHeader {
  std::uint32_t magic = 0x31435754;  //  0  'TWC1'
  CastMessageKind kind = CastMessageKind::cast;

  [[nodiscard]] bool operator==(const CastMessageHeader&) const = default;
};
static_assert(sizeof(CastMessageHeader) == 8 && offsetof(CastMessageHeader, kind) == 4 &&
              std::is_trivially_copyable_v<CastMessageHeader>);

/// Which data a picture is drawn from.
enum class CastDetail : std::int32_t {
  overview = 0,  ///< the overview; no detail is read for it
  soon = 1,      ///< the detail if it is loaded, else the overview while the detail is read
  awaited = 2,   ///< the detail; the answer waits until it is loaded
  deferred = 3,  ///< the overview, also if the detail is loaded; a missing detail is read
};

/// The stage of a volume that is read in stages after which none comes.
inline constexpr std::int32_t all_stages = std::numeric_limits<std::int32_t>::max();

/// State of data that is finer than what a picture was drawn from.
enum class FinerDetail : std::uint32_t {
  none = 0,    ///< there is none, or the request did not ask for it
  comes = 1,   ///< it is being read
  there = 2,   ///< it is loaded, but the request deferred it
  failed = 3,  ///< it cannot be read
};

struct OpenMessage {
  CastMessageHeader header{.kind = CastMessageKind::open};
  std::uint64_t number = 0;
};
static_assert(sizeof(OpenMessage) == 16 && offsetof(OpenMessage, header) == 0 &&
              offsetof(OpenMessage, number) == 8 && std::is_trivially_copyable_v<OpenMessage>);

/// Requests the rectangle [x, x + width) x [y, y + height) of a picture of picture_width x
/// picture_height pixels. Both are in pixels of the panel; the rows are BGRX without padding.
struct CastMessage {
  CastMessageHeader header;
  std::uint64_t number = 0;     ///< number of the request; each is larger than the one before
  std::int64_t timestep = 0;    ///< from 0
  std::int32_t lens = 0;        ///< Lens
  std::int32_t coarser_by = 0;  ///< n: rays at every 2^n-th row and column, interpolated between
  double eye[3] = {};
  double look_at[3] = {};
  double up[3] = {};
  double fov_rad = 0;
  double view_height = 0;
  double centre_offset_px[2] = {};
  /// The region's camera and size in whole pixels. The detail is chosen by these, because they are
  /// the same on all panels, unlike the grid of pixels of `picture`. With tilted screens, they
  /// describe the part of the flat picture that all screens together see.
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
  std::int32_t sees_around = 0;  ///< 1: no flat picture holds all that the screens see
  double tilt[9] = {};           ///< CastView::tilt, row by row; all zero = none
  char note[48] = {};            ///< more text for the label of a live timestep; "" = none
  /// Of a volume that is read in stages: the answer waits for this stage if `detail` is awaited,
  /// and is drawn from the finest one up to most_stage. Other volumes have one stage, 0.
  std::int32_t least_stage = 0;
  std::int32_t most_stage = all_stages;

  [[nodiscard]] bool operator==(const CastMessage&) const = default;
};
static_assert(sizeof(CastMessage) == 336 && offsetof(CastMessage, header) == 0 &&
              offsetof(CastMessage, number) == 8 && offsetof(CastMessage, timestep) == 16 &&
              offsetof(CastMessage, lens) == 24 && offsetof(CastMessage, coarser_by) == 28 &&
              offsetof(CastMessage, eye) == 32 && offsetof(CastMessage, look_at) == 56 &&
              offsetof(CastMessage, up) == 80 && offsetof(CastMessage, fov_rad) == 104 &&
              offsetof(CastMessage, view_height) == 112 &&
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
              offsetof(CastMessage, note) == 280 && offsetof(CastMessage, least_stage) == 328 &&
              offsetof(CastMessage, most_stage) == 332 &&
              std::is_trivially_copyable_v<CastMessage>);

enum class CastStatus : std::uint32_t {
  done = 1,     ///< the picture is in the panel's memory, or the volume can be shown
  refused = 2,  ///< volume, timestep or request are refused; `line` has the reason
  waits = 3,    ///< `line` has a message for the operator; another answer follows
  reads = 4,    ///< `progress` tells how much is read; another answer follows
};

struct CastAnswer {
  std::uint32_t magic = 0x31415754;  //  0  'TWA1'
  CastStatus status = CastStatus::done;
  std::uint64_t number = 0;   ///< number of the request
  std::uint64_t samples = 0;  ///< samples taken along rays
  // Elapsed times of this picture.
  std::uint64_t cast_ns = 0;       ///< the whole picture, with all threads
  std::uint64_t style_ns = 0;      ///< part of cast_ns: tables and cells of a new style
  std::uint64_t occupancy_ns = 0;  ///< part of style_ns: finding the cells that the style needs
  std::uint64_t annotate_ns = 0;   ///< part of cast_ns: axes, colour bar and label
  std::uint64_t beams_cpu_ns = 0;  ///< CastTimes explains this and the next two
  std::uint64_t sample_cpu_ns = 0;
  std::uint64_t gpu_ns = 0;
  // Totals of the host's caster since its start, except for held_bytes.
  std::uint64_t held_bytes = 0;   ///< memory of volumes, with those that are being read
  std::uint64_t read_bytes = 0;   ///< voxel data read
  std::uint64_t read_bricks = 0;  ///< chunks read for it; 0 for files without chunks
  std::uint64_t read_ns = 0;      ///< elapsed time of reading files
  std::uint64_t decode_ns = 0;    ///< elapsed time of unpacking, and packing for the kernels
  std::uint64_t cpu_ns = 0;       ///< CPU time of the process
  std::int32_t level = 0;         ///< level that was drawn; 0 is the finest
  FinerDetail finer = FinerDetail::none;
  std::uint32_t blank = 0;    ///< 1: a picture with coarser_by 0 that shows only background
  std::int32_t stage = 0;     ///< stage that was drawn, of a volume that is read in stages
  std::int32_t progress = 0;  ///< thousandths of a volume that were read of all its stages
  char line[436] = {};        ///< refused: the reason; done: TimestepCaster::drawn_by()
};
static_assert(sizeof(CastAnswer) == 584 && offsetof(CastAnswer, magic) == 0 &&
              offsetof(CastAnswer, status) == 4 && offsetof(CastAnswer, number) == 8 &&
              offsetof(CastAnswer, samples) == 16 && offsetof(CastAnswer, cast_ns) == 24 &&
              offsetof(CastAnswer, style_ns) == 32 && offsetof(CastAnswer, occupancy_ns) == 40 &&
              offsetof(CastAnswer, annotate_ns) == 48 && offsetof(CastAnswer, beams_cpu_ns) == 56 &&
              offsetof(CastAnswer, sample_cpu_ns) == 64 && offsetof(CastAnswer, gpu_ns) == 72);
static_assert(offsetof(CastAnswer, held_bytes) == 80 && offsetof(CastAnswer, read_bytes) == 88 &&
              offsetof(CastAnswer, read_bricks) == 96 && offsetof(CastAnswer, read_ns) == 104 &&
              offsetof(CastAnswer, decode_ns) == 112 && offsetof(CastAnswer, cpu_ns) == 120 &&
              offsetof(CastAnswer, level) == 128 && offsetof(CastAnswer, finer) == 132 &&
              offsetof(CastAnswer, blank) == 136 && offsetof(CastAnswer, stage) == 140 &&
              offsetof(CastAnswer, progress) == 144 && offsetof(CastAnswer, line) == 148);
static_assert(std::is_trivially_copyable_v<CastAnswer> &&
              std::has_unique_object_representations_v<CastAnswer>);

[[nodiscard]] render::VolumeCamera camera_of(const CastMessage& message) noexcept;
void set_camera(CastMessage& message, const render::VolumeCamera& camera) noexcept;

/// The region's camera, for a picture of region_width x region_height pixels.
[[nodiscard]] render::VolumeCamera region_camera_of(const CastMessage& message) noexcept;
void set_region(CastMessage& message, const render::VolumeCamera& camera, SizePx size_px) noexcept;

/// Empty if the screen is not tilted.
[[nodiscard]] std::optional<wall::PanelMap> tilt_of(const CastMessage& message) noexcept;
void set_tilt(CastMessage& message, const wall::PanelMap& tilt) noexcept;

/// `note` is cut where it is too long.
void set_note(CastMessage& message, const std::string& note) noexcept;
[[nodiscard]] std::string note_of(const CastMessage& message);

/// The kind of a packet, which may be an unknown number; empty if the packet is not of this
/// protocol.
[[nodiscard]] std::optional<CastMessageKind> kind_of(std::span<const std::byte> packet);

/// The number of an OpenMessage; empty if the packet is none.
[[nodiscard]] std::optional<std::uint64_t> decode_open(std::span<const std::byte> packet);

/// Empty if the packet is no CastMessage, or its part does not lie within its picture or does not
/// fit `memory_bytes`.
[[nodiscard]] std::optional<CastMessage> decode_cast(std::span<const std::byte> packet,
                                                     std::size_t memory_bytes);

void set_line(CastAnswer& answer, const std::string& line) noexcept;
[[nodiscard]] std::string line_of(const CastAnswer& answer);

/// A panel's request to the host service for a connection to the caster: its first message, which
/// it repeats when the caster is gone. The panel keeps the connection to the service open for as
/// long as it shows the volume.
struct CasterRequest {
  std::string volume;    ///< VolumeJob as JSON
  bool changed = false;  ///< the panel wants another picture than the last one
};
/// The host service's answer. If granted, it carries the descriptor of a connection to the caster.
struct CasterGrant {
  std::uint32_t magic = 0x32475754;  //  'TWG2'
  std::uint32_t granted = 0;         ///< 0: there is no caster for a while; `line` has the reason
  char line[248] = {};
};
static_assert(sizeof(CasterGrant) == 256 && offsetof(CasterGrant, granted) == 4 &&
              offsetof(CasterGrant, line) == 8 && std::is_trivially_copyable_v<CasterGrant>);
void set_line(CasterGrant& grant, const std::string& line) noexcept;
[[nodiscard]] std::string line_of(const CasterGrant& grant);
[[nodiscard]] std::vector<std::byte> encode_caster_request(const CasterRequest& request);
[[nodiscard]] std::optional<CasterRequest> decode_caster_request(std::span<const std::byte> packet);

}  // namespace tilewall::volume
