#include "player/cues/cue.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "player/cues/revision.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::cues;

namespace {

scene::SourcePtr movie_of(const std::string& path, std::int64_t frames = 100) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::wall_movie;
  source.path = path;
  source.size_px = {640, 480};
  source.frames = frames;
  return std::make_shared<const scene::SourceSpec>(source);
}

scene::SourcePtr volume_of(const std::string& path) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::volume;
  source.path = path;
  source.frames = 100;
  source.box.half[0] = {1, 0, 0};
  source.box.half[1] = {0, 1, 0};
  source.box.half[2] = {0, 0, 1};
  return std::make_shared<const scene::SourceSpec>(source);
}

RegionSetting region_of(const std::string& name, const scene::SourcePtr& source) {
  RegionSetting setting;
  setting.name = name;
  setting.source = source;
  setting.play = PlayState{0, 0, source->frames};
  return setting;
}

RegionSetting change_of(const std::string& name) {
  RegionSetting setting;
  setting.name = name;
  return setting;
}

RegionSetting removal_of(const std::string& name) {
  RegionSetting setting = change_of(name);
  setting.removed = true;
  return setting;
}

Cue cue_of(const std::string& name, std::vector<RegionSetting> regions) {
  Cue cue;
  cue.name = name;
  cue.regions = std::move(regions);
  return cue;
}

/// Cues "0", "1", ... of which the first one shows a movie.
CueList numbered_list(std::size_t count) {
  CueList list;
  for (std::size_t i = 0; i < count; ++i) list.cues.push_back(cue_of(std::to_string(i), {}));
  list.cues.front().regions = {region_of("main", movie_of("a"))};
  return list;
}

/// Random lists that resolve: at most five regions, of which one always stays.
class RandomList {
 public:
  explicit RandomList(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) sources_.push_back(movie_of("movie" + std::to_string(i)));
    sources_.push_back(volume_of("volume"));
  }

  CueList make(std::size_t count) {
    CueList list;
    list.name = "random";
    list.file = "/shows/random.toml";
    list.bounce_s = 0.25;
    list.sections = {{"one", false, 0}, {"two", true, 0}, {"three", true, 4}};
    std::size_t section = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Cue cue = random_cue(std::to_string(i));
      if (one_in(4) && section < list.sections.size()) ++section;
      if (section > 0) cue.section = list.sections[section - 1].name;
      if (one_in(6)) cue.next = std::to_string(below(count));
      list.cues.push_back(std::move(cue));
    }
    return list;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  double share() { return static_cast<double>(below(1000)) / 999; }

  RectF rectangle() { return {share() * 10, share() * 10, 1 + share(), 2 + share()}; }

  PlayState play() {
    PlayState play;
    play.first = static_cast<std::int64_t>(below(50));
    play.end = play.first + 1 + static_cast<std::int64_t>(below(50));
    play.start = play.first +
                 static_cast<std::int64_t>(below(static_cast<std::size_t>(play.end - play.first)));
    play.loop = static_cast<sync::LoopMode>(below(3));
    play.rounds = static_cast<std::int64_t>(below(4));
    play.fps = {30'000, 1001};
    play.speed = {1 + static_cast<std::int64_t>(below(7)), 8};
    play.backwards = one_in(2);
    play.hold = one_in(2);
    return play;
  }

  RegionSetting setting(const std::string& name) {
    RegionSetting setting;
    setting.name = name;
    const bool is_new = alive_.insert(name).second;
    if (is_new || one_in(3)) {
      setting.source = sources_[below(sources_.size())];
      setting.play = play();
      if (setting.source->kind == scene::SourceKind::volume && one_in(2))
        setting.look = scene::usual_look(*setting.source, rectangle());
    }
    if (one_in(4)) setting.play = play();
    if (one_in(3)) setting.canvas_px = rectangle();
    if (one_in(3)) setting.view_px = rectangle();
    if (one_in(3)) setting.fit = static_cast<scene::FitMode>(below(3));
    if (one_in(3)) setting.opacity = share();
    if (one_in(3)) setting.blend = static_cast<scene::BlendMode>(below(2));
    if (one_in(3)) setting.difference_gain = 1 + share();
    if (one_in(3)) setting.group = one_in(2) ? "" : "g";
    if (one_in(3)) setting.glide_s = share();
    if (one_in(5)) setting.slate = "missing";
    return setting;
  }

  Cue random_cue(const std::string& name) {
    Cue cue = cue_of(name, {});
    if (one_in(3)) cue.number = name + ".5";
    if (one_in(3)) cue.note = "say \"hello\"\n";
    if (one_in(3)) cue.colour = "green";
    if (one_in(3)) cue.black = one_in(2);
    if (one_in(3)) cue.bezels = static_cast<wall::BezelMode>(below(2));
    if (one_in(3)) cue.content = static_cast<wall::ContentMode>(below(3));
    if (one_in(3)) cue.volume = 2 * share();
    if (one_in(3)) cue.mute = one_in(2);
    if (one_in(2)) cue.transition = {Transition::Kind::fade, 0.1 + share()};
    if (one_in(3)) cue.follow = Follow{static_cast<Follow::Kind>(below(3)), share()};
    if (one_in(4)) cue.compare = comparison();
    if (alive_.empty()) cue.regions.push_back(setting("stays"));
    for (const std::string region : {"a", "b", "c", "d"}) {
      if (alive_.contains(region) && one_in(4)) {
        alive_.erase(region);
        cue.regions.push_back(removal_of(region));
      } else if (one_in(3)) {
        cue.regions.push_back(setting(region));
      }
    }
    return cue;
  }

  CompareSetting comparison() {
    if (compares_ && one_in(3)) {
      compares_ = false;
      return {};
    }
    CompareSetting compare{static_cast<scene::CompareMode>(below(3)), nullptr, share(),
                           1 + share()};
    if (!compares_ || one_in(2)) compare.source = sources_[below(3)];
    compares_ = true;
    return compare;
  }

  std::mt19937 random_;
  std::vector<scene::SourcePtr> sources_;
  std::set<std::string> alive_;
  bool compares_ = false;
};

// The state of a cue found by looking back from it, field by field, instead of going through the
// cues.

const RegionSetting* setting_in(const Cue& cue, const std::string& name) {
  for (const RegionSetting& setting : cue.regions)
    if (setting.name == name) return &setting;
  return nullptr;
}

/// The newest value in cues [begin, index] that `get` finds; empty where there is none.
template <typename Value, typename Get>
std::optional<Value> newest(const CueList& list, std::size_t begin, std::size_t index, Get get) {
  for (std::size_t i = index + 1; i-- > begin;)
    if (const std::optional<Value> value = get(list.cues[i])) return value;
  return std::nullopt;
}

/// The cue that brought the region of cue `index`; empty where the region is not shown then.
std::optional<std::size_t> birth_of(const CueList& list, std::size_t index,
                                    const std::string& name) {
  std::optional<std::size_t> birth;
  for (std::size_t i = index + 1; i-- > 0;) {
    const RegionSetting* const setting = setting_in(list.cues[i], name);
    if (setting != nullptr && setting->removed) break;
    if (setting != nullptr) birth = i;
  }
  return birth;
}

RegionState looked_back(const CueList& list, std::size_t birth, std::size_t index,
                        const std::string& name) {
  const auto since = [&](std::size_t begin, auto member) {
    using Value =
        typename std::decay_t<decltype(std::declval<RegionSetting>().*member)>::value_type;
    return newest<Value>(list, begin, index, [&](const Cue& cue) {
      const RegionSetting* const setting = setting_in(cue, name);
      return setting == nullptr ? std::optional<Value>{} : setting->*member;
    });
  };
  std::size_t source_cue = index;
  while (setting_in(list.cues[source_cue], name) == nullptr ||
         setting_in(list.cues[source_cue], name)->source == nullptr)
    --source_cue;
  std::size_t begun_by = index;
  while (setting_in(list.cues[begun_by], name) == nullptr ||
         !setting_in(list.cues[begun_by], name)->play)
    --begun_by;
  RegionState state;
  state.name = name;
  state.source = setting_in(list.cues[source_cue], name)->source;
  state.canvas_px = since(birth, &RegionSetting::canvas_px).value_or(RectF{});
  state.view_px = since(source_cue, &RegionSetting::view_px);
  state.fit = since(birth, &RegionSetting::fit).value_or(scene::FitMode::contain);
  state.opacity = since(birth, &RegionSetting::opacity).value_or(1);
  state.blend = since(birth, &RegionSetting::blend).value_or(scene::BlendMode::over);
  state.difference_gain = since(birth, &RegionSetting::difference_gain).value_or(1);
  state.group = since(birth, &RegionSetting::group).value_or("");
  state.play = *since(birth, &RegionSetting::play);
  state.look = since(source_cue, &RegionSetting::look);
  for (std::size_t i = source_cue; i <= index; ++i)
    if (const RegionSetting* const one = setting_in(list.cues[i], name);
        one != nullptr && !one->slate.empty())
      state.slate = one->slate;
  const RegionSetting* const last = setting_in(list.cues[index], name);
  state.glide_s = last == nullptr ? 0 : last->glide_s;
  state.begun_by = begun_by;
  return state;
}

void check_same(const RegionState& a, const RegionState& b) {
  CHECK(a.name == b.name);
  CHECK(a.source == b.source);
  CHECK(a.canvas_px == b.canvas_px);
  CHECK(a.view_px == b.view_px);
  CHECK(a.fit == b.fit);
  CHECK(a.opacity == b.opacity);
  CHECK(a.blend == b.blend);
  CHECK(a.difference_gain == b.difference_gain);
  CHECK(a.group == b.group);
  CHECK(a.play == b.play);
  REQUIRE(a.look.has_value() == b.look.has_value());
  if (a.look) CHECK(scene::to_json(*a.look) == scene::to_json(*b.look));
  CHECK(a.slate == b.slate);
  CHECK(a.glide_s == b.glide_s);
  CHECK(a.begun_by == b.begun_by);
}

/// The regions of cue `index` in drawing order: by the cue that brought them, and by their order
/// within it.
std::vector<RegionState> regions_looked_back(const CueList& list, std::size_t index) {
  std::vector<RegionState> regions;
  for (std::size_t i = 0; i <= index; ++i)
    for (const RegionSetting& setting : list.cues[i].regions)
      if (birth_of(list, index, setting.name) == i)
        regions.push_back(looked_back(list, i, index, setting.name));
  return regions;
}

void check_comparison(const CueList& list, std::size_t index, const CueState& state) {
  std::optional<CompareSetting> expected;
  for (std::size_t i = 0; i <= index; ++i) {
    const std::optional<CompareSetting>& set = list.cues[i].compare;
    if (!set) continue;
    const scene::SourcePtr source = set->source ? set->source
                                    : expected  ? expected->source
                                                : nullptr;
    expected = set->mode ? set : std::nullopt;
    if (expected) expected->source = source;
  }
  REQUIRE(state.compare.has_value() == expected.has_value());
  if (!expected) return;
  CHECK(state.compare->mode == expected->mode);
  CHECK(state.compare->source == expected->source);
  CHECK(state.compare->line == expected->line);
  CHECK(state.compare->gain == expected->gain);
}

void check_looked_back(const CueList& list, std::size_t index, const CueState& state) {
  const auto last = [&](auto member) {
    using Value = typename std::decay_t<decltype(std::declval<Cue>().*member)>::value_type;
    return newest<Value>(list, 0, index, [&](const Cue& cue) { return cue.*member; });
  };
  CHECK(state.black == last(&Cue::black).value_or(false));
  CHECK(state.bezels == last(&Cue::bezels).value_or(wall::BezelMode::show));
  CHECK(state.content == last(&Cue::content).value_or(wall::ContentMode::arc_length));
  CHECK(state.volume == last(&Cue::volume).value_or(1));
  CHECK(state.muted == last(&Cue::mute).value_or(false));
  check_comparison(list, index, state);
  const std::vector<RegionState> expected = regions_looked_back(list, index);
  REQUIRE(state.regions.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) check_same(state.regions[i], expected[i]);
}

CueList through_json(const CueList& list) {
  return cue_list_from_json(nlohmann::json::parse(to_json(list).dump()));
}

void check_refused(const nlohmann::json& json, const std::string& field) {
  INFO(field);
  CHECK_THROWS_WITH(cue_list_from_json(json), Catch::StartsWith("message: " + field + ":"));
}

void check_same_source(const scene::SourcePtr& a, const scene::SourcePtr& b) {
  REQUIRE((a == nullptr) == (b == nullptr));
  if (a) CHECK(*a == *b);
}

void check_same_setting(const RegionSetting& a, const RegionSetting& b) {
  CHECK(a.name == b.name);
  CHECK(a.removed == b.removed);
  check_same_source(a.source, b.source);
  CHECK(a.canvas_px == b.canvas_px);
  CHECK(a.view_px == b.view_px);
  CHECK(a.fit == b.fit);
  CHECK(a.opacity == b.opacity);
  CHECK(a.blend == b.blend);
  CHECK(a.difference_gain == b.difference_gain);
  CHECK(a.group == b.group);
  CHECK(a.play == b.play);
  REQUIRE(a.look.has_value() == b.look.has_value());
  if (a.look) CHECK(scene::to_json(*a.look) == scene::to_json(*b.look));
  CHECK(a.glide_s == b.glide_s);
  CHECK(a.slate == b.slate);
}

void check_same_cue(const Cue& a, const Cue& b) {
  CHECK(a.name == b.name);
  CHECK(a.number == b.number);
  CHECK(a.note == b.note);
  CHECK(a.colour == b.colour);
  CHECK(a.section == b.section);
  CHECK(a.black == b.black);
  CHECK(a.bezels == b.bezels);
  CHECK(a.content == b.content);
  CHECK(a.volume == b.volume);
  CHECK(a.mute == b.mute);
  CHECK(a.transition == b.transition);
  CHECK(a.follow == b.follow);
  CHECK(a.next == b.next);
  REQUIRE(a.compare.has_value() == b.compare.has_value());
  if (a.compare) {
    CHECK(a.compare->mode == b.compare->mode);
    check_same_source(a.compare->source, b.compare->source);
    CHECK(a.compare->line == b.compare->line);
    CHECK(a.compare->gain == b.compare->gain);
  }
  REQUIRE(a.regions.size() == b.regions.size());
  for (std::size_t i = 0; i < a.regions.size(); ++i) check_same_setting(a.regions[i], b.regions[i]);
}

}  // namespace

TEST_CASE("a cue has what the newest cue up to it sets", "[cues]") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const CueList list = RandomList(seed).make(25);
    CueState state;
    for (std::size_t index = 0; index < list.cues.size(); ++index) {
      CAPTURE(index);
      apply_cue(list, index, state);
      check_looked_back(list, index, state);
      check_looked_back(list, index, resolve(list, index, {}));
    }
  }
}

TEST_CASE("cues begin with the state before the first one", "[cues]") {
  CueState start;
  RegionState shown;
  shown.name = "main";
  shown.source = movie_of("before");
  shown.play.end = 100;
  start.regions = {shown};
  start.bezels = wall::BezelMode::hide;
  CueList list;
  list.cues = {cue_of("first", {})};
  list.cues[0].black = true;
  const CueState state = resolve(list, 0, start);
  CHECK(state.regions.at(0).source == shown.source);
  CHECK(state.bezels == wall::BezelMode::hide);
  CHECK(state.black);
}

TEST_CASE("another source in a cue leaves nothing of the one before", "[cues]") {
  CueList list;
  list.cues = {cue_of("one", {region_of("main", movie_of("gone"))}), cue_of("two", {})};
  RegionSetting& setting = list.cues[0].regions[0];
  setting.slate = "gone.mp4\nno such file";
  setting.view_px = RectF{10, 10, 100, 100};
  setting.fit = scene::FitMode::cover;
  Revision revision;
  revision.cue = cue_of("one", {change_of("main")});
  revision.cue.regions[0].opacity = 0.5;
  revision.entry.name = "one";
  revise(list, revision, {});
  CHECK(list.cues[0].regions[0].slate == "gone.mp4\nno such file");
  CHECK(list.cues[0].regions[0].view_px);
  CHECK(list.cues[0].regions[0].opacity == 0.5);
  revision.cue = cue_of("one", {region_of("main", movie_of("found"))});
  revise(list, revision, {});
  const RegionSetting& revised = list.cues[0].regions[0];
  CHECK(revised.source->path == "found");
  CHECK(revised.slate.empty());
  CHECK_FALSE(revised.view_px);
  CHECK(revised.fit == scene::FitMode::cover);
  CHECK(revised.opacity == 0.5);
  CHECK(list.unsaved.size() == 1);
}

TEST_CASE("a cue that cannot be resolved is named", "[cues]") {
  CueList list = numbered_list(2);
  list.file = "a.toml";
  Cue& cue = list.cues[1];
  const auto refusal = [&] {
    try {
      static_cast<void>(resolve(list, 1, {}));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  SECTION("a region that is not there is removed") {
    cue.regions = {removal_of("left")};
    CHECK(
        refusal() ==
        "a.toml: cue \"1\".region \"left\": expected a region of a cue before, found none of this "
        "name");
  }
  SECTION("a region that is not there is changed") {
    cue.regions = {change_of("left")};
    CHECK(refusal() ==
          "a.toml: cue \"1\".region \"left\": expected an input, because no cue before has this "
          "region, found none");
  }
  SECTION("no region is left") {
    cue.regions = {removal_of("main")};
    CHECK(refusal() ==
          "a.toml: cue \"1\".region: expected at least one region on the wall, found none after "
          "this cue");
  }
  SECTION("there are too many regions") {
    for (int i = 0; i < 64; ++i)
      cue.regions.push_back(region_of("r" + std::to_string(i), movie_of("b")));
    CHECK(refusal() ==
          "a.toml: cue \"1\".region: expected at most 64 regions on the wall, found 65");
  }
  SECTION("a comparison has no second movie") {
    cue.compare = CompareSetting{scene::CompareMode::swipe, nullptr, 0.5, 1};
    CHECK(
        refusal() ==
        "a.toml: cue \"1\".compare: expected an input, because no comparison is shown, found none");
  }
  SECTION("a range lies beyond the movie's end") {
    RegionSetting beyond = change_of("main");
    beyond.play = PlayState{0, 0, 101};
    cue.regions = {beyond};
    CHECK(refusal() ==
          "a.toml: cue \"1\".region \"main\": expected a range within 100 frames, found one up to "
          "101");
  }
}

TEST_CASE("a cue is found by its name, or by its number", "[cues]") {
  CueList list = numbered_list(3);
  list.cues[1].name = "Intro";
  list.cues[2].name = "Jet";
  list.cues[1].number = "12.5";
  CHECK(list.index_of("Intro") == 1);
  CHECK(list.index_of("12.5") == 1);
  CHECK(list.index_of("Jet") == 2);
  CHECK_THROWS_WITH(list.index_of("Intor"),
                    "show: cue: expected the name or number of a cue (the nearest is \"Intro\"), "
                    "found \"Intor\"");
  CHECK_THROWS_AS(list.index_of(""), InputError);
  CHECK_THROWS_AS(list.index_of(std::string(1 << 20, 'x')), InputError);
}

TEST_CASE("the next cue is the one behind, the section's first, or the named one", "[cues]") {
  CueList list = numbered_list(6);
  list.sections = {{"plain", false, 0}, {"twice", true, 2}, {"for ever", true, 0}};
  list.cues[1].section = "plain";
  list.cues[2].section = list.cues[3].section = "twice";
  list.cues[4].section = list.cues[5].section = "for ever";
  CHECK(next_of(list, 0, 0) == NextCue{1, false});
  CHECK(next_of(list, 1, 0) == NextCue{2, false});
  CHECK(next_of(list, 2, 0) == NextCue{3, false});
  CHECK(next_of(list, 3, 0) == NextCue{2, true});
  CHECK(next_of(list, 3, 1) == NextCue{4, false});
  CHECK(next_of(list, 5, 0) == NextCue{4, true});
  CHECK(next_of(list, 5, 1'000'000) == NextCue{4, true});
  list.cues[5].section = "plain";
  CHECK_FALSE(next_of(list, 5, 0));
  list.cues[5].next = "3";
  CHECK(next_of(list, 5, 0) == NextCue{3, false});
  list.cues[3].next = "3";
  CHECK(next_of(list, 3, 0) == NextCue{3, false});
  list.cues[3].next = "gone";
  CHECK_THROWS_AS(next_of(list, 3, 0), InputError);
}

TEST_CASE("a list of cues survives its JSON", "[cues]") {
  for (unsigned seed = 100; seed < 140; ++seed) {
    CAPTURE(seed);
    const CueList list = RandomList(seed).make(25);
    const CueList back = through_json(list);
    CHECK(back.name == list.name);
    CHECK(back.file == list.file);
    CHECK(back.bounce_s == list.bounce_s);
    CHECK(back.sections == list.sections);
    REQUIRE(back.cues.size() == list.cues.size());
    for (std::size_t i = 0; i < list.cues.size(); ++i) check_same_cue(back.cues[i], list.cues[i]);
  }
}

TEST_CASE("equal sources are sent once, and shared on the other side", "[cues]") {
  CueList list = numbered_list(3);
  list.cues[1].regions = {region_of("main", movie_of("b"))};
  list.cues[2].regions = {region_of("main", movie_of("a"))};
  CHECK(to_json(list)["sources"].size() == 2);
  const CueList back = through_json(list);
  CHECK(back.cues[0].regions[0].source == back.cues[2].regions[0].source);
}

TEST_CASE("equal styles of volumes are sent once", "[cues]") {
  CueList list = numbered_list(2);
  for (Cue& cue : list.cues) {
    cue.regions = {region_of("volume", volume_of("v"))};
    cue.regions[0].look = scene::usual_look(*cue.regions[0].source, {0, 0, 2, 1});
  }
  const nlohmann::json json = to_json(list);
  CHECK(json["styles"].size() == 1);
  CHECK(json["cues"][1]["regions"][0]["look"]["style"] == 0);
  nlohmann::json wrong = json;
  wrong["cues"][1]["regions"][0]["look"]["style"] = 1;
  check_refused(wrong, "style");
}

TEST_CASE("lists of cues that do not hold together are refused", "[cues]") {
  CueList list = numbered_list(3);
  list.sections = {{"one", true, 2}};
  list.cues[2].section = "one";
  const nlohmann::json good = to_json(list);
  const auto with = [&](const std::string& path, nlohmann::json value) {
    nlohmann::json json = good;
    json[nlohmann::json::json_pointer(path)] = std::move(value);
    return json;
  };
  check_refused(nlohmann::json(7), "bounce_s");
  check_refused(with("/bounce_s", -1), "bounce_s");
  check_refused(with("/cues", nlohmann::json::array()), "cues");
  check_refused(with("/cues", 7), "cues");
  check_refused(with("/sections/0/rounds", -1), "rounds");
  check_refused(with("/cues/1/name", "0"), "name");
  check_refused(with("/cues/1/name", ""), "name");
  check_refused(with("/cues/1/number", "2"), "number");
  check_refused(with("/cues/1/next", "9"), "next");
  check_refused(with("/cues/1/section", "two"), "section");
  check_refused(with("/cues/1/volume", 2.5), "volume");
  check_refused(with("/cues/1/transition/kind", "wipe"), "kind");
  check_refused(with("/cues/0/regions/0/source", 1), "source");
  check_refused(with("/cues/0/regions/0/look", {{"style", 0}}), "camera");
  check_refused(with("/sources", 1), "sources");
  check_refused(with("/styles", 1), "styles");
  check_refused(with("/cues/0/regions/0/play/start", 100), "play");
  nlohmann::json empty = good;
  nlohmann::json& play = empty["cues"][0]["regions"][0]["play"];
  play["first"] = play["end"] = play["start"] = 5;
  check_refused(empty, "play");
  check_refused(with("/cues/0/regions/0/play/speed", {0, 1}), "speed");
  check_refused(with("/cues/0/regions/1", good["cues"][0]["regions"][0]), "regions");
  nlohmann::json without = good;
  without["cues"][0]["regions"][0].erase("play");
  check_refused(without, "play");
}
