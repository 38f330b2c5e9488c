#include "player/director/cues/cue_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/connections/request_fields.hpp"
#include "player/director/cues/cue_revision.hpp"
#include "player/director/verbs/detail_step.hpp"
#include "player/scene/operator_messages.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/saturating.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds typing_pause{3};  // a number that is not finished is forgotten
constexpr std::size_t longest_number = 16;
// A panel that cannot get ready in this time does not hold up the others.
constexpr std::chrono::seconds longest_arming{5};
// A cue that follows by itself is asked for so long before it has to be: a turn of the director.
constexpr std::chrono::milliseconds follow_margin{50};

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json cue_json(const cues::Cue& cue, std::size_t index) {
  return {{"index", index},
          {"name", cue.name},
          {"number", text_or_null(cue.number)},
          {"section", text_or_null(cue.section)},
          {"note", text_or_null(cue.note.value_or(""))},
          {"colour", text_or_null(cue.colour)}};
}

/// A wall that shows no cue of the list.
Json no_cue_json() {
  Json json;
  for (const char* const field : {"index", "name", "number", "section", "note", "colour"})
    json[field] = nullptr;
  return json;
}

/// The next instant with this time of day, by local time, from `day` on.
std::chrono::system_clock::time_point next_time_of_day(std::chrono::system_clock::time_point day,
                                                       double seconds) {
  const std::time_t now = std::chrono::system_clock::to_time_t(day);
  std::tm local{};
  ::localtime_r(&now, &local);
  for (int days = 0; days < 3; ++days) {
    std::tm wanted = local;
    wanted.tm_mday += days;
    wanted.tm_hour = wanted.tm_min = 0;
    wanted.tm_sec = static_cast<int>(seconds);
    wanted.tm_isdst = -1;
    const auto at = std::chrono::system_clock::from_time_t(std::mktime(&wanted));
    if (at >= day) return at;
  }
  return day;
}

/// The figure or point that a key stands for while a number is typed; empty for other keys.
std::optional<char> figure_of(present::OperatorKey key) {
  using present::OperatorKey;
  static const std::map<OperatorKey, char> figures = {
      {OperatorKey::less_contrast, '1'}, {OperatorKey::more_contrast, '2'},
      {OperatorKey::darker, '3'},        {OperatorKey::brighter, '4'},
      {OperatorKey::fainter, '5'},       {OperatorKey::denser, '6'},
      {OperatorKey::lower_iso, '7'},     {OperatorKey::higher_iso, '8'},
      {OperatorKey::volume_down, '9'},   {OperatorKey::volume_up, '0'},
      {OperatorKey::step_forward, '.'}};
  const auto found = figures.find(key);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

ApplyCommand set_panic() {
  return [](SceneChange& change) { change.panic(); };
}

ApplyCommand set_resume() {
  return [](SceneChange& change) { change.resume(); };
}

ApplyCommand set_freeze(std::optional<bool> on) {
  return [on](SceneChange& change) {
    change.set_frozen(on.value_or(!change.draft().frozen_at.has_value()));
  };
}

/// The inputs of a list that show a placeholder. Those that were left out are not known.
std::vector<MissingCueInput> missing_inputs(const cues::CueList& list) {
  std::vector<MissingCueInput> missing;
  for (const cues::Cue& cue : list.cues)
    for (const cues::RegionSetting& region : cue.regions) {
      if (region.slate.empty()) continue;
      missing.push_back({cue.name, region.name, region.slate});
      std::ranges::replace(missing.back().why, '\n', ' ');
    }
  return missing;
}

/// Throws InputError where the change could not be read again from a show file, by the next
/// director for instance.
void check_writable(const cues::CueEntry& change) {
  std::string why;
  try {
    if (cues::changes_from_text(cues::changes_text({change})) == std::vector{change}) return;
    why = "names or values that it cannot hold";
  } catch (const InputError& error) {
    why = error.what();
  }
  throw InputError({"cue update"}, "", "what a show file can hold", why);
}

}  // namespace

CueDesk::CueDesk(const wall::Wall& wall, std::optional<CueShow> show)
    : wall_(wall), show_(std::move(show)) {}

void CueDesk::replace(cues::CueList list, const scene::Scene& scene) {
  if (scene.cue) static_cast<void>(list.index_of(scene.cue->cue));
  go_on_with(std::move(list));
}

void CueDesk::check(const cues::CueList& list) const {
  cues::CueState state = show_->before;
  for (std::size_t i = 0; i < list.cues.size(); ++i) cues::apply_cue(list, i, state);
}

void CueDesk::forget_load(std::uint64_t load) {
  if (!coming_ || coming_->load != load) return;
  coming_.reset();
  gone_to_.reset();
  is_armed_ = false;
  ++edition_;
}

CueDesk::CueCommand CueDesk::load(cues::CueList list, std::size_t index) {
  check(list);
  const std::uint64_t number = ++newest_go_;
  coming_ = Coming{std::move(list), index, number};
  gone_to_.reset();
  is_armed_ = false;
  ++edition_;
  const auto ready = [this, number, index](GlobalInstant now) {
    if (number == newest_go_ && asked_.go != number) asked_ = {number, now};
    // A list that was reloaded meanwhile, or another way to a cue, has taken its place.
    return number != newest_go_ || !coming_ || is_ready_for(index, now);
  };
  const auto apply = [this, number, index](SceneChange& change) {
    if (number != newest_go_ || !coming_)
      throw InputError({"show"}, "load", "no other way to a cue before it", "another one");
    const CueChange to = change_in(coming_->list, index, std::nullopt, change.draft());
    go_on_with(cues::CueList(coming_->list));
    change.go_to(to);
    went_at_ = change.at();
  };
  return {apply, ready, number};
}

void CueDesk::go_on_with(cues::CueList list) {
  check(list);
  coming_.reset();
  is_armed_ = false;
  followed_since_ = {};  // the list may have another cue to follow
  show_->list = std::move(list);
  show_->missing = missing_inputs(show_->list);
  gone_to_.reset();
  ++edition_;
}

void CueDesk::set_note(std::size_t index, const std::string& note) {
  TW_CHECK(index < list().cues.size(), "a cue of the list");
  cues::Revision revision;
  revision.entry.name = revision.cue.name = list().cues[index].name;
  revision.entry.note = revision.cue.note = note;
  cues::revise(show_->list, revision, show_->before);
}

bool CueDesk::update(const scene::Scene& scene, GlobalInstant now) {
  const auto index = current(scene);
  if (!index)
    throw InputError({"cue update"}, "", "a cue on the wall", "none of the list (ctl goto)");
  const ResolvedCue cue{list().cues[*index].name, *index,
                        cues::resolve(list(), *index, show_->before)};
  const SizePx canvas_px = wall::Canvas(wall_, scene.bezels, scene.content).size_px();
  const auto revision = revision_of(cue, scene, canvas_px, now);
  if (!revision) return false;
  check_writable(revision->entry);
  cues::revise(show_->list, *revision, show_->before);
  ++edition_;
  return true;
}

void CueDesk::note_saved(const std::vector<cues::CueEntry>& changes) {
  std::erase_if(show_->list.unsaved, [&](const cues::CueEntry& unsaved) {
    return std::ranges::find(changes, unsaved) != changes.end();
  });
}

std::vector<MissingCueInput> CueDesk::missing_of(const std::string& cue) const {
  std::vector<MissingCueInput> missing;
  std::ranges::copy_if(show_->missing, std::back_inserter(missing),
                       [&](const MissingCueInput& one) { return one.cue == cue; });
  return missing;
}

std::optional<std::size_t> CueDesk::current(const scene::Scene& scene) const {
  if (!scene.cue) return std::nullopt;
  const auto found = std::ranges::find(list().cues, scene.cue->cue, &cues::Cue::name);
  if (found == list().cues.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list().cues.begin());
}

std::optional<cues::NextCue> CueDesk::following(const scene::Scene& scene) const {
  const auto index = current(scene);
  if (!index) return cues::NextCue{0, false};
  return cues::next_of(list(), *index, scene.cue->rounds);
}

std::optional<std::size_t> CueDesk::next(const scene::Scene& scene) const {
  const auto following = this->following(scene);
  return following ? std::optional(following->index) : std::nullopt;
}

const std::string& CueDesk::name_to_arm(std::size_t index) const {
  return list_to_arm().cues.at(index).name;
}

std::optional<std::size_t> CueDesk::wanted(const scene::Scene& scene) const {
  if (coming_) return coming_->index;
  if (gone_to_) return gone_to_->index;
  if (scene.cue && !scene.cue->armed.empty()) {
    const auto armed = std::ranges::find(list().cues, scene.cue->armed, &cues::Cue::name);
    if (armed != list().cues.end()) return static_cast<std::size_t>(armed - list().cues.begin());
  }
  return next(scene);
}

CueChange CueDesk::change_to(std::size_t index, const scene::Scene& from) const {
  return change_in(list(), index, current(from), from);
}

CueChange CueDesk::change_in(const cues::CueList& list, std::size_t index,
                             std::optional<std::size_t> shown, const scene::Scene& from) const {
  TW_CHECK(index < list.cues.size(), "a cue of the list");
  const cues::Cue& cue = list.cues[index];
  CueChange change;
  change.after = cues::resolve(list, index, show_->before);
  if (shown) change.before = cues::resolve(list, *shown, show_->before);
  change.transition = cue.transition;
  change.canvas_px = wall::Canvas(wall_, change.after.bezels, change.after.content).size_px();
  change.position.cue = cue.name;
  if (shown && list.cues[*shown].section == cue.section) change.position.rounds = from.cue->rounds;
  change.position.is_last = !cues::next_of(list, index, change.position.rounds);
  return change;
}

scene::Scene CueDesk::first_scene(scene::Scene scene, std::size_t index) const {
  CueChange change = change_to(index, scene);
  change.transition = {};
  SceneChange first(scene, scene::never, Nanos(0));
  first.go_to(change);
  scene::Scene made = first.draft();
  made.since = scene::never;
  made.tick_grid = first.finish().tick_grid;
  return made;
}

scene::Scene CueDesk::scene_to_arm(std::size_t index, const scene::Scene& from) const {
  CueChange to =
      coming_ ? change_in(coming_->list, index, std::nullopt, from) : change_to(index, from);
  to.transition = {};  // panels get ready for what the cue brings, without what leaves the wall
  SceneChange change(from, scene::never, Nanos(0));
  change.go_to(to);
  scene::Scene scene = change.finish();
  // The next tick of a movie that goes on would come after the last instant that there is.
  scene.tick_grid.start = scene::never;
  // Black may be over by the time that the cue is gone to, and its pictures are drawn for that.
  scene.blank = scene.panic = false;
  set_stages(scene, from);
  return scene;
}

void CueDesk::note_armed(std::optional<std::size_t> index, bool is_ready) {
  armed_ = index;
  is_armed_ = is_ready;
}

bool CueDesk::is_ready_for(std::size_t index, GlobalInstant now) {
  if (goes_unarmed_ || (armed_ == index && is_armed_)) return true;
  if (!gone_to_ || gone_to_->index != index) gone_to_ = Wanted{index, now};
  return now > gone_to_->since + longest_arming;
}

CueDesk::CueCommand CueDesk::go_to(const Go& go) {
  if (coming_) forget_load(coming_->load);
  gone_to_.reset();  // who goes to a cue takes the place of who waits for one
  const std::uint64_t number = ++newest_go_;
  const std::string name = list().cues[go.index].name;
  const auto ready = [this, name, number](GlobalInstant now) {
    if (number == newest_go_ && asked_.go != number) asked_ = {number, now};
    const auto found = std::ranges::find(list().cues, name, &cues::Cue::name);
    // A list that was loaded since may lack the cue, which is then refused.
    return number != newest_go_ || found == list().cues.end() ||
           is_ready_for(static_cast<std::size_t>(found - list().cues.begin()), now);
  };
  const auto apply = [this, name, number, go](SceneChange& change) {
    if (number != newest_go_) return;
    gone_to_.reset();
    const std::optional<scene::CuePosition>& cue = change.draft().cue;
    // Several people may go on at once, and all mean the same cue.
    const std::size_t index = list().index_of(name);
    if (current(change.draft()) == index && !go.begins_again) {
      if (!go.from) followed_since_ = {};  // a cue that was about to follow does so
      return;
    }
    if (go.from && cue && cue->since != *go.from) return;
    CueChange to = change_to(index, change.draft());
    if (go.begins_again) {
      to.before.reset();
      ++to.position.rounds;
    }
    change.go_to(to);
    went_at_ = change.at();
  };
  return {apply, ready};
}

CueDesk::CueCommand CueDesk::go(const scene::Scene& scene, GlobalInstant now) {
  const auto following = this->following(scene);
  if (!following)
    throw InputError({"next"}, "", "a cue after this one",
                     fmt::format("the last one, {}", scene.cue->cue));
  const Nanos bounce = sync::saturating_nanos(list().bounce_s * 1e9);
  if (went_at_ && now < *went_at_ + bounce) return {[](SceneChange&) {}};
  Go go{following->index, following->begins_again, std::nullopt};
  if (scene.cue) go.from = scene.cue->since;
  return go_to(go);
}

CueDesk::CueCommand CueDesk::command_to(std::string_view cue, bool begins_again) {
  return {go_to({list().index_of(cue), begins_again, std::nullopt}).apply};
}

CueDesk::CueCommand CueDesk::go_back(const scene::Scene& scene) {
  const std::size_t index = current(scene).value_or(0);
  if (index == 0)
    throw InputError({"previous"}, "", "a cue before this one",
                     fmt::format("the first one, {}", list().cues.front().name));
  return go_to({index - 1});
}

std::optional<CueDesk::CueCommand> CueDesk::command_of(const Json& request,
                                                       const scene::Scene& scene,
                                                       GlobalInstant now) {
  RequestFields fields(request);
  const std::string& verb = fields.verb();
  constexpr std::string_view of_any_show[] = {"panic", "resume", "freeze", "cue"};
  constexpr std::string_view of_cues[] = {"next", "previous", "goto"};
  const bool is_ours = std::ranges::find(of_any_show, verb) != std::end(of_any_show) ||
                       (is_presenting() && std::ranges::find(of_cues, verb) != std::end(of_cues));
  const std::string who = fields.text_or("as", std::string(operator_name));
  if (is_ours && who != operator_name)
    fields.refuse("as", std::string(operator_name), '"' + who + '"');
  // A command that goes to a cue takes the place of others as soon as it is made.
  const auto checked = [&](auto&& make) {
    fields.check_all_known();
    return std::optional<CueCommand>(make());
  };
  if (verb == "key" && who == operator_name) {
    const auto key = scene::parse_key(fields.text("key"));
    fields.check_all_known();
    return key ? command_of_key(*key, scene, now) : std::nullopt;
  }
  if (verb == "panic") return checked([] { return CueCommand{set_panic()}; });
  if (verb == "resume") return checked([] { return CueCommand{set_resume()}; });
  if (verb == "freeze") {
    const auto on = fields.has("on") ? std::optional(fields.flag("on")) : std::nullopt;
    return checked([on] { return CueCommand{set_freeze(on)}; });
  }
  if (!is_presenting()) {
    if (verb == "cue") fields.refuse("", "a presentation (tilewall present)", "another show");
    return std::nullopt;
  }
  if (verb == "next") {
    const std::string cue = fields.text_or("cue", "");
    return checked([&] { return cue.empty() ? go(scene, now) : go_to({list().index_of(cue)}); });
  }
  if (verb == "previous") return checked([&] { return go_back(scene); });
  if (verb == "goto") {
    const auto item = fields.whole_if("item");
    const std::string name = item ? std::to_string(*item) : fields.text("name");
    return checked([&] { return go_to({list().index_of(name)}); });
  }
  if (verb != "cue") return std::nullopt;
  const std::string what = fields.text("verb");
  const std::size_t index = list().index_of(fields.text("cue"));
  if (what != "arm") fields.refuse("verb", "arm", '"' + what + '"');
  return checked([&] {
    return CueCommand{[name = list().cues[index].name](SceneChange& change) { change.arm(name); }};
  });
}

CueDesk::CueCommand CueDesk::take_number() {
  const std::string number = std::exchange(typed_, {});
  const bool is_known =
      std::ranges::any_of(list().cues, [&](const cues::Cue& cue) { return cue.number == number; });
  if (number.empty() || !is_known)
    return {[number](SceneChange& change) { change.show_hint("no cue " + number); }};
  return go_to({list().index_of(number)});
}

std::optional<CueDesk::CueCommand> CueDesk::command_of_key(present::OperatorKey key,
                                                           const scene::Scene& scene,
                                                           GlobalInstant now) {
  using present::OperatorKey;
  if (!is_presenting()) return std::nullopt;
  const auto hinted = [](auto&& make) -> CueCommand {
    try {
      return make();
    } catch (const InputError& error) {
      return {[text = std::string(error.what())](SceneChange& change) { change.show_hint(text); }};
    }
  };
  if (const auto figure = figure_of(key)) {
    if (now > typed_at_ + typing_pause || typed_.size() >= longest_number) typed_.clear();
    typed_ += *figure;
    typed_at_ = now;
    return CueCommand{[text = "cue " + typed_](SceneChange& change) { change.show_hint(text); }};
  }
  switch (key) {
    case OperatorKey::forward_far:
    case OperatorKey::next_item:
      return hinted([&] { return go(scene, now); });
    case OperatorKey::back_far:
    case OperatorKey::previous_item:
      return hinted([&] { return go_back(scene); });
    case OperatorKey::enter:
      return typed_.empty() ? hinted([&] { return go(scene, now); }) : take_number();
    default:
      return std::nullopt;
  }
}

std::optional<GlobalInstant> CueDesk::follow_at(const scene::Scene& scene,
                                                const CueTime& now) const {
  const auto index = current(scene);
  if (!index || scene.since >= scene::never) return std::nullopt;
  const std::optional<cues::Follow>& follow = list().cues[*index].follow;
  if (!follow) return std::nullopt;
  if (follow->kind == cues::Follow::Kind::after)
    return scene.cue->since + sync::saturating_nanos(follow->seconds * 1e9);
  if (follow->kind == cues::Follow::Kind::at_end) return movies_end(scene.regions);
  const auto since_day = now.day + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                       scene.cue->since - now.global);
  const Nanos until = next_time_of_day(since_day, follow->seconds) - now.day;
  return now.global + until;
}

std::optional<Command> CueDesk::follow(const scene::Scene& scene, const CueTime& now, Nanos lead) {
  if (!is_presenting() || !scene.cue || scene.cue->since == followed_since_) return std::nullopt;
  if (gone_to_) return std::nullopt;  // somebody has gone to another cue, which is awaited
  const auto at = follow_at(scene, now);
  if (!at || now.global + lead + follow_margin < *at || !following(scene)) return std::nullopt;
  followed_since_ = scene.cue->since;
  const GlobalInstant past_bounce{Nanos::max() / 2};
  CueCommand next = go(scene, past_bounce);
  asked_ = {newest_go_, *at};
  return Command{std::move(next.apply), {}, *at, false, std::move(next.ready)};
}

std::optional<GlobalInstant> CueDesk::ends_at(const scene::Scene& scene, const CueTime& now) const {
  if (gone_to_ || following(scene)) return std::nullopt;
  return follow_at(scene, now);
}

Json CueDesk::status(const scene::Scene& scene, const CueTime& now) const {
  const auto index = current(scene);
  Json json = index ? cue_json(list().cues[*index], *index) : no_cue_json();
  json["show"] = list().name;
  json["file"] = text_or_null(list().file);
  json["cues"] = list().cues.size();
  json["unsaved"] = list().unsaved.size();
  json["kiosk"] = json_or_null(list().kiosk);
  json["bezels"] = wall::bezel_mode_names[static_cast<std::size_t>(show_->before.bezels)];
  json["content"] = std::string(wall::to_string(show_->before.content));
  const auto seconds_to = [&](GlobalInstant at) {
    return std::chrono::duration<double>(at - now.global).count();
  };
  const bool has_begun = scene.cue && scene.since < scene::never;
  json["for_s"] = has_begun ? Json(-seconds_to(scene.cue->since)) : Json(nullptr);
  json["rounds"] = scene.cue ? scene.cue->rounds : 0;
  const auto follows = follow_at(scene, now);
  json["follows_in_s"] = follows ? Json(std::max(0.0, seconds_to(*follows))) : Json(nullptr);
  const auto next = this->next(scene);
  json["next"] = next ? cue_json(list().cues[*next], *next) : Json(nullptr);
  return json;
}

Json CueDesk::list_json(const scene::Scene& scene, std::size_t first, std::size_t most) const {
  const std::size_t end = std::min(list().cues.size(), first + std::min(most, list().cues.size()));
  Json json = Json::array();
  for (std::size_t i = first; i < end; ++i) json.push_back(cue_json(list().cues[i], i));
  const auto index = current(scene);
  return {
      {"cues", std::move(json)}, {"count", list().cues.size()}, {"current", json_or_null(index)}};
}

}  // namespace tilewall::director
