// Reads voxels of OME-Zarr 0.4 (ngff.openmicroscopy.org/0.4) and of plain arrays of Zarr v2:
// folders in which each chunk is a file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/readers/formats/element.hpp"
#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/missing_brick.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"
#include "render/readers/formats/zarr_array.hpp"
#include "render/readers/formats/zarr_image.hpp"
#include "sync/base/file.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

class ZarrSource final : public VolumeSource {
 public:
  ZarrSource(const fs::path& folder, const VolumeOptions& options)
      : image_(read_zarr_image(folder)) {
    const int levels = static_cast<int>(image_.levels.size());
    info_.level = std::max(options.level, 0);
    if (info_.level >= levels)
      throw InputError({folder.string()}, "level", fmt::format("0 to {}", levels - 1),
                       fmt::format("{}", options.level));
    info_.levels = levels;
    info_.format = levels > 1 || !image_.levels[0].path.empty() ? "OME-Zarr" : "Zarr";
    info_.dataset = image_.name;
    arrays_.push_back(read_zarray(image_.folder / level(0).path));
    name_axes(options);
    if (image_.additions) {
      rules_.slope = image_.additions->scale.scale;
      rules_.intercept = image_.additions->scale.offset;
    }
    converter_.emplace(arrays_[0].element, arrays_[0].swapped, rules_);
    converter_->describe(info_);
    if (image_.additions) apply_zarr_additions(*image_.additions, info_);
    chunk_.resize(static_cast<std::size_t>(arrays_[0].chunk_bytes()));
    add_coarser();
  }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}}, into);
  }

  void read_box(int grid, int timestep, const GridBox& box, std::byte* into) override {
    std::array<std::int64_t, 3> side = {};  // sides of chunks, in voxels
    for (std::size_t i = 0; i < 3; ++i) side[i] = chunk_side(array(grid), axis_[i]);
    for (std::int64_t cz = box.begin[2] / side[2]; cz * side[2] < box.end[2]; ++cz)
      for (std::int64_t cy = box.begin[1] / side[1]; cy * side[1] < box.end[1]; ++cy)
        for (std::int64_t cx = box.begin[0] / side[0]; cx * side[0] < box.end[0]; ++cx) {
          load(grid, timestep, {cx, cy, cz});
          copy_chunk(grid, timestep, {cx * side[0], cy * side[1], cz * side[2]}, side, box, into);
        }
  }

 private:
  /// Level of the file that is grid `number` of info().
  [[nodiscard]] const ZarrLevel& level(int number) const {
    return image_.levels[static_cast<std::size_t>(info_.level) + static_cast<std::size_t>(number)];
  }
  [[nodiscard]] const ZarrArray& array(int grid) const {
    return arrays_[static_cast<std::size_t>(grid)];
  }
  [[nodiscard]] static std::int64_t chunk_side(const ZarrArray& array, int axis) {
    return axis < 0 ? 1 : array.chunks[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] int axis_of(ZarrRole role) const {
    const auto found = std::find(image_.roles.begin(), image_.roles.end(), role);
    return found == image_.roles.end() ? -1 : static_cast<int>(found - image_.roles.begin());
  }

  // Distance of the level's first voxel from that of level 0, along x, y and z.
  [[nodiscard]] Vec3d beyond_level_0(const ZarrLevel& level) const {
    const auto along = [&](int axis) {
      const auto at = static_cast<std::size_t>(axis);
      return axis < 0 ? 0 : level.translation[at] - image_.levels[0].translation[at];
    };
    return {along(axis_[0]), along(axis_[1]), along(axis_[2])};
  }

  VolumeGrid grid_of(const ZarrArray& array, const ZarrLevel& level,
                     std::vector<std::string>& notes) const {
    std::array<std::int64_t, 3> sides = {1, 1, 1};
    std::array<Vec3d, 3> steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    std::array<double, 3> origin = {};
    for (std::size_t i = 0; i < 3; ++i) {
      if (axis_[i] < 0) continue;
      const auto axis = static_cast<std::size_t>(axis_[i]);
      sides[i] = array.shape[axis];
      steps[i] = checked_spacing(level.scale[axis], {array.file, "scale"}) * steps[i];
      origin[i] = level.translation[axis];
    }
    VolumeGrid grid;
    grid.size = checked_size(sides, {array.file, "shape"});
    grid.place = place_of_steps({origin[0], origin[1], origin[2]}, steps,
                                {array.file, "translation"}, notes);
    if (image_.additions)
      grid.place = place_by_additions(*image_.additions, beyond_level_0(level), grid.place);
    const std::array<int, 3> size = {grid.size.x, grid.size.y, grid.size.z};
    for (std::size_t i = 0; i < 3; ++i)
      grid.chunk[i] =
          static_cast<int>(std::min<std::int64_t>(chunk_side(array, axis_[i]), size[i]));
    return grid;
  }

  void name_axes(const VolumeOptions& options) {
    const ZarrArray& array = arrays_[0];
    const FieldPlace place = {array.file, "shape"};
    if (array.shape.size() != image_.roles.size())
      place.refuse(fmt::format("{} lengths, as there are axes", image_.roles.size()),
                   fmt::format("{}", array.shape.size()));
    axis_ = {axis_of(ZarrRole::x), axis_of(ZarrRole::y), axis_of(ZarrRole::z)};
    time_axis_ = axis_of(ZarrRole::t);
    channel_axis_ = axis_of(ZarrRole::c);
    if (axis_[0] < 0 || axis_[1] < 0) place.refuse("axes x and y", "others");
    const VolumeGrid grid = grid_of(array, level(0), info_.notes);
    info_.size = grid.size;
    info_.place = grid.place;
    info_.tile_voxels = {grid.chunk[0], grid.chunk[1]};
    info_.slab_voxels = grid.chunk[2];
    info_.length_unit = image_.units[static_cast<std::size_t>(axis_[0])];
    set_one_timestep(info_);
    if (time_axis_ >= 0) {
      const auto axis = static_cast<std::size_t>(time_axis_);
      set_timesteps(info_, array.shape[axis], level(0).translation[axis], level(0).scale[axis],
                    image_.units[axis], place);
    }
    if (channel_axis_ < 0) return;
    const std::int64_t channels = array.shape[static_cast<std::size_t>(channel_axis_)];
    channel_ = std::max(options.component, 0);
    if (channels > max_file_side || channel_ >= channels)
      FieldPlace{array.file, "component"}.refuse(fmt::format("0 to {}", channels - 1),
                                                 fmt::format("{}", channel_));
    info_.components = static_cast<int>(channels);
    if (channels > 1)
      info_.notes.push_back(fmt::format("channel {} of {} is shown", channel_, channels));
  }

  /// Whether a coarser level has the finest one's axes, type, timesteps and channels.
  [[nodiscard]] bool is_alike(const ZarrArray& coarser) const {
    const ZarrArray& finest = arrays_[0];
    const auto same_length = [&](int axis) {
      const auto at = static_cast<std::size_t>(axis);
      return axis < 0 || coarser.shape[at] == finest.shape[at];
    };
    return coarser.shape.size() == finest.shape.size() && coarser.element == finest.element &&
           coarser.swapped == finest.swapped && same_length(time_axis_) &&
           same_length(channel_axis_);
  }

  // Adds coarser levels up to the first one that does not fit the finest; a note explains the rest.
  void add_coarser() {
    for (int number = 1; info_.level + number < info_.levels; ++number) {
      std::string fault;
      try {
        ZarrArray coarser = read_zarray(image_.folder / level(number).path);
        std::vector<std::string> notes;  // dropped, as the finest level has the same notes
        const bool alike = is_alike(coarser);
        const VolumeGrid grid = alike ? grid_of(coarser, level(number), notes) : VolumeGrid{};
        const VolumeSize above = info_.grid(number - 1).size;
        if (alike && grid.size.x <= above.x && grid.size.y <= above.y && grid.size.z <= above.z) {
          info_.coarser.push_back(grid);
          arrays_.push_back(std::move(coarser));
          continue;
        }
        fault = coarser.file + ": other contents than the finest level's, or more voxels";
      } catch (const InputError& error) {
        fault = error.what();
      }
      info_.notes.push_back(
          fmt::format("levels from {} on are not used: {}", info_.level + number, fault));
      return;
    }
  }

  // Loads a chunk into chunk_. `at` is its index among chunks along x, y and z.
  void load(int grid, std::int64_t timestep, const std::array<std::int64_t, 3>& at) {
    const ZarrArray& from = array(grid);
    std::vector<std::int64_t> place(from.shape.size(), 0);
    for (std::size_t i = 0; i < 3; ++i)
      if (axis_[i] >= 0) place[static_cast<std::size_t>(axis_[i])] = at[i];
    if (time_axis_ >= 0)
      place[static_cast<std::size_t>(time_axis_)] = timestep / chunk_side(from, time_axis_);
    if (channel_axis_ >= 0)
      place[static_cast<std::size_t>(channel_axis_)] = channel_ / chunk_side(from, channel_axis_);
    std::string name;
    for (const std::int64_t number : place)
      name += (name.empty() ? "" : std::string(1, from.separator)) + std::to_string(number);
    const fs::path file = from.folder / name;
    if (file == loaded_) return;
    loaded_.clear();
    std::error_code error;
    filled_ = !fs::exists(file, error);
    if (filled_) check_all_fill(grid, timestep, at, file);
    if (!filled_) {
      chunk_.resize(static_cast<std::size_t>(from.chunk_bytes()));
      const std::string packed =
          FileRoot::of_process().read_text(file, static_cast<std::size_t>(max_chunk_bytes));
      if (!unpack_chunk(from.codec, packed, chunk_))
        throw InputError({file.string()}, "chunk",
                         fmt::format("{} bytes, packed as .zarray says", chunk_.size()),
                         "something else");
    }
    loaded_ = file;
  }

  /// Throws InputError for a missing brick of `tilewall brick` whose ranges show that it had
  /// values. In Zarr v2 a chunk without a file is fill, so a lost file would go unnoticed
  /// otherwise.
  void check_all_fill(int grid, std::int64_t timestep, const std::array<std::int64_t, 3>& at,
                      const fs::path& file) const {
    if (!image_.additions) return;
    const BrickPlace brick = {image_.folder, static_cast<int>(timestep), info_.level + grid, at};
    if (is_brick_lost(brick, info_.grid(grid).size, info_.type, chunk_side(array(grid), axis_[0])))
      throw InputError({file.string()}, "", "a brick, as its ranges show values in it", "no file");
  }

  // Distance between neighbours along an axis in a chunk, in numbers; 0 for axis -1.
  [[nodiscard]] static std::int64_t step(const ZarrArray& array, int axis) {
    if (axis < 0) return 0;
    std::int64_t step = 1;
    const auto wanted = static_cast<std::size_t>(axis);
    if (array.fortran)
      for (std::size_t i = 0; i < wanted; ++i) step *= array.chunks[i];
    else
      for (std::size_t i = wanted + 1; i < array.chunks.size(); ++i) step *= array.chunks[i];
    return step;
  }

  void copy_chunk(int grid, std::int64_t timestep, const std::array<std::int64_t, 3>& corner,
                  const std::array<std::int64_t, 3>& side, const GridBox& box, std::byte* into) {
    const ZarrArray& from = array(grid);
    const auto bytes = static_cast<std::int64_t>(bytes_of(from.element));
    const auto voxel = static_cast<std::int64_t>(bytes_of(info_.type));
    std::int64_t base = 0;
    if (time_axis_ >= 0) base += timestep % chunk_side(from, time_axis_) * step(from, time_axis_);
    if (channel_axis_ >= 0)
      base += channel_ % chunk_side(from, channel_axis_) * step(from, channel_axis_);
    std::array<std::int64_t, 3> first = {};
    std::array<std::int64_t, 3> end = {};
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] = std::max<std::int64_t>(corner[i], box.begin[i]);
      end[i] = std::min<std::int64_t>(corner[i] + side[i], box.end[i]);
    }
    const auto count = static_cast<std::size_t>(end[0] - first[0]);
    const VolumeSize size = box.size();
    for (std::int64_t z = first[2]; z < end[2]; ++z)
      for (std::int64_t y = first[1]; y < end[1]; ++y) {
        std::byte* const out = into + (((z - box.begin[2]) * size.y + y - box.begin[1]) * size.x +
                                       first[0] - box.begin[0]) *
                                          voxel;
        const std::int64_t at = base + (z - corner[2]) * step(from, axis_[2]) +
                                (y - corner[1]) * step(from, axis_[1]) +
                                (first[0] - corner[0]) * step(from, axis_[0]);
        if (filled_)
          fill_row(from, out, count);
        else
          converter_->convert(chunk_.data() + at * bytes, step(from, axis_[0]) * bytes, count, out);
      }
  }

  // Writes a row of fill values, for a chunk without a file.
  void fill_row(const ZarrArray& array, std::byte* out, std::size_t count) const {
    const double value = rules_.slope * array.fill + rules_.intercept;
    const double stored = (value - info_.scale.offset) / info_.scale.scale + 0.5;
    if (info_.type == VoxelType::f32) {
      std::fill_n(reinterpret_cast<float*>(out), count, static_cast<float>(value));
    } else if (info_.type == VoxelType::u16) {
      std::fill_n(
          reinterpret_cast<std::uint16_t*>(out), count,
          static_cast<std::uint16_t>(std::clamp(std::isfinite(stored) ? stored : 0, 0.0, 65535.0)));
    } else {
      std::fill_n(
          reinterpret_cast<std::uint8_t*>(out), count,
          static_cast<std::uint8_t>(std::clamp(std::isfinite(stored) ? stored : 0, 0.0, 255.0)));
    }
  }

  ZarrImage image_;
  std::vector<ZarrArray> arrays_;           // one for each grid of info()
  std::array<int, 3> axis_ = {-1, -1, -1};  // axes of the array for x, y and z; -1: none
  int time_axis_ = -1;
  int channel_axis_ = -1;
  std::int64_t channel_ = 0;
  ValueRules rules_;
  std::optional<VoxelConverter> converter_;
  std::vector<std::byte> chunk_;
  fs::path loaded_;      // file of the chunk in chunk_; empty: none
  bool filled_ = false;  // the chunk has no file and consists of fill values
};

}  // namespace

VolumeSourcePtr open_zarr(const fs::path& folder, const VolumeOptions& options) {
  return std::make_unique<ZarrSource>(folder, options);
}

}  // namespace tilewall::render
