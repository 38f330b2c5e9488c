#include <algorithm>

#include "player/director/verbs/verbs.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

scene::BlendMode blend_of(RequestFields& fields) {
  const std::string text = fields.text_or("blend", scene::to_string(scene::BlendMode::over));
  const auto blend = scene::parse_blend_mode(text);
  if (!blend) fields.refuse("blend", "over or difference", '"' + text + '"');
  return *blend;
}

/// Reads "source", which the region then shows from its first frame.
ApplyCommand read_open(const VerbRequest& request) {
  const scene::SourcePtr source = source_of(request.fields);
  return [name = request.region, source](SceneChange& change) { change.set_source(name, source); };
}

/// Reads the fields of a new region: its source, place, blending, owner and group.
ApplyCommand read_add(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  scene::Region region;
  region.name = request.region;
  region.source = source_of(fields);
  region.canvas_px = fields.rect("canvas_px");
  if (fields.has("clip_px")) region.clip_px = fields.rect("clip_px");
  const double opacity = fields.number_or("opacity", 1);
  if (!(opacity >= 0 && opacity <= 1)) fields.refuse("opacity", "0 to 1", std::to_string(opacity));
  region.opacity = scene::OpacityPath::at_rest(opacity);
  region.blend = blend_of(fields);
  region.difference_gain = fields.number_or("gain", 1);
  if (!(region.difference_gain >= 1 && region.difference_gain <= scene::max_difference_gain))
    fields.refuse("gain", "1 to 255", std::to_string(region.difference_gain));
  region.owner = fields.text_or("owner", std::string(operator_name));
  region.group = fields.text_or("group", "");
  region.base_fps = region.source->fps;
  region.timeline.end_frame = region.source->frames;
  region.timeline.rate_fps = region.base_fps;
  region.timeline.loop = sync::LoopMode::loop;
  return [region](SceneChange& change) {
    change.add_region(region);
    if (!region.group.empty()) change.join_group(region.name, region.group);
  };
}

ApplyCommand read_remove(const VerbRequest& request) {
  if (request.region.empty()) request.fields.refuse("region", "the one to remove", "none");
  return [name = request.region](SceneChange& change) { change.remove_region(name); };
}

/// Reads changes of an existing region: any of its place, clip, opacity, blend, gain, group, owner
/// and stacking.
ApplyCommand read_region(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  std::vector<ApplyCommand> commands;
  const std::string name = request.region;
  if (fields.has("canvas_px"))
    commands.emplace_back(
        [=, rect = fields.rect("canvas_px")](SceneChange& change) { change.place(name, rect); });
  if (fields.has("clip_px"))
    commands.emplace_back(
        [=, rect = fields.rect("clip_px")](SceneChange& change) { change.clip(name, rect); });
  if (fields.has("unclip") && fields.flag("unclip"))
    commands.emplace_back([=](SceneChange& change) { change.clip(name, std::nullopt); });
  if (fields.has("opacity"))
    commands.emplace_back([=, opacity = fields.number("opacity")](SceneChange& change) {
      change.set_opacity(name, opacity);
    });
  if (fields.has("blend"))
    commands.emplace_back(
        [=, blend = blend_of(fields)](SceneChange& change) { change.set_blend(name, blend); });
  if (fields.has("gain"))
    commands.emplace_back([=, gain = fields.number("gain")](SceneChange& change) {
      change.set_difference_gain(name, gain);
    });
  if (fields.has("group"))
    commands.emplace_back(
        [=, group = fields.text("group")](SceneChange& change) { change.join_group(name, group); });
  if (fields.has("owner"))
    commands.emplace_back(
        [=, owner = fields.text("owner")](SceneChange& change) { change.set_owner(name, owner); });
  if (const auto place = fields.whole_if("place"))
    commands.emplace_back([=, place = std::max<std::int64_t>(*place, -1)](SceneChange& change) {
      change.restack(name, static_cast<std::size_t>(place));
    });
  if (commands.empty())
    fields.refuse("", "canvas_px, clip_px, unclip, opacity, blend, gain, group, owner or place",
                  "none");
  return [commands](SceneChange& change) {
    for (const ApplyCommand& command : commands) command(change);
  };
}

}  // namespace

std::vector<Verb> region_verbs() {
  return {{"open", read_open},
          {"add_region", read_add},
          {"remove_region", read_remove},
          {"region", read_region}};
}

}  // namespace tilewall::director
