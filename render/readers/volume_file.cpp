#include "render/readers/volume_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "render/readers/reader_process.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
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

/// The reader's computing time in an answer; 0 if it has none or an invalid one.
std::uint64_t computed_ns(const nlohmann::json& answer) {
  const auto found = answer.find("computed_ns");
  const bool is_there = found != answer.end() && found->is_number_unsigned();
  return is_there ? found->get<std::uint64_t>() : 0;
}

/// Checks the options against what the file has. Formats without names, components or levels do not
/// check them themselves.
void check_asked(const VolumeOptions& options, const VolumeInfo& info, const std::string& path) {
  if (!options.dataset.empty() && info.datasets.empty() && options.dataset != info.dataset)
    throw InputError({path}, "dataset", "none, as the file has only one",
                     fmt::format("\"{}\"", options.dataset));
  if (options.component >= std::max(info.components, 1))
    throw InputError({path}, "component", fmt::format("0 to {}", info.components - 1),
                     fmt::format("{}", options.component));
  if (options.level >= info.levels)
    throw InputError(
        {path}, "level",
        info.levels > 1 ? fmt::format("0 to {}", info.levels - 1) : "0, the file's only level",
        fmt::format("{}", options.level));
}

}  // namespace

VolumeFile::VolumeFile(std::string path, VolumeInfo info, std::unique_ptr<ReaderProcess> reader)
    : path_(std::move(path)), info_(std::move(info)), reader_(std::move(reader)) {}
VolumeFile::VolumeFile(VolumeFile&&) noexcept = default;
VolumeFile& VolumeFile::operator=(VolumeFile&&) noexcept = default;
VolumeFile::~VolumeFile() = default;

VolumeFile VolumeFile::open(const std::string& path, const VolumeOptions& options,
                            const ReaderLimits& limits) {
  auto reader = std::make_unique<ReaderProcess>(path, limits.beneath, options.more);
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
  const auto voxel = static_cast<std::size_t>(bytes_of(info_.type));
  BoxPieces windows(box, from.chunk, voxel, window_bytes_);
  while (const auto window = windows.next()) {
    if (stop.stop_requested()) return;
    place_piece(read_window(grid, timestep, *window), *window, box, voxel, into);
    read_bytes_ += window->size().voxels() * voxel;
  }
}

const std::byte* VolumeFile::read_window(int grid, int timestep, const GridBox& box) {
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
  return reader_->shared().data();
}

}  // namespace tilewall::render
