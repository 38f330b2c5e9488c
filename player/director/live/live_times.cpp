#include "player/director/live/live_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "player/scene/live_messages.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t most_known = 8192;
constexpr std::size_t most_instants = 9;
constexpr double longest_exact_age_s = 100;

double label_seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void LiveTimes::note_whole(const std::set<std::int64_t>& timesteps, GlobalInstant now) {
  for (const std::int64_t timestep : timesteps) whole_at_.try_emplace(timestep, now);
  while (whole_at_.size() > most_known) whole_at_.erase(whole_at_.begin());
}

void LiveTimes::note_shown(std::int64_t frame, GlobalInstant since,
                           std::optional<GlobalInstant> asked_at) {
  const bool is_same_run =
      newest_ != scene::no_timestep &&
      frame - scene::timestep_of(frame) == newest_ - scene::timestep_of(newest_);
  gone_by_ +=
      is_same_run ? static_cast<std::uint64_t>(std::max<std::int64_t>(frame - newest_, 0)) : 1;
  newest_ = is_same_run ? std::max(frame, newest_) : frame;
  shown_at_.push_back(since);
  if (shown_at_.size() > most_instants) shown_at_.pop_front();
  if (asked_at) took_ = since - *asked_at;
}

void LiveTimes::go_on(std::uint64_t gone_by, std::int64_t frame) {
  gone_by_ = gone_by;
  newest_ = frame;
}

std::optional<GlobalInstant> LiveTimes::whole_at(std::int64_t timestep) const {
  const auto found = whole_at_.find(timestep);
  return found == whole_at_.end() ? std::nullopt : std::optional(found->second);
}

std::string LiveTimes::note_of(std::int64_t timestep, GlobalInstant now,
                               std::uint64_t skipped) const {
  const GlobalInstant at = now + took_;
  const double age_s = std::max(label_seconds(at - whole_at(timestep).value_or(now)), 0.0);
  std::string note = age_s < longest_exact_age_s ? fmt::format("age {:.2f} s", age_s)
                                                 : fmt::format("age {:.0f} s", age_s);
  const double span_s = shown_at_.empty() ? 0 : label_seconds(at - shown_at_.front());
  if (span_s > 0)
    note += fmt::format("  {:.3g} per s", static_cast<double>(shown_at_.size()) / span_s);
  note += fmt::format("  {} skipped", skipped);
  note.resize(std::min(note.size(), scene::longest_live_note));
  return note;
}

}  // namespace tilewall::director
