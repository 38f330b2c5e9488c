#include "render/readers/volume_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "render/readers/reader_process.hpp"
#include "sync/base/check.hpp"

namespace tilewall {
namespace {

constexpr std::uint64_t max_slice_bytes = std::uint64_t{2} << 30;

std::uint64_t slice_bytes(const VolumeInfo& info) {
  return static_cast<std::uint64_t>(info.size.x) * static_cast<std::uint64_t>(info.size.y) *
         static_cast<std::uint64_t>(bytes_of(info.type));
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::uint64_t ns_between(std::chrono::steady_clock::time_point from,
                         std::chrono::steady_clock::time_point to) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(to - from).count());
}

/// As the reader says; 0 where it says nothing of meaning.
std::uint64_t computed_ns(const nlohmann::json& answer) {
  const auto found = answer.find("computed_ns");
  const bool is_there = found != answer.end() && found->is_number_unsigned();
  return is_there ? found->get<std::uint64_t>() : 0;
}

/// That meet the box; none of files that are read by slices or voxels.
std::uint64_t bricks_in(const GridBox& box, const VolumeGrid& grid) {
  const std::array<int, 3>& side = grid.chunk;
  const bool is_slice = side[0] == grid.size.x && side[1] == grid.size.y && side[2] == 1;
  if (is_slice || side == VolumeGrid{}.chunk) return 0;
  std::uint64_t bricks = 1;
  for (std::size_t i = 0; i < 3; ++i)
    bricks *= static_cast<std::uint64_t>((box.end[i] - 1) / side[i] - box.begin[i] / side[i] + 1);
  return bricks;
}

/// Formats that know of no names or components do not look at them.
void check_asked(const VolumeOptions& options, const VolumeInfo& info, const std::string& path) {
  if (!options.dataset.empty() && info.datasets.empty() && options.dataset != info.dataset)
    throw InputError({path}, "dataset", "none, as the file holds but one",
                     fmt::format("\"{}\"", options.dataset));
  if (options.component >= std::max(info.components, 1))
    throw InputError({path}, "component", fmt::format("0 to {}", info.components - 1),
                     fmt::format("{}", options.component));
}

}  // namespace

VolumeFile::VolumeFile(std::string path, VolumeInfo info, std::unique_ptr<ReaderProcess> reader)
    : path_(std::move(path)), info_(std::move(info)), reader_(std::move(reader)) {}
VolumeFile::VolumeFile(VolumeFile&&) noexcept = default;
VolumeFile& VolumeFile::operator=(VolumeFile&&) noexcept = default;
VolumeFile::~VolumeFile() = default;

VolumeFile VolumeFile::open(const std::string& path, const VolumeOptions& options,
                            const ReaderLimits& limits) {
  auto reader = std::make_unique<ReaderProcess>(path);
  const nlohmann::json answer = reader->ask({{"do", "open"},
                                             {"options", to_json(options)},
                                             {"memory_bytes", limits.memory_bytes},
                                             {"open_s", seconds(limits.open)},
                                             {"read_s", seconds(limits.read)}},
                                            limits.open);
  VolumeInfo info = volume_info_from_json(answer.value("info", nlohmann::json()), path);
  check_asked(options, info, path);
  if (slice_bytes(info) > max_slice_bytes)
    throw InputError({path}, "size", fmt::format("slices of at most {} bytes", max_slice_bytes),
                     fmt::format("{} bytes", slice_bytes(info)));
  VolumeFile file(path, std::move(info), std::move(reader));
  file.read_limit_ = limits.read;
  const std::uint64_t all = static_cast<std::uint64_t>(file.info_.size.z) * slice_bytes(file.info_);
  file.window_bytes_ = static_cast<std::size_t>(std::min<std::uint64_t>(limits.window_bytes, all));
  return file;
}

bool VolumeFile::is_lost() const noexcept { return reader_->is_gone(); }

std::size_t VolumeFile::slab_bytes(int z_begin, int z_end) const noexcept {
  return static_cast<std::size_t>(slice_bytes(info_)) * static_cast<std::size_t>(z_end - z_begin);
}

void VolumeFile::read(int timestep, int z_begin, int z_end, std::span<std::byte> into) {
  TW_CHECK(into.size() == slab_bytes(z_begin, z_end));
  const std::size_t slice = slab_bytes(0, 1);
  read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}},
           {into.data(), slice / static_cast<std::size_t>(info_.size.y), slice});
}

void VolumeFile::read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                          const std::stop_token& stop) {
  TW_CHECK(timestep >= 0 && timestep < info_.timesteps());
  TW_CHECK(grid >= 0 && grid < info_.grids());
  const VolumeGrid from = info_.grid(grid);
  TW_CHECK(whole_box(from.size).contains(box));
  std::array<int, 3> first = {};  // windows begin where the file's own chunks do
  std::array<int, 3> extent = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (box.begin[i] >= box.end[i]) return;
    first[i] = box.begin[i] / from.chunk[i] * from.chunk[i];
    extent[i] = box.end[i] - first[i];
  }
  const auto voxel = static_cast<std::size_t>(bytes_of(info_.type));
  const std::array<int, 3> window = piece_sides(extent, from.chunk, 1, voxel, window_bytes_);
  for (int z = first[2]; z < box.end[2]; z += window[2])
    for (int y = first[1]; y < box.end[1]; y += window[1])
      for (int x = first[0]; x < box.end[0]; x += window[0]) {
        if (stop.stop_requested()) return;
        const std::array<int, 3> begin = {x, y, z};
        GridBox part;
        for (std::size_t i = 0; i < 3; ++i) {
          part.begin[i] = std::max(begin[i], box.begin[i]);
          part.end[i] = std::min(begin[i] + window[i], box.end[i]);
        }
        read_window(grid, timestep, part,
                    {into.first +
                         static_cast<std::size_t>(part.begin[2] - box.begin[2]) * into.slice_bytes +
                         static_cast<std::size_t>(part.begin[1] - box.begin[1]) * into.row_bytes +
                         static_cast<std::size_t>(part.begin[0] - box.begin[0]) * voxel,
                     into.row_bytes, into.slice_bytes});
      }
}

void VolumeFile::read_window(int grid, int timestep, const GridBox& box, const VoxelTarget& into) {
  if (reader_->shared().empty()) reader_->share(window_bytes_);
  const auto began = std::chrono::steady_clock::now();
  const nlohmann::json answer = reader_->ask({{"do", "read"},
                                              {"grid", grid},
                                              {"timestep", timestep},
                                              {"begin", box.begin},
                                              {"end", box.end}},
                                             read_limit_);
  const std::uint64_t took_ns = ns_between(began, std::chrono::steady_clock::now());
  const std::uint64_t unpack_ns = std::min(computed_ns(answer), took_ns);
  work_.bricks += bricks_in(box, info_.grid(grid));
  work_.unpack_ns += unpack_ns;
  work_.file_ns += took_ns - unpack_ns;
  const VolumeSize size = box.size();
  const std::size_t row =
      static_cast<std::size_t>(size.x) * static_cast<std::size_t>(bytes_of(info_.type));
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  const std::byte* from = reader_->shared().data();
  read_bytes_ += slice * static_cast<std::size_t>(size.z);
  for (int z = 0; z < size.z; ++z) {
    std::byte* to = into.first + static_cast<std::size_t>(z) * into.slice_bytes;
    if (into.row_bytes == row) {
      std::memcpy(to, from, slice);
      from += slice;
      continue;
    }
    for (int y = 0; y < size.y; ++y, to += into.row_bytes, from += row) std::memcpy(to, from, row);
  }
}

std::array<int, 3> piece_sides(const std::array<int, 3>& extent, const std::array<int, 3>& unit,
                               int least, std::size_t voxel_bytes, std::size_t most) noexcept {
  const auto rounded_up = [](int length, int side) { return (length + side - 1) / side * side; };
  std::array<int, 3> sides = {};
  const auto bytes = [&] {
    std::size_t product = voxel_bytes;
    for (const int side : sides) product *= static_cast<std::size_t>(side);
    return product;
  };
  for (std::size_t i = 0; i < 3; ++i) sides[i] = rounded_up(std::min(unit[i], extent[i]), least);
  for (const std::size_t axis : {2U, 1U, 0U})
    while (bytes() > most && sides[axis] > least) sides[axis] = rounded_up(sides[axis] / 2, least);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t times = std::max<std::size_t>(most / bytes(), 1);
    const int whole = rounded_up(extent[i], sides[i]);
    sides[i] = static_cast<int>(std::min<std::size_t>(times * static_cast<std::size_t>(sides[i]),
                                                      static_cast<std::size_t>(whole)));
    if (sides[i] < whole) break;  // thicker pieces would not fit either
  }
  return sides;
}

}  // namespace tilewall
