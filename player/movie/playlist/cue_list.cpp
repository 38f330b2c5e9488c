#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "player/movie/playlist/list_formats.hpp"
#include "player/movie/playlist/sidecar_cues.hpp"

namespace tilewall::movie {
namespace {

void append(const SidecarCue& cue, const std::string& path, Playlist& list) {
  const SidecarPlay play = play_of(cue);
  PlaylistEntry entry;
  entry.path = path;
  entry.place = cue.place;
  entry.title = cue.name;
  entry.first_frame = play.held ? play.current_frame : play.first_frame;
  entry.end_frame = play.end_frame;
  entry.fps = play.fps;
  entry.held = play.held;
  entry.times = play.times;
  if (play.held) {
    list.entries.push_back(std::move(entry));
    return;
  }
  list.repeat_last = play.for_ever;
  // CurrentFrame shortens only the first pass, which therefore becomes an entry of its own.
  if (play.current_frame > play.first_frame) {
    PlaylistEntry first = entry;
    first.first_frame = play.current_frame;
    first.times = 1;
    list.entries.push_back(std::move(first));
    entry.times = play.for_ever ? 1 : play.times - 1;
  }
  if (entry.times > 0) list.entries.push_back(std::move(entry));
}

std::string note_of(const std::vector<SidecarCue>& cues, const std::filesystem::path& file) {
  std::set<std::string_view> names;
  for (const SidecarCue& cue : cues)
    for (const std::string_view name : ignored_keys(cue)) names.insert(name);
  if (names.empty()) return "";
  return fmt::format("{}: ignored keys: {}", file.string(), fmt::join(names, ", "));
}

}  // namespace

Playlist read_cue_list(const std::filesystem::path& file) {
  const std::vector<SidecarCue> cues = read_sidecar_cues(file);
  Playlist list;
  std::string path;
  for (const SidecarCue& cue : cues) {
    if (!cue.movie.empty()) path = (file.parent_path() / cue.movie).string();
    if (path.empty())
      throw InputError(cue.place, "LoadMovie", "a movie, because no cue before has one", "none");
    append(cue, path, list);
    if (list.repeat_last && &cue != &cues.back()) {
      list.notes.push_back(
          fmt::format("{}:{}: this cue plays for ever, so the cues after it are left out",
                      cue.place.file, cue.place.line));
      break;
    }
  }
  if (std::string note = note_of(cues, file); !note.empty()) list.notes.push_back(std::move(note));
  return list;
}

}  // namespace tilewall::movie
