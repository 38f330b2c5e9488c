#include "player/cli/ctl/inputs.hpp"

#include "player/cli/options/transfer_options.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/stop_signals.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

Wall wall_of(const Json& status) {
  const Json wall = json_field<Json>(status, "wall");
  const auto file = json_field<std::string>(wall, "file");
  if (!file.empty()) return load_wall(file);
  const auto abutting_px = json_field<std::vector<int>>(wall, "abutting_px");
  return scaled_wall_5x3(SizePx{abutting_px.at(0), abutting_px.at(1)});
}

ShowWays ways_of(const Json& status) {
  const Json inputs = json_field<Json>(status, "inputs");
  ShowWays ways;
  ways.hdr = hdr_option(json_field<std::string>(inputs, "hdr"));
  if (json_field<bool>(inputs, "import")) ways.movie = MovieWay::imported;
  if (json_field<bool>(inputs, "skip_missing")) ways.missing = MissingEntries::skipped;
  return ways;
}

}  // namespace

Json open_for_wall(std::span<const std::string> inputs, MissingEntries missing,
                   WallConnection& wall) {
  const Json status = wall.ask({{"type", "status"}, {"per_panel", false}, {"lists", false}});
  const Wall target = wall_of(status);
  const StopSignals signals;
  ShowWays ways = ways_of(status);
  if (missing == MissingEntries::skipped) ways.missing = missing;
  ways.uses = &wall.cache_uses();
  const SourceSpec source =
      open_show_source({inputs.begin(), inputs.end()}, target, ways, signals.token());
  throw_if_stopped(signals.token());
  return to_json(source);
}

}  // namespace tilewall
