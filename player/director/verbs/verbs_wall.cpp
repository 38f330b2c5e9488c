#include "player/director/verbs/operator_keys.hpp"
#include "player/director/verbs/verbs.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::director {
namespace {

/// Reads "on", true or false; empty without it, when the state is toggled.
std::optional<bool> read_switch(const VerbRequest& request) {
  if (!request.fields.has("on")) return std::nullopt;
  return request.fields.flag("on");
}

ApplyCommand read_blank(const VerbRequest& request) {
  const auto on = read_switch(request);
  return [on](SceneChange& change) { change.set_blank(on.value_or(!change.draft().blank)); };
}

ApplyCommand read_overlay(const VerbRequest& request) {
  const auto on = read_switch(request);
  return [on](SceneChange& change) {
    if (change.draft().overlay.shown != on) change.toggle_overlay();
  };
}

ApplyCommand read_hints(const VerbRequest& request) {
  const auto on = read_switch(request);
  return [on](SceneChange& change) { change.set_hints(on.value_or(!change.draft().hints)); };
}

ApplyCommand read_volume(const VerbRequest& request) {
  const double gain = request.fields.number("volume");
  return [gain](SceneChange& change) { change.set_audio_gain(gain); };
}

ApplyCommand read_mute(const VerbRequest& request) {
  const auto on = read_switch(request);
  return [on](SceneChange& change) { change.set_muted(on.value_or(!change.draft().muted)); };
}

/// Reads "key", the name of a key; its command is that of a key pressed at a window.
ApplyCommand read_key(const VerbRequest& request) {
  const std::string name = request.fields.text("key");
  const auto key = scene::parse_key(name);
  if (!key)
    request.fields.refuse("key", "the name of a key, such as toggle_pause", '"' + name + '"');
  return command_of_key(*key);
}

/// Sets both modes; does nothing where neither changes.
void change_canvas(const wall::Wall& wall, wall::BezelMode bezels, wall::ContentMode content,
                   SceneChange& change) {
  const scene::Scene& draft = change.draft();
  if (draft.bezels == bezels && draft.content == content) return;
  const SizePx before_px = wall::Canvas(wall, draft.bezels, draft.content).size_px();
  change.set_canvas(bezels, content, before_px, wall::Canvas(wall, bezels, content).size_px());
}

ApplyCommand read_bezels(const VerbRequest& request) {
  const std::string text = request.fields.text("mode");
  if (text != "hide" && text != "show") request.fields.refuse("mode", "hide or show", text);
  const wall::BezelMode mode = text == "hide" ? wall::BezelMode::hide : wall::BezelMode::show;
  return [mode, &wall = request.wall](SceneChange& change) {
    change_canvas(wall, mode, change.draft().content, change);
  };
}

ApplyCommand read_content(const VerbRequest& request) {
  const std::string text = request.fields.text("mode");
  const auto mode = wall::parse_content_mode(text);
  if (!mode) request.fields.refuse("mode", "arc_length, eye or flat", '"' + text + '"');
  if (const auto obstacle = wall::content_obstacle(request.wall, *mode))
    request.fields.refuse("mode", obstacle->expected, obstacle->found);
  return [mode, &wall = request.wall](SceneChange& change) {
    change_canvas(wall, change.draft().bezels, *mode, change);
  };
}

}  // namespace

std::vector<Verb> wall_verbs() {
  return {{"blank", read_blank},   {"overlay", read_overlay}, {"hints", read_hints},
          {"volume", read_volume}, {"mute", read_mute},       {"bezels", read_bezels},
          {"key", read_key},       {"content", read_content}};
}

}  // namespace tilewall::director
