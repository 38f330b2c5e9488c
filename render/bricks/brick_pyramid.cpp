#include "render/bricks/brick_pyramid.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "render/bricks/brick_cells.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/readers/volume_file.hpp"
#include "render/volume/shared_work.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {

namespace {

/// Fills voxels as those beyond the volume and of bricks without a file are: NaN for f32, else 0.
void fill_empty_voxels(VoxelType type, std::span<std::byte> voxels) {
  if (type != VoxelType::f32) {
    std::fill(voxels.begin(), voxels.end(), std::byte{0});
    return;
  }
  auto* const floats = reinterpret_cast<float*>(voxels.data());
  std::fill_n(floats, voxels.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
}

bool is_fill(VoxelType type, ValueRange range) {
  return type == VoxelType::f32 ? range.empty() : range.min == 0 && range.max == 0;
}

void copy_brick(const BrickView& view, int side, std::size_t voxel_bytes, std::byte* to) {
  const auto row = static_cast<std::size_t>(side);
  for (int z = 0; z < view.inside.z; ++z)
    for (int y = 0; y < view.inside.y; ++y)
      std::memcpy(to + (static_cast<std::size_t>(z) * row + static_cast<std::size_t>(y)) * row *
                           voxel_bytes,
                  view.first + (static_cast<std::size_t>(z) * view.slice_voxels +
                                static_cast<std::size_t>(y) * view.row_voxels) *
                                   voxel_bytes,
                  static_cast<std::size_t>(view.inside.x) * voxel_bytes);
}

}  // namespace

BrickPyramid::BrickPyramid(const BrickLayout& layout, const BrickFolder& folder, BrickCodec codec,
                           int threads, std::stop_token stop)
    : layout_(layout),
      folder_(folder),
      codec_(codec),
      threads_(threads),
      stop_(std::move(stop)),
      waiting_(layout.levels.size()),
      counts_(folder.mark().counts),
      stored_(folder.mark().stored) {
  for (std::size_t level = 1; level < waiting_.size(); ++level)
    waiting_[level].voxels = HugeMemory(layout.slab_bytes(level));
}

void BrickPyramid::begin(int timestep, int slabs) {
  timestep_ = timestep;
  ranges_.clear();
  for (std::size_t level = 0; level < layout_.levels.size(); ++level)
    ranges_.emplace_back(ranges_file(folder_.path(), timestep, static_cast<int>(level)),
                         ranges_plan(layout_, level));
  // Waiting slabs are not stored on an interruption. Two slabs of a level make one of the next, so
  // a level waits for its second half exactly if the finer level has an odd number of slabs. The
  // last of these is read back from its bricks, which are lossless, and halved once more. So the
  // result is the same to the byte as without an interruption.
  for (Waiting& waiting : waiting_) waiting.slices = 0;
  std::vector<std::byte> slab;
  for (std::size_t level = 0; level + 1 < waiting_.size(); ++level) {
    const int written = slabs >> level;
    if (written % 2 == 0) continue;  // the next level has nothing waiting
    VolumeFile file = VolumeFile::open((folder_.path() / fmt::format("{}", level)).string());
    const int z = (written - 1) * layout_.side;
    slab.resize(file.slab_bytes(z, z + layout_.side));
    file.read(timestep, z, z + layout_.side, slab);
    for (int k = 0; k < layout_.side; k += 2) {  // two slices at a time, as halve_part() does
      const std::size_t slice = slab.size() / static_cast<std::size_t>(layout_.side);
      reduce_slab(layout_.type, layout_.levels[level].size,
                  slab.data() + static_cast<std::size_t>(k) * slice, 2, 2, waiting_end(level + 1));
      ++waiting_[level + 1].slices;
    }
  }
}

void BrickPyramid::add(int slab, const std::byte* voxels) {
  write_slab({0, slab, layout_.slices(0, slab), voxels});
}

std::byte* BrickPyramid::waiting_end(std::size_t level) {
  const VolumeSize size = layout_.levels[level].size;
  return waiting_[level].voxels.data() +
         VolumeSize{size.x, size.y, waiting_[level].slices}.voxels() *
             static_cast<std::size_t>(bytes_of(layout_.type));
}

void BrickPyramid::write_slab(const Slab& slab) {
  const VolumeSize bricks = layout_.levels[slab.level].bricks;
  const std::size_t pair = pair_bytes(layout_.type);
  const auto columns = static_cast<std::size_t>(bricks.x) * static_cast<std::size_t>(bricks.y);
  std::vector<std::byte> pairs(columns * pair);
  std::vector<std::uint64_t> bytes(columns);
  folder_.make_slab_folders(slab.level, timestep_, slab.number, bricks.y);
  share_work(static_cast<int>(columns), threads_, [&](int i) {
    if (stop_.stop_requested()) throw JobError("interrupted");
    const auto at = static_cast<std::size_t>(i);
    std::unique_ptr<Bench> bench = take_bench();
    bytes[at] = write_brick(slab, i % bricks.x, i / bricks.x, *bench,
                            std::span(pairs).subspan(at * pair, pair));
    give_back(std::move(bench));
    // The same thread halves the brick's voxels, which it has just read. Sides are even, so that no
    // two bricks share a voxel of the coarser level.
    if (slab.level + 1 < waiting_.size()) halve_part(slab, i % bricks.x, i / bricks.x);
    if (slab.level == 0) bricks_done_.fetch_add(1, std::memory_order_relaxed);
  });
  const RangesWriter& ranges = ranges_[slab.level];
  ranges.write_bricks(ranges.plan().brick_index(0, 0, slab.number), pairs);
  // Counts are added only after all bricks of the slab are written.
  for (std::size_t i = 0; i < columns; ++i) {
    counts_[slab.level].bricks += bytes[i] > 0 ? 1 : 0;
    counts_[slab.level].bytes += bytes[i];
    if (slab.level > 0) continue;
    const ValueRange range = range_of_pair(layout_.type, pairs.data() + i * pair);
    stored_ = {std::min(stored_.min, range.min), std::max(stored_.max, range.max)};
  }
  if (slab.level + 1 == waiting_.size()) return;
  Waiting& next = waiting_[slab.level + 1];
  next.slices += (slab.slices + 1) / 2;
  // The waiting slab is complete when it is full, or when this level has ended.
  if (next.slices < layout_.side && slab.number + 1 < bricks.z) return;
  write_slab({slab.level + 1, slab.number / 2, next.slices, next.voxels.data()});
  next.slices = 0;
}

std::uint64_t BrickPyramid::write_brick(const Slab& slab, int x, int y, Bench& bench,
                                        std::span<std::byte> pair) {
  const VolumeSize size = layout_.levels[slab.level].size;
  const int side = layout_.side;
  const auto voxel_bytes = static_cast<std::size_t>(bytes_of(layout_.type));
  BrickView view;
  view.row_voxels = static_cast<std::size_t>(size.x);
  view.slice_voxels = view.row_voxels * static_cast<std::size_t>(size.y);
  view.first = slab.voxels +
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(side) * view.row_voxels +
                static_cast<std::size_t>(x) * static_cast<std::size_t>(side)) *
                   voxel_bytes;
  view.inside = {std::min(side, size.x - x * side), std::min(side, size.y - y * side), slab.slices};

  const RangesWriter& ranges = ranges_[slab.level];
  bench.cells.resize(ranges.plan().cells_bytes());
  find_brick_cells(layout_.type, view, side, ranges.plan().cell_side, bench.cells, pair);
  ranges.write_cells(ranges.plan().brick_index(x, y, slab.number), bench.cells);
  // A brick of fill values needs no file. Readers learn from its range that it was not lost.
  if (is_fill(layout_.type, range_of_pair(layout_.type, pair.data()))) return 0;

  if (view.inside.voxels() < layout_.brick_voxels()) fill_empty_voxels(layout_.type, bench.brick);
  copy_brick(view, side, voxel_bytes, bench.brick.data());
  const std::span<const std::byte> packed = bench.packer.pack(bench.brick);
  folder_.write_brick(slab.level, timestep_, {x, y, slab.number}, packed);
  return packed.size();
}

void BrickPyramid::halve_part(const Slab& slab, int x, int y) {
  const VolumeSize size = layout_.levels[slab.level].size;
  const VolumeSize half = layout_.levels[slab.level + 1].size;
  const int side = layout_.side;
  const SlicePart part = {x * side, std::min((x + 1) * side, size.x), y * side,
                          std::min((y + 1) * side, size.y)};
  const auto voxel_bytes = static_cast<std::size_t>(bytes_of(layout_.type));
  const std::size_t slice = VolumeSize{size.x, size.y, 1}.voxels() * voxel_bytes;
  std::byte* to = waiting_end(slab.level + 1);
  for (int z = 0; z < slab.slices; z += 2) {
    reduce_slab(layout_.type, size, slab.voxels + static_cast<std::size_t>(z) * slice,
                std::min(2, slab.slices - z), 2, part, to);
    to += VolumeSize{half.x, half.y, 1}.voxels() * voxel_bytes;
  }
}

std::unique_ptr<BrickPyramid::Bench> BrickPyramid::take_bench() {
  {
    const std::scoped_lock lock(benches_mutex_);
    if (!benches_.empty()) {
      std::unique_ptr<Bench> bench = std::move(benches_.back());
      benches_.pop_back();
      return bench;
    }
  }
  return std::make_unique<Bench>(layout_, codec_);
}

void BrickPyramid::give_back(std::unique_ptr<Bench> bench) {
  const std::scoped_lock lock(benches_mutex_);
  benches_.push_back(std::move(bench));
}

RangesWriter::RangesWriter(const std::filesystem::path& file, const RangesPlan& plan)
    : plan_(plan), file_(file.string()) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  fd_ = UniqueFd(
      retry_eintr([&] { return ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644); }));
  if (fd_.empty()) throw JobError(file_ + ": open: " + std::strerror(errno));
  if (::ftruncate(fd_.get(), static_cast<off_t>(plan.file_bytes())) != 0)
    throw JobError(file_ + ": ftruncate: " + std::strerror(errno));
  const RangesHeader header = plan.header();
  write(std::as_bytes(std::span(&header, 1)), 0);
}

void RangesWriter::write_cells(std::size_t brick, std::span<const std::byte> pairs) const {
  write(pairs, plan_.cells_offset(brick));
}

void RangesWriter::write_bricks(std::size_t first_brick, std::span<const std::byte> pairs) const {
  write(pairs, plan_.brick_offset(first_brick));
}

void RangesWriter::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t written = retry_eintr([&] {
      return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (written < 0) throw JobError(file_ + ": write: " + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace tilewall::render
