#include "player/director/cue_statistics.hpp"

#include <algorithm>
#include <limits>

#include "sync/base/json_fields.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

// Panels report within a fraction of a second, but cues may follow each other as fast.
constexpr std::size_t most_open_cues = 4;
// An entry names so many panels at most, so that reports of large walls stay small.
constexpr std::size_t most_named = 64;
constexpr std::size_t most_unarmed = 16;  // panels that were not ready for a cue
constexpr std::size_t most_lines = 4;     // of such a panel
constexpr int longest_line = 200;         // in columns

double seconds_in(Nanos time) { return std::chrono::duration<double>(time).count(); }

std::optional<std::int64_t> ns_or_none(const Json& json) {
  return json.is_number_integer() ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

/// The late frames by panel and cause, the most first. Those that are left out are the last
/// entries, by cause and without a panel.
Json late_json(const std::map<std::pair<std::string, std::string>, std::uint64_t>& late) {
  std::vector<std::pair<std::pair<std::string, std::string>, std::uint64_t>> sorted(late.begin(),
                                                                                    late.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  Json json = Json::array();
  std::map<std::string, std::uint64_t> others;
  for (const auto& [key, frames] : sorted)
    if (json.size() < most_named)
      json.push_back({{"panel", key.first}, {"cause", key.second}, {"frames", frames}});
    else
      others[key.second] += frames;
  for (const auto& [cause, frames] : others)
    json.push_back({{"panel", nullptr}, {"cause", cause}, {"frames", frames}});
  return json;
}

Json missing_inputs_json(const std::vector<MissingCueInput>& missing) {
  Json json = Json::array();
  for (const MissingCueInput& one : missing)
    json.push_back({{"region", one.region}, {"why", printable_text(one.why)}});
  return json;
}

}  // namespace

CueStatistics::CueStatistics(std::vector<std::string> panels, ShowLedger& ledger)
    : panels_(std::move(panels)), ledger_(ledger) {
  ledger_.observe(this);
}

CueStatistics::~CueStatistics() { ledger_.observe(nullptr); }

void CueStatistics::note_arming(const std::string& cue, const ArmingStatus& status,
                                GlobalInstant now) {
  if (status.state == ArmingState::idle) return arming_.reset();
  const bool is_known = arming_ && arming_->cue == cue && arming_->status.token == status.token;
  const GlobalInstant began = is_known ? arming_->began : now;
  arming_ = {cue, status, began};
}

void CueStatistics::note_armed(Visit& visit) const {
  const auto name = [&](std::string panel, const std::vector<std::string>& missing) {
    if (visit.armed_missing.size() >= most_unarmed) return;
    Json lines = Json::array();
    for (const std::string& line : missing)
      if (lines.size() < most_lines)
        lines.push_back(fit_columns(printable_text(line), longest_line));
    visit.armed_missing.push_back({{"panel", std::move(panel)}, {"missing", std::move(lines)}});
  };
  if (!visit.begun.asked) {
    visit.armed_state = "start";
    for (const std::string& panel : visit.begun.panels_missing) name(panel, {"its first picture"});
    return;
  }
  visit.armed_state = to_string(ArmingState::idle);
  if (!arming_ || arming_->cue != visit.begun.cue) return;
  visit.armed_state = to_string(arming_->status.state);
  if (arming_->status.state == ArmingState::armed)
    visit.armed_after_s = std::max(seconds_in(arming_->status.since - arming_->began), 0.0);
  for (const ArmingStatus::Panel& panel : arming_->status.panels)
    name(panels_.at(panel.panel), panel.missing);
}

void CueStatistics::begin(Begin begin) {
  if (!open_.empty() && open_.back().begun.since == begin.since) return;
  end(begin.since);
  if (open_.size() >= most_open_cues) complete_oldest();
  if (open_.empty()) {  // all frames so far are of the cue that the show starts with
    begin.epoch = 0;
    begin.asked.reset();
  }
  Visit& visit = open_.emplace_back();
  visit.begun = std::move(begin);
  visit.first_ns.resize(panels_.size());
  note_armed(visit);
  note_memory(visit);
}

void CueStatistics::end(GlobalInstant at) {
  if (!open_.empty() && !open_.back().until) open_.back().until = at;
}

void CueStatistics::complete_oldest() {
  if (complete_.size() < most_entries)
    complete_.push_back(entry(0).dump());
  else
    ++left_out_;
  open_.pop_front();
}

CueStatistics::Visit* CueStatistics::visit_of(std::uint64_t epoch) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Visit& visit) { return visit.begun.epoch <= epoch; });
  return found == open_.rend() ? nullptr : &*found;
}

void CueStatistics::settled(std::uint64_t epoch, const SettledTick& tick) {
  Visit* const visit = visit_of(epoch);
  if (visit == nullptr) return;
  ++visit->shown_by_any;
  if (!tick.skew) return;
  ++visit->shown;
  if (tick.is_on_time) ++visit->on_time;
  visit->skew_ns.add(tick.skew->count());
}

void CueStatistics::forgotten(std::uint64_t epoch, std::int64_t scheduled) {
  if (Visit* const visit = visit_of(epoch)) visit->scheduled_before += scheduled;
}

void CueStatistics::take(std::size_t panel, const std::string& host,
                         const scene::ShownBatch& batch) {
  if (open_.empty()) return;
  if (Visit* const visit = visit_of(batch.epoch))
    for (const scene::ShownFrame& shown : batch.frames) {
      std::optional<std::int64_t>& first_ns = visit->first_ns.at(panel);
      first_ns = std::min(first_ns.value_or(shown.stamp_ns), shown.stamp_ns);
    }
  memory_[host] = batch.host_memory_bytes;
  note_memory(open_.back());
}

void CueStatistics::note_memory(Visit& visit) const {
  std::uint64_t sum = 0;
  auto most = memory_.end();
  for (auto host = memory_.begin(); host != memory_.end(); ++host) {
    if (host->second == 0) return;
    sum += host->second;
    if (most == memory_.end() || host->second > most->second) most = host;
  }
  if (sum <= visit.memory_bytes) return;
  visit.memory_bytes = sum;
  visit.memory_host = most->first;
  visit.memory_host_bytes = most->second;
}

void CueStatistics::add_late(std::optional<std::uint64_t> epoch, const LateEvent& event) {
  if (event.frames == 0 || event.panel.empty() || open_.empty()) return;
  Visit* visit = nullptr;
  if (epoch) {
    visit = visit_of(*epoch);
  } else {
    const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](const Visit& one) { return one.begun.at_s <= event.at_s; });
    visit = found == open_.rend() ? &open_.front() : &*found;
  }
  if (visit != nullptr)
    visit->late[{event.panel, std::string(scene::to_string(event.cause))}] += event.frames;
}

Json CueStatistics::entry(std::size_t open_index) const {
  const Visit& visit = open_[open_index];
  const Begin& begun = visit.begun;
  const std::uint64_t epochs_end = open_index + 1 < open_.size()
                                       ? open_[open_index + 1].begun.epoch
                                       : std::numeric_limits<std::uint64_t>::max();
  const std::int64_t scheduled =
      visit.scheduled_before + ledger_.scheduled_between(begun.epoch, epochs_end);
  std::optional<std::int64_t> first_on_all_ns = 0;  // empty: a panel has shown nothing
  for (const auto& first_ns : visit.first_ns)
    first_on_all_ns = first_ns && first_on_all_ns
                          ? std::optional(std::max(*first_ns, *first_on_all_ns))
                          : std::nullopt;
  const std::int64_t asked_ns = begun.asked.value_or(begun.since).since_epoch.count();
  Json json = {{"cue", begun.cue},
               {"index", begun.index},
               {"at_s", begun.at_s},
               {"armed",
                {{"state", visit.armed_state},
                 {"after_s", json_or_null(visit.armed_after_s)},
                 {"missing", visit.armed_missing}}},
               {"frames_scheduled", scheduled},
               {"frames_shown", visit.shown},
               {"frames_shown_by_any",
                visit.shown_by_any + ledger_.unsettled_between(begun.epoch, epochs_end)},
               {"frames_late", scheduled - visit.on_time},
               {"late", late_json(visit.late)},
               {"inputs_missing", missing_inputs_json(begun.missing)}};
  json["for_s"] =
      visit.until ? Json(std::max(seconds_in(*visit.until - begun.since), 0.0)) : Json(nullptr);
  json["go_to_swap_ms"] = first_on_all_ns
                              ? Json(static_cast<double>(*first_on_all_ns - asked_ns) / 1e6)
                              : Json(nullptr);
  const Percentiles skew_us = visit.skew_ns.percentiles() / 1e3;
  json["skew_us"] = nullptr;
  if (visit.skew_ns.count() > 0)
    json["skew_us"] = {{"p50", skew_us.p50}, {"p99", skew_us.p99}, {"max", skew_us.max}};
  const bool is_memory_known = visit.memory_bytes > 0;
  json["memory_bytes"] = is_memory_known ? Json(visit.memory_bytes) : Json(nullptr);
  json["memory_most"] = nullptr;
  if (is_memory_known)
    json["memory_most"] = {{"host", visit.memory_host}, {"memory_bytes", visit.memory_host_bytes}};
  return json;
}

Json CueStatistics::report() const {
  Json json = Json::array();
  for (const std::string& text : complete_) json.push_back(Json::parse(text));
  for (std::size_t i = 0; i < open_.size() && json.size() < most_entries; ++i)
    json.push_back(entry(i));
  return json;
}

std::uint64_t CueStatistics::left_out() const {
  const std::size_t all = complete_.size() + open_.size();
  return left_out_ + (all > most_entries ? all - most_entries : 0);
}

// --- what survives the director

Json CueStatistics::checkpoint_of(const Visit& visit) {
  const Begin& begun = visit.begun;
  Json missing = Json::array();
  for (const MissingCueInput& one : begun.missing) missing.push_back({one.region, one.why});
  Json late = Json::array();
  for (const auto& [key, frames] : visit.late) late.push_back({key.first, key.second, frames});
  Json first_ns = Json::array();
  for (const auto& first : visit.first_ns) first_ns.push_back(json_or_null(first));
  return {
      {"cue", begun.cue},
      {"index", begun.index},
      {"epoch", begun.epoch},
      {"since_ns", begun.since.since_epoch.count()},
      {"at_s", begun.at_s},
      {"asked_ns", begun.asked ? Json(begun.asked->since_epoch.count()) : Json(nullptr)},
      {"missing", std::move(missing)},
      {"until_ns", visit.until ? Json(visit.until->since_epoch.count()) : Json(nullptr)},
      {"armed_state", visit.armed_state},
      {"armed_after_s", json_or_null(visit.armed_after_s)},
      {"armed_missing", visit.armed_missing},
      {"first_ns", std::move(first_ns)},
      {"scheduled_before", visit.scheduled_before},
      {"shown_by_any", visit.shown_by_any},
      {"shown", visit.shown},
      {"on_time", visit.on_time},
      {"skew", visit.skew_ns.checkpoint()},
      {"late", std::move(late)},
      {"memory_bytes", visit.memory_bytes},
      {"memory_host", visit.memory_host},
      {"memory_host_bytes", visit.memory_host_bytes},
  };
}

CueStatistics::Visit CueStatistics::restored_visit(const Json& json) const {
  Visit visit;
  Begin& begun = visit.begun;
  begun.cue = json_field<std::string>(json, "cue");
  begun.index = json_field<std::size_t>(json, "index");
  begun.epoch = json_field<std::uint64_t>(json, "epoch");
  begun.since = {Nanos(json_field<std::int64_t>(json, "since_ns"))};
  begun.at_s = json_field<double>(json, "at_s");
  if (const auto ns = ns_or_none(json_field<Json>(json, "asked_ns")))
    begun.asked = GlobalInstant{Nanos(*ns)};
  for (const auto& one : json_field<std::vector<std::vector<std::string>>>(json, "missing")) {
    expect_field(one.size() == 2, "missing", "[region, why]");
    begun.missing.push_back({begun.cue, one[0], one[1]});
  }
  if (const auto ns = ns_or_none(json_field<Json>(json, "until_ns")))
    visit.until = GlobalInstant{Nanos(*ns)};
  visit.armed_state = json_field<std::string>(json, "armed_state");
  const auto after_s = json_field<Json>(json, "armed_after_s");
  if (after_s.is_number()) visit.armed_after_s = after_s.get<double>();
  visit.armed_missing = json_field<std::vector<Json>>(json, "armed_missing");
  for (const Json& first : json_field<std::vector<Json>>(json, "first_ns"))
    visit.first_ns.push_back(ns_or_none(first));
  expect_field(visit.first_ns.size() == panels_.size(), "first_ns", "as many as the wall's panels");
  visit.scheduled_before = json_field<std::int64_t>(json, "scheduled_before");
  visit.shown_by_any = json_field<std::int64_t>(json, "shown_by_any");
  visit.shown = json_field<std::int64_t>(json, "shown");
  visit.on_time = json_field<std::int64_t>(json, "on_time");
  visit.skew_ns = LogHistogram::restored(json_field<Json>(json, "skew"));
  for (const auto& one : json_field<std::vector<Json>>(json, "late")) {
    expect_field(one.is_array() && one.size() == 3 && one[0].is_string() && one[1].is_string() &&
                     one[2].is_number_unsigned(),
                 "late", "[panel, cause, frames]");
    visit.late[{one[0].get<std::string>(), one[1].get<std::string>()}] =
        one[2].get<std::uint64_t>();
  }
  visit.memory_bytes = json_field<std::uint64_t>(json, "memory_bytes");
  visit.memory_host = json_field<std::string>(json, "memory_host");
  visit.memory_host_bytes = json_field<std::uint64_t>(json, "memory_host_bytes");
  return visit;
}

Json CueStatistics::checkpoint() const {
  Json open = Json::array();
  for (const Visit& visit : open_) open.push_back(checkpoint_of(visit));
  return {{"complete", complete_}, {"open", std::move(open)}, {"left_out", left_out_}};
}

void CueStatistics::restore(const Json& checkpoint) {
  std::deque<Visit> open;
  for (const Json& one : json_field<std::vector<Json>>(checkpoint, "open"))
    open.push_back(restored_visit(one));
  auto complete = json_field<std::vector<std::string>>(checkpoint, "complete");
  for (const std::string& text : complete)
    expect_field(Json::accept(text), "complete", "entries as JSON");
  complete_ = std::move(complete);
  left_out_ = json_field<std::uint64_t>(checkpoint, "left_out");
  open_ = std::move(open);
}

}  // namespace tilewall::director
