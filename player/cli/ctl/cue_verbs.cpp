// The verbs for presentations: panic, resume, freeze, cues.
#include <fmt/format.h>

#include <filesystem>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "player/cli/present/kiosk.hpp"
#include "player/cli/present/open_cues.hpp"
#include "player/cli/present/show_save.hpp"
#include "player/command/command.hpp"
#include "player/cues/revision.hpp"
#include "player/cues/show_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
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

/// The words from `first` on, with a blank between them.
std::string words_from(const CtlArguments& arguments, std::size_t first) {
  CtlArguments rest = arguments;
  rest.words.erase(rest.words.begin(), rest.words.begin() + static_cast<std::ptrdiff_t>(first));
  return all_words(rest);
}

/// "list", "arm CUE", "note CUE [TEXT]", "update". A note without a text takes the cue's note away.
Json cue(const CtlArguments& arguments, command::WallConnection&) {
  constexpr std::string_view expected = "list, arm CUE, note CUE [TEXT], or update";
  const std::vector<std::string>& words = arguments.words;
  if (words.empty()) refuse_word("cue", expected, "");
  const std::string& verb = words.front();
  if (verb == "list" && words.size() == 1) return {{"type", "cues"}};
  Json request = request_of(arguments, "cue");
  request["verb"] = verb;
  if (verb == "update" && words.size() == 1) return request;
  if (verb == "arm" && words.size() >= 2) {
    request["cue"] = words_from(arguments, 1);
    return request;
  }
  if (verb != "note" || words.size() < 2) refuse_word("cue", expected, all_words(arguments));
  request["cue"] = words[1];
  request["note"] = words_from(arguments, 2);
  return request;
}

/// The status of a wall that runs a presentation.
Json presenting_status(command::WallConnection& wall) {
  Json status = wall.ask({{"type", "status"}, {"per_panel", false}, {"lists", false}});
  if (!status.contains("presentation"))
    throw InputError({"ctl show"}, "", "a presentation (tilewall present)", "another show");
  return status;
}

/// The show file that the presentation was read from.
std::string own_file(const Json& status, std::string_view verb) {
  const Json& file = status.at("presentation").at("file");
  if (!file.is_string())
    throw InputError({fmt::format("ctl show {}", verb)}, "", "the show file", "nothing");
  return file.get<std::string>();
}

/// The cues of a show file, opened for the running wall: its modes, and whether it is a kiosk, stay
/// as they were when the show began.
Json opened_list(const std::string& file, const Json& status, command::WallConnection& wall) {
  const StopSignals signals;
  const Json& running = status.at("presentation");
  CueWays ways;
  ways.uses = &wall.cache_uses();
  ways.bezels = running.at("bezels") == "show" ? wall::BezelMode::show : wall::BezelMode::hide;
  ways.content = wall::parse_content_mode(running.at("content").get<std::string>());
  director::CueShow show =
      open_cues(cues::read_show_file(file), running_wall(status), ways, signals.token());
  command::throw_if_stopped(signals.token());
  if (running.at("kiosk").is_string())
    make_kiosk(show.list, running.at("kiosk").get<std::string>());
  return cues::to_json(show.list);
}

/// Writes the changes of cues into the show's file, or into another one, and tells the wall.
Json save(const CtlArguments& arguments, command::WallConnection& wall) {
  const std::string own = own_file(presenting_status(wall), "save");
  const std::string to = arguments.words.size() == 2 ? arguments.words[1] : own;
  const Json unsaved = wall.ask({{"type", "show"}, {"verb", "unsaved"}});
  std::vector<cues::CueEntry> changes =
      cues::changes_from_text(unsaved.at("changes").get<std::string>());
  for (const std::string& lacking : save_show(own, to, changes)) {
    print_line(stderr, "tilewall: {}: has no cue \"{}\" any more: its changes are not saved", own,
               printable_text(lacking));
    std::erase_if(changes, [&](const cues::CueEntry& one) { return one.name == lacking; });
  }
  std::error_code ignored;
  if (!std::filesystem::equivalent(own, to, ignored)) changes.clear();
  Json request = request_of(arguments, "show");
  request["verb"] = "saved";
  request["changes"] = cues::changes_text(changes);
  return request;
}

/// "reload [FILE]", "load FILE [CUE]", "save [FILE]". Without FILE: the one that the show was read
/// from.
Json show(const CtlArguments& arguments, command::WallConnection& wall) {
  constexpr std::string_view expected =
      "reload [SHOW.toml], load SHOW.toml [CUE], or save [SHOW.toml]";
  const std::vector<std::string>& words = arguments.words;
  const std::string verb = words.empty() ? "" : words.front();
  if (verb == "save" && words.size() <= 2) return save(arguments, wall);
  const bool loads = verb == "load" && words.size() >= 2;
  const bool reloads = verb == "reload" && words.size() <= 2;
  if (!loads && !reloads) refuse_word("show", expected, all_words(arguments));
  const Json status = presenting_status(wall);
  Json request = request_of(arguments, "show");
  request["verb"] = verb;
  if (loads && words.size() > 2) request["cue"] = words_from(arguments, 2);
  request["list"] =
      opened_list(words.size() >= 2 ? words[1] : own_file(status, verb), status, wall);
  return request;
}

}  // namespace

std::string cues_text(const Json& answer) {
  std::string text;
  const Json& current = answer.at("current");
  for (const Json& cue : answer.at("cues")) {
    text += fmt::format(
        "{} {:>6}  {}", cue.at("index") == current ? '>' : ' ',
        printable_text(cue.at("number").is_string() ? cue.at("number").get<std::string>() : ""),
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
  return {{panic, "", plain_request<panic>},
          {resume, "", plain_request<resume>},
          {"freeze", "[on | off]", freeze},
          {"show", "reload [SHOW.toml] | load SHOW.toml [CUE] | save [SHOW.toml]", show},
          {"cue", "list | arm CUE | note CUE [TEXT] | update", cue}};
}

}  // namespace tilewall::cli
