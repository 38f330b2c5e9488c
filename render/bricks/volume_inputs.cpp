#include "render/bricks/volume_inputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "render/readers/volume_kind.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

std::string text_of_size(VolumeSize size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

void check_same_kind(const std::string& path, const VolumeInfo& found, const VolumeInfo& first) {
  if (!(found.size == first.size))
    throw InputError({path}, "size", text_of_size(first.size) + ", as the first input",
                     text_of_size(found.size));
  if (found.type != first.type || found.scale.scale != first.scale.scale ||
      found.scale.offset != first.scale.offset)
    throw InputError({path}, "type", first.file_type + " in the scale of the first input",
                     found.file_type);
}

struct FileSum {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t newest_ns = 0;

  void add_file(const fs::path& file) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    ++files;
    bytes += status.st_size;
    newest_ns = std::max<std::int64_t>(
        newest_ns, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec);
  }
  void add(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return add_file(path);
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error))
      add_file(it->path());
  }
};

/// Whether voxels may be in another file of the same stem, such as those of a.nhdr in a.raw.
bool may_have_data_beside(const fs::path& path) {
  constexpr std::string_view headers[] = {".nhdr", ".mhd", ".hdr", ".toml", ".raw", ".img"};
  return std::find(std::begin(headers), std::end(headers), path.extension().string()) !=
         std::end(headers);
}

FileSum sum_of(const std::string& path) {
  FileSum sum;
  if (volume_kind_of(path) == VolumeKind::series) {
    for (const fs::path& file : series_files(path)) sum.add(file);
    return sum;
  }
  sum.add(path);
  if (!may_have_data_beside(path)) return sum;
  const fs::path folder = fs::absolute(path).parent_path();
  const std::string stem = fs::path(path).stem().string();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename() != fs::path(path).filename() && it->path().stem().string() == stem)
      sum.add_file(it->path());
  return sum;
}

}  // namespace

VolumeInputs::VolumeInputs(std::vector<std::string> paths, VolumeOptions options)
    : paths_(std::move(paths)), options_(std::move(options)) {
  TW_CHECK(!paths_.empty());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    VolumeFile file = VolumeFile::open(paths_[i], options_);
    const VolumeInfo& found = file.info();
    if (i == 0)
      info_ = found;
    else
      check_same_kind(paths_[i], found, info_);
    // A series: its times are counted. Its labels are those of the files, or else their names.
    const auto label_of = [&](const std::string& label) {
      return label.empty() ? fs::path(paths_[i]).filename().string() : label;
    };
    if (i == 0 && paths_.size() > 1) {
      for (std::string& label : info_.time_labels) label = label_of(label);
      info_.value_range.reset();
    }
    first_timestep_.push_back(i == 0 ? 0 : info_.timesteps());
    if (i > 0)
      for (int t = 0; t < found.timesteps(); ++t) {
        info_.times.push_back(0);
        info_.time_labels.push_back(label_of(found.time_labels[static_cast<std::size_t>(t)]));
      }
    if (i == 0) open_.emplace(std::move(file));
  }
  if (paths_.size() == 1) return;
  for (std::size_t t = 0; t < info_.times.size(); ++t) info_.times[t] = static_cast<double>(t);
}

void VolumeInputs::open(std::size_t number) {
  if (open_ && open_number_ == number) return;
  open_.reset();
  VolumeFile file = VolumeFile::open(paths_[number], options_);
  check_same_kind(paths_[number], file.info(), info_);
  open_.emplace(std::move(file));
  open_number_ = number;
}

void VolumeInputs::read(int timestep, int z_begin, int z_end, std::span<std::byte> into) {
  const auto next = std::upper_bound(first_timestep_.begin(), first_timestep_.end(), timestep);
  const auto number = static_cast<std::size_t>(next - first_timestep_.begin()) - 1;
  open(number);
  open_->read(timestep - first_timestep_[number], z_begin, z_end, into);
}

std::size_t VolumeInputs::slab_bytes(int z_begin, int z_end) const noexcept {
  return VolumeSize{info_.size.x, info_.size.y, z_end - z_begin}.voxels() *
         static_cast<std::size_t>(bytes_of(info_.type));
}

nlohmann::json VolumeInputs::identity() const {
  nlohmann::json inputs = nlohmann::json::array();
  for (const std::string& path : paths_) {
    const FileSum sum = sum_of(path);
    inputs.push_back({{"path", fs::absolute(path).lexically_normal().string()},
                      {"files", sum.files},
                      {"bytes", sum.bytes},
                      {"newest_ns", sum.newest_ns}});
  }
  return {{"inputs", inputs}, {"read", to_json(options_)}};
}

}  // namespace tilewall::render
