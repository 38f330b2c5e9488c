// The verbs for inputs, regions and comparisons.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/command.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* rect_expected = "X,Y,W,H in canvas pixels";

ShowWays ways_of(const Json& status) {
  const Json inputs = json_field<Json>(status, "inputs");
  ShowWays ways;
  ways.hdr = hdr_option(json_field<std::string>(inputs, "hdr"));
  if (json_field<bool>(inputs, "import")) ways.movie = MovieWay::imported;
  if (json_field<bool>(inputs, "skip_missing")) ways.missing = movie::MissingEntries::skipped;
  return ways;
}

/// Opens inputs as the "source" of a request, with the running show's --hdr, --import and
/// --skip-missing, which its status has, and the typed options of live sources. Inputs that must be
/// imported go into the user's cache for the running wall; the status has the wall's file, or the
/// size of a small wall that `play` made. Throws InputError (input, refused) or JobError (cache, no
/// answer).
Json source_of(std::span<const std::string> inputs, const CtlArguments& arguments,
               command::WallConnection& wall) {
  const Json status = wall.ask({{"type", "status"}, {"per_panel", false}, {"lists", false}});
  const wall::Wall target = running_wall(status);
  const StopSignals signals;
  ShowWays ways = ways_of(status);
  if (arguments.skip_missing) ways.missing = movie::MissingEntries::skipped;
  ways.live = arguments.live;
  ways.uses = &wall.cache_uses();
  const scene::SourceSpec source =
      open_show_source({inputs.begin(), inputs.end()}, target, ways, signals.token());
  command::throw_if_stopped(signals.token());
  return scene::to_json(source);
}

Json open(const CtlArguments& arguments, command::WallConnection& wall) {
  if (arguments.words.empty()) refuse_word("open", "an INPUT", "");
  Json request = request_of(arguments, "open");
  request["source"] = source_of(arguments.words, arguments, wall);
  return request;
}

Json compare(const CtlArguments& arguments, command::WallConnection& wall) {
  if (arguments.words.empty()) refuse_word("compare", "side_by_side, swipe, difference or off", "");
  Json request = request_of(arguments, "compare");
  request["mode"] = arguments.words.front();
  if (!arguments.line.empty()) request["line"] = number("--line", arguments.line);
  if (!arguments.gain.empty()) request["gain"] = number("--gain", arguments.gain);
  const auto inputs = std::span(arguments.words).subspan(1);
  if (!inputs.empty()) request["source"] = source_of(inputs, arguments, wall);
  return request;
}

Json add_region(const CtlArguments& arguments, command::WallConnection& wall) {
  const auto inputs = std::span(arguments.words).subspan(2);
  if (inputs.empty()) refuse_word("region add", "NAME INPUT", arguments.words[1]);
  Json request = request_of(arguments, "add_region");
  request["canvas_px"] = number_list("--at", arguments.at, 4, rect_expected);
  request["source"] = source_of(inputs, arguments, wall);
  return request;
}

Json move_region(const CtlArguments& arguments) {
  if (arguments.words.size() != 3) refuse_word("region move", "NAME X,Y,W,H", "other words");
  Json request = request_of(arguments, "region");
  request["canvas_px"] = number_list("region move", arguments.words[2], 4, rect_expected);
  return request;
}

Json set_owner(const CtlArguments& arguments) {
  if (arguments.words.size() != 3) refuse_word("region owner", "NAME OWNER", "other words");
  Json request = request_of(arguments, "region");
  request["owner"] = arguments.words[2];
  return request;
}

Json remove_region(const CtlArguments& arguments) {
  if (arguments.words.size() != 2) refuse_word("region remove", "NAME", "other words");
  return request_of(arguments, "remove_region");
}

/// Changes how a region is drawn: "region look NAME opacity=0.5 blend=difference gain=8".
Json look_of_region(const CtlArguments& arguments) {
  Json request = request_of(arguments, "region");
  for (const std::string& word : std::span(arguments.words).subspan(2)) {
    const auto sign = word.find('=');
    const std::string field = word.substr(0, sign);
    const std::string value = sign == std::string::npos ? "" : word.substr(sign + 1);
    if (field == "opacity" || field == "gain")
      request[field] = number("region look", value);
    else if (field == "place")
      request[field] = whole_number("region look", value);
    else if (field == "blend" || field == "group")
      request[field] = value;
    else if (field == "clip")
      request["clip_px"] = number_list("region look", value, 4, rect_expected);
    else
      refuse_word("region look", "opacity=, blend=, gain=, place=, group= or clip=", word);
  }
  return request;
}

Json region(const CtlArguments& typed, command::WallConnection& wall) {
  constexpr const char* expected = "add, move, look, owner or remove, and a region's name";
  if (typed.words.size() < 2)
    refuse_word("region", expected, typed.words.empty() ? "" : typed.words.front());
  const std::string& what = typed.words.front();
  CtlArguments arguments = typed;
  arguments.region = typed.words[1];
  if (what == "add") return add_region(arguments, wall);
  if (what == "move") return move_region(arguments);
  if (what == "look") return look_of_region(arguments);
  if (what == "owner") return set_owner(arguments);
  if (what == "remove") return remove_region(arguments);
  refuse_word("region", expected, what);
}

}  // namespace

std::vector<CtlVerb> ctl_region_verbs() {
  return {{"open", "INPUT...", open, {CtlOption::skip_missing, CtlOption::live}},
          {"compare",
           "side_by_side | swipe | difference | off [INPUT]",
           compare,
           {CtlOption::line, CtlOption::gain, CtlOption::skip_missing}},
          {"region",
           "add NAME INPUT --at X,Y,W,H | move NAME X,Y,W,H | look NAME FIELD=VALUE... | owner "
           "NAME OWNER | remove NAME",
           region,
           {CtlOption::at, CtlOption::skip_missing, CtlOption::live}}};
}

}  // namespace tilewall::cli
