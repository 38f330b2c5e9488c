#include "player/director/snapshots/panel_snapshots.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tilewall::director {

using Json = nlohmann::json;

PanelSnapshots::PanelSnapshots(const wall::Wall& wall, const std::vector<SnapshotRequest>& requests,
                               SnapshotService& of_clients, TellPanel tell_panel)
    : wall_(wall),
      of_clients_(of_clients),
      tell_panel_(std::move(tell_panel)),
      of_command_line_(wall, requests) {}

void PanelSnapshots::take_snapshot(std::size_t panel, const Json& json) {
  const scene::TakenSnapshot taken = scene::taken_snapshot_from_json(json);
  const scene::SnapshotName& name = taken.name;
  const bool is_wanted =
      taken.size_px == wall_.panels[panel].viewed_size_px() &&
      (name.number > 0
           ? of_clients_.note_taken(name.number, {taken.epoch, taken.tick, taken.shown_frame})
           : !of_command_line_.is_saved(name.wanted_frame));
  if (!is_wanted) return tell_panel_(panel, scene::snapshot_done_message(name));
  bands_.add(panel, taken);
  step();
}

void PanelSnapshots::take_band(std::size_t panel, const Json& json,
                               const std::vector<std::uint8_t>& rows) {
  const scene::SnapshotBand band = scene::snapshot_band_from_json(json);
  if (band.name.number > 0) of_clients_.note_progress(band.name.number);
  if (auto fetched = bands_.take(panel, band, rows, local_now()))
    hand_on(panel, std::move(*fetched));
  step();
}

void PanelSnapshots::hand_on(std::size_t panel, SnapshotBands::Fetched fetched) {
  const scene::TakenSnapshot& taken = fetched.taken;
  if (taken.name.number > 0) {
    of_clients_.add(taken.name.number, panel, taken.shown_frame, taken.size_px,
                    std::move(fetched.pixels));
    return tell_panel_(panel, scene::snapshot_done_message(taken.name));
  }
  // The panel keeps it until it is written.
  of_command_line_.add(panel, {taken.name.wanted_frame, taken.shown_frame}, taken.size_px,
                       fetched.pixels);
}

void PanelSnapshots::step() {
  for (const SnapshotBands::Request& request : bands_.next(local_now()))
    tell_panel_(request.panel, scene::to_json(request.band));
}

void PanelSnapshots::drop(std::uint64_t number) {
  bands_.drop({number, 0});
  tell_all(scene::snapshot_done_message({number, 0}));
}

void PanelSnapshots::tell_saved() {
  for (const std::int64_t frame : of_command_line_.note_saved())
    tell_all(scene::snapshot_done_message({0, frame}));
}

void PanelSnapshots::tell_all(const Json& message) {
  for (std::size_t i = 0; i < wall_.panels.size(); ++i) tell_panel_(i, message);
}

}  // namespace tilewall::director
