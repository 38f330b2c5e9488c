#include "player/director/show_status.hpp"

#include <nlohmann/json.hpp>

namespace tilewall::director {

void ShowStatus::step(LocalInstant now) {
  if (troubles_.wants_sample(now)) troubles_.add(now, trouble_counts());
}

nlohmann::json ShowStatus::json(const StatusParts& parts) const {
  return status_json(input(), parts);
}

TroubleCounts ShowStatus::trouble_counts() const {
  const ShowLedger::Progress progress = parts_.ledger.progress();
  TroubleCounts counts;
  counts.frames_due = progress.frames_due;
  counts.frames_late = progress.frames_late;
  for (const Restart& restart : parts_.roster.restarts())
    ++(restart.role == "decoder" ? counts.decoder_deaths : counts.restarts);
  for (std::size_t i = 0; i < parts_.roster.panels().size(); ++i) {
    counts.late_by_panel.push_back(parts_.ledger.frames_late_so_far(i));
    counts.damaged_frames += parts_.roster.panels()[i].totals.damaged_frames;
  }
  return counts;
}

StatusInput ShowStatus::input() const {
  const sync::Timeline& timeline = parts_.control.first_region().timeline;
  StatusInput input{parts_.options.wall,
                    parts_.ledger,
                    parts_.roster.panels(),
                    parts_.roster.restarts(),
                    parts_.control.scene(),
                    lifecycle_.phase_name(),
                    parts_.options.late,
                    timeline.rate_fps,
                    std::nullopt,
                    std::nullopt,
                    lifecycle_.now(),
                    local_now(),
                    parts_.options.command_start};
  for (std::size_t i = 0; i < parts_.roster.panels().size(); ++i) {
    input.late_causes.push_back(reports_.late().last_cause(i));
    input.late_by_cause.push_back(reports_.late().frames_of(i));
  }
  input.last_note = parts_.notes.last();
  input.error = parts_.notes.error();
  input.frozen = reports_.content().frozen();
  input.recent = troubles_.growth(input.local_now, trouble_counts());
  input.resting_level = parts_.control.resting_level();
  input.inputs = parts_.options.inputs;
  const auto tick = timeline.start < scene::never ? timeline.tick_at(input.now - lifecycle_.delay())
                                                  : std::optional<std::int64_t>();
  if (tick) input.frame = timeline.frame_of(*tick);
  if (const auto count = timeline.tick_count()) input.frames_left = *count - tick.value_or(-1) - 1;
  return input;
}

}  // namespace tilewall::director
