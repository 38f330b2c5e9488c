#include <fmt/format.h>

#include <algorithm>

#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {
namespace {

std::string size_text(VolumeSize size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

class SeriesSource final : public VolumeSource {
 public:
  SeriesSource(const std::string& name, std::vector<SeriesStep> steps, const VolumeOptions& options)
      : steps_(std::move(steps)), options_(options) {
    open_ = open_step(0);
    info_ = open_->info();
    if (steps_.size() > 1 && info_.timesteps() > 1)
      throw InputError({name}, "timesteps", "one in each file of a series",
                       fmt::format("{}", info_.timesteps()));
    if (info_.timesteps() > 1) return;
    info_.times.clear();
    info_.time_labels.clear();
    for (const SeriesStep& step : steps_) {
      info_.times.push_back(step.time);
      info_.time_labels.push_back(step.label);
    }
    info_.value_range.reset();  // it concerned the first file only
  }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    if (steps_.size() == 1) return open_->read(timestep, z_begin, z_end, into);
    select(timestep);
    open_->read(0, z_begin, z_end, into);
  }

  void read_box(int grid, int timestep, const GridBox& box, std::byte* into) override {
    if (steps_.size() == 1) return open_->read_box(grid, timestep, box, into);
    select(timestep);
    open_->read_box(grid, 0, box, into);
  }

 private:
  void select(int timestep) {
    const auto wanted = static_cast<std::size_t>(timestep);
    if (open_ && wanted == open_number_) return;
    open_.reset();
    VolumeSourcePtr next = open_step(wanted);
    check_alike(*next, steps_[wanted].file.string());
    open_ = std::move(next);
    open_number_ = wanted;
  }

  [[nodiscard]] VolumeSourcePtr open_step(std::size_t number) const {
    return open_volume_source(steps_[number].file.string(), options_);
  }

  void check_alike(const VolumeSource& step, const std::string& file) const {
    const VolumeInfo& found = step.info();
    if (!(found.size == info_.size))
      throw InputError({file}, "size", size_text(info_.size) + ", as the first file of its series",
                       size_text(found.size));
    const auto same_size = [](const VolumeGrid& a, const VolumeGrid& b) {
      return a.size == b.size;
    };
    if (!std::ranges::equal(found.coarser, info_.coarser, same_size))
      throw InputError({file}, "levels", "those of the first file of its series", "others");
    if (found.type != info_.type || found.scale.scale != info_.scale.scale ||
        found.scale.offset != info_.scale.offset)
      throw InputError({file}, "type", info_.file_type + " in the scale of its series' first file",
                       found.file_type);
  }

  const std::vector<SeriesStep> steps_;
  const VolumeOptions options_;
  std::size_t open_number_ = 0;
  VolumeSourcePtr open_;  // step open_number_; null after a step that could not be opened
};

}  // namespace

VolumeSourcePtr open_series(std::string name, std::vector<SeriesStep> steps,
                            const VolumeOptions& options) {
  return std::make_unique<SeriesSource>(name, std::move(steps), options);
}

}  // namespace tilewall::render
