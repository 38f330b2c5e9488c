#include "player/volume/remote/box_request.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::volume {
namespace {

constexpr std::uint32_t most_timesteps = 1U << 30;
constexpr std::int32_t most_option = 1 << 20;

[[noreturn]] void refuse_box(const char* field, const char* expected) {
  throw InputError({"box request"}, field, expected, "another value");
}

render::VoxelType type_of_bytes(std::uint8_t bytes) {
  for (const render::VoxelType type :
       {render::VoxelType::u8, render::VoxelType::u16, render::VoxelType::f32})
    if (bytes == render::bytes_of(type)) return type;
  refuse_box("voxel_bytes", "1, 2 or 4");
}

/// The dataset's name, and the options behind it.
std::string dataset_text(const render::VolumeOptions& options) {
  if (options.fixed.empty() && options.levels == render::LevelSpacing::even) return options.dataset;
  render::VolumeOptions axes;
  axes.fixed = options.fixed;
  axes.levels = options.levels;
  return options.dataset + '\0' + render::to_json(axes).dump();
}

void parse_dataset_text(std::string_view text, render::VolumeOptions& options) {
  const std::size_t end = text.find('\0');
  options.dataset = text.substr(0, end);
  if (options.dataset.size() > longest_dataset_name) refuse_box("dataset", "a name of 0 to 255");
  if (end == std::string_view::npos) return;
  try {
    const auto axes = render::volume_options_from_json(parse_json(text.substr(end + 1)));
    options.fixed = axes.fixed;
    options.levels = axes.levels;
  } catch (const std::exception&) {  // no JSON, or fields of other types
    refuse_box("dataset", "a name, and options as JSON");
  }
}

}  // namespace

std::size_t box_bytes(const BoxRequest& request) noexcept {
  return request.box.size().voxels() *
         (request.cell_side > 0 ? cell_pair_bytes
                                : static_cast<std::size_t>(render::bytes_of(request.type)));
}

bool asks_for_box(std::span<const std::byte> bytes) noexcept {
  std::uint32_t magic = 0;
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == box_request_magic;
}

std::vector<std::byte> to_bytes(const BoxRequest& request) {
  const std::string& name = request.volume.name;
  const render::VolumeOptions& options = request.volume.options;
  BoxRequestHeader header = {};
  header.magic = box_request_magic;
  header.timestep = static_cast<std::uint32_t>(request.timestep);
  for (std::size_t i = 0; i < 3; ++i) {
    header.begin[i] = static_cast<std::uint32_t>(request.box.begin[i]);
    header.end[i] = static_cast<std::uint32_t>(request.box.end[i]);
  }
  const int sides[] = {request.grid_size.x, request.grid_size.y, request.grid_size.z};
  for (std::size_t i = 0; i < 3; ++i) header.grid_size[i] = static_cast<std::uint32_t>(sides[i]);
  header.component = options.component;
  header.level = options.level;
  header.first_dataset = options.first_dataset ? 1 : 0;
  header.voxel_bytes = static_cast<std::uint8_t>(render::bytes_of(request.type));
  header.grid = static_cast<std::uint16_t>(request.grid);
  header.name_bytes = static_cast<std::uint16_t>(name.size());
  const std::string dataset = dataset_text(options);
  header.dataset_bytes = static_cast<std::uint16_t>(dataset.size());
  header.cell_side = static_cast<std::uint32_t>(request.cell_side);
  std::vector<std::byte> bytes(sizeof header + name.size() + dataset.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, name.data(), name.size());
  std::memcpy(bytes.data() + sizeof header + name.size(), dataset.data(), dataset.size());
  return bytes;
}

BoxRequest parse_box_request(std::span<const std::byte> bytes) {
  BoxRequestHeader header = {};
  if (bytes.size() < sizeof header) refuse_box("size", "a header of 64 bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != box_request_magic) refuse_box("magic", "TWVR");
  if (header.name_bytes == 0 || header.name_bytes > longest_volume_name)
    refuse_box("name_bytes", "1 to 255");
  if (header.dataset_bytes > longest_dataset_text) refuse_box("dataset_bytes", "0 to 4096");
  if (bytes.size() != sizeof header + header.name_bytes + header.dataset_bytes)
    refuse_box("size", "a header and both names");
  if (header.timestep >= most_timesteps) refuse_box("timestep", "below 2^30");
  for (const std::int32_t option : {header.component, header.level})
    if (option < -1 || option > most_option) refuse_box("component, level", "-1 to 2^20");
  if (header.first_dataset > 1) refuse_box("first_dataset", "0 or 1");
  if (header.cell_side > largest_cell_side) refuse_box("cell_side", "0 to 256");
  if (header.cell_side > 0 && header.voxel_bytes != 1) refuse_box("voxel_bytes", "1 for cells");
  BoxRequest request;
  std::uint64_t most =
      largest_box_bytes /
      (header.cell_side > 0 ? cell_pair_bytes : std::max<std::uint64_t>(header.voxel_bytes, 1));
  const std::uint32_t unit = std::max(header.cell_side, 1U);
  for (std::size_t i = 0; i < 3; ++i) {
    if (header.grid_size[i] < 1 || header.grid_size[i] > render::max_file_side)
      refuse_box("grid_size", "1 to 2^20 a side");
    if (header.begin[i] >= header.end[i] || header.end[i] > (header.grid_size[i] + unit - 1) / unit)
      refuse_box("box", "voxels or cells within the grid");
    const std::uint32_t side = header.end[i] - header.begin[i];
    if (side > most) refuse_box("box", "at most 2^23 bytes");
    most /= side;
    request.box.begin[i] = static_cast<int>(header.begin[i]);
    request.box.end[i] = static_cast<int>(header.end[i]);
  }
  const auto* const text = reinterpret_cast<const char*>(bytes.data()) + sizeof header;
  request.volume.name.assign(text, header.name_bytes);
  parse_dataset_text({text + header.name_bytes, header.dataset_bytes}, request.volume.options);
  request.volume.options.first_dataset = header.first_dataset == 1;
  request.volume.options.component = header.component;
  request.volume.options.level = header.level;
  request.timestep = static_cast<int>(header.timestep);
  request.grid = header.grid;
  request.grid_size = {static_cast<int>(header.grid_size[0]), static_cast<int>(header.grid_size[1]),
                       static_cast<int>(header.grid_size[2])};
  request.type = type_of_bytes(header.voxel_bytes);
  request.cell_side = static_cast<int>(header.cell_side);
  return request;
}

BoxAnswer parse_box_answer(std::span<const std::byte> bytes, std::size_t voxel_bytes) {
  BoxAnswer answer;
  BoxAnswerHeader header = {};
  if (bytes.size() < sizeof header) return answer;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto body = bytes.subspan(sizeof header);
  if (header.magic != box_answer_magic || header.status > 4 || header.body_bytes != body.size())
    return answer;
  const auto status = static_cast<BoxAnswerStatus>(header.status);
  if (status == BoxAnswerStatus::found && body.size() != voxel_bytes) return answer;
  answer.status = status;
  if (status == BoxAnswerStatus::found) answer.voxels = body;
  if (status == BoxAnswerStatus::failed) {
    answer.line.assign(reinterpret_cast<const char*>(body.data()),
                       std::min(body.size(), longest_box_line));
    std::replace_if(
        answer.line.begin(), answer.line.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  }
  return answer;
}

}  // namespace tilewall::volume
