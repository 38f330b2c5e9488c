#include "player/director/verbs/verbs.hpp"

namespace tilewall::director {
namespace {

ApplyCommand read_play(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.play(name); };
}

ApplyCommand read_pause(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.pause(name); };
}

ApplyCommand read_toggle(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.toggle_pause(name); };
}

/// Reads one of "frame", "by" (frames), "seconds", "by_seconds".
ApplyCommand read_seek(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  const int given =
      fields.has("frame") + fields.has("by") + fields.has("seconds") + fields.has("by_seconds");
  if (given != 1)
    fields.refuse("frame", "one of frame, by, seconds and by_seconds", std::to_string(given));
  if (const auto frame = fields.whole_if("frame"))
    return [name = request.region, frame](SceneChange& change) { change.seek_to(name, *frame); };
  if (const auto by = fields.whole_if("by"))
    return [name = request.region, by](SceneChange& change) { change.seek_by(name, *by); };
  if (fields.has("seconds"))
    return [name = request.region, seconds = fields.number("seconds")](SceneChange& change) {
      change.seek_to_seconds(name, seconds);
    };
  const double seconds = fields.number("by_seconds");
  return [name = request.region, seconds](SceneChange& change) {
    change.seek_by_seconds(name, seconds);
  };
}

ApplyCommand read_step(const VerbRequest& request) {
  const std::int64_t by = request.fields.whole_if("by").value_or(1);
  return [name = request.region, by](SceneChange& change) { change.step_by(name, by); };
}

ApplyCommand read_speed(const VerbRequest& request) {
  const Rational speed = request.fields.rate("speed");
  return [name = request.region, speed](SceneChange& change) { change.set_speed(name, speed); };
}

ApplyCommand read_reverse(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.reverse(name); };
}

ApplyCommand read_loop(const VerbRequest& request) {
  const std::string text = request.fields.text("mode");
  const auto mode = scene::parse_loop_mode(text);
  if (!mode) request.fields.refuse("mode", "once, loop or ping_pong", '"' + text + '"');
  return [name = request.region, mode](SceneChange& change) { change.set_loop(name, *mode); };
}

/// Reads "first" and "last", both inclusive and both optional.
ApplyCommand read_range(const VerbRequest& request) {
  const auto first = request.fields.whole_if("first");
  auto end = request.fields.whole_if("last");
  if (end && *end < INT64_MAX) ++*end;
  return [name = request.region, first, end](SceneChange& change) {
    change.set_range(name, first, end);
  };
}

ApplyCommand read_next(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.skip_items(name, 1); };
}

ApplyCommand read_previous(const VerbRequest& request) {
  return [name = request.region](SceneChange& change) { change.skip_items(name, -1); };
}

/// Reads "item", a number from 0, or "name".
ApplyCommand read_goto(const VerbRequest& request) {
  if (request.fields.has("name") && !request.fields.has("item"))
    return [name = request.region, item = request.fields.text("name")](SceneChange& change) {
      change.go_to_item_named(name, item);
    };
  const std::int64_t item = request.fields.whole("item");
  return [name = request.region, item](SceneChange& change) { change.go_to_item(name, item); };
}

}  // namespace

std::vector<Verb> transport_verbs() {
  return {{"play", read_play},       {"pause", read_pause},       {"toggle_pause", read_toggle},
          {"seek", read_seek},       {"step", read_step},         {"speed", read_speed},
          {"reverse", read_reverse}, {"loop", read_loop},         {"range", read_range},
          {"next", read_next},       {"previous", read_previous}, {"goto", read_goto}};
}

}  // namespace tilewall::director
