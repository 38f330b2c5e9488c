// Pictures for the command line's snapshots, kept until the director has written them to the disk:
// a director that dies loses the pictures that it has, and the next one gets them again.
//
// Threads: any; KeptSnapshots locks. The presenting thread adds pictures, the link's thread sends
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "player/panel/snapshot_taker.hpp"

namespace tilewall::panel {

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

  /// Returns the pictures that were not returned before; all of them where `again`, for a new
  /// connection.
  [[nodiscard]] std::vector<Picture> to_send(bool again) {
    const std::scoped_lock lock(mutex_);
    std::vector<Picture> pictures;
    for (Kept& kept : kept_)
      if (!std::exchange(kept.is_sent, true) || again) pictures.push_back(kept.picture);
    return pictures;
  }

  /// Forgets the pictures of a frame that the director has written.
  void forget(std::int64_t wanted_frame) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(kept_, [&](const Kept& kept) {
      if (kept.picture->wanted_frame != wanted_frame) return false;
      bytes_ -= kept.picture->pixels.size();
      return true;
    });
  }

 private:
  struct Kept {
    Picture picture;
    bool is_sent = false;
  };

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::deque<Kept> kept_;  // guarded by mutex_
  std::size_t bytes_ = 0;  // guarded by mutex_
};

}  // namespace tilewall::panel
