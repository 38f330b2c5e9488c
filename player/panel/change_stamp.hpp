// When a changed scene arrived and when its first picture was drawn, for the director.
//
// Threads: the link calls received(), the decode thread calls drawn().
#pragma once

#include <mutex>
#include <optional>

#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

class ChangeStamp {
 public:
  /// A scene has arrived. Later scenes of the same schedule do not count: their pictures are the
  /// same.
  void received(std::uint64_t schedule, GlobalInstant at) {
    const std::scoped_lock lock(mutex_);
    if (schedule == newest_.schedule) return;
    newest_ = {schedule, at.since_epoch.count(), 0};
  }

  /// A picture of that schedule has been drawn. Empty unless it is the newest schedule's first one.
  [[nodiscard]] std::optional<ChangeDrawn> drawn(std::uint64_t schedule, GlobalInstant at) {
    const std::scoped_lock lock(mutex_);
    if (schedule != newest_.schedule || newest_.ready_ns != 0) return std::nullopt;
    newest_.ready_ns = at.since_epoch.count();
    return newest_;
  }

 private:
  std::mutex mutex_;
  ChangeDrawn newest_;  // guarded by mutex_; ready_ns is 0 until its first picture is drawn
};

}  // namespace tilewall
