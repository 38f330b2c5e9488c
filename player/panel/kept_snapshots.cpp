#include "player/panel/kept_snapshots.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewall::panel {

scene::TakenSnapshot taken(const PanelSnapshot& snapshot) {
  return {name_of(snapshot), snapshot.shown_frame, snapshot.epoch, snapshot.tick, snapshot.size_px};
}

net::Message band_message(const PanelSnapshot& snapshot, int first_row, int rows) {
  const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(snapshot.size_px.width);
  const auto at = [&](int row) {
    return snapshot.pixels.begin() +
           static_cast<std::ptrdiff_t>(row_bytes * static_cast<std::size_t>(row));
  };
  return {scene::to_json(scene::SnapshotBand{name_of(snapshot), first_row, rows}).dump(),
          {at(first_row), at(first_row + rows)}};
}

net::Message KeptSnapshots::band(scene::SnapshotBand band) {
  Picture picture;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(
        kept_, [&](const Kept& kept) { return name_of(*kept.picture) == band.name; });
    if (found != kept_.end()) {
      picture = found->picture;
      if (band.rows == picture->size_px.height - band.first_row) found->is_fetched = true;
    }
  }
  if (picture && band.rows <= picture->size_px.height - band.first_row)
    return band_message(*picture, band.first_row, band.rows);
  band.rows = 0;
  return {scene::to_json(band).dump(), {}};
}

}  // namespace tilewall::panel
