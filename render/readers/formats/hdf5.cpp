// Reads HDF5 files. Arrays have three indices (z, y, x), or the order of openPMD's axisLabels; or
// four, of which the last is a vector's component or the first a timestep. openPMD
// (github.com/openPMD/openPMD-standard) has timesteps (iterations), spacing and origin; Nyx has the
// size of the domain. VTKHDF (docs.vtk.org, "VTKHDF file format") has the place of an ImageData.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "render/readers/formats/dense_block.hpp"
#include "render/readers/formats/hdf5_file.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t chunk_cache_bytes = std::size_t{128} << 20;
constexpr hsize_t most_components = 4;

// Parts of an openPMD path: "/data/100/meshes/B/x" is iteration 100 of record "B/x".
struct PmdPath {
  std::int64_t iteration;
  std::string record;
};

std::optional<PmdPath> pmd_path(const std::string& path) {
  const auto parts = split(path, "/");
  if (parts.size() < 4 || parts[0] != "data" || parts[2] != "meshes") return std::nullopt;
  const auto iteration = parse_whole(parts[1]);
  if (!iteration) return std::nullopt;
  std::string record = parts[3];
  for (std::size_t i = 4; i < parts.size(); ++i) record += "/" + parts[i];
  return PmdPath{*iteration, record};
}

/// The group of a VTKHDF file, which has the attributes of its image.
constexpr const char* vtk_group = "/VTKHDF";

/// Whether the file is VTKHDF. Throws InputError if it has another kind of data than ImageData.
bool is_vtk_image(hid_t file, const std::string& name) {
  const auto type = hdf5_texts(file, vtk_group, "Type");
  if (type.empty()) return false;
  if (type[0] != "ImageData")
    FieldPlace{name, "VTKHDF Type"}.refuse(
        "\"ImageData\" (ParaView's filter Resample To Image makes one)", in_quotes(type[0]));
  return true;
}

struct Hdf5Dataset {
  std::string name;                // name in VolumeOptions::dataset
  std::vector<Hdf5Array> arrays;   // one per timestep, or a single one for all
  std::vector<double> iterations;  // numbers of openPMD's iterations, ascending
};

bool can_be_volume(const Hdf5Array& array) {
  const auto rank = array.sides.size();
  return rank == 3 || rank == 4;
}

/// The name of a point's or cell's array of VTKHDF; empty for other arrays.
std::optional<std::string> vtk_name(const std::string& path) {
  for (const std::string_view data : {"/VTKHDF/PointData/", "/VTKHDF/CellData/"})
    if (path.starts_with(data)) return path.substr(data.size());
  return std::nullopt;
}

// Finds the arrays that can be volumes. All iterations of an openPMD record are one dataset.
std::vector<Hdf5Dataset> hdf5_datasets(hid_t file, const std::string& name, bool pmd, bool vtk) {
  std::vector<Hdf5Dataset> datasets;
  std::map<std::string, std::size_t> records;
  for (Hdf5Array& array : hdf5_arrays(file, name)) {
    if (!can_be_volume(array)) continue;
    if (vtk) {
      if (const auto named = vtk_name(array.path)) datasets.push_back({*named, {array}, {}});
      continue;
    }
    const auto path = pmd ? pmd_path(array.path) : std::nullopt;
    if (!path) {
      datasets.push_back({array.path.substr(1), {array}, {}});
      continue;
    }
    const auto [at, is_new] = records.emplace(path->record, datasets.size());
    if (is_new) datasets.push_back({path->record, {}, {}});
    Hdf5Dataset& dataset = datasets[at->second];
    dataset.arrays.push_back(std::move(array));
    dataset.iterations.push_back(static_cast<double>(path->iteration));
  }
  for (Hdf5Dataset& dataset : datasets) {  // names were visited in the file's order, 100 before 20
    std::vector<std::size_t> order(dataset.iterations.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return dataset.iterations[a] < dataset.iterations[b];
    });
    const Hdf5Dataset old = dataset;
    for (std::size_t i = 0; i < order.size(); ++i) {
      dataset.arrays[i] = old.arrays[order[i]];
      dataset.iterations[i] = old.iterations[order[i]];
    }
  }
  return datasets;
}

// Chooses a dataset by its name. The whole path of an array is accepted too, which for openPMD
// means a single iteration.
const Hdf5Dataset& choose_hdf5(std::vector<Hdf5Dataset>& datasets, const VolumeOptions& options,
                               const FieldPlace& place, VolumeInfo& info) {
  if (datasets.empty()) place.refuse("an array of numbers with 3 indices", "none");
  for (const Hdf5Dataset& dataset : datasets) info.datasets.push_back(dataset.name);
  VolumeOptions asked = options;
  if (asked.dataset.starts_with('/')) {
    for (Hdf5Dataset& dataset : datasets)
      for (const Hdf5Array& array : dataset.arrays)
        if (array.path == asked.dataset) {
          const Hdf5Array only = array;
          dataset.arrays = {only};
          dataset.iterations.clear();
          return dataset;
        }
    asked.dataset.erase(0, 1);
  }
  return datasets[choose_dataset(info.datasets, asked, place)];
}

class Hdf5Source final : public VolumeSource {
 public:
  Hdf5Source(const std::filesystem::path& file, const VolumeOptions& options)
      : name_(file.string()), file_(open_hdf5_file(name_)) {
    const bool pmd = !hdf5_texts(file_.get(), "/", "openPMD").empty();
    const bool vtk = is_vtk_image(file_.get(), name_);
    info_.format = pmd ? "openPMD (HDF5)" : vtk ? "VTKHDF" : "HDF5";
    std::vector<Hdf5Dataset> datasets = hdf5_datasets(file_.get(), name_, pmd, vtk);
    dataset_ = choose_hdf5(datasets, options, {name_, "dataset"}, info_);
    info_.dataset = dataset_.name;
    if (vtk) read_extent();
    name_axes(pmd);
    plan_voxels(options);
    vtk ? place_vtk() : place_voxels(pmd);
    name_times(pmd);
    for (const Hdf5Array& array : dataset_.arrays)
      if (array.sides != first().sides || array.element != first().element)
        throw InputError({name_}, array.path, "the size and type of the first timestep", "others");
  }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}}, into);
  }

  void read_box(int /*grid*/, int timestep, const GridBox& box, std::byte* into) override {
    const std::size_t array = dataset_.arrays.size() > 1 ? static_cast<std::size_t>(timestep) : 0;
    if (set_.empty() || open_array_ != array) open_array(array);
    std::vector<hsize_t> start(first().sides.size(), 0);
    std::vector<hsize_t> count = first().sides;
    const auto at = [](auto& list, int axis) -> hsize_t& {
      return list[static_cast<std::size_t>(axis)];
    };
    const std::array<int, 3> axes = {block_.x, block_.y, block_.z};
    for (std::size_t i = 0; i < 3; ++i) {
      at(start, axes[i]) = static_cast<hsize_t>(box.begin[i]);
      at(count, axes[i]) = static_cast<hsize_t>(box.end[i] - box.begin[i]);
    }
    if (time_axis_ >= 0) {
      at(start, time_axis_) = static_cast<hsize_t>(timestep);
      at(count, time_axis_) = 1;
    }
    if (component_axis_ >= 0 && component_ >= 0) {
      at(start, component_axis_) = static_cast<hsize_t>(component_);
      at(count, component_axis_) = 1;
    }
    read_numbers(start, count, into);
  }

 private:
  [[nodiscard]] const Hdf5Array& first() const { return dataset_.arrays.front(); }
  [[nodiscard]] std::int64_t side(int axis) const {
    const hsize_t length = first().sides[static_cast<std::size_t>(axis)];
    return length > hsize_t{max_file_side} ? max_file_side + 1 : static_cast<std::int64_t>(length);
  }

  // Finds the meaning of each axis of the array. A last axis of up to 4 numbers is a vector's.
  void name_axes(bool pmd) {
    const auto rank = static_cast<int>(first().sides.size());
    if (rank == 4) {
      const bool vector = first().sides[3] <= most_components && !has_steps();
      (vector ? component_axis_ : time_axis_) = vector ? 3 : 0;
    }
    const int slowest = time_axis_ == 0 ? 1 : 0;
    block_ = {{}, slowest + 2, slowest + 1, slowest};
    info_.interpretation = std::string(slowest == 1 ? "time, " : "") + "z, y, x" +
                           (component_axis_ >= 0 ? ", component" : "");
    if (!pmd || rank != 3) return;
    auto labels = hdf5_texts(file_.get(), record_path(), "axisLabels");
    const auto order = hdf5_texts(file_.get(), record_path(), "dataOrder");
    if (!order.empty() && order[0] == "F") std::reverse(labels.begin(), labels.end());
    const auto axis = [&](const char* label) {
      return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
    };
    if (labels.size() == 3 && axis("x") < 3 && axis("y") < 3 && axis("z") < 3)
      block_ = {{}, axis("x"), axis("y"), axis("z")};
    info_.interpretation = fmt::format("{}", fmt::join(labels, ", "));
  }

  /// Whether the array's last three sides are those of VTKHDF's image, so that the first of four is
  /// time.
  [[nodiscard]] bool has_steps() const {
    const std::vector<hsize_t>& sides = first().sides;
    for (std::size_t i = 0; i < 3; ++i) {
      if (extent_.empty()) return false;
      const double points = extent_[2 * i + 1] - extent_[2 * i] + (of_cells() ? 0 : 1);
      if (static_cast<double>(sides[3 - i]) != points) return false;
    }
    return true;
  }
  [[nodiscard]] bool of_cells() const { return first().path.starts_with("/VTKHDF/CellData/"); }

  void read_extent() {
    extent_ = hdf5_numbers(file_.get(), vtk_group, "WholeExtent");
    if (extent_.size() != 6)
      FieldPlace{name_, "WholeExtent"}.refuse("6 numbers", fmt::format("{}", extent_.size()));
  }

  // Sets the place of VTKHDF's image. Direction has the rows of a matrix whose columns are the
  // directions of x, y and z, and Origin is point (0, 0, 0).
  void place_vtk() {
    const auto numbers = [&](const char* attribute, std::vector<double> standard) {
      auto found = hdf5_numbers(file_.get(), vtk_group, attribute);
      if (found.empty()) return standard;
      if (found.size() != standard.size())
        FieldPlace{name_, attribute}.refuse(fmt::format("{} numbers", standard.size()),
                                            fmt::format("{}", found.size()));
      return found;
    };
    const auto spacing = numbers("Spacing", {1, 1, 1});
    const auto at = numbers("Origin", {0, 0, 0});
    const auto direction = numbers("Direction", {1, 0, 0, 0, 1, 0, 0, 0, 1});
    std::array<Vec3d, 3> steps;
    Vec3d origin = {at[0], at[1], at[2]};
    for (std::size_t i = 0; i < 3; ++i) {
      steps[i] = checked_spacing(spacing[i], {name_, "Spacing"}) *
                 Vec3d{direction[i], direction[3 + i], direction[6 + i]};
      origin = origin + (extent_[2 * i] + (of_cells() ? 0.5 : 0.0)) * steps[i];
    }
    info_.place = place_of_steps(origin, steps, {name_, "Direction"}, info_.notes);
  }

  // Path of the array's record, which has the attributes: "/data/1/meshes/B" for ".../B/x".
  [[nodiscard]] std::string record_path() const {
    const auto parts = split(first().path, "/");
    return parts.size() < 4 ? first().path
                            : fmt::format("/{}/{}/{}/{}", parts[0], parts[1], parts[2], parts[3]);
  }

  void plan_voxels(const VolumeOptions& options) {
    info_.size =
        checked_size({side(block_.x), side(block_.y), side(block_.z)}, {name_, info_.dataset});
    ValueRules rules;
    for (const char* attribute : {"_FillValue", "missing_value"})
      for (const double fill : hdf5_numbers(file_.get(), first().path, attribute))
        rules.fills.push_back(fill);
    int merged = 1;
    if (component_axis_ >= 0) {
      info_.components = static_cast<int>(side(component_axis_));
      component_ = options.component;
      if (component_ >= info_.components)
        FieldPlace{name_, "component"}.refuse(fmt::format("0 to {}", info_.components - 1),
                                              fmt::format("{}", component_));
      merged = component_ >= 0 ? 1 : std::max(info_.components, 1);
      if (info_.components == 1) component_ = 0;
    }
    converter_.emplace(first().element, false, rules, merged, bytes_of(first().element));
    converter_->describe(info_);
    note_chunks();
  }

  // Notes the sides of the file's chunks, so that boxes are read in whole chunks.
  void note_chunks() {
    open_array(0);
    const Hdf5ListId creation(H5Dget_create_plist(set_.get()));
    std::vector<hsize_t> chunk(first().sides.size(), 1);
    if (creation.empty() || H5Pget_layout(creation.get()) != H5D_CHUNKED ||
        H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()) < 0)
      return;
    const auto side = [&](int axis, int most) {
      return static_cast<int>(std::clamp<hsize_t>(chunk[static_cast<std::size_t>(axis)], 1,
                                                  static_cast<hsize_t>(most)));
    };
    info_.tile_voxels = {side(block_.x, info_.size.x), side(block_.y, info_.size.y)};
    info_.slab_voxels = side(block_.z, info_.size.z);
  }

  void place_voxels(bool pmd) {
    if (pmd) return place_pmd();
    const auto size = hdf5_numbers(file_.get(), "/domain", "size");  // Nyx, in Mpc
    if (size.size() != 3) return;
    const std::array<int, 3> sides = {info_.size.x, info_.size.y, info_.size.z};
    std::array<double, 3> spacing = {};
    for (std::size_t i = 0; i < 3; ++i)
      spacing[i] = checked_spacing(size[i] / sides[i], {name_, "domain size"});
    info_.place.spacing = {spacing[0], spacing[1], spacing[2]};
  }

  // Sets openPMD's place, in metres. Its attributes list numbers in the order of the array's axes.
  void place_pmd() {
    const auto spacing = hdf5_numbers(file_.get(), record_path(), "gridSpacing");
    const auto offset = hdf5_numbers(file_.get(), record_path(), "gridGlobalOffset");
    const auto units = hdf5_numbers(file_.get(), record_path(), "gridUnitSI");
    auto position = hdf5_numbers(file_.get(), first().path, "position");
    if (spacing.size() != 3) return;
    const double unit = units.empty() ? 1 : units[0];
    const std::array<int, 3> axes = {block_.x, block_.y, block_.z};
    std::array<double, 3> step = {}, start = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<std::size_t>(axes[i]);
      step[i] = checked_spacing(spacing[axis] * unit, {name_, "gridSpacing"});
      start[i] = offset.size() == 3 ? offset[axis] * unit : 0;
      if (position.size() == 3) start[i] += position[axis] * step[i];
    }
    info_.place = place_of_steps({start[0], start[1], start[2]},
                                 {Vec3d{step[0], 0, 0}, Vec3d{0, step[1], 0}, Vec3d{0, 0, step[2]}},
                                 {name_, "gridSpacing"}, info_.notes);
    info_.length_unit = "m";
    const auto value_unit = hdf5_numbers(file_.get(), first().path, "unitSI");
    if (!value_unit.empty() && value_unit[0] != 1)
      info_.notes.push_back(fmt::format("values are in units of {:g} SI", value_unit[0]));
  }

  void name_times(bool pmd) {
    const FieldPlace place = {name_, info_.dataset};
    if (time_axis_ >= 0) return set_timesteps(info_, side(time_axis_), 0, 1, "", place);
    if (!pmd || dataset_.arrays.size() < 2) return set_one_timestep(info_);
    for (std::size_t i = 0; i < dataset_.arrays.size(); ++i) {
      const std::string group = fmt::format("/data/{:.0f}", dataset_.iterations[i]);
      const auto time = hdf5_numbers(file_.get(), group, "time");
      const auto unit = hdf5_numbers(file_.get(), group, "timeUnitSI");
      const bool known = !time.empty() && !unit.empty();
      info_.times.push_back(known ? time[0] * unit[0] : dataset_.iterations[i]);
      info_.time_labels.push_back(known ? fmt::format("{:.6g} s", info_.times.back())
                                        : fmt::format("iteration {:.0f}", dataset_.iterations[i]));
    }
  }

  void open_array(std::size_t number) {
    const Hdf5ListId access(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_chunk_cache(access.get(), 12421, chunk_cache_bytes, 1.0);
    set_ = Hdf5SetId(H5Dopen2(file_.get(), dataset_.arrays[number].path.c_str(), access.get()));
    open_array_ = number;
    if (set_.empty()) throw InputError({name_}, info_.dataset, "an array", "a damaged one");
  }

  void read_numbers(const std::vector<hsize_t>& start, const std::vector<hsize_t>& count,
                    std::byte* into) {
    const Hdf5SpaceId space(H5Dget_space(set_.get()));
    const Hdf5SpaceId memory(
        H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    std::size_t numbers = 1;
    block_.counts.clear();
    for (const hsize_t side : count) {
      numbers *= static_cast<std::size_t>(side);
      block_.counts.push_back(static_cast<std::size_t>(side));
    }
    buffer_.resize(numbers * static_cast<std::size_t>(bytes_of(first().element)));
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Dread(set_.get(), hdf5_memory_type(first().element), memory.get(), space.get(),
                H5P_DEFAULT, buffer_.data()) < 0)
      throw InputError({name_}, info_.dataset, "numbers", "damaged data, or a filter not known");
    convert_block(block_, *converter_, buffer_.data(), into);
  }

  std::string name_;
  Hdf5FileId file_;
  Hdf5Dataset dataset_;
  std::vector<double> extent_;  // VTKHDF's WholeExtent; empty for other files
  DenseBlock block_;            // counts of the dataset's axes, and the indices of x, y and z
  int time_axis_ = -1;
  int component_axis_ = -1;
  int component_ = -1;  // -1: the vector's length
  std::optional<VoxelConverter> converter_;
  Hdf5SetId set_;
  std::size_t open_array_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

VolumeSourcePtr open_hdf5(const std::filesystem::path& file, const VolumeOptions& options) {
  return std::make_unique<Hdf5Source>(file, options);
}

}  // namespace tilewall::render
