#include "render/readers/volume_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "render/readers/reader_process.hpp"
#include "sync/base/check.hpp"

namespace tilewall {
namespace {

constexpr std::uint64_t window_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t max_slice_bytes = std::uint64_t{2} << 30;

std::uint64_t slice_bytes(const VolumeInfo& info) {
  return static_cast<std::uint64_t>(info.size.x) * static_cast<std::uint64_t>(info.size.y) *
         static_cast<std::uint64_t>(bytes_of(info.type));
}

/// Slices that are read at once: as many whole slabs of the file's as fit.
int window_slices(const VolumeInfo& info) {
  const auto fitting = static_cast<int>(
      std::clamp<std::uint64_t>(window_bytes / slice_bytes(info), 1, max_file_side));
  const int slabs = fitting / info.slab_voxels;
  // A slab that is a little too thick is still better read once than twice.
  const bool thick =
      slice_bytes(info) * static_cast<std::uint64_t>(info.slab_voxels) > window_bytes * 32;
  const int slices = slabs > 0 ? slabs * info.slab_voxels : thick ? fitting : info.slab_voxels;
  return std::min(slices, info.size.z);
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
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
  return file;
}

bool VolumeFile::is_lost() const noexcept { return reader_->is_gone(); }

std::size_t VolumeFile::slab_bytes(int z_begin, int z_end) const noexcept {
  return static_cast<std::size_t>(slice_bytes(info_)) * static_cast<std::size_t>(z_end - z_begin);
}

void VolumeFile::read(int timestep, int z_begin, int z_end, std::span<std::byte> into) {
  TW_CHECK(timestep >= 0 && timestep < info_.timesteps());
  TW_CHECK(z_begin >= 0 && z_begin <= z_end && z_end <= info_.size.z);
  TW_CHECK(into.size() == slab_bytes(z_begin, z_end));
  const int window = window_slices(info_);
  if (reader_->shared().empty()) reader_->share(slab_bytes(0, window));
  for (int z = z_begin; z < z_end;) {
    // Windows begin where the file's own slabs do.
    const int end = std::min(z_end, (z / window + 1) * window);
    const nlohmann::json answer = reader_->ask(
        {{"do", "read"}, {"timestep", timestep}, {"z_begin", z}, {"z_end", end}}, read_limit_);
    const std::size_t bytes = slab_bytes(z, end);
    std::memcpy(into.data(), reader_->shared().data(), bytes);
    into = into.subspan(bytes);
    z = end;
  }
}

}  // namespace tilewall
