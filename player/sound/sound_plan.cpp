#include "player/sound/sound_plan.hpp"

#include <algorithm>

#include "sync/saturating.hpp"

namespace tilewall::sound {

namespace {

GlobalInstant later(GlobalInstant at, Nanos by) {
  return {sync::saturating_add(at.since_epoch, by)};
}

}  // namespace

void SoundPlan::add(SoundScene scene) {
  while (!entries_.empty() && entries_.back().scene.from >= scene.from) entries_.pop_back();
  entries_.push_back({std::move(scene), Nanos(0)});
}

void SoundPlan::delay(std::uint64_t epoch, Nanos by) {
  for (Entry& entry : entries_)
    if (entry.scene.epoch == epoch) entry.delay = by;
}

std::size_t SoundPlan::index_at(GlobalInstant at) const noexcept {
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (entries_[i].scene.from <= at) return i;
  return entries_.size();
}

SoundPiece SoundPlan::piece_at(GlobalInstant at) const noexcept {
  const std::size_t index = index_at(at);
  if (index == entries_.size())
    return silence(at, entries_.empty() ? end_of_time : entries_.front().scene.from);
  const Entry& entry = entries_[index];
  SoundPiece piece = entry.scene.timeline.piece_at(later(at, -entry.delay));
  piece.from = later(piece.from, entry.delay);
  piece.until = later(piece.until, entry.delay);
  if (index + 1 < entries_.size())
    piece.until = std::min(piece.until, entries_[index + 1].scene.from);
  return piece;
}

double SoundPlan::gain_at(GlobalInstant at) const noexcept {
  const std::size_t index = index_at(at);
  if (index == entries_.size()) return 1.0;
  const SoundScene& scene = entries_[index].scene;
  return scene.gain * scene.fade.at(at);
}

std::vector<GlobalInstant> SoundPlan::starts_after(GlobalInstant at) const {
  std::vector<GlobalInstant> starts;
  for (const Entry& entry : entries_)
    if (entry.scene.from > at) starts.push_back(entry.scene.from);
  return starts;
}

void SoundPlan::forget_before(GlobalInstant at) {
  while (entries_.size() > 1 && entries_[1].scene.from <= at) entries_.pop_front();
}

void DelayedPlan::add(SoundScene scene) {
  const std::uint64_t epoch = scene.epoch;
  plan_.add(std::move(scene));
  if (epoch == delayed_epoch_) plan_.delay(epoch, delay_);
}

bool DelayedPlan::delay(std::uint64_t epoch, Nanos by) {
  constexpr Nanos least_change = std::chrono::milliseconds(1);
  if (epoch == delayed_epoch_ && abs(by - delay_) < least_change) return false;
  delayed_epoch_ = epoch;
  delay_ = by;
  plan_.delay(epoch, by);
  return true;
}

namespace {

using namespace std::chrono_literals;

constexpr int most_pieces = 64;
constexpr Nanos beginning_length = 1s;
constexpr double margin_s = 0.1;  // filters, fades and device buffers reach beyond a piece

void add(std::vector<SoundRequest>& requests, const SoundPiece& piece, GlobalInstant from,
         GlobalInstant until) {
  if (!piece.audible()) return;
  requests.push_back({piece.file, piece.due_s(from) - margin_s * piece.speed,
                      piece.due_s(until) + margin_s * piece.speed});
}

}  // namespace

std::vector<SoundRequest> sound_requests(const SoundPlan& plan, GlobalInstant now, Nanos ahead) {
  std::vector<SoundRequest> requests;
  const GlobalInstant horizon = now + ahead;
  GlobalInstant at = now;
  for (int i = 0; i < most_pieces && at < horizon; ++i) {
    const SoundPiece piece = plan.piece_at(at);
    add(requests, piece, at, std::min(piece.until, horizon));
    at = piece.until;
  }
  for (const GlobalInstant start : plan.starts_after(horizon)) {
    const SoundPiece piece = plan.piece_at(start);
    const GlobalInstant end{sync::saturating_add(start.since_epoch, beginning_length)};
    add(requests, piece, start, std::min(piece.until, end));
  }
  return requests;
}

}  // namespace tilewall::sound
