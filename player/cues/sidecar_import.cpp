#include "player/cues/sidecar_import.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "player/cues/show_words.hpp"
#include "player/movie/playlist/sidecar_cues.hpp"
#include "sync/base/error.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cues {
namespace {

using movie::SidecarCue;
using movie::SidecarPlay;

constexpr std::size_t longest_movie_path = 4096;

/// Why a key of Sidecar has no counterpart.
std::string_view reason_of(std::string_view key) {
  if (key == "Controls" || key == "FullScreen" || key.starts_with("Window") ||
      key.starts_with("Frame"))
    return "a wall has no windows";
  if (key == "LOD") return "the wall chooses the level of detail itself";
  return "set view_px in pixels of the movie instead";  // zoom and place of the picture
}

/// The text cut to so many bytes, between two characters.
std::string cut_text(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text;
}

class SidecarImport {
 public:
  SidecarImport(const std::vector<SidecarCue>& cues, std::vector<std::string>& lost)
      : cues_(cues), lost_(lost) {}

  std::vector<CueEntry> entries() {
    std::vector<CueEntry> entries;
    for (const SidecarCue& cue : cues_) {
      CueEntry& entry = entries.emplace_back();
      entry.name = unique_name(cue, entries.size());
      entry.regions.push_back(region_of(cue, entry.name));
      for (const std::string_view key : movie::ignored_keys(cue))
        if (key != "Backward" && key != "PingPong")
          lose(cue, entry.name,
               fmt::format("{}={} is left out: {}", key, cue.number(key, 0), reason_of(key)));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::string number = std::to_string(i + 1);
      if (!names_.contains(number)) entries[i].number = std::move(number);
    }
    return entries;
  }

 private:
  void lose(const SidecarCue& cue, std::string_view name, std::string_view what) {
    lost_.push_back(
        fmt::format("{}:{}: cue \"{}\": {}", cue.place.file, cue.place.line, name, what));
  }

  /// Cues of a show have different names, and Sidecar's may have none.
  std::string unique_name(const SidecarCue& cue, std::size_t number) {
    const std::string wanted =
        cue.name.empty() ? fmt::format("Cue {}", number) : printable_text(cue.name);
    std::string name = cut_text(wanted, max_name_bytes);
    for (int copy = 2; !names_.insert(name).second; ++copy) {
      const std::string ending = fmt::format(" ({})", copy);
      name = cut_text(wanted, max_name_bytes - ending.size()) + ending;
    }
    if (!cue.name.empty() && name != cue.name)
      lose(cue, name, fmt::format("its name was \"{}\"", escaped_text(cue.name)));
    return name;
  }

  std::string movie_of(const SidecarCue& cue, std::string_view name) {
    if (!cue.movie.empty()) movie_ = cue.movie;
    if (movie_.empty())
      throw InputError(cue.place, "LoadMovie", "a movie, because no cue before has one", "none");
    if (movie_.size() > longest_movie_path)
      throw InputError(cue.place, "LoadMovie",
                       fmt::format("a path of at most {} bytes", longest_movie_path),
                       fmt::format("one of {}", movie_.size()));
    std::string path = printable_text(movie_);
    if (path != movie_) lose(cue, name, "the bytes of LoadMovie that are no UTF-8 are now \"?\"");
    return path;
  }

  RegionEntry region_of(const SidecarCue& cue, std::string_view name) {
    const SidecarPlay play = movie::play_of(cue);
    RegionEntry region;
    region.inputs = {movie_of(cue, name)};
    if (play.first_frame > 0) region.in = play.first_frame;
    if (play.end_frame) region.out = *play.end_frame - 1;
    if (play.current_frame > play.first_frame) region.start = play.current_frame;
    // Sidecar's 29.97 is the rate of NTSC.
    if (play.fps) region.fps = parse_rational(number_text(play.fps->value())).value_or(*play.fps);
    if (play.held) region.hold = true;
    if (cue.number("Backward", 0) != 0) region.speed = Rational{-1, 1};
    const bool turns = cue.number("PingPong", 0) != 0;
    if (turns || play.for_ever || play.times > 1)
      region.loop = turns ? Looping::ping_pong : Looping::loop;
    if (region.loop && !play.for_ever) region.rounds = play.times;
    return region;
  }

  const std::vector<SidecarCue>& cues_;
  std::vector<std::string>& lost_;
  std::string movie_;  // of the newest cue that has one
  std::unordered_set<std::string> names_;
};

}  // namespace

ShowFile show_from_cues(const std::filesystem::path& file, std::vector<std::string>& lost) {
  const std::vector<SidecarCue> cues = movie::read_sidecar_cues(file);
  if (cues.empty() || cues.size() > max_cues)
    throw InputError({file.string()}, "", fmt::format("1 to {} cues", max_cues),
                     fmt::format("{}", cues.size()));
  ShowFile show;
  show.file = file;
  show.cues = SidecarImport(cues, lost).entries();
  return show;
}

}  // namespace tilewall::cues
