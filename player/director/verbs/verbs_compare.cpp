#include "player/director/verbs/verbs.hpp"
#include "player/scene/compare.hpp"

namespace tilewall::director {
namespace {

/// Reads "mode": side_by_side, swipe (with "line", 0 to 1), difference (with an optional "gain"),
/// or off; and "source", the second movie. Without it the present comparison keeps its movie.
ApplyCommand read_compare(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  const std::string text = fields.text("mode");
  const auto mode = scene::parse_compare_mode(text);
  if (!mode && text != "off")
    fields.refuse("mode", "side_by_side, swipe, difference or off", '"' + text + '"');
  const double line = fields.number_or("line", 0.5);
  if (!(line >= 0 && line <= 1)) fields.refuse("line", "0 to 1", std::to_string(line));
  std::optional<double> gain;
  if (fields.has("gain")) {
    gain = fields.number("gain");
    if (mode != scene::CompareMode::difference)
      fields.refuse("gain", "mode difference beside it", text);
  }
  scene::SourcePtr source;
  if (fields.has("source")) source = source_of(fields);
  return [mode, line, gain, source, &wall = request.wall](SceneChange& change) {
    const SizePx canvas_px =
        wall::Canvas(wall, change.draft().bezels, change.draft().content).size_px();
    if (mode)
      change.compare(*mode, source, canvas_px, line);
    else
      change.end_compare(canvas_px);
    if (gain) change.set_difference_gain(std::string(scene::compare_region), *gain);
  };
}

}  // namespace

std::vector<Verb> compare_verbs() { return {{"compare", read_compare}}; }

}  // namespace tilewall::director
