#include "player/volume/cast_wire.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace tilewall::volume {
namespace {

Vec3d vector_of(const double (&from)[3]) noexcept { return {from[0], from[1], from[2]}; }

void set_vector(double (&to)[3], Vec3d from) noexcept {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

/// The start of a CasterRequest's packet; the volume's JSON follows.
struct CasterRequestHeader {
  std::uint32_t magic = 0x32525754;  // 'TWR2'
  std::uint32_t changed = 0;
};
static_assert(sizeof(CasterRequestHeader) == 8 && offsetof(CasterRequestHeader, changed) == 4 &&
              std::is_trivially_copyable_v<CasterRequestHeader>);

template <std::size_t size>
void put_line(char (&to)[size], const std::string& line) noexcept {
  const std::size_t length = std::min(line.size(), size - 1);
  std::memcpy(to, line.data(), length);
  to[length] = '\0';
}

template <std::size_t size>
std::string line_in(const char (&from)[size]) {
  std::string text(from, ::strnlen(from, size));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

template <typename T>
std::optional<T> copied(std::span<const std::byte> bytes) {
  T value;
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool is_side(std::int32_t side) { return side >= 1 && side <= max_picture_side_px; }

bool is_within(std::int32_t first, std::int32_t length, std::int32_t whole) {
  return first >= 0 && length >= 1 && length <= max_part_side_px && first <= whole - length;
}

}  // namespace

render::VolumeCamera camera_of(const CastMessage& message) noexcept {
  render::VolumeCamera camera;
  camera.lens = message.lens == 0 ? render::Lens::perspective : render::Lens::orthographic;
  camera.eye = vector_of(message.eye);
  camera.look_at = vector_of(message.look_at);
  camera.up = vector_of(message.up);
  camera.fov_rad = message.fov_rad;
  camera.view_height = message.view_height;
  camera.centre_offset_px = {message.centre_offset_px[0], message.centre_offset_px[1]};
  return camera;
}

void set_camera(CastMessage& message, const render::VolumeCamera& camera) noexcept {
  message.lens = camera.lens == render::Lens::perspective ? 0 : 1;
  set_vector(message.eye, camera.eye);
  set_vector(message.look_at, camera.look_at);
  set_vector(message.up, camera.up);
  message.fov_rad = camera.fov_rad;
  message.view_height = camera.view_height;
  message.centre_offset_px[0] = camera.centre_offset_px.x;
  message.centre_offset_px[1] = camera.centre_offset_px.y;
}

render::VolumeCamera region_camera_of(const CastMessage& message) noexcept {
  render::VolumeCamera camera = camera_of(message);
  camera.fov_rad = message.region_fov_rad;
  camera.view_height = message.region_view_height;
  camera.centre_offset_px = {message.region_centre_offset_px[0],
                             message.region_centre_offset_px[1]};
  return camera;
}

void set_region(CastMessage& message, const render::VolumeCamera& camera, SizePx size_px) noexcept {
  message.region_fov_rad = camera.fov_rad;
  message.region_view_height = camera.view_height;
  message.region_centre_offset_px[0] = camera.centre_offset_px.x;
  message.region_centre_offset_px[1] = camera.centre_offset_px.y;
  message.region_width = size_px.width;
  message.region_height = size_px.height;
}

std::optional<wall::PanelMap> tilt_of(const CastMessage& message) noexcept {
  wall::PanelMap::Matrix matrix;
  std::copy(std::begin(message.tilt), std::end(message.tilt), matrix.begin());
  if (matrix == wall::PanelMap::Matrix{}) return std::nullopt;
  return wall::PanelMap(matrix);
}

void set_tilt(CastMessage& message, const wall::PanelMap& tilt) noexcept {
  const wall::PanelMap::Matrix& matrix = tilt.matrix();
  std::copy(matrix.begin(), matrix.end(), std::begin(message.tilt));
}

std::optional<CastMessageKind> kind_of(std::span<const std::byte> packet) {
  const auto header = copied<CastMessageHeader>(packet);
  if (!header || header->magic != CastMessageHeader{}.magic) return std::nullopt;
  return header->kind;
}

std::optional<std::uint64_t> decode_open(std::span<const std::byte> packet) {
  const auto message = copied<OpenMessage>(packet);
  if (!message || packet.size() != sizeof(OpenMessage)) return std::nullopt;
  return message->number;
}

std::optional<CastMessage> decode_cast(std::span<const std::byte> packet,
                                       std::size_t memory_bytes) {
  const auto message = copied<CastMessage>(packet);
  if (!message || packet.size() != sizeof(CastMessage)) return std::nullopt;
  const bool fits =
      is_side(message->picture_width) && is_side(message->picture_height) &&
      is_within(message->x, message->width, message->picture_width) &&
      is_within(message->y, message->height, message->picture_height) &&
      static_cast<std::size_t>(message->width) * static_cast<std::size_t>(message->height) * 4 <=
          memory_bytes;
  const bool has_sense = message->timestep >= 0 && (message->lens == 0 || message->lens == 1) &&
                         message->coarser_by >= 0 && message->most_stage >= 0 &&
                         message->least_stage >= 0;
  const bool has_region = is_side(message->region_width) && is_side(message->region_height);
  switch (message->detail) {
    case CastDetail::overview:
      break;
    case CastDetail::soon:
    case CastDetail::awaited:
    case CastDetail::deferred:
      if (has_region) break;
      return std::nullopt;
    default:
      return std::nullopt;
  }
  if (!fits || !has_sense) return std::nullopt;
  return message;
}

void set_note(CastMessage& message, const std::string& note) noexcept {
  put_line(message.note, note);
}
std::string note_of(const CastMessage& message) { return line_in(message.note); }

void set_line(CastAnswer& answer, const std::string& line) noexcept { put_line(answer.line, line); }
void set_line(CasterGrant& grant, const std::string& line) noexcept { put_line(grant.line, line); }
std::string line_of(const CastAnswer& answer) { return line_in(answer.line); }
std::string line_of(const CasterGrant& grant) { return line_in(grant.line); }

std::vector<std::byte> encode_caster_request(const CasterRequest& request) {
  const CasterRequestHeader header{.changed = request.changed ? 1U : 0U};
  std::vector<std::byte> packet(sizeof header + request.volume.size());
  std::memcpy(packet.data(), &header, sizeof header);
  std::memcpy(packet.data() + sizeof header, request.volume.data(), request.volume.size());
  return packet;
}

std::optional<CasterRequest> decode_caster_request(std::span<const std::byte> packet) {
  const auto header = copied<CasterRequestHeader>(packet);
  if (!header || header->magic != CasterRequestHeader{}.magic ||
      packet.size() > max_caster_request_bytes)
    return std::nullopt;
  const auto text = packet.subspan(sizeof *header);
  return CasterRequest{{reinterpret_cast<const char*>(text.data()), text.size()},
                       header->changed != 0};
}

}  // namespace tilewall::volume
