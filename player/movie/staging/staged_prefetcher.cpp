#include "player/movie/staging/staged_prefetcher.hpp"

#include <algorithm>
#include <utility>

#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

constexpr Nanos look_again = std::chrono::milliseconds(20);  // between checks of `abandon`
// A missing frame is requested again after this time, because it may have been written since.
constexpr Nanos ask_anew_after = std::chrono::milliseconds(250);  // pause for a frame that is due
// Pause for a frame that is not due yet.
constexpr Nanos ask_ahead_anew_after = std::chrono::seconds(1);
// Regions that share a movie select their blocks in turn. So many calls of expect() leave blocks
// alone that the present selection does not want, because another region does.
constexpr int most_unwanted = 8;
constexpr std::size_t first_frames = 2;  // frames requested while the size of a frame is unknown

std::size_t bytes_of(const BlockFetcher::Brought& brought) { return brought.memory.capacity(); }

}  // namespace

StagedPrefetcher::StagedPrefetcher(std::unique_ptr<BlockFetcher> fetcher,
                                   StagedPrefetcherOptions options)
    : options_(std::move(options)),
      fetcher_(std::move(fetcher)),
      share_(options_.budget, [this] { let_go(); }) {}

StagedPrefetcher::~StagedPrefetcher() {
  while (!staged_.empty()) forget(staged_.begin());
}

void StagedPrefetcher::select(int level, std::span<const int> blocks) {
  if (level == level_ && std::ranges::equal(blocks, wanted_)) return;
  ++selection_;
  level_ = level;
  wanted_.assign(blocks.begin(), blocks.end());
}

const StagedPrefetcher::Part* StagedPrefetcher::part_with(const Staged& staged, int block) const {
  for (const Part& part : staged.parts)
    if (part.level == level_ && std::ranges::binary_search(part.asked.blocks, block)) return &part;
  return nullptr;
}

bool StagedPrefetcher::is_wanted(const Part& part) const {
  return part.level == level_ && std::ranges::any_of(part.asked.blocks, [&](int block) {
           return std::ranges::binary_search(wanted_, block);
         });
}

bool StagedPrefetcher::is_whole(const Staged& staged) const {
  if (staged.whole_for == selection_) return true;
  return std::ranges::all_of(wanted_, [&](int block) {
    const Part* const part = part_with(staged, block);
    return part != nullptr && part->has_come();
  });
}

/// Bytes that the frame takes, or is likely to take once it is whole.
std::size_t StagedPrefetcher::reserved_bytes(const Staged& staged) const {
  std::size_t bytes = 0;
  for (const Part& part : staged.parts) bytes += part.brought ? bytes_of(*part.brought) : 0;
  return is_whole(staged) ? bytes : std::max(bytes, frame_bytes());
}

template <typename Drop>
void StagedPrefetcher::drop_parts(Staged& staged, Drop&& is_dropped) {
  std::vector<BlockFetcher::Ticket> tickets;
  const auto dropped = std::erase_if(staged.parts, [&](Part& part) {
    if (!is_dropped(part)) return false;
    if (part.brought)
      fetcher_->give_back(std::move(part.brought->memory));
    else
      tickets.push_back(part.asked.ticket);
    return true;
  });
  if (dropped > 0) staged.asked_for = staged.whole_for = 0;
  if (!tickets.empty()) fetcher_->cancel(std::move(tickets));
}

// Drops the answers that found no frame, if they are older than `age`.
void StagedPrefetcher::forget_missing(Staged& staged, Nanos age) {
  const LocalInstant stale = local_now() - age;
  drop_parts(staged, [&](const Part& part) { return part.is_missing() && part.since < stale; });
}

void StagedPrefetcher::forget(std::map<std::int64_t, Staged>::iterator frame) {
  drop_parts(frame->second, [](const Part&) { return true; });
  if (drawn_ == frame->first) drawn_ = none;
  staged_.erase(frame);
}

void StagedPrefetcher::forget_others() {
  for (auto it = staged_.begin(); it != staged_.end();) {
    const auto frame = it++;
    const bool stays = frame->first == current_ || frame->first == drawn_ ||
                       std::ranges::find(expected_, frame->first) != expected_.end();
    if (!stays) forget(frame);
  }
}

void StagedPrefetcher::let_go() {
  for (auto it = staged_.begin(); it != staged_.end();) forget(it++);
  publish_levels();
}

// Requests the blocks of the frame that the view needs and that have not been requested yet.
void StagedPrefetcher::request(std::int64_t frame) {
  Staged& staged = staged_[frame];
  if (staged.asked_for == selection_) return;
  staged.asked_for = selection_;
  std::vector<int> missing;
  for (const int block : wanted_)
    if (part_with(staged, block) == nullptr) missing.push_back(block);
  if (missing.empty()) return;
  const auto haste = frame == current_ ? BlockFetcher::Haste::now : BlockFetcher::Haste::ahead;
  for (BlockFetcher::Asked& asked : fetcher_->fetch(frame, level_, std::move(missing), haste))
    staged.parts.push_back({level_, std::move(asked), std::nullopt, {}, 0});
}

// Makes the frame the current one, because it is due, and requests its blocks.
void StagedPrefetcher::need(std::int64_t frame) {
  if (frame != current_) share_.use();
  current_ = frame;
  // A frame that was not expected comes from a seek. Earlier requests would be answered before it,
  // so they are cancelled.
  if (!staged_.contains(frame))
    for (auto& [number, staged] : staged_)
      drop_parts(staged, [](const Part& part) { return !part.has_come(); });
  collect();
  forget_missing(staged_[frame], ask_anew_after);
  request(frame);
}

bool StagedPrefetcher::collect(Part& part) {
  if (part.has_come()) return false;
  part.brought = fetcher_->take(part.asked.ticket, part.asked.blocks.size());
  if (!part.brought) return false;
  part.since = local_now();
  read_bytes_ += part.brought->read_bytes;
  return true;
}

void StagedPrefetcher::collect() {
  seen_ = fetcher_->news();
  for (auto& [frame, staged] : staged_) {
    bool any = false;
    for (Part& part : staged.parts) any |= collect(part);
    if (!any || !is_whole(staged)) continue;
    staged.whole_for = selection_;
    if (std::ranges::none_of(staged.parts, &Part::is_missing)) note_size(reserved_bytes(staged));
  }
}

// The largest recent size plus an eighth, because the frames requested by this estimate must not
// turn out larger than the budget. A sixteenth less per frame lets it follow smaller frames.
void StagedPrefetcher::note_size(std::size_t bytes) {
  std::size_t& likely = frame_bytes_[level_];
  likely = std::max(bytes + bytes / 8, likely - likely / 16);
}

std::size_t StagedPrefetcher::frame_bytes() const {
  const auto known = frame_bytes_.find(level_);
  return known == frame_bytes_.end() ? 0 : known->second;
}

/// The first of `frames` that fit into the budget, behind the current and the drawn frame.
std::vector<std::int64_t> StagedPrefetcher::affordable(std::span<const std::int64_t> frames) {
  const std::size_t room = share_.room();
  const auto held = [&](std::int64_t frame) {
    const auto found = staged_.find(frame);
    return found == staged_.end() ? frame_bytes() : reserved_bytes(found->second);
  };
  std::size_t sum = held(current_);
  // The drawn frame stays if at all possible. Without it, a late movie could not be drawn again,
  // and would hold up the other regions.
  if (drawn_ != none && drawn_ != current_) {
    if (sum + held(drawn_) <= room)
      sum += held(drawn_);
    else
      forget(staged_.find(drawn_));
  }
  std::vector<std::int64_t> chosen;
  // Without a known size every frame would count 0 bytes and fit, so the first ones are a sample.
  const std::size_t most = frame_bytes() > 0 ? frames.size() : first_frames;
  for (const std::int64_t frame : frames) {
    if (frame == current_ || frame == drawn_) continue;
    // The first frame that does not fit ends the choice, even if a later one is smaller: frames are
    // dropped from the far end.
    if (chosen.size() >= most || sum + held(frame) > room) break;
    sum += held(frame);
    chosen.push_back(frame);
  }
  return chosen;
}

void StagedPrefetcher::expect(std::span<const std::int64_t> frames) {
  collect();
  expected_ = affordable(frames);
  forget_others();
  for (auto& [frame, staged] : staged_) {
    if (frame == current_) continue;  // it is being drawn
    for (Part& part : staged.parts) part.unwanted = is_wanted(part) ? 0 : part.unwanted + 1;
    drop_parts(staged, [](const Part& part) { return part.unwanted >= most_unwanted; });
    forget_missing(staged, ask_ahead_anew_after);
  }
  if (!wanted_.empty())
    for (const std::int64_t frame : expected_) request(frame);
  publish_levels();
}

void StagedPrefetcher::publish_levels() {
  std::size_t all = 0;
  level_bytes_ = 0;
  for (const auto& [frame, staged] : staged_) {
    std::size_t bytes = 0;
    for (const Part& part : staged.parts) bytes += part.brought ? bytes_of(*part.brought) : 0;
    all += bytes;
    level_bytes_ += frame == current_ ? 0 : bytes;
  }
  share_.hold(all);
  sync::trace_counter("staged MiB", static_cast<double>(level_bytes_) / (1 << 20));
}

void StagedPrefetcher::count(picture::DrawCounters& counters) const {
  fetcher_->count(counters);
  counters.staged_bytes = level_bytes_;
  counters.stage_budget_bytes = share_.budget_bytes();
}

std::optional<picture::ReadyPictures> StagedPrefetcher::ready(std::int64_t frame) {
  need(frame);
  const Staged& due = staged_.at(frame);
  picture::ReadyPictures there;
  there.lost = is_whole(due) && std::ranges::any_of(due.parts, &Part::is_missing);
  for (const auto& [number, staged] : staged_) {
    if (!is_whole(staged)) continue;
    LocalInstant since;
    for (const Part& part : staged.parts) since = std::max(since, part.since);
    there.pictures.push_back({number, number + 1, since});
  }
  return there;
}

void StagedPrefetcher::await(std::int64_t frame, LocalInstant until) {
  need(frame);
  if (is_whole(staged_.at(frame))) return;
  fetcher_->wait_for_news(seen_, std::min(until, local_now() + look_again));
}

bool StagedPrefetcher::is_late(bool stays) {
  // While frames change, one that is late is given up, and the next one may have come already.
  if (!stays) return false;
  collect();
  const auto due = staged_.find(current_);
  return due != staged_.end() && !is_whole(due->second);
}

void StagedPrefetcher::fill_loaded(const Staged& staged) {
  loaded_ = {};
  loaded_.read_bytes = std::exchange(read_bytes_, 0);
  for (const int block : wanted_) {
    const Part* const part = part_with(staged, block);
    const bool there = part != nullptr && part->has_come() && part->brought->has_frame;
    loaded_.has_index |= there;
    loaded_.is_missing |= part != nullptr && part->is_missing();
    loaded_.blocks.emplace_back();
    if (!there) continue;
    const auto found = std::ranges::lower_bound(part->asked.blocks, block);
    loaded_.blocks.back() =
        part->brought->blocks[static_cast<std::size_t>(found - part->asked.blocks.begin())];
  }
}

const LoadedFrame* StagedPrefetcher::take(std::int64_t frame) {
  const sync::TraceSpan span("wait for blocks", {frame, sync::TraceLabels::none});
  const LocalInstant give_up = local_now() + options_.longest_take;
  need(frame);
  const Staged& staged = staged_.at(frame);
  while (!is_whole(staged) && local_now() < give_up) {
    if (options_.abandon && options_.abandon()) return nullptr;
    fetcher_->wait_for_news(seen_, local_now() + look_again);
    collect();
  }
  if (is_whole(staged) && std::ranges::none_of(staged.parts, &Part::is_missing)) drawn_ = frame;
  fill_loaded(staged);
  return &loaded_;
}

}  // namespace tilewall::movie
