// Since when the pictures of this panel's regions stay, although other frames were due: because
// their data do not come, are damaged, or are gone.
//
// Threads: the decode thread notes pictures, any thread may read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "player/panel/composer.hpp"
#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class RegionStays {
 public:
  /// Notes the picture that is due at `due`. `damages` has one entry for each part. A picture that
  /// is drawn before its scene has a start is due at an instant that is not known yet: the next
  /// picture tells since when its regions stay.
  void note(GlobalInstant due, const Composition& composition,
            const std::vector<scene::FrameDamage>& damages) {
    std::vector<scene::RegionStay> now;
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < composition.size() && i < damages.size(); ++i) {
      const std::string& name = composition[i].region->name;
      const bool stays = damages[i] >= scene::FrameDamage::repeated;
      now.push_back({name, stays ? since(name, due) : 0});
    }
    regions_ = std::move(now);
  }

  [[nodiscard]] std::vector<scene::RegionStay> report() const {
    const std::scoped_lock lock(mutex_);
    return regions_;
  }

 private:
  [[nodiscard]] std::int64_t since(const std::string& name, GlobalInstant due) const {
    const auto before = std::ranges::find(regions_, name, &scene::RegionStay::region);
    const bool stayed = before != regions_.end() && before->since_ns != 0;
    if (stayed) return before->since_ns;
    return due >= scene::never ? 0 : due.since_epoch.count();
  }

  mutable std::mutex mutex_;
  std::vector<scene::RegionStay> regions_;  // guarded by mutex_
};

}  // namespace tilewall::panel
