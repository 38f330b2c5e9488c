// Reads NetCDF, classic and 4, by the CF conventions (cfconventions.org): packed values are
// unpacked, and fill values become empty voxels.
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "render/readers/formats/cf_time.hpp"
#include "render/readers/formats/dense_block.hpp"
#include "render/readers/formats/netcdf_axes.hpp"
#include "render/readers/formats/netcdf_file.hpp"
#include "render/readers/formats/resampled_volume.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {
namespace {

constexpr double uneven = 0.01;        // share of the mean step from which an axis is uneven
constexpr double drawn_height = 0.25;  // share of the longer side, if units do not give a height

bool is_degrees(const std::string& unit) { return lower_case(unit).starts_with("degree"); }

class NcSource final : public VolumeSource {
 public:
  NcSource(const std::filesystem::path& path, const VolumeOptions& options) : file_(path.string()) {
    info_.format = "NetCDF";
    choose(options);
    name_axes(options);
    plan_voxels();
    place_voxels(options.levels);
    name_times();
  }

  /// The samples for axes that are not even.
  [[nodiscard]] const std::array<EvenSamples, 3>& samples() const noexcept { return samples_; }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}}, into);
  }

  void read_box(int /*grid*/, int timestep, const GridBox& box, std::byte* into) override {
    std::vector<std::size_t> start(axes_.size(), 0);
    block_.counts.assign(axes_.size(), 1);
    std::size_t numbers = 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].role == NcRole::time) start[i] = static_cast<std::size_t>(timestep);
      if (const auto one = fixed_.find(axes_[i].name); one != fixed_.end())
        start[i] = static_cast<std::size_t>(one->second);
      const int axis = axes_[i].role == NcRole::x   ? 0
                       : axes_[i].role == NcRole::y ? 1
                       : axes_[i].role == NcRole::z ? 2
                                                    : -1;
      if (axis >= 0) {
        const auto of = static_cast<std::size_t>(axis);
        start[i] = static_cast<std::size_t>(box.begin[of]);
        block_.counts[i] = static_cast<std::size_t>(box.end[of] - box.begin[of]);
      }
      numbers *= block_.counts[i];
    }
    buffer_.resize(numbers * static_cast<std::size_t>(bytes_of(converter_->element())));
    file_.check(
        nc_get_vara(file_.id(), variable_.id, start.data(), block_.counts.data(), buffer_.data()),
        variable_.name);
    convert_block(block_, *converter_, buffer_.data(), into);
  }

 private:
  // Chooses a variable. Variables over three axes of space come first, then those over two; times
  // and bounds of cells are no fields.
  void choose(const VolumeOptions& options) {
    std::vector<NcVariable> fields[2];
    const std::set<std::string, std::less<>> beside = names_beside_fields();
    for (NcVariable& variable : file_.variables()) {
      if (!nc_element(variable.type) || variable.dimensions.size() < 2) continue;
      std::size_t in_space = 0;
      for (const int dimension : variable.dimensions) {
        const NcAxis axis = nc_axis(file_, dimension);
        if (axis.role != NcRole::time && axis.length > 1) ++in_space;
      }
      if (file_.text(variable.id, "units").find(" since ") != std::string::npos) continue;
      const std::string& name = variable.name;
      const bool bounds = name.ends_with("_bnds") || name.ends_with("_bounds") ||
                          name.starts_with("bounds_") || name.ends_with("edges");
      if (in_space >= 2 && !bounds && !beside.contains(variable.name))
        fields[in_space >= 3 ? 0 : 1].push_back(variable);
    }
    for (const auto& list : fields)
      for (const NcVariable& variable : list) info_.datasets.push_back(variable.name);
    const FieldPlace place = {file_.name(), "variable"};
    if (info_.datasets.empty()) place.refuse("a field over two or three axes of space", "none");
    std::vector<NcVariable> all = fields[0];
    all.insert(all.end(), fields[1].begin(), fields[1].end());
    // A single field over three axes is meant, even if fields over two lie beside it.
    const bool clear = options.dataset.empty() && fields[0].size() == 1;
    variable_ = all[clear ? 0 : choose_dataset(info_.datasets, options, place)];
    info_.dataset = variable_.name;
  }

  /// Variables that others name as the bounds of their cells or as their coordinates (CF, chapters
  /// 5 and 7), such as bounds_lon.
  [[nodiscard]] std::set<std::string, std::less<>> names_beside_fields() {
    std::set<std::string, std::less<>> names;
    for (const NcVariable& variable : file_.variables())
      for (const char* attribute : {"bounds", "climatology", "coordinates"}) {
        std::istringstream words(file_.text(variable.id, attribute));
        for (std::string name; words >> name;) names.insert(name);
      }
    return names;
  }

  void name_axes(const VolumeOptions& options) {
    for (const int dimension : variable_.dimensions) axes_.push_back(nc_axis(file_, dimension));
    fix_axes(options);
    complete_roles(axes_);
    std::array<std::int64_t, 3> sides = {1, 1, 1};
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const NcAxis& axis = axes_[i];
      const auto index = static_cast<int>(i);
      const std::int64_t length = static_cast<std::int64_t>(
          std::min<std::size_t>(axis.length, std::size_t{max_file_side} + 1));
      if (axis.role == NcRole::x) block_.x = index, sides[0] = length;
      if (axis.role == NcRole::y) block_.y = index, sides[1] = length;
      if (axis.role == NcRole::z) block_.z = index, sides[2] = length;
      const bool is_list = axis.role == NcRole::other || axis.role == NcRole::list;
      if (is_list && axis.length > 1)
        info_.notes.push_back(fmt::format("{}: the first of {} (--axis {}=N shows another, from 0)",
                                          axis.name, axis.length, axis.name));
      if (axis.has_flaws)
        info_.notes.push_back(
            fmt::format("{}: coordinates that are not all numbers: drawn by index", axis.name));
      if (axis.length == 0)
        throw InputError({file_.name()}, axis.name, "a length of 1 or more", "0");
      info_.interpretation += (i == 0 ? "" : ", ") + description_of(axis);
    }
    info_.size = checked_size(sides, {file_.name(), variable_.name});
  }

  /// Fixes the axes of which one index was asked for.
  void fix_axes(const VolumeOptions& options) {
    for (const auto& asked : options.fixed) {
      const std::string& name = asked.first;
      const int index = asked.second;
      const auto axis =
          std::find_if(axes_.begin(), axes_.end(), [&](const NcAxis& a) { return a.name == name; });
      const FieldPlace place = {file_.name(), "axis"};
      if (axis == axes_.end()) {
        std::string names;
        for (const NcAxis& one : axes_) names += (names.empty() ? "" : ", ") + one.name;
        place.refuse("an axis of " + variable_.name + ": " + names, in_quotes(name));
      }
      if (index < 0 || static_cast<std::size_t>(index) >= axis->length)
        place.refuse(fmt::format("{}=N with N from 0 to {}", name, axis->length - 1),
                     fmt::format("{}", index));
      axis->role = NcRole::fixed;
    }
    fixed_ = options.fixed;
  }

  [[nodiscard]] std::string description_of(const NcAxis& axis) const {
    constexpr const char* words[] = {"x", "y", "z", "time"};
    if (axis.role == NcRole::fixed) return fmt::format("{}[{}]", axis.name, fixed_.at(axis.name));
    if (axis.role == NcRole::list || axis.role == NcRole::other) return axis.name + "[0]";
    const char* const word = words[static_cast<std::size_t>(axis.role)];
    return (axis.name == word ? axis.name : fmt::format("{} = {}", word, axis.name)) +
           (axis.downwards ? " (positive down)" : "");
  }

  /// The range of values over all timesteps, if the file states it. Its `valid_range` is of no use
  /// here: it limits what is possible, and may be -1e15 to 1e15.
  [[nodiscard]] std::optional<ValueRange> stated_range() const {
    const auto ends = file_.numbers(variable_.id, "actual_range");
    if (ends.size() != 2) return std::nullopt;
    const ValueRange range = {static_cast<float>(std::min(ends[0], ends[1])),
                              static_cast<float>(std::max(ends[0], ends[1]))};
    if (!(range.min < range.max) || !std::isfinite(range.min) || !std::isfinite(range.max))
      return std::nullopt;
    return range;
  }

  void plan_voxels() {
    ValueRules rules;
    const auto one = [&](const char* attribute, double standard) {
      const auto numbers = file_.numbers(variable_.id, attribute);
      return numbers.size() == 1 && std::isfinite(numbers[0]) ? numbers[0] : standard;
    };
    rules.slope = one("scale_factor", 1);
    rules.intercept = one("add_offset", 0);
    for (const char* attribute : {"_FillValue", "missing_value"})
      for (const double fill : file_.numbers(variable_.id, attribute)) rules.fills.push_back(fill);
    if (rules.fills.empty())
      if (const auto fill = nc_standard_fill(variable_.type)) rules.fills.push_back(*fill);
    if (const auto range = file_.numbers(variable_.id, "valid_range"); range.size() == 2) {
      rules.least = range[0];
      rules.most = range[1];
    }
    if (const auto least = file_.numbers(variable_.id, "valid_min"); least.size() == 1)
      rules.least = least[0];
    if (const auto most = file_.numbers(variable_.id, "valid_max"); most.size() == 1)
      rules.most = most[0];
    converter_.emplace(*nc_element(variable_.type), false, rules);
    converter_->describe(info_);
    info_.value_range = stated_range();
    info_.value_unit = file_.text(variable_.id, "units");
    int storage = NC_CONTIGUOUS;
    std::vector<std::size_t> chunk(axes_.size(), 1);
    if (nc_inq_var_chunking(file_.id(), variable_.id, &storage, chunk.data()) != NC_NOERR ||
        storage != NC_CHUNKED)
      return;
    const auto side = [&](int axis, int most) {  // side of the file's chunks, in voxels
      const std::size_t packed = axis < 0 ? 1 : chunk[static_cast<std::size_t>(axis)];
      return static_cast<int>(std::clamp<std::size_t>(packed, 1, static_cast<std::size_t>(most)));
    };
    info_.tile_voxels = {side(block_.x, info_.size.x), side(block_.y, info_.size.y)};
    info_.slab_voxels = side(block_.z, info_.size.z);
  }

  void place_voxels(LevelSpacing spacing) {
    std::array<const NcAxis*, 3> axes = {};
    std::array<NcLine, 3> lines;
    constexpr NcRole roles[] = {NcRole::x, NcRole::y, NcRole::z};
    for (std::size_t i = 0; i < 3; ++i)
      for (const NcAxis& axis : axes_)
        if (axis.role == roles[i]) {
          axes[i] = &axis;
          lines[i] =
              spacing == LevelSpacing::index ? line_by_index(axis) : line_of(i, axis, spacing);
        }
    if (axes[0] != nullptr) info_.length_unit = axes[0]->unit;
    for (std::size_t i = 0; i < 3; ++i)
      if (axes[i] != nullptr)
        info_.axis_scales[i] = {axes[i]->unit, is_in_proportion(i, *axes[i], spacing) ? 1.0 : 0.0};
    scale_height(axes, lines, spacing);
    std::array<Vec3d, 3> steps = {Vec3d{lines[0].step, 0, 0}, Vec3d{0, lines[1].step, 0},
                                  Vec3d{0, 0, lines[2].step}};
    Vec3d origin = {lines[0].start, lines[1].start, lines[2].start};
    if (axes[2] != nullptr && axes[2]->downwards) {
      steps[2] = -1.0 * steps[2];
      origin.z = -origin.z;
      info_.axis_scales[2].factor *= -1;
    }
    info_.place = place_of_steps(origin, steps, {file_.name(), variable_.name}, info_.notes);
  }

  /// Whether the axis of world axis `of` is drawn in proportion to its coordinates.
  [[nodiscard]] static bool is_in_proportion(std::size_t of, const NcAxis& axis,
                                             LevelSpacing spacing) {
    if (axis.coordinates.empty() || (of == 2 && spacing == LevelSpacing::log)) return false;
    if (spacing != LevelSpacing::index) return true;
    const double step = (axis.coordinates.back() - axis.coordinates.front()) /
                        static_cast<double>(std::max<std::size_t>(axis.length - 1, 1));
    for (std::size_t i = 1; i < axis.length; ++i)
      if (!(std::abs((axis.coordinates[i] - axis.coordinates[i - 1]) / step - 1) <= uneven))
        return false;
    return true;
  }

  /// The line from the first to the last coordinate.
  [[nodiscard]] NcLine line_by_index(const NcAxis& axis) {
    NcLine line;
    const std::vector<double>& at = axis.coordinates;
    if (!at.empty()) line.start = at.front();
    if (at.size() > 1 && at.back() != at.front())
      line.step = (at.back() - at.front()) / static_cast<double>(at.size() - 1);
    if (axis.role == NcRole::z) info_.notes.push_back(axis.name + " is drawn by index");
    return line;
  }

  /// The line of the axis of world axis `of`, and samples on it if the axis is uneven.
  [[nodiscard]] NcLine line_of(std::size_t of, const NcAxis& axis, LevelSpacing spacing) {
    const FieldPlace place = {file_.name(), axis.name};
    NcLine line = nc_line(axis, place);
    NcAxis drawn = axis;
    const bool by_log = of == 2 && spacing == LevelSpacing::log;
    if (by_log) {
      for (double& at : drawn.coordinates) {
        if (!(at > 0))
          place.refuse("coordinates above 0 for --levels log", fmt::format("{:g}", at));
        at = std::log(at);
      }
      line = nc_line(drawn, place);
    }
    const std::vector<double>& at = axis.coordinates;
    if (by_log)
      info_.notes.push_back(fmt::format("{}, {:g} to {:g} {}, is drawn by its logarithm", axis.name,
                                        at.front(), at.back(), axis.unit));
    if (line.deviation <= uneven) return line;
    samples_[of] = even_samples(drawn.coordinates);
    if (!by_log)
      info_.notes.push_back(fmt::format(
          "{} is uneven, {:g} to {:g} {}: resampled from {} to {} even steps (--levels index draws "
          "it as stored)",
          axis.name, at.front(), at.back(), axis.unit, at.size(), samples_[of].below.size()));
    return line;
  }

  // Scales the z axis if its unit differs from that of x: from degrees and metres or hectopascals
  // no height follows that could be drawn.
  void scale_height(const std::array<const NcAxis*, 3>& axes, std::array<NcLine, 3>& lines,
                    LevelSpacing spacing) {
    if (axes[2] == nullptr || axes[0] == nullptr || axes[2]->coordinates.empty()) return;
    const bool same_unit =
        axes[2]->unit == axes[0]->unit || (axes[2]->unit.empty() && !is_degrees(axes[0]->unit));
    if (same_unit && spacing != LevelSpacing::log) return;
    const double width =
        std::max(std::abs(lines[0].step) * info_.size.x, std::abs(lines[1].step) * info_.size.y);
    const double step = std::copysign(drawn_height * width / info_.size.z, lines[2].step);
    std::string note =
        fmt::format("{} is in {}, {} in {}: drawn a quarter as high as wide", axes[2]->name,
                    axes[2]->unit.empty() ? "no unit" : axes[2]->unit, axes[0]->name,
                    axes[0]->unit.empty() ? "no unit" : axes[0]->unit);
    if (spacing != LevelSpacing::log)
      note += fmt::format(", {:g} {} a level in the mean", std::abs(lines[2].step), axes[2]->unit);
    info_.notes.push_back(std::move(note));
    info_.axis_scales[2].factor *= lines[2].step / step;
    lines[2].start *= step / lines[2].step;
    lines[2].step = step;
  }

  void name_times() {
    for (const NcAxis& axis : axes_) {
      if (axis.role != NcRole::time) continue;
      const FieldPlace place = {file_.name(), axis.name};
      set_timesteps(info_, static_cast<std::int64_t>(axis.length), 0, 1, "", place);
      if (axis.coordinates.size() != axis.length) return;
      info_.times = axis.coordinates;
      info_.time_unit = axis.unit;
      const std::optional<CfTime> date = date_of_times(axis);
      for (std::size_t i = 0; i < axis.length; ++i) {
        std::string& label = info_.time_labels[i];
        label = date ? date->label(axis.coordinates[i]) : "";
        if (label.empty()) label = number_label(axis, axis.coordinates[i]);
      }
      return;
    }
    set_one_timestep(info_);
  }

  /// How the axis counts time; empty if it has no date, or a calendar that is not known.
  [[nodiscard]] std::optional<CfTime> date_of_times(const NcAxis& axis) {
    if (axis.unit.find(" since ") == std::string::npos) return std::nullopt;
    const std::optional<CfCalendar> calendar = cf_calendar(axis.calendar);
    std::optional<CfTime> date;
    if (calendar) date = CfTime::parse(axis.unit, *calendar);
    if (!date)
      info_.notes.push_back(fmt::format("{}: {} {} is not known: times are shown as numbers",
                                        axis.name, calendar ? "the unit" : "the calendar",
                                        in_quotes(calendar ? axis.unit : axis.calendar)));
    return date;
  }

  /// "15 days", or "member 3" of an axis without unit.
  [[nodiscard]] static std::string number_label(const NcAxis& axis, double number) {
    return axis.unit.empty() || axis.unit == "1" ? fmt::format("{} {:.10g}", axis.name, number)
                                                 : fmt::format("{:.10g} {}", number, axis.unit);
  }

  NcFile file_;
  NcVariable variable_;
  std::vector<NcAxis> axes_;
  std::map<std::string, int> fixed_;  // index of axes of which one was asked for
  std::array<EvenSamples, 3> samples_;
  DenseBlock block_;  // counts of the variable's axes, and the indices of x, y and z
  std::optional<VoxelConverter> converter_;
  std::vector<std::byte> buffer_;
};

}  // namespace

VolumeSourcePtr open_netcdf(const std::filesystem::path& file, const VolumeOptions& options) {
  auto source = std::make_unique<NcSource>(file, options);
  std::array<EvenSamples, 3> samples = source->samples();
  return resampled(std::move(source), std::move(samples));
}

}  // namespace tilewall::render
