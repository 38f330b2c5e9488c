#include "tests/unit/player/cues/random_show.hpp"

namespace tilewall::cues {

std::string RandomShow::text() {
  static const std::string texts[] = {"plain",       "two words",    "\"quoted\" \\ back",
                                      "Grüße, 你好", "# no comment", "a = [1, 2]",
                                      "'''",         "\"\"\"",       "12",
                                      "1.50"};
  return texts[below(std::size(texts))];
}

Rational RandomShow::ratio(std::int64_t most) {
  const auto den = static_cast<std::int64_t>(1 + below(8));
  return reduced(static_cast<std::int64_t>(
                     den + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - den)))),
                 den);
}

Place RandomShow::place() {
  Place place;
  place.unit = static_cast<Place::Unit>(below(4));
  if (place.unit == Place::Unit::panels) {
    place.panels = {"c0r0"};
    if (one_in(2)) place.panels.push_back("c1r2");
  } else if (place.unit == Place::Unit::share) {
    place.rect = {1.0 / 3, share() / 2, 2.0 / 3, share() / 2};
  } else {
    place.rect = {share(), 100 * share(), 1e4 * share(), 480};
  }
  return place;
}

void RandomShow::set_timeline(RegionEntry& region) {
  if (one_in(3)) region.in = static_cast<std::int64_t>(below(100));
  if (one_in(3)) region.out = region.in.value_or(0) + static_cast<std::int64_t>(below(100));
  if (one_in(4)) region.start = region.in.value_or(region.out.value_or(7));
  if (one_in(3)) region.loop = static_cast<Looping>(below(3));
  if (region.loop && region.loop != Looping::once && one_in(2))
    region.rounds = static_cast<std::int64_t>(1 + below(9));
  if (one_in(4)) region.fps = one_in(2) ? Rational{30'000, 1001} : ratio(100);
  if (one_in(4)) region.speed = ratio(16);
  if (region.speed && one_in(2)) region.speed->num = -region.speed->num;
  if (one_in(4)) region.hold = one_in(2);
}

void RandomShow::set_volume(RegionEntry& region) {
  if (one_in(2)) region.volume["tf"] = text();
  if (one_in(2)) region.volume["opacity"] = "0.25";
  if (one_in(2)) region.volume["fov"] = one_in(2) ? "true" : "40";
  if (one_in(2)) region.volume["lit"] = one_in(2) ? "true" : "false";
  if (one_in(2)) region.volume["plane"] = one_in(2) ? "1,0,0,5" : "1,0,0,5;0,1,0,-2;0,0,1,0";
  if (one_in(2)) region.volume["level"] = "-0";
}

RegionEntry RandomShow::region(const std::string& name) {
  RegionEntry region;
  region.name = name;
  if (name != "main" && one_in(5)) {
    region.remove = true;
    return region;
  }
  if (one_in(2)) region.inputs = {text()};
  if (one_in(6)) region.inputs = {"a.mp4", text(), "pattern:grid"};
  if (one_in(3)) region.place = place();
  if (one_in(4)) region.view_px = RectF{share(), 0, 640, 1e6 * share()};
  if (one_in(4)) region.fit = "cover";
  if (one_in(3)) region.opacity = one_in(2) ? 0 : share();
  if (one_in(4)) region.blend = "difference";
  if (one_in(4)) region.difference_gain = 1 + 254 * share();
  if (one_in(4)) region.group = one_in(2) ? "" : text();
  set_timeline(region);
  if (one_in(4)) set_volume(region);
  if (one_in(4)) region.glide_s = 60 * share();
  if (one_in(5)) region.missing = static_cast<MissingInput>(below(3));
  return region;
}

CompareEntry RandomShow::comparison() {
  if (one_in(4)) return {"off", "", {}, {}};
  CompareEntry compare{"swipe", one_in(2) ? text() : "", {}, {}};
  if (one_in(2)) compare.line = share();
  if (one_in(2)) compare.gain = 1 + share();
  return compare;
}

CueEntry RandomShow::cue(const std::string& name) {
  CueEntry cue;
  cue.name = name;
  if (one_in(2)) cue.number = name + ".5";
  if (one_in(3)) cue.note = one_in(2) ? text() : "first\n\n" + text() + "\nlast\"\"\"\r\n";
  if (one_in(3)) cue.colour = "purple";
  if (one_in(4)) cue.black = one_in(2);
  if (one_in(4)) cue.compare = comparison();
  if (one_in(4)) cue.bezels = one_in(2) ? "hide" : "show";
  if (one_in(4)) cue.content = "eye";
  if (one_in(3)) cue.volume = 2 * share();
  if (one_in(4)) cue.mute = one_in(2);
  if (one_in(2)) cue.transition = Transition{Transition::Kind::fade, 60 * share()};
  if (one_in(4)) cue.transition = Transition{Transition::Kind::through_black, share()};
  if (one_in(4)) cue.transition = Transition{};
  if (one_in(4)) cue.follow = Follow{Follow::Kind::after, 100 * share()};
  if (one_in(4)) cue.follow = Follow{Follow::Kind::at_clock, static_cast<double>(below(86'400))};
  if (one_in(6)) cue.follow = Follow{Follow::Kind::at_end, 0};
  if (one_in(5)) {
    cue.pattern = text();
    return cue;
  }
  for (const std::string name : {"main", "left", "rîght \"x\""})
    if (one_in(2)) cue.regions.push_back(region(name));
  return cue;
}

ShowFile RandomShow::make(std::size_t cues) {
  ShowFile show;
  if (one_in(2)) show.name = text();
  if (one_in(2)) show.fade_s = 60 * share();
  if (one_in(2)) show.late = "slow";
  if (one_in(2)) show.bezels = "hide";
  if (one_in(2)) show.content = "flat";
  show.missing = static_cast<MissingInput>(below(3));
  if (one_in(2)) show.bounce_s = 5 * share();
  if (one_in(2)) show.sections = {{"one", false, 0}, {"two", true, 0}, {"three \"3\"", true, 7}};
  std::size_t section = 0;
  for (std::size_t i = 0; i < cues; ++i) {
    show.cues.push_back(cue(std::to_string(i)));
    if (one_in(4) && section < show.sections.size())
      show.cues.back().section = show.sections[section++].name;
    if (one_in(5)) show.cues.back().goto_cue = std::to_string(below(cues));
  }
  return show;
}

}  // namespace tilewall::cues
