#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "player/cli/source/show_source.hpp"
#include "sync/base/error.hpp"

namespace tilewall::cli {
namespace {

constexpr Rational still_fps{10, 1};  // durations of stills are exact to a tenth of a second
constexpr std::int64_t max_rounds = 1'000'000;  // rounds of an item; also stands for "for ever"
constexpr std::size_t many_inputs = 50;

class SourceTable {
 public:
  SourceTable(const OpenInput& open, movie::ProgressSink& progress, std::size_t total)
      : open_(open), progress_(progress), total_(static_cast<std::int64_t>(total)) {}

  /// The source of the entry, at its own rate.
  scene::SourcePtr own(const movie::PlaylistEntry& entry) {
    std::vector<scene::SourcePtr>& variants = sources_[entry.path];
    if (variants.empty()) {
      variants.push_back(std::make_shared<const scene::SourceSpec>(opened(entry)));
      if (sources_.size() >= many_inputs)
        progress_.update({static_cast<std::int64_t>(sources_.size()), total_, 0, "inputs"});
    }
    return variants.front();
  }

  /// The entry's source at another rate, shared by all entries with this rate.
  scene::SourcePtr at_rate(const movie::PlaylistEntry& entry, Rational fps) {
    std::vector<scene::SourcePtr>& variants = sources_[entry.path];
    for (const scene::SourcePtr& variant : variants)
      if (variant->fps == fps) return variant;
    scene::SourceSpec changed = *variants.front();
    changed.fps = fps;
    return variants.emplace_back(std::make_shared<const scene::SourceSpec>(std::move(changed)));
  }

 private:
  scene::SourceSpec opened(const movie::PlaylistEntry& entry) const {
    try {
      return open_(entry.path);
    } catch (const InputError& error) {
      if (entry.place.line == 0) throw;
      throw InputError(fmt::format("{}:{}: {}", entry.place.file, entry.place.line, error.what()));
    }
  }

  const OpenInput& open_;
  movie::ProgressSink& progress_;
  const std::int64_t total_;
  std::unordered_map<std::string, std::vector<scene::SourcePtr>>
      sources_;  // sources by path; the entry of their own rate comes first
};

std::size_t different_paths(const movie::Playlist& list) {
  std::unordered_map<std::string_view, bool> paths;
  for (const movie::PlaylistEntry& entry : list.entries) paths.emplace(entry.path, true);
  return paths.size();
}

scene::PlaylistItem item_of(const movie::PlaylistEntry& entry, SourceTable& sources) {
  const scene::SourcePtr movie = sources.own(entry);
  if (entry.first_frame >= movie->frames)
    throw InputError(entry.place, entry.path,
                     fmt::format("a first frame in [0, {}]", movie->frames - 1),
                     std::to_string(entry.first_frame));
  scene::PlaylistItem item;
  item.title = entry.title;
  item.first_frame = entry.first_frame;
  if (entry.held || movie->frames == 1) {
    const double held_s = entry.still_s.value_or(movie::default_still_s);
    const std::int64_t ticks = std::max<std::int64_t>(1, std::llround(held_s * still_fps.value()));
    item.source = sources.at_rate(entry, still_fps);
    item.end_frame = item.first_frame + 1;
    item.rounds = std::min(ticks * entry.times, max_rounds);
    return item;
  }
  item.source = sources.at_rate(entry, entry.fps.value_or(movie->fps));
  item.end_frame = std::min(entry.end_frame.value_or(movie->frames), movie->frames);
  item.rounds = entry.times;
  return item;
}

}  // namespace

scene::SourceSpec playlist_source(const movie::Playlist& list, const OpenInput& open,
                                  movie::ProgressSink& progress) {
  SourceTable sources(open, progress, different_paths(list));
  std::vector<scene::PlaylistItem> items;
  items.reserve(list.entries.size());
  for (const movie::PlaylistEntry& entry : list.entries) items.push_back(item_of(entry, sources));
  if (list.repeat_last) items.back().rounds = max_rounds;
  return scene::make_playlist(std::move(items));
}

}  // namespace tilewall::cli
