#include "player/director/background_watch.hpp"

#include <utility>

namespace tilewall {
namespace {

constexpr std::chrono::seconds background_limit{1};

}  // namespace

void BackgroundWatch::see(bool only_background, Clock::time_point now) {
  if (!only_background) return since_.reset();
  if (!since_) since_ = now;
  if (now > *since_ + background_limit) note();
}

void BackgroundWatch::end() {
  if (since_) note();
}

void BackgroundWatch::note() {
  if (std::exchange(noted_, true)) return;
  notes_.note(
      "nothing of the volume is to be seen: values, transfer function, clip box and camera leave "
      "nothing but background");
}

}  // namespace tilewall
