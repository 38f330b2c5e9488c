// Watches movies that are still being written: how many frames they have by now.
//
// Threads: owns one, "growth", from the first growing movie on. It asks files and servers twice a
// second; the destructor stops it, and waits for a pending answer. All functions have one owner,
// the director's thread.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// A source that has grown, before and after.
struct Growth {
  scene::SourcePtr before;
  scene::SourcePtr now;
};

class GrowthWatch {
 public:
  /// Watches the growing movies of this scene, and no others.
  void watch(const scene::Scene& scene);

  /// The movies that have grown since the last call.
  [[nodiscard]] std::vector<Growth> take();

  /// Whether a movie grew, or the watch began, in the last 5 s. A show that has reached its last
  /// frame then waits for more.
  [[nodiscard]] bool is_lively() const;

 private:
  void run(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<scene::SourcePtr> watched_;  // guarded by mutex_, like the next two
  std::vector<Growth> news_;               // not taken yet
  std::optional<LocalInstant> grew_at_;    // when a movie last grew
  std::jthread thread_;                    // last: stopped and joined before anything it uses
};

}  // namespace tilewall::director
