// The verbs for presentations: panic, resume, freeze, cues.
#include <fmt/format.h>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "player/cli/present/open_cues.hpp"
#include "player/command/command.hpp"
#include "player/cues/show_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/stop_signals.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr char panic[] = "panic";
constexpr char resume[] = "resume";

Json freeze(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "freeze");
  if (!arguments.words.empty()) request["on"] = on_or_off(arguments, "freeze");
  return request;
}

/// "arm CUE", "list"
Json cue(const CtlArguments& arguments, command::WallConnection&) {
  constexpr std::string_view expected = "arm CUE, or list";
  if (arguments.words.empty()) refuse_word("cue", expected, "nothing");
  const std::string& verb = arguments.words.front();
  if (verb == "list" && arguments.words.size() == 1) return {{"type", "cues"}};
  if (verb != "arm" || arguments.words.size() < 2)
    refuse_word("cue", expected, all_words(arguments));
  Json request = request_of(arguments, "cue");
  request["verb"] = verb;
  CtlArguments name = arguments;
  name.words.erase(name.words.begin());
  request["cue"] = all_words(name);
  return request;
}

/// "reload [FILE]": by default the file that the show was read from.
Json show(const CtlArguments& arguments, command::WallConnection& wall) {
  constexpr std::string_view expected = "reload [SHOW.toml]";
  const std::vector<std::string>& words = arguments.words;
  if (words.empty() || words.front() != "reload" || words.size() > 2)
    refuse_word("show", expected, words.empty() ? "nothing" : all_words(arguments));
  const Json status = wall.ask({{"type", "status"}, {"per_panel", false}, {"lists", false}});
  if (!status.contains("presentation"))
    throw InputError({"ctl show"}, "", "a presentation (tilewall present)", "another show");
  const Json& own = status.at("presentation").at("file");
  if (words.size() == 1 && !own.is_string())
    throw InputError({"ctl show reload"}, "", "the show file", "nothing");
  const std::string file = words.size() == 2 ? words[1] : own.get<std::string>();
  const StopSignals signals;
  CueWays ways;
  ways.uses = &wall.cache_uses();
  const director::CueShow show =
      open_cues(cues::read_show_file(file), running_wall(status), ways, signals.token());
  command::throw_if_stopped(signals.token());
  Json request = request_of(arguments, "show");
  request["verb"] = "reload";
  request["list"] = cues::to_json(show.list);
  return request;
}

}  // namespace

std::string cues_text(const Json& answer) {
  std::string text;
  const auto current = answer.at("current").get<std::size_t>();
  for (const Json& cue : answer.at("cues")) {
    const auto index = cue.at("index").get<std::size_t>();
    const std::string number = cue.at("number").is_string() ? cue.at("number").get<std::string>()
                                                            : std::to_string(index + 1);
    text += fmt::format("{} {:>6}  {}", index == current ? '>' : ' ', printable_text(number),
                        printable_text(cue.at("name").get<std::string>()));
    if (cue.at("section").is_string())
      text += fmt::format("  [{}]", printable_text(cue.at("section").get<std::string>()));
    if (cue.at("note").is_string())
      text += "  " + printable_text(cue.at("note").get<std::string>());
    text += "\n";
  }
  const std::size_t count = answer.at("count").get<std::size_t>();
  if (answer.at("cues").size() < count)
    text += fmt::format("the first {} of {} cues\n", answer.at("cues").size(), count);
  return text;
}

std::vector<CtlVerb> ctl_cue_verbs() {
  return {
      {panic, "", "makes the wall black and silent at once, until resume", plain_request<panic>},
      {resume, "", "ends panic and freeze: the wall goes on in step with its time",
       plain_request<resume>},
      {"freeze", "[on | off]", "keeps the picture while time goes on; without a word, toggles",
       freeze},
      {"show", "reload [SHOW.toml]",
       "a presentation: takes the cues of a show file, by default its own; the wall stays as it is",
       show},
      {"cue", "arm CUE | list",
       "a presentation: gets panels ready for a cue other than the next one; lists the cues", cue}};
}

}  // namespace tilewall::cli
