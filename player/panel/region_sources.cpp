#include "player/panel/region_sources.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tilewall::panel {
namespace {

// How long a picture's other regions wait for a source that gave its last picture in time, and for
// one that is being opened. These are longer than a decoder or a disk usually takes.
constexpr std::chrono::milliseconds usual_patience{500};
constexpr std::chrono::milliseconds open_patience{1000};
// In a pause nothing plays on meanwhile.
constexpr std::chrono::milliseconds paused_patience{2000};
// For a source that was late before. A longer time would hold up the others at every picture.
constexpr std::chrono::milliseconds trial_patience{100};
// Between tries to open a source that was refused; doubled after each.
constexpr std::chrono::milliseconds first_pause{500};
constexpr std::chrono::milliseconds longest_pause{4000};
// For a picture's last sources where the first ones have taken all of the time.
constexpr std::chrono::milliseconds least_patience{20};
// Under late policy slow the wall waits for every picture, but drops a panel that takes 3 s.
constexpr std::chrono::milliseconds slow_patience{2500};

bool contains(const std::vector<scene::SourcePtr>& sources, const scene::SourcePtr& source) {
  return std::ranges::find(sources, source) != sources.end();
}

}  // namespace

RegionSources::RegionSources(scene::LatePolicy late, SourceCache::Open open,
                             std::function<void(const std::string& line)> problem,
                             DrawCancellation* cancellation)
    : late_policy_(late),
      problem_(std::move(problem)),
      cancellation_(cancellation),
      cache_(std::move(open)) {}

void RegionSources::begin(const scene::Scene& scene, bool strict) {
  scene_ = &scene;
  strict_ = strict;
  refused_.clear();
  cache_.close_volumes_but(named());
}

std::vector<scene::SourcePtr> RegionSources::named() const {
  std::vector<scene::SourcePtr> named;
  for (const scene::Region& region : scene_->regions) named.push_back(region.source);
  return named;
}

void RegionSources::close_unnamed() { cache_.close_but(named()); }

bool RegionSources::take_from(RegionSources& other, bool replaces) {
  return cache_.take(other.cache_, named(), replaces);
}

bool RegionSources::is_refused(const scene::SourcePtr& source) const {
  return std::ranges::find(refused_, source, &Refusal::source) != refused_.end();
}

void RegionSources::refuse(const scene::SourcePtr& source) {
  refused_.push_back({source, first_pause, local_now() + first_pause});
}

/// Tries to open a source that was refused; null until it is open.
picture::PictureSource* RegionSources::find_again(const scene::SourcePtr& source) {
  const auto refusal = std::ranges::find(refused_, source, &Refusal::source);
  if (local_now() < refusal->again) return nullptr;
  try {
    picture::PictureSource* const open = cache_.find(source);
    if (open != nullptr) refused_.erase(refusal);
    return open;
  } catch (const std::exception&) {  // was reported when it was refused first
    refusal->pause = std::min(2 * refusal->pause, longest_pause);
    refusal->again = local_now() + refusal->pause;
    return nullptr;
  }
}

bool RegionSources::is_late(const scene::SourcePtr& source) const {
  return contains(late_, source);
}

void RegionSources::note_late(const scene::SourcePtr& source) {
  if (!is_late(source)) late_.push_back(source);
}

/// The result of `get`, which may throw that the source cannot be opened.
template <typename Get>
picture::PictureSource* RegionSources::try_source(Get&& get, const scene::SourcePtr& source) {
  if (is_refused(source)) return find_again(source);
  try {
    return get();
  } catch (const std::exception& error) {
    if (strict_) throw;
    refuse(source);
    problem_(error.what());
    return nullptr;
  }
}

picture::PictureSource* RegionSources::find(const scene::SourcePtr& source) {
  return try_source([&] { return cache_.find(source); }, source);
}

void RegionSources::want(const scene::SourcePtr& source) noexcept try {
  if (is_refused(source))
    static_cast<void>(find_again(source));
  else
    cache_.want(source);
} catch (const std::exception&) {  // no thread is left; find() tries again, and reports it
}

picture::PictureSource* RegionSources::wait_for(const scene::SourcePtr& source) {
  if (picture::PictureSource* const open = find(source)) return open;
  const auto abandon = [this] { return cancellation_ != nullptr && cancellation_->is_unwanted(); };
  return try_source([&] { return cache_.get(source, abandon); }, source);
}

/// How long the source is waited for; empty: without a limit.
std::optional<LocalInstant> RegionSources::limit_of(const Use& use, Stage stage) const {
  if (strict_ || cancellation_ == nullptr) return std::nullopt;
  const bool is_volume = use.source->kind == scene::SourceKind::volume;
  const bool is_paused = scene_->tick_grid.paused();
  const bool is_slow = late_policy_ == scene::LatePolicy::slow && !is_paused;
  if (use.is_alone && (is_volume || !is_slow)) return std::nullopt;
  const LocalInstant now = local_now();
  if (is_slow) return now + slow_patience;
  if (is_late(use.source)) return now + trial_patience;
  // A picture that is complete on the panel can wait for finer voxels, however long they take.
  if (is_volume && use.refines) return std::nullopt;
  const auto whole = is_paused                 ? paused_patience
                     : stage == Stage::opening ? open_patience
                                               : usual_patience;
  return std::max(use.begun + whole, now + least_patience);
}

void RegionSources::begin_wait(const scene::SourcePtr& source,
                               std::optional<LocalInstant> limit) noexcept {
  if (cancellation_ == nullptr) return;
  cancellation_->set_source(source.get());
  if (limit) cancellation_->set_patience(*limit);
}

void RegionSources::end_wait() noexcept {
  if (cancellation_ == nullptr) return;
  cancellation_->set_source(nullptr);
  cancellation_->clear_patience();
}

bool RegionSources::are_open(GlobalInstant due) const {
  return std::ranges::all_of(scene_->regions, [&](const scene::Region& region) {
    const scene::SourceFrame frame =
        scene::resolve_frame(region.source, region.timeline.frame_at(due));
    return cache_.is_open(frame.source) || is_refused(frame.source);
  });
}

bool RegionSources::open(std::span<const scene::SourcePtr> shown,
                         std::span<const scene::SourcePtr> hidden) {
  const auto has_ended = [this] {
    return cancellation_ != nullptr && cancellation_->scene_ended();
  };
  if (has_ended()) return false;
  const LocalInstant begun = local_now();
  const auto wait = [&](const scene::SourcePtr& source, std::optional<LocalInstant> limit) {
    begin_wait(source, limit);
    const bool is_open = wait_for(source) != nullptr || is_refused(source);
    end_wait();
    return is_open;
  };
  for (const scene::SourcePtr& source : shown) {
    if (find(source) != nullptr || is_refused(source) || is_late(source)) continue;
    const Use use{source, shown.size() == 1, false, begun};
    if (wait(source, limit_of(use, Stage::opening))) continue;
    if (has_ended()) return false;
    note_late(source);
  }
  for (const scene::SourcePtr& source : hidden) {
    const bool is_open = find(source) != nullptr || is_refused(source);
    if (!is_open && strict_ && !wait(source, std::nullopt)) return false;
  }
  return true;
}

bool RegionSources::is_still_late(const scene::SourcePtr& source) {
  if (!is_late(source) || strict_) return false;
  picture::PictureSource* const open = find(source);
  return open != nullptr ? open->is_late() : !is_refused(source);
}

bool RegionSources::can_draw_late() {
  // find() may report a source that cannot be opened, but does not change late_.
  const bool has_come = std::ranges::any_of(
      late_, [&](const scene::SourcePtr& source) { return !is_still_late(source); });
  std::vector<scene::SourcePtr> refused;  // a copy, because find() changes refused_
  for (const Refusal& refusal : refused_) refused.push_back(refusal.source);
  return has_come || std::ranges::any_of(refused, [&](const scene::SourcePtr& source) {
           return find(source) != nullptr;
         });
}

RegionSources::Wait::Wait(RegionSources& sources, const Use& use) : sources_(sources), use_(use) {
  sources_.begin_wait(use.source, sources_.limit_of(use, Stage::drawing));
}

RegionSources::Wait::~Wait() { sources_.end_wait(); }

picture::PictureSource* RegionSources::Wait::open() { return sources_.wait_for(use_.source); }

bool RegionSources::Wait::goes_on_without() {
  const DrawCancellation* const cancellation = sources_.cancellation_;
  if (cancellation == nullptr || cancellation->scene_ended()) return false;
  if (use_.is_alone && !cancellation->is_out_of_patience()) return false;
  sources_.note_late(use_.source);
  return true;
}

}  // namespace tilewall::panel
