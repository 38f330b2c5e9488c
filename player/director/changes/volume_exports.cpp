#include "player/director/changes/volume_exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/file.hpp"

namespace tilewall::director {
namespace {

namespace fs = std::filesystem;

constexpr Nanos exports_look_interval = std::chrono::seconds(1);
constexpr Nanos exported_after = std::chrono::seconds(3);  // after the last scene with it
constexpr std::size_t longest_file_name = 200;

/// The name of an export in addresses: its number and the file's name. Letters that have a meaning
/// in an address become '_'.
std::string name_for(std::uint64_t number, const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  std::string name = (normal.has_filename() ? normal : normal.parent_path()).filename().string();
  const auto means = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; };
  for (char& c : name)
    if (means(static_cast<unsigned char>(c)) ||
        std::string_view("?&*[%").find(c) != std::string::npos)
      c = '_';
  if (name.size() > longest_file_name) return std::to_string(number);
  return fmt::format("{}/{}", number, name);
}

std::uint64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string key_of(const std::string& path, const std::vector<std::string>& more) {
  std::string key = path;
  for (const std::string& file : more) key += '\0' + file;
  return key;
}

/// Whether no file can match the path. Patterns and globs are taken to match.
bool leads_nowhere(const std::string& path) {
  std::error_code error;
  return path.find_first_of("%*?[") == std::string::npos && !fs::exists(path, error);
}

}  // namespace

VolumeExports::VolumeExports(VolumeServerPlace place,
                             std::function<void(const std::string& line)> note)
    : place_(std::move(place)), note_(std::move(note)) {
  if (place_.address.empty()) return;
  const std::string text = file_beginning(place_.list, volume::longest_export_list);
  if (text.empty()) return;
  try {
    for (const volume::VolumeExport& one : volume::volume_exports_of(text, place_.list.string())) {
      exports_.emplace(key_of(one.path, one.more), one);
      last_number_ = std::max(last_number_, number_of(one.name));
    }
  } catch (const InputError&) {
    // The list is torn or not of this version. Volumes get new names.
  }
}

scene::Scene VolumeExports::with_exports(scene::Scene scene, LocalInstant now) {
  for (scene::Region& region : scene.regions) {
    if (!scene::holds_volume(*region.source)) continue;
    auto known = named_.find(region.source);
    if (known == named_.end()) {
      Named made;
      made.source = named(region.source, made.keys);
      known = named_.emplace(region.source, std::move(made)).first;
    }
    known->second.used = now;
    region.source = known->second.source;
  }
  write_list();
  return scene;
}

void VolumeExports::keep(const scene::Scene& scene, LocalInstant now) {
  for (const scene::Region& region : scene.regions)
    if (const auto known = named_.find(region.source); known != named_.end())
      known->second.used = now;
}

void VolumeExports::step(const scene::Scene& scene, LocalInstant now) {
  if (now < looked_at_ + exports_look_interval) return;
  looked_at_ = now;
  keep(scene, now);
  const auto is_over = [&](const auto& named) { return now > named.second.used + exported_after; };
  if (std::erase_if(named_, is_over) > 0) {
    std::set<std::string> used;
    for (const auto& [source, named] : named_) used.insert(named.keys.begin(), named.keys.end());
    const auto is_unused = [&](const auto& exported) { return !used.contains(exported.first); };
    if (std::erase_if(exports_, is_unused) > 0) is_written_ = false;
  }
  write_list();
}

scene::SourcePtr VolumeExports::named(const scene::SourcePtr& source,
                                      std::vector<std::string>& keys) {
  scene::SourceSpec spec = *source;
  if (spec.kind == scene::SourceKind::volume) {
    try {
      volume::VolumeJob job = volume::volume_job_of(spec.path);
      job.served = address_of(job.path, job.options.more, keys);
      spec.path = volume::to_text(job);
    } catch (const InputError&) {
      return source;  // panels report what is wrong with it
    }
    return std::make_shared<const scene::SourceSpec>(std::move(spec));
  }
  std::map<scene::SourcePtr, scene::SourcePtr> items;  // several items may share a source
  for (scene::PlaylistItem& item : spec.items) {
    scene::SourcePtr& now = items[item.source];
    if (!now) now = scene::holds_volume(*item.source) ? named(item.source, keys) : item.source;
    item.source = now;
  }
  return std::make_shared<const scene::SourceSpec>(std::move(spec));
}

/// The address at which other hosts get the volume; "" where it is not exported.
std::string VolumeExports::address_of(const std::string& path, const std::vector<std::string>& more,
                                      std::vector<std::string>& keys) {
  if (place_.address.empty() || net::is_remote(path) || !fs::path(path).is_absolute()) return "";
  std::string key = key_of(path, more);
  auto exported = exports_.find(key);
  if (exported == exports_.end()) {
    if (leads_nowhere(path)) return "";
    if (exports_.size() >= volume::most_volume_exports) {
      if (!std::exchange(noted_, true))
        note_(fmt::format(
            "hosts without the files can get {} volumes at a time, and the scene has more",
            volume::most_volume_exports));
      return "";
    }
    exported =
        exports_.emplace(key, volume::VolumeExport{name_for(++last_number_, path), path, more})
            .first;
    is_written_ = false;
  }
  keys.push_back(std::move(key));
  return fmt::format("{}{}/{}?transport=tcp", net::remote_scheme, place_.address,
                     exported->second.name);
}

void VolumeExports::write_list() {
  if (is_written_) return;
  is_written_ = true;
  std::vector<volume::VolumeExport> list;
  for (const auto& [key, exported] : exports_) list.push_back(exported);
  try {
    write_file_atomically(place_.list, volume::to_text(list));
  } catch (const JobError& error) {
    note_(fmt::format("hosts without a volume's file cannot draw it: {}", error.what()));
  }
}

}  // namespace tilewall::director
