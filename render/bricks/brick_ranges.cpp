#include "render/bricks/brick_ranges.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "render/bricks/brick_cells.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/volume/cell_ranges.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall::render {
namespace {

constexpr std::uint64_t most_ranged_bricks = std::uint64_t{1} << 27;

void read_exactly(int fd, std::span<std::byte> into, std::uint64_t offset,
                  const std::string& file) {
  while (!into.empty()) {
    const ssize_t got = retry_eintr(
        [&] { return ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset)); });
    if (got <= 0)
      throw InputError({file}, "", "ranges of bricks",
                       got < 0 ? std::strerror(errno) : "a file that was cut off");
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

/// The layout by a file's header; empty if the header is not valid.
std::optional<RangesPlan> plan_of(const RangesHeader& header) {
  const auto side_ok = [](std::uint32_t voxels) { return voxels >= 1 && voxels <= max_file_side; };
  if (header.magic != ranges_magic || header.version != ranges_version || header.type > 2 ||
      header.cell_side < 1 || !side_ok(header.brick_side) ||
      header.brick_side % header.cell_side != 0 || header.brick_side > greatest_brick_side)
    return std::nullopt;
  for (const std::uint32_t voxels : header.size_voxels)
    if (!side_ok(voxels)) return std::nullopt;
  RangesPlan plan;
  plan.type = static_cast<VoxelType>(header.type);
  plan.brick_side = static_cast<int>(header.brick_side);
  plan.cell_side = header.cell_side;
  plan.size = {static_cast<int>(header.size_voxels[0]), static_cast<int>(header.size_voxels[1]),
               static_cast<int>(header.size_voxels[2])};
  plan.bricks = reduced_size(plan.size, plan.brick_side);
  const RangesHeader same = plan.header();
  if (std::memcmp(&same, &header, sizeof same) != 0 || plan.bricks.voxels() > most_ranged_bricks)
    return std::nullopt;
  return plan;
}

}  // namespace

RangesHeader RangesPlan::header() const noexcept {
  const auto word = [](int number) { return static_cast<std::uint32_t>(number); };
  return {ranges_magic,
          ranges_version,
          static_cast<std::uint8_t>(type),
          static_cast<std::uint8_t>(cell_side),
          word(brick_side),
          {word(size.x), word(size.y), word(size.z)},
          {word(bricks.x), word(bricks.y), word(bricks.z)},
          0};
}

std::size_t RangesPlan::cells_bytes() const noexcept {
  const int cells = brick_side / cell_side;
  return VolumeSize{cells, cells, cells}.voxels() * pair_bytes(type);
}

std::size_t RangesPlan::brick_index(int x, int y, int z) const noexcept {
  return (static_cast<std::size_t>(z) * static_cast<std::size_t>(bricks.y) +
          static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(bricks.x) +
         static_cast<std::size_t>(x);
}

std::uint64_t RangesPlan::brick_offset(std::size_t brick) const noexcept {
  return ranges_alignment + brick * pair_bytes(type);
}

std::uint64_t RangesPlan::cells_offset(std::size_t brick) const noexcept {
  const std::uint64_t end = brick_offset(bricks.voxels());
  return (end + ranges_alignment - 1) / ranges_alignment * ranges_alignment + brick * cells_bytes();
}

std::uint64_t RangesPlan::file_bytes() const noexcept { return cells_offset(bricks.voxels()); }

RangesPlan ranges_plan(const BrickLayout& layout, std::size_t level) {
  const BrickLevel& what = layout.levels[level];
  return {layout.type, layout.side, cell_side_of(what.size), what.size, what.bricks};
}

ValueRange range_of(const CellPairs& cells) noexcept {
  ValueRange all = {std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()};
  for (std::size_t cell = 0; cell < cells.least.size(); ++cell) {
    if (cells.least[cell] > cells.greatest[cell]) return {1, 0};
    all = {std::min(all.min, static_cast<float>(cells.least[cell])),
           std::max(all.max, static_cast<float>(cells.greatest[cell]))};
  }
  return all;
}

namespace {

UniqueFd opened(const std::filesystem::path& file, const std::filesystem::path& beneath) {
  if (beneath.empty()) return open_for_reading(file);
  const UniqueFd folder(
      check_sys(::open(beneath.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), "open"));
  return open_for_reading_beneath(folder.get(), beneath, file);
}

}  // namespace

BrickRanges BrickRanges::open(const std::filesystem::path& zarr, int timestep, int level,
                              const std::filesystem::path& beneath) {
  BrickRanges ranges;
  const std::filesystem::path path = ranges_file(zarr, timestep, level);
  ranges.file_ = path.string();
  ranges.fd_ = opened(path, beneath);
  RangesHeader header = {};
  read_exactly(ranges.fd_.get(), std::as_writable_bytes(std::span(&header, 1)), 0, ranges.file_);
  const auto plan = plan_of(header);
  struct stat status = {};
  check_sys(::fstat(ranges.fd_.get(), &status), "fstat");
  if (!plan || static_cast<std::uint64_t>(status.st_size) != plan->file_bytes())
    throw InputError({ranges.file_}, "", "ranges of bricks, of version 1", "something else");
  ranges.plan_ = *plan;
  ranges.pairs_.resize(plan->bricks.voxels() * pair_bytes(plan->type));
  read_exactly(ranges.fd_.get(), ranges.pairs_, plan->brick_offset(0), ranges.file_);
  return ranges;
}

std::optional<BrickRanges> BrickRanges::try_open(const std::filesystem::path& zarr, int timestep,
                                                 int level, VolumeSize size,
                                                 const std::filesystem::path& beneath) {
  try {
    BrickRanges ranges = open(zarr, timestep, level, beneath);
    const RangesPlan& plan = ranges.plan();
    if (plan.type == VoxelType::u8 && plan.size == size && plan.cell_side == cell_side_of(size))
      return ranges;
  } catch (const std::exception&) {
    // OME-Zarr folders of other programs have no ranges.
  }
  return std::nullopt;
}

ValueRange BrickRanges::brick(int x, int y, int z) const noexcept {
  return range_of_pair(plan_.type,
                       pairs_.data() + plan_.brick_index(x, y, z) * pair_bytes(plan_.type));
}

ValueRange BrickRanges::sampled(int x, int y, int z) const noexcept {
  ValueRange all = {std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()};
  for (int k = z; k < std::min(z + 2, plan_.bricks.z); ++k)
    for (int j = y; j < std::min(y + 2, plan_.bricks.y); ++j)
      for (int i = x; i < std::min(x + 2, plan_.bricks.x); ++i) {
        const ValueRange range = brick(i, j, k);
        all = {std::min(all.min, range.min), std::max(all.max, range.max)};
      }
  return all;
}

std::vector<ValueRange> BrickRanges::cells(int x, int y, int z) const {
  std::vector<std::byte> pairs(plan_.cells_bytes());
  read_exactly(fd_.get(), pairs, plan_.cells_offset(plan_.brick_index(x, y, z)), file_);
  std::vector<ValueRange> ranges;
  for (std::size_t at = 0; at < pairs.size(); at += pair_bytes(plan_.type))
    ranges.push_back(range_of_pair(plan_.type, pairs.data() + at));
  return ranges;
}

CellPairs BrickRanges::all_cells() const {
  return cells_in(whole_box(reduced_size(plan_.size, plan_.cell_side)));
}

CellPairs BrickRanges::cells_in(const GridBox& box) const {
  const int side = plan_.brick_side / plan_.cell_side;  // cells along a brick
  const auto along = static_cast<std::size_t>(side);
  CellPairs cells;
  cells.side = plan_.cell_side;
  const VolumeSize count = box.size();
  cells.count = {count.x, count.y, count.z};
  cells.least.resize(count.voxels());
  cells.greatest.resize(count.voxels());
  std::vector<std::uint8_t> pairs(plan_.cells_bytes());
  const auto last_brick = [&](std::size_t i) { return (box.end[i] - 1) / side; };
  for (int z = box.begin[2] / side; z <= last_brick(2); ++z)
    for (int y = box.begin[1] / side; y <= last_brick(1); ++y)
      for (int x = box.begin[0] / side; x <= last_brick(0); ++x) {
        const std::size_t brick = plan_.brick_index(x, y, z);
        const auto* const whole = reinterpret_cast<const std::uint8_t*>(&pairs_[2 * brick]);
        // All cells of a uniform brick have the brick's own pair, which is in memory already.
        const bool even = whole[0] == whole[1];
        if (!even)
          read_exactly(fd_.get(), std::as_writable_bytes(std::span(pairs)),
                       plan_.cells_offset(brick), file_);
        const std::array<int, 3> first = {x * side, y * side, z * side};
        std::array<int, 3> from = {};  // the brick's cells [from, to) that lie in the box
        std::array<int, 3> to = {};
        for (std::size_t i = 0; i < 3; ++i) {
          from[i] = std::max(box.begin[i] - first[i], 0);
          to[i] = std::min(box.end[i] - first[i], side);
        }
        for (int k = from[2]; k < to[2]; ++k)
          for (int j = from[1]; j < to[1]; ++j)
            for (int i = from[0]; i < to[0]; ++i) {
              const std::size_t cell =
                  (static_cast<std::size_t>(k) * along + static_cast<std::size_t>(j)) * along +
                  static_cast<std::size_t>(i);
              const std::uint8_t* const pair = even ? whole : &pairs[2 * cell];
              const std::size_t at = (static_cast<std::size_t>(first[2] + k - box.begin[2]) *
                                          static_cast<std::size_t>(count.y) +
                                      static_cast<std::size_t>(first[1] + j - box.begin[1])) *
                                         static_cast<std::size_t>(count.x) +
                                     static_cast<std::size_t>(first[0] + i - box.begin[0]);
              cells.least[at] = pair[0];
              cells.greatest[at] = pair[1];
            }
      }
  cells.stored = range_of(cells);
  return cells;
}

}  // namespace tilewall::render
