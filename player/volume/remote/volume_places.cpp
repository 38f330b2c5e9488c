#include "player/volume/remote/volume_places.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "player/scene/source_spec.hpp"
#include "player/volume/remote/box_request.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall::volume {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 6;
constexpr std::size_t most_looked_at = 1'000'000;  // files and folders
constexpr std::size_t most_series_files = 100'000;

bool is_read(render::VolumeKind kind) {
  switch (kind) {
    case render::VolumeKind::none:
    case render::VolumeKind::openvdb:
    case render::VolumeKind::zarr3:
    case render::VolumeKind::dicom:
      return false;
    default:
      return true;
  }
}

UniqueFd open_folder(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.empty())
    throw InputError({folder.string()}, "", "a folder that can be read", std::strerror(errno));
  return fd;
}

/// The path of an open file without links; "" if it was removed.
std::string path_of(const UniqueFd& open) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(open.get()), error).string();
}

/// "ct-0012.nrrd" -> "ct-%04d.nrrd"; empty if the name has no number.
std::string pattern_of(const std::string& name) {
  const std::size_t end = name.find_last_of("0123456789", name.rfind('.'));
  if (end == std::string::npos || name.find('%') != std::string::npos) return {};
  const std::size_t before = name.find_last_not_of("0123456789", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t digits = end + 1 - begin;
  if (digits > 18) return {};
  return name.substr(0, begin) + "%0" + std::to_string(digits) + "d" + name.substr(end + 1);
}

/// The files' names, with one pattern for names that differ in their number only.
std::vector<std::string> by_patterns(const std::vector<std::string>& files) {
  std::map<std::string, int> counted;
  for (const std::string& file : files) ++counted[pattern_of(file)];
  std::vector<std::string> names;
  for (const std::string& file : files) {
    const std::string pattern = pattern_of(file);
    const bool is_one_of_many = !pattern.empty() && counted[pattern] > 1;
    const std::string& name = is_one_of_many ? pattern : file;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Collects the files and folders below a folder that are volumes.
class VolumeWalk {
 public:
  /// `at`: the open folder `root`.
  VolumeWalk(int at, const fs::path& root, std::size_t most) : at_(at), root_(root), most_(most) {}

  [[nodiscard]] std::vector<std::string> names() {
    look_into(root_, 0);
    return std::move(names_);
  }

 private:
  void look_into(const fs::path& folder, int depth) {
    std::vector<std::string> files;
    std::vector<fs::path> folders;
    std::error_code error;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::directory_iterator it(folder, options, error), end;
         !error && it != end && looked_at_++ < most_looked_at; it.increment(error)) {
      std::error_code ignored;
      if (it->is_directory(ignored))
        folders.push_back(it->path());
      else if (is_listed_file(it->path()) && (!it->is_symlink(ignored) || is_beneath(it->path())))
        files.push_back(it->path().filename().string());
    }
    std::sort(files.begin(), files.end(), natural_less);
    std::sort(folders.begin(), folders.end());
    for (const std::string& name : by_patterns(files)) add(folder / name);
    for (const fs::path& below : folders) {
      if (scene::is_wall_movie(below)) continue;
      // A link is listed by its name, and not followed further: links may lead in circles.
      if (fs::is_symlink(below)) {
        if (is_listed_link(below)) add(below);
        continue;
      }
      if (is_volume_folder(below))
        add(below);
      else if (depth < deepest)
        look_into(below, depth + 1);
    }
  }

  /// Whether a link leads to a place below the root.
  [[nodiscard]] bool is_beneath(const fs::path& link) const {
    return !open_below(at_, link.lexically_relative(root_).string(), O_PATH).empty();
  }

  /// A link to a volume's folder, or to the folder of a series, beneath the root.
  [[nodiscard]] bool is_listed_link(const fs::path& link) const {
    return is_beneath(link) && is_read(render::volume_kind_of(link.string()));
  }

  /// A raw file is found by its .toml sidecar, which describes it.
  static bool is_listed_file(const fs::path& file) {
    const fs::path suffix = file.extension();
    if (!render::has_volume_name(file) && suffix != ".pvd" && suffix != ".toml") return false;
    return is_read(render::volume_kind_of(file.string()));
  }

  void add(const fs::path& path) {
    std::string name = path.lexically_relative(root_).generic_string();
    if (names_.size() < most_ && name.size() <= longest_volume_name)
      names_.push_back(std::move(name));
  }

  const int at_;
  const fs::path root_;
  const std::size_t most_;
  std::size_t looked_at_ = 0;
  std::vector<std::string> names_;
};

/// Whether every file of a series lies below the folder.
bool all_below(int at, const fs::path& root, const std::string& series) {
  const std::vector<fs::path> files = render::series_files(series);
  return files.size() <= most_series_files &&
         std::all_of(files.begin(), files.end(), [&](const fs::path& file) {
           return !open_below(at, file.lexically_relative(root).string(), O_PATH).empty();
         });
}

}  // namespace

VolumePlaces::Found VolumePlaces::found(const VolumeExport& exported) {
  const fs::path normal = fs::path(exported.path).lexically_normal();
  const fs::path folder = (normal.has_filename() ? normal : normal.parent_path()).parent_path();
  return {exported.path, folder.string() + "/", exported.more, {}};
}

bool is_volume_folder(const fs::path& folder) {
  const render::VolumeKind kind = render::volume_kind_of(folder.string());
  return kind == render::VolumeKind::zarr || kind == render::VolumeKind::amrex;
}

VolumePlaces::VolumePlaces(const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (fs::is_directory(input, error) && !is_volume_folder(input)) {
      const fs::path whole = fs::canonical(input);
      places_.push_back({whole, open_folder(whole), ""});
      continue;
    }
    if (!is_read(render::volume_kind_of(input.string())))
      throw InputError({input.string()}, "", "a folder that can be read, or a volume",
                       fs::exists(input, error) ? "something else" : "none");
    const fs::path named = fs::absolute(input).lexically_normal();
    const fs::path named_file = named.has_filename() ? named : named.parent_path();
    const fs::path folder = fs::canonical(named_file.parent_path());
    places_.push_back({folder, open_folder(folder), named_file.filename().string()});
  }
}

std::vector<std::string> VolumePlaces::list(std::size_t most) const {
  std::vector<std::string> names;
  for (const VolumeExport& exported : exports_)
    if (names.size() < most) names.push_back(exported.name);
  for (const Place& place : places_) {
    const std::size_t room = most - names.size();
    if (room == 0) break;
    const auto more = place.only.empty() ? VolumeWalk(place.folder.get(), place.path, room).names()
                                         : std::vector<std::string>{place.only};
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::optional<VolumePlaces::Found> VolumePlaces::find(const std::string& name) const {
  for (const VolumeExport& exported : exports_)
    if (name == exported.name && is_read(render::volume_kind_of(exported.path)))
      return found(exported);
  // Refuse globs, because the reader would expand them.
  if (name.empty() || name.size() > longest_volume_name ||
      name.find_first_of(std::string_view("*?[\0", 4)) != std::string::npos)
    return std::nullopt;
  for (const Place& place : places_) {
    if (!place.only.empty() && name != place.only) continue;
    // A volume that the user named on the command line may be a link. Below a folder, open_below()
    // refuses links that lead out of it.
    const fs::path relative = name;
    const bool is_pattern = parse_numbered_pattern(relative).has_value();
    const fs::path opened = is_pattern ? relative.parent_path() : relative;
    const UniqueFd fd =
        place.only.empty()
            ? open_below(place.folder.get(), opened.empty() ? "." : opened.string(), O_PATH)
            : UniqueFd(::open((place.path / opened).c_str(), O_PATH | O_CLOEXEC));
    if (fd.empty()) continue;
    fs::path path = path_of(fd);
    if (path.empty()) continue;
    if (is_pattern) path /= relative.filename();
    const render::VolumeKind kind = render::volume_kind_of(path.string());
    if (!is_read(kind)) continue;
    if (kind == render::VolumeKind::series && place.only.empty() &&
        !all_below(place.folder.get(), place.path, path.string()))
      continue;
    const fs::path beneath = place.only.empty() ? place.path : path.parent_path();
    return Found{path.string(), place.path.string() + "/", {}, beneath};
  }
  // The name of a served folder itself stands for a series of all files in it.
  for (const Place& place : places_)
    if (place.only.empty() && name == place.path.filename() &&
        render::volume_kind_of(place.path.string()) == render::VolumeKind::series &&
        all_below(place.folder.get(), place.path, place.path.string()))
      return Found{place.path.string(), place.path.string() + "/", {}, place.path};
  return std::nullopt;
}

}  // namespace tilewall::volume
