// Pictures for snapshots, kept while the director fetches them in bands. Those of the command line
// are kept until it has written them to the disk: a director that dies loses the pictures that it
// has, and the next one fetches them again.
//
// Threads: any; KeptSnapshots locks. The presenting thread adds pictures, the link's thread tells
// the director of them and sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "net/control/message_stream.hpp"
#include "player/panel/snapshot_taker.hpp"
#include "player/scene/snapshot_messages.hpp"

namespace tilewall::panel {

[[nodiscard]] inline scene::SnapshotName name_of(const PanelSnapshot& snapshot) noexcept {
  return {snapshot.number, snapshot.number > 0 ? 0 : snapshot.wanted_frame};
}

/// The message by which the director learns of a picture that it may fetch.
[[nodiscard]] scene::TakenSnapshot taken(const PanelSnapshot& snapshot);

/// The message with a part of a picture. @pre the picture has the rows
[[nodiscard]] net::Message band_message(const PanelSnapshot& snapshot, int first_row, int rows);

class KeptSnapshots {
 public:
  using Picture = std::shared_ptr<const PanelSnapshot>;

  /// Beyond `most_bytes` the oldest pictures are forgotten, but never the newest one.
  explicit KeptSnapshots(std::size_t most_bytes = std::size_t{256} << 20)
      : most_bytes_(most_bytes) {}

  void add(PanelSnapshot snapshot) {
    const std::scoped_lock lock(mutex_);
    bytes_ += snapshot.pixels.size();
    kept_.push_back({std::make_shared<const PanelSnapshot>(std::move(snapshot)), false});
    while (bytes_ > most_bytes_ && kept_.size() > 1) {
      bytes_ -= kept_.front().picture->pixels.size();
      kept_.pop_front();
    }
  }

  /// Returns the pictures that were not returned before. With `again`, for a new connection,
  /// returns all, and forgets those that the last director ordered.
  [[nodiscard]] std::vector<Picture> to_tell(bool again) {
    const std::scoped_lock lock(mutex_);
    if (again) forget_where([](const Kept& kept) { return kept.is_told && kept.number() > 0; });
    std::vector<Picture> pictures;
    for (Kept& kept : kept_) {
      if (again) kept.is_fetched = false;
      if (!std::exchange(kept.is_told, true) || again) pictures.push_back(kept.picture);
    }
    return pictures;
  }

  /// The command line's pictures that the director has not fetched whole, for a panel that ends.
  [[nodiscard]] std::vector<Picture> left() {
    const std::scoped_lock lock(mutex_);
    std::vector<Picture> pictures;
    for (const Kept& kept : kept_)
      if (!kept.is_fetched && kept.number() == 0) pictures.push_back(kept.picture);
    return pictures;
  }

  /// The message with the rows that the director asks for. Without rows where the picture, or that
  /// part of it, is not there.
  [[nodiscard]] net::Message band(scene::SnapshotBand band);

  /// Forgets a picture that the director does not need any longer.
  void forget(const scene::SnapshotName& name) {
    const std::scoped_lock lock(mutex_);
    forget_where([&](const Kept& kept) { return name_of(*kept.picture) == name; });
  }

 private:
  struct Kept {
    Picture picture;
    bool is_told = false;
    bool is_fetched = false;  // the last rows were asked for on this connection
    [[nodiscard]] std::uint64_t number() const noexcept { return picture->number; }
  };

  /// @pre mutex_ is held
  template <typename Which>
  void forget_where(const Which& which) {
    std::erase_if(kept_, [&](const Kept& kept) {
      if (!which(kept)) return false;
      bytes_ -= kept.picture->pixels.size();
      return true;
    });
  }

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::deque<Kept> kept_;  // guarded by mutex_
  std::size_t bytes_ = 0;  // guarded by mutex_
};

}  // namespace tilewall::panel
