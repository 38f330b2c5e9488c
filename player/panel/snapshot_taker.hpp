// Copies shown pictures for wall snapshots: frames that the command line names, and the director's
// orders during the show.
//
// Threads: one owner, the presenting thread.
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

/// A copy of a shown picture with its inset, for a wall snapshot.
struct PanelSnapshot {
  std::uint64_t number = 0;  ///< number of the order; 0: a frame that the command line names
  std::int64_t wanted_frame = 0;
  std::int64_t shown_frame = 0;  ///< differs from wanted_frame where that was skipped
  std::uint64_t epoch = 0;       ///< Scene::epoch of the tick
  std::int64_t tick = 0;         ///< tick at which the picture was shown
  SizePx size_px;
  std::vector<std::uint8_t> pixels;  ///< rows of BGRX, viewed orientation
};

/// The picture that was just swapped, with its scene and its inset.
struct ShownPicture {
  const DecodedPicture& picture;
  const scene::Scene& scene;
  ImageView image;
  const present::Inset& inset;
};

class SnapshotTaker {
 public:
  using Send = std::function<void(PanelSnapshot snapshot)>;

  /// `frames` are the wanted frame numbers of the first region. For a frame that is skipped, the
  /// next shown picture is sent.
  explicit SnapshotTaker(std::vector<std::int64_t> frames) : frames_left_(std::move(frames)) {}

  /// Sends a copy for each wanted frame and each order that the picture answers. To be called after
  /// each swap, with the orders for this picture.
  void take(const ShownPicture& shown, const std::vector<SnapshotOrder>& orders, const Send& send);

 private:
  /// Whether `frame` was due between the last shown picture and this one.
  [[nodiscard]] bool skipped(std::int64_t frame, const ShownPicture& shown) const;

  std::vector<std::int64_t> frames_left_;
  std::uint64_t last_epoch_ = 0;  // epoch of the last shown picture; 0: none yet
  std::int64_t last_tick_ = 0;
};

}  // namespace tilewall::panel
