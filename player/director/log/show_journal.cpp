#include "player/director/log/show_journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "player/director/changes/scene_change.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t longest_journal = std::uint64_t{8} << 20;
// More than there are between two checkpoints: a scene follows the one before by 25 ms or more.
constexpr std::size_t scenes_for_statistics = 64;
constexpr std::size_t scenes_kept = 3;  // one to go back to, the newest asked one, and the newest
constexpr std::size_t most_unknown_lines = 1000;
constexpr std::chrono::seconds blame_time{10};
constexpr std::chrono::seconds time_interval{1};
constexpr std::int64_t longest_delay_ns = std::int64_t{1} << 61;

Json scene_data(const JournalScene& of, scene::SourceCatalogue& sources) {
  return {{"scene", scene::to_json(of.scene, sources)},
          {"resting_level", of.resting_level},
          {"delay_ns", of.delay.count()},
          {"local_ns", of.local.since_epoch.count()},
          {"asked", of.is_asked}};
}

LocalInstant local_field(const Json& data) {
  return LocalInstant{Nanos(json_field<std::int64_t>(data, "local_ns"))};
}

Nanos delay_field(const Json& data) {
  return Nanos(json_number<std::int64_t>(data, "delay_ns", 0, longest_delay_ns));
}

void drop_from(std::deque<JournalScene>& scenes, std::uint64_t version) {
  while (!scenes.empty() && scenes.back().scene.version >= version) scenes.pop_back();
}

Json live_data(const JournalLive& live) {
  Json data = {{"step", scene::to_json(live.step)},
               {"run", live.run},
               {"shown_count", live.shown_count},
               {"gone_by", live.gone_by}};
  if (live.held) data["held"] = *live.held;
  return data;
}

JournalLive live_of(const Json& data) {
  JournalLive live{scene::live_step_from_json(json_field<Json>(data, "step")),
                   json_field<std::uint64_t>(data, "run")};
  live.shown_count = json_field<std::uint64_t>(data, "shown_count");
  live.gone_by = json_field<std::uint64_t>(data, "gone_by");
  if (data.contains("held")) live.held = json_field<std::int64_t>(data, "held");
  return live;
}

/// Puts what is known of a source at the end, in place of what was known of it.
void put(std::vector<JournalLive>& all, JournalLive live) {
  std::erase_if(all, [&](const JournalLive& one) { return one.step.source == live.step.source; });
  all.push_back(std::move(live));
  if (all.size() > scene::max_regions) all.erase(all.begin());
}

/// Reads the entries one after the other.
class StateReader {
 public:
  void take(const JournalEntry& entry) {
    state_.written = entry.at;
    try {
      if (entry.kind == "show") return take_show(entry.data);
      if (entry.kind == "source") return sources_.take(entry.data);
      if (entry.kind == "scene") return take_scene(entry.data);
      if (entry.kind == "director") return take_start(entry.data);
      if (entry.kind == "time") return set_delay(delay_field(entry.data));
      if (entry.kind == "once") return take_once(entry.data);
      if (entry.kind == "live") return put(state_.live, live_of(entry.data));
      if (entry.kind == "cues") return void(state_.cues = entry.data);
      if (entry.kind == "end") return void(state_.ended = entry.at);
      if (state_.unknown.size() < most_unknown_lines) state_.unknown.push_back(to_line(entry));
    } catch (const InputError& error) {
      state_.troubles.push_back(fmt::format("entry \"{}\": {}", entry.kind, error.what()));
    }
  }

  [[nodiscard]] JournalState take_state() { return std::move(state_); }

 private:
  void take_show(const Json& data) {
    state_.version = json_field<int>(data, "version");
    if (state_.version != journal_version)
      throw InputError({"journal"}, "version", std::to_string(journal_version),
                       std::to_string(state_.version));
    state_.show = data;
  }

  /// A director that is started again writes all sources of its scenes anew. The last one may have
  /// died in the middle of a source.
  void take_start(const Json& data) {
    sources_ = {};
    state_.starts.push_back(local_field(data));
  }

  void take_scene(const Json& data) {
    JournalScene read{scene::scene_from_json(json_field<Json>(data, "scene"), sources_),
                      json_number(data, "resting_level", 0, 24), delay_field(data),
                      local_field(data),
                      !data.contains("asked") || json_field<bool>(data, "asked")};
    sources_.keep_only(scene::sources_of(read.scene));
    set_delay(read.delay);
    if (data.contains("instead_of"))
      drop_from(state_.scenes, json_field<std::uint64_t>(data, "instead_of"));
    if (read.is_asked) state_.starts.clear();
    state_.scenes.push_back(std::move(read));
    if (state_.scenes.size() > scenes_for_statistics) state_.scenes.pop_front();
  }

  void set_delay(Nanos delay) { state_.delay = delay; }

  void take_once(const Json& data) {
    state_.once.push_back({json_field<std::string>(data, "key"), json_field<Json>(data, "answer")});
    if (state_.once.size() > most_once_requests) state_.once.pop_front();
  }

  JournalState state_;
  scene::ReceivedSources sources_;
};

}  // namespace

JournalState journal_state(std::string_view text) {
  const JournalText read = read_journal(text);
  StateReader reader;
  for (const JournalEntry& entry : read.entries) reader.take(entry);
  JournalState state = reader.take_state();
  if (read.damaged_lines > 0)
    state.troubles.push_back(
        fmt::format("{} damaged line{}", read.damaged_lines, read.damaged_lines == 1 ? "" : "s"));
  return state;
}

const JournalScene* scene_before_blamed(const JournalState& state, LocalInstant now) {
  const auto asked = std::find_if(state.scenes.rbegin(), state.scenes.rend(),
                                  [](const JournalScene& one) { return one.is_asked; });
  if (asked == state.scenes.rend() || state.starts.empty()) return nullptr;
  // The first director died before the next one started, so that start tells of its death.
  if (now - asked->local > blame_time) return nullptr;
  const auto before = std::next(asked);
  return before != state.scenes.rend() ? &*before : nullptr;
}

scene::Scene resumed_scene(const JournalState& state) {
  // Glides are taken to have ended.
  SceneChange settled(state.scenes.back().scene, scene::never, Nanos(0));
  settled.settle_views();
  scene::Scene scene = settled.draft();
  const GlobalInstant at = state.written - state.delay;
  for (scene::Region& region : scene.regions) {
    if (region.timeline.start < scene::never) region.timeline = region.timeline.restarted(at);
    region.timeline.start = scene::never;
  }
  // ShowControl::start() turns it into an instant again, so that a countdown goes on.
  if (scene.cue) scene.cue->since = scene::never - (at - scene.cue->since);
  scene.since = scene::never;
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene::never);
  scene.decimation = {};
  scene.coarser_by = state.scenes.back().resting_level;
  scene.overlay.since = {};
  scene.hint.reset();
  scene.progress = {};
  scene.frozen_at.reset();  // its picture is gone
  return scene;
}

ShowJournal::ShowJournal(int memory_fd, const std::filesystem::path& file)
    : memory_(memory_fd), memory_fd_(memory_fd), file_(file) {
  const std::string text = memory_.text(memory_.range());
  if (text.empty()) return;
  found_ = journal_state(text);
  show_ = found_->show;
  once_ = found_->once;
  for (const JournalScene& scene : found_->scenes) keep(scene);
  live_ = found_->live;
  cues_ = found_->cues;
  unknown_ = found_->unknown;
}

void ShowJournal::begin(const Json& show, GlobalInstant at) {
  if (!found_) {
    show_ = show;
    return add({at, "show", show_});
  }
  add({at, "director", {{"pid", ::getpid()}, {"local_ns", local_now().since_epoch.count()}}});
}

void ShowJournal::write(const scene::Scene& scene, const SceneNotes& notes, GlobalInstant at) {
  if (!scenes_.empty() && scenes_.back().scene.version == scene.version) return;
  const JournalScene written{scene, notes.resting_level, notes.delay, local_now(),
                             notes.is_asked || instead_of_};
  std::string lines;
  add_sources(scene, at, lines);
  Json data = scene_data(written, sources_);
  if (instead_of_) {
    data["instead_of"] = *instead_of_;
    drop_from(scenes_, *std::exchange(instead_of_, std::nullopt));
  }
  lines += to_line({at, "scene", std::move(data)});
  memory_.append(lines + std::exchange(once_lines_, {}));
  sources_.keep_only(scene::sources_of(scene));
  keep(written);
  copy_soon();
}

/// Of scenes that the director has made by itself one after the other, only the newest matters.
void ShowJournal::keep(JournalScene scene) {
  if (!scenes_.empty() && !scenes_.back().is_asked && !scene.is_asked) scenes_.pop_back();
  scenes_.push_back(std::move(scene));
  if (scenes_.size() > scenes_kept) scenes_.pop_front();
}

void ShowJournal::write(OnceRequest request, GlobalInstant at) {
  once_lines_ += to_line({at, "once", {{"key", request.key}, {"answer", request.answer}}});
  keep(std::move(request));
}

void ShowJournal::write_alone(OnceRequest request, GlobalInstant at) {
  add({at, "once", {{"key", request.key}, {"answer", request.answer}}});
  keep(std::move(request));
}

void ShowJournal::keep(OnceRequest request) {
  once_.push_back(std::move(request));
  if (once_.size() > most_once_requests) once_.pop_front();
}

const Json* ShowJournal::answer_of(const std::string& key) const {
  const auto found = std::ranges::find(once_, key, &OnceRequest::key);
  return found == once_.end() ? nullptr : &found->answer;
}

void ShowJournal::step(GlobalInstant now, Nanos delay) {
  if (now < next_time_ && now + time_interval >= next_time_) return;
  next_time_ = now + time_interval;
  delay_ = delay;
  add({now, "time", {{"delay_ns", delay_.count()}}});
}

std::optional<std::string> ShowJournal::news() {
  const std::string trouble = copy_ ? copy_->trouble() : "";
  if (trouble == told_trouble_) return std::nullopt;
  told_trouble_ = trouble;
  if (trouble.empty()) return std::nullopt;
  return fmt::format("journal: {}; until it can be written, the show cannot be resumed as it is",
                     trouble);
}

void ShowJournal::copy_soon() {
  if (copy_) return copy_->copy_soon();
  if (!scenes_.empty()) copy_.emplace(memory_fd_, file_);
}

void ShowJournal::write(const JournalLive& live, GlobalInstant at) {
  put(live_, live);
  add({at, "live", live_data(live)});
}

void ShowJournal::add(const JournalEntry& entry) {
  memory_.append(to_line(entry));
  copy_soon();
}

/// Adds the sources that a reader does not have from the scene before.
void ShowJournal::add_sources(const scene::Scene& scene, GlobalInstant at, std::string& lines) {
  const std::set<std::uint64_t> known = std::exchange(written_sources_, {});
  for (const scene::SourcePtr& source : scene::sources_of(scene)) {
    const std::uint64_t id = sources_.id_of(source);
    written_sources_.insert(id);
    if (known.contains(id)) continue;
    for (Json& piece : sources_.messages(id)) lines += to_line({at, "source", std::move(piece)});
  }
}

void ShowJournal::write_cues(Json cues, GlobalInstant at) {
  cues_ = std::move(cues);
  add({at, "cues", cues_});
}

void ShowJournal::shorten(GlobalInstant at) {
  const JournalMemory::Range range = memory_.range();
  if (range.end - range.begin <= std::max(longest_journal, 2 * rewritten_bytes_)) return;
  std::string lines = to_line({at, "show", show_});
  for (const std::string& line : unknown_) lines += line;
  for (const OnceRequest& request : once_)
    lines += to_line({at, "once", {{"key", request.key}, {"answer", request.answer}}});
  written_sources_.clear();
  for (const JournalScene& one : scenes_) {
    add_sources(one.scene, at, lines);
    lines += to_line({at, "scene", scene_data(one, sources_)});
  }
  if (!cues_.is_null()) lines += to_line({at, "cues", cues_});
  for (const JournalLive& one : live_) lines += to_line({at, "live", live_data(one)});
  lines += to_line({at, "time", {{"delay_ns", delay_.count()}}});
  memory_.replace(lines);
  rewritten_bytes_ = lines.size();
  copy_soon();
}

}  // namespace tilewall::director
