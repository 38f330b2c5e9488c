// Copies of shown pictures, for wall snapshots: of the frames that the command line asked for, and
// by orders that come while the show runs.
//
// Threads: the presenting thread's.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "player/panel/picture_ring.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "player/present/correction/copy_picture.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// A copy of what a panel showed, on its way to a wall snapshot.
struct PanelSnapshot {
  std::uint64_t number = 0;  ///< of the order; 0: a frame that the command line asked for
  std::int64_t wanted_frame = 0;
  std::int64_t shown_frame = 0;  ///< another one where the wanted frame was skipped
  std::uint64_t epoch = 0;       ///< of the tick
  std::int64_t tick = 0;         ///< at which it was shown
  SizePx size_px;
  std::vector<std::uint8_t> pixels;  ///< rows of BGRX, viewed orientation
};

/// What a panel has just shown.
struct ShownPicture {
  const DecodedPicture& picture;
  const scene::Scene& scene;  ///< that it is of
  ImageView image;
  const present::Inset& inset;  ///< that lies over it
};

class SnapshotTaker {
 public:
  using Send = std::function<void(PanelSnapshot snapshot)>;

  /// `frames`: numbers of the frames of the first region that are wanted. A frame that is skipped
  /// is answered by the next picture that is shown.
  explicit SnapshotTaker(std::vector<std::int64_t> frames) : frames_left_(std::move(frames)) {}

  /// To be called for each picture that is shown. `orders`: those that this picture answers. Sends
  /// a copy for each frame and each order.
  void take(const ShownPicture& shown, const std::vector<SnapshotOrder>& orders, const Send& send);

 private:
  /// Whether `frame` was due between the picture shown before and this one.
  [[nodiscard]] bool skipped(std::int64_t frame, const ShownPicture& shown) const;

  std::vector<std::int64_t> frames_left_;
  std::uint64_t last_epoch_ = 0;  // of the picture shown before; 0: there was none
  std::int64_t last_tick_ = 0;
};

}  // namespace tilewall::panel
