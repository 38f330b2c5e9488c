// Fetches the panels' pictures for snapshots in bands of rows: a few panels at a time, a few bands
// of each, at a limited rate. So neither the links nor the director's memory and loop fill up, and
// reports of panels come in time.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "player/scene/snapshot_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class SnapshotBands {
 public:
  static constexpr std::size_t band_bytes = 256u << 10;  ///< Bytes of a band, unless a row has more
  static constexpr std::size_t panels_at_once = 3;
  static constexpr std::size_t bands_of_panel = 2;  ///< asked for at once

  /// A band that is to be asked for.
  struct Request {
    std::size_t panel = 0;
    scene::SnapshotBand band;
  };
  /// A whole picture: rows of BGRX, viewed orientation.
  struct Fetched {
    scene::TakenSnapshot taken;
    std::vector<std::uint8_t> pixels;
  };

  /// Begins to fetch a panel's picture. A picture that is being fetched is not begun again. @pre
  /// its size is the panel's
  void add(std::size_t panel, const scene::TakenSnapshot& taken);

  /// The bands to ask for at `now`. To be called in every turn and after each band.
  [[nodiscard]] std::vector<Request> next(LocalInstant now);

  /// Takes a band of a panel; returns the picture once it is whole. A band of an unknown picture is
  /// ignored. Throws InputError where it does not fit the picture.
  [[nodiscard]] std::optional<Fetched> take(std::size_t panel, const scene::SnapshotBand& band,
                                            const std::vector<std::uint8_t>& rows,
                                            LocalInstant now);

  /// Forgets the pictures of that name.
  void drop(const scene::SnapshotName& name);
  /// Forgets the pictures of a panel that is gone.
  void leave(std::size_t panel);

  [[nodiscard]] bool empty() const noexcept { return pictures_.empty(); }

 private:
  struct Picture {
    std::size_t panel = 0;
    scene::TakenSnapshot taken;
    std::vector<std::uint8_t> pixels;  // empty before the first band
    int asked_rows = 0;
    int taken_rows = 0;     // bands come in the order of the requests
    LocalInstant moved_at;  // instant of the last request or band
    [[nodiscard]] std::size_t row_bytes() const noexcept;
    [[nodiscard]] int band_rows() const noexcept;
    [[nodiscard]] int rows_on_the_way() const noexcept;
    /// Whether the panel has owed a band for long: it hangs, or its link does.
    [[nodiscard]] bool stalls(LocalInstant now) const noexcept;
  };
  /// Whether the panel may be asked for a further band.
  [[nodiscard]] bool may_ask(const Picture& picture, LocalInstant now) const noexcept;
  [[nodiscard]] Request ask(Picture& picture, LocalInstant now);

  std::list<Picture> pictures_;  // in the order in which they are fetched
  LocalInstant next_at_;         // earliest instant of the next request
};

}  // namespace tilewall::director
