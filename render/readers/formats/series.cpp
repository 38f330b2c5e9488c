#include <fmt/format.h>

#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {
namespace {

std::string size_text(VolumeSize size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

// Files whose times are read when a series is opened. Opening takes some milliseconds for each.
constexpr std::size_t most_timed_files = 400;
constexpr std::size_t most_notes = 8;  // beside those of the first file

class SeriesSource final : public VolumeSource {
 public:
  SeriesSource(const std::string& name, std::vector<SeriesStep> steps, const VolumeOptions& options)
      : steps_(std::move(steps)), options_(options) {
    open_ = open_step(0);
    info_ = open_->info();
    if (steps_.size() == 1 && info_.timesteps() > 1) {
      for (int t = 0; t < info_.timesteps(); ++t) places_.push_back({0, t});
      return;
    }
    info_.value_range.reset();  // it concerned the first file only
    const bool has_times = !info_.time_labels.front().empty();
    if ((has_times || info_.timesteps() > 1) && steps_.size() <= most_timed_files) {
      take_times(has_times);
      return;
    }
    if (info_.timesteps() > 1)
      throw InputError({name}, "timesteps", "one in each file of a series",
                       fmt::format("{}", info_.timesteps()));
    if (has_times)
      info_.notes.push_back(fmt::format("a series of more than {} files: their times are not read",
                                        most_timed_files));
    info_.times.clear();
    info_.time_labels.clear();
    info_.time_unit.clear();
    for (std::size_t number = 0; number < steps_.size(); ++number) add_step(number);
  }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    const int in_file = select(timestep);
    open_->read(in_file, z_begin, z_end, into);
  }

  void read_box(int grid, int timestep, const GridBox& box, std::byte* into) override {
    const int in_file = select(timestep);
    open_->read_box(grid, in_file, box, into);
  }

 private:
  /// A timestep of the series: a file of `steps_` and a timestep of it.
  struct Place {
    std::size_t file = 0;
    int timestep = 0;
  };

  void add_step(std::size_t number) {
    info_.times.push_back(steps_[number].time);
    info_.time_labels.push_back(steps_[number].label);
    places_.push_back({number, 0});
  }

  /// Takes all timesteps of all files, with their times if they have some. A file that cannot be
  /// opened gets one, whose error is reported when it is read. A file of something else, such as
  /// another field of a climate model, is left out with a note.
  void take_times(bool have_times) {
    info_.times.clear();
    info_.time_labels.clear();
    bool is_one_scale = have_times;
    for (std::size_t number = 0; number < steps_.size(); ++number) {
      try {
        const VolumeSourcePtr file = number == 0 ? nullptr : open_step(number);
        const VolumeInfo& found = file ? file->info() : open_->info();
        if (file && leaves_out(*file, steps_[number].file.string())) continue;
        is_one_scale = is_one_scale && found.time_unit == info_.time_unit;
        for (int t = 0; t < found.timesteps(); ++t) {
          const auto index = static_cast<std::size_t>(t);
          info_.times.push_back(found.times[index]);
          const std::string& label = found.time_labels[index];
          info_.time_labels.push_back(label.empty() ? steps_[number].label : label);
          places_.push_back({number, t});
        }
      } catch (const InputError&) {
        is_one_scale = false;
        add_step(number);
      }
    }
    if (is_one_scale) return;
    info_.time_unit.clear();
    for (std::size_t t = 0; t < info_.times.size(); ++t) info_.times[t] = static_cast<double>(t);
  }

  /// Whether a file is not a part of the series, which a note says.
  bool leaves_out(const VolumeSource& step, const std::string& file) {
    try {
      check_alike(step, file);
      if (step.info().dataset != info_.dataset)
        throw InputError({file}, "dataset", info_.dataset + ", as the first file of its series",
                         step.info().dataset);
      return false;
    } catch (const InputError& error) {
      if (info_.notes.size() < most_notes)
        info_.notes.push_back(fmt::format("left out of the series: {}", error.what()));
      return true;
    }
  }

  /// Opens the file of a timestep; returns the timestep's number in it.
  int select(int timestep) {
    const Place wanted = places_[static_cast<std::size_t>(timestep)];
    if (open_ && wanted.file == open_number_) return wanted.timestep;
    open_.reset();
    VolumeSourcePtr next = open_step(wanted.file);
    check_alike(*next, steps_[wanted.file].file.string());
    if (wanted.timestep >= next->info().timesteps())
      throw InputError({steps_[wanted.file].file.string()}, "timesteps",
                       fmt::format("{} or more", wanted.timestep + 1),
                       fmt::format("{}", next->info().timesteps()));
    open_ = std::move(next);
    open_number_ = wanted.file;
    return wanted.timestep;
  }

  [[nodiscard]] VolumeSourcePtr open_step(std::size_t number) const {
    return open_volume_source(steps_[number].file.string(), options_);
  }

  void check_alike(const VolumeSource& step, const std::string& file) const {
    const VolumeInfo& found = step.info();
    if (!(found.size == info_.size))
      throw InputError({file}, "size", size_text(info_.size) + ", as the first file of its series",
                       size_text(found.size));
    if (found.type != info_.type || found.scale.scale != info_.scale.scale ||
        found.scale.offset != info_.scale.offset)
      throw InputError({file}, "type", info_.file_type + " in the scale of its series' first file",
                       found.file_type + (found.type == info_.type ? " in another scale" : ""));
  }

  const std::vector<SeriesStep> steps_;
  const VolumeOptions options_;
  std::vector<Place> places_;  // one for each timestep
  std::size_t open_number_ = 0;
  VolumeSourcePtr open_;  // step open_number_; null after a step that could not be opened
};

}  // namespace

VolumeSourcePtr open_series(std::string name, std::vector<SeriesStep> steps,
                            const VolumeOptions& options) {
  return std::make_unique<SeriesSource>(name, std::move(steps), options);
}

}  // namespace tilewall::render
