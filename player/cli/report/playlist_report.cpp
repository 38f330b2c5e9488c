#include "player/cli/report/playlist_report.hpp"

#include "player/cli/source/playlist_source.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/progress.hpp"
#include "player/movie/playlist/playlist.hpp"

namespace tilewall {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson item_report(const PlaylistEntry& entry, const PlaylistItem& item) {
  const std::int64_t frames = item.end_frame - item.first_frame;
  const double fps = item.source->fps.value();
  return {{"path", entry.path},
          {"width_px", item.source->size_px.width},
          {"height_px", item.source->size_px.height},
          {"first_frame", item.first_frame},
          {"last_frame", item.end_frame - 1},
          {"fps", fps},
          {"rounds", item.rounds},
          {"start_frame", item.start},
          {"duration_s", static_cast<double>(frames * item.rounds) / fps}};
}

}  // namespace

nlohmann::ordered_json playlist_report(const std::vector<std::string>& inputs) {
  Playlist list = read_playlist(inputs);
  const bool repeats = std::exchange(list.repeat_last, false);  // told once, not a million times
  ProgressLine progress("look at");
  const SourceSpec source = playlist_source(
      list, [](const std::string& path) { return describe_input(path); }, progress);
  OrderedJson report = {{"kind", "playlist"},
                        {"file", inputs.front()},
                        {"entries", list.entries.size()},
                        {"fps", source.fps.value()},
                        {"fps_exact", to_string(source.fps)},
                        {"frames", source.frames},
                        {"duration_s", static_cast<double>(source.frames) / source.fps.value()},
                        {"repeats_last", repeats},
                        {"notes", list.notes},
                        {"items", OrderedJson::array()}};
  for (std::size_t i = 0; i < source.items.size(); ++i)
    report["items"].push_back(item_report(list.entries[i], source.items[i]));
  return report;
}

}  // namespace tilewall
