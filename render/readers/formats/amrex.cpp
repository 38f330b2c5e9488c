// Reads AMReX plotfiles. All levels up to the chosen one are drawn on that level's grid: cells of
// coarser levels are repeated where no finer ones lie.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "render/readers/formats/amrex_header.hpp"
#include "render/readers/formats/byte_source.hpp"
#include "render/readers/formats/element.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {
namespace {

// The level chosen by default is the finest with at most so many voxels, 2 GiB of floats.
constexpr double most_amr_voxels = 512.0 * 1024 * 1024;

/// A fab's own header, which stands before its numbers.
struct FabFormat {
  Element element = Element::f64;
  bool swapped = false;
  AmrBox box = {};  // Box with ghost cells
  std::int64_t components = 1;
  std::uint64_t data = 0;  // offset of the numbers in the file
};

// Parses a line such as
// "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((0,0,0) (7,7,7) (0,0,0)) 3".
FabFormat read_fab_format(const AmrFab& fab) {
  const FieldPlace place = {fab.file.string(), "FAB"};
  FileBytes bytes(fab.file, fab.offset);
  std::array<char, 512> raw = {};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(raw.size(), *bytes.size()));
  bytes.read(0, std::as_writable_bytes(std::span(raw)).first(count));
  const std::string_view text(raw.data(), count);
  const std::size_t end = text.find('\n');
  if (!text.starts_with("FAB ") || end == std::string_view::npos)
    place.refuse("\"FAB\" and a line", in_quotes(text.substr(0, 8)));
  std::vector<std::int64_t> n;
  for (const std::string& word : split(text.substr(4, end - 4), " (),\r\t")) {
    const auto number = parse_whole(word);
    if (!number) place.refuse("whole numbers", in_quotes(word));
    n.push_back(*number);
  }
  // 1 + 8 numbers for the format, 1 + width for the order of bytes, 9 for the box, 1 for
  // components.
  const std::size_t width =
      n.size() > 9 ? static_cast<std::size_t>(std::clamp<std::int64_t>(n[9], 0, 16)) : 0;
  if (n.size() != 10 + width + 10 || (width != 4 && width != 8) ||
      n[1] != static_cast<std::int64_t>(width) * 8)
    place.refuse("numbers of 32 or 64 bits", in_quotes(text.substr(0, end)));
  FabFormat format;
  format.element = width == 4 ? Element::f32 : Element::f64;
  format.swapped = n[10] == 1;  // byte 1, which is the most significant one, comes first
  for (std::size_t i = 0; i < 3; ++i) {
    format.box.first[i] = n[10 + width + i];
    format.box.last[i] = n[13 + width + i];
  }
  format.components = n[19 + width];
  format.data = fab.offset + end + 1;
  return format;
}

class AmrSource final : public VolumeSource {
 public:
  AmrSource(const std::filesystem::path& folder, const VolumeOptions& options)
      : folder_(folder), header_(read_amr_header(folder)) {
    const std::string file = (folder / "Header").string();
    info_.format = "AMReX";
    info_.datasets = header_.components;
    component_ = choose_dataset(header_.components, options, {file, "dataset"});
    info_.dataset = header_.components[component_];
    info_.levels = static_cast<int>(header_.levels.size());
    info_.level = choose_level(options, {file, "level"});
    set_grid({file, "domain"});
    for (int level = 0; level <= info_.level; ++level)
      fabs_.push_back(read_amr_fabs(folder_, header_.levels[static_cast<std::size_t>(level)]));
    info_.file_type = "f64";
    for (const auto& fabs : fabs_)
      if (!fabs.empty()) {
        info_.file_type = name_of(read_fab_format(fabs.front()).element);
        break;
      }
    info_.times = {header_.time};
    info_.time_labels = {fmt::format("{:.6g}", header_.time)};
    if (info_.level > 0)
      info_.notes.push_back(
          fmt::format("levels 0 to {} on the grid of the finest of them", info_.level));
  }

  // Draws coarse levels first and finer ones over them. Voxels that no box covers stay empty.
  void read(int, int z_begin, int z_end, std::byte* into) override {
    auto* voxels = reinterpret_cast<float*>(into);
    const std::size_t count = static_cast<std::size_t>(info_.size.x) *
                              static_cast<std::size_t>(info_.size.y) *
                              static_cast<std::size_t>(z_end - z_begin);
    std::fill_n(voxels, count, std::numeric_limits<float>::quiet_NaN());
    std::array<std::int64_t, 3> ratio = {1, 1, 1};
    std::vector<std::array<std::int64_t, 3>> ratios(fabs_.size());
    for (std::size_t level = fabs_.size(); level-- > 0;) {
      ratios[level] = ratio;
      for (std::size_t i = 0; i < 3; ++i) ratio[i] *= header_.levels[level].cells_per_coarse[i];
    }
    for (std::size_t level = 0; level < fabs_.size(); ++level)
      for (const AmrFab& fab : fabs_[level]) paint(fab, ratios[level], z_begin, z_end, voxels);
  }

 private:
  [[nodiscard]] const AmrLevel& target() const {
    return header_.levels[static_cast<std::size_t>(info_.level)];
  }

  int choose_level(const VolumeOptions& options, const FieldPlace& place) const {
    const int finest = static_cast<int>(header_.levels.size()) - 1;
    if (options.level > finest)
      place.refuse(fmt::format("0 to {}", finest), fmt::format("{}", options.level));
    if (options.level >= 0) return options.level;
    int level = finest;
    for (; level > 0; --level) {
      double voxels = 1;
      bool fits = true;
      const AmrBox& box = header_.levels[static_cast<std::size_t>(level)].domain;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto side = static_cast<double>(box.last[i] - box.first[i] + 1);
        fits = fits && side <= max_volume_side;
        voxels *= side;
      }
      if (fits && voxels <= most_amr_voxels) break;
    }
    return level;
  }

  void set_grid(const FieldPlace& place) {
    const AmrBox& box = target().domain;
    std::array<std::int64_t, 3> sides = {};
    std::array<Vec3d, 3> steps = {};
    Vec3d origin = {header_.low[0], header_.low[1], header_.low[2]};
    const std::array<Vec3d, 3> axes = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    for (std::size_t i = 0; i < 3; ++i) {
      sides[i] = box.last[i] - box.first[i] + 1;
      steps[i] = target().spacing[i] * axes[i];
      origin = origin + 0.5 * steps[i];  // from the cell's corner to its middle
    }
    info_.size = checked_size(sides, place);
    info_.place = place_of_steps(origin, steps, place, info_.notes);
    info_.type = VoxelType::f32;
  }

  // Writes a fab's cells to the voxels of the target's grid that they cover.
  void paint(const AmrFab& fab, const std::array<std::int64_t, 3>& ratio, int z_begin, int z_end,
             float* voxels) {
    const std::array<std::int64_t, 3> sides = {info_.size.x, info_.size.y, info_.size.z};
    std::array<std::int64_t, 3> first = {}, end = {};  // in voxels of the target
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t low = target().domain.first[i];
      first[i] = std::max<std::int64_t>(fab.box.first[i] * ratio[i] - low, i == 2 ? z_begin : 0);
      end[i] =
          std::min<std::int64_t>((fab.box.last[i] + 1) * ratio[i] - low, i == 2 ? z_end : sides[i]);
      if (first[i] >= end[i]) return;
    }
    const FabFormat format = read_fab_format(fab);
    const std::uint64_t cells = check_fab(fab, format);
    const VoxelConverter converter(format.element, format.swapped, {});
    const auto bytes = static_cast<std::uint64_t>(bytes_of(format.element));
    FileBytes data(fab.file, format.data);
    const auto width = static_cast<std::uint64_t>(format.box.last[0] - format.box.first[0] + 1);
    const auto height = static_cast<std::uint64_t>(format.box.last[1] - format.box.first[1] + 1);
    plane_.resize(static_cast<std::size_t>(width * height * bytes));
    row_.resize(static_cast<std::size_t>(width));
    std::int64_t loaded = std::numeric_limits<std::int64_t>::min();
    // Index in the fab of the cell that covers a voxel. Domains may begin below 0, so the division
    // rounds down.
    const auto cell = [&](std::int64_t voxel, std::size_t axis) {
      const std::int64_t at = voxel + target().domain.first[axis];
      const std::int64_t coarse =
          at >= 0 ? at / ratio[axis] : -((-at + ratio[axis] - 1) / ratio[axis]);
      return coarse - format.box.first[axis];
    };
    for (std::int64_t z = first[2]; z < end[2]; ++z) {
      if (const std::int64_t plane = cell(z, 2); plane != loaded) {
        data.read((component_ * cells + static_cast<std::uint64_t>(plane) * width * height) * bytes,
                  plane_);
        loaded = plane;
      }
      for (std::int64_t y = first[1]; y < end[1]; ++y) {
        converter.convert(plane_.data() + static_cast<std::uint64_t>(cell(y, 1)) * width * bytes,
                          static_cast<std::ptrdiff_t>(bytes), row_.size(),
                          reinterpret_cast<std::byte*>(row_.data()));
        float* const out = voxels + ((z - z_begin) * sides[1] + y) * sides[0];
        for (std::int64_t x = first[0]; x < end[0]; ++x)
          out[x] = row_[static_cast<std::size_t>(cell(x, 0))];
      }
    }
  }

  // Checks that a fab covers its level's box, and returns the number of cells of a component.
  [[nodiscard]] std::uint64_t check_fab(const AmrFab& fab, const FabFormat& format) const {
    const FieldPlace place = {fab.file.string(), "FAB"};
    std::uint64_t cells = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t side = format.box.last[i] - format.box.first[i] + 1;
      if (format.box.first[i] > fab.box.first[i] || format.box.last[i] < fab.box.last[i] ||
          side > max_file_side)
        place.refuse(
            fmt::format("the box of its level, {} to {}", fab.box.first[i], fab.box.last[i]),
            fmt::format("{} to {}", format.box.first[i], format.box.last[i]));
      cells *= static_cast<std::uint64_t>(side);
    }
    if (format.components != static_cast<std::int64_t>(header_.components.size()))
      place.refuse(fmt::format("{} components, as Header says", header_.components.size()),
                   fmt::format("{}", format.components));
    return cells;
  }

  std::filesystem::path folder_;
  AmrHeader header_;
  std::size_t component_ = 0;
  std::vector<std::vector<AmrFab>> fabs_;  // by level, up to the target's
  std::vector<std::byte> plane_;
  std::vector<float> row_;
};

}  // namespace

VolumeSourcePtr open_amrex(const std::filesystem::path& folder, const VolumeOptions& options) {
  return std::make_unique<AmrSource>(folder, options);
}

}  // namespace tilewall::render
