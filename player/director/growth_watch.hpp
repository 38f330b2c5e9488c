// Movies that are still being written: how many frames they have by now.
//
// Threads: owns one, "growth", from the first such movie on: asks files and servers twice a second;
// stopped by its destructor, which waits for an answer that is under way. The rest belongs to one
// owner.
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

/// A source that was, and what has become of it.
struct Growth {
  scene::SourcePtr before;
  scene::SourcePtr now;
};

class GrowthWatch {
 public:
  /// Watches the movies of the scene that grow, and no others.
  void watch(const scene::Scene& scene);

  /// What has grown since it was last asked for.
  [[nodiscard]] std::vector<Growth> take();

  /// Whether one grew lately, or has only begun to be watched: a show that has come to its end
  /// waits for more.
  [[nodiscard]] bool is_lively() const;

 private:
  void run(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<scene::SourcePtr> watched_;  // guarded by mutex_, as the next
  std::vector<Growth> news_;               // not taken yet
  std::optional<LocalInstant> grew_at_;    // last
  std::jthread thread_;                    // last: stopped and joined before anything it uses
};

}  // namespace tilewall::director
