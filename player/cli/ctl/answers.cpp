#include <fmt/format.h>

#include <cstdint>

#include "player/cli/ctl/words.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

/// ", not shown by c0r0, c1r0" where panels did not show the change; "" where all did.
std::string not_shown_by(const Json& answer) {
  std::string names;
  for (const Json& name : answer.value("not_shown", Json::array()))
    names += (names.empty() ? ", not shown by " : ", ") + printable_text(name.get<std::string>());
  return names;
}

/// "frame 100", or "cue \"Opening\"" in a presentation.
std::string what_is_shown(const Json& answer) {
  if (answer.contains("cue"))
    return fmt::format("cue \"{}\"", printable_text(answer.value("cue", "")));
  return fmt::format("frame {}", answer.value("frame", std::int64_t{0}));
}

/// "scene 3: main frame 10 24 fps"
std::string scene_line(const Json& event) {
  std::string line = fmt::format("scene {}:", event.value("version", 0));
  for (const Json& region : event.value("regions", Json::array()))
    line += fmt::format(
        " {} frame {} {}{}", region.value("region", ""), region.value("frame", std::int64_t{0}),
        region.value("paused", false) ? "paused"
                                      : fmt::format("{:g} fps", region.value("rate_fps", 0.0)),
        region.value("direction", 1) < 0 ? " backwards" : "");
  return line + (event.value("blank", false) ? ", blank" : "");
}

/// An event as "name: field value, field value".
std::string plain_line(const Json& event) {
  std::string line;
  for (const auto& [field, value] : event.items()) {
    if (field == "type" || field == "event") continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", field,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  const std::string name = event.value("event", "");
  return line.empty() ? name : name + ": " + line;
}

}  // namespace

std::string done_text(std::string_view verb, const Json& answer) {
  if (answer.contains("file"))
    return fmt::format("{}: frame {} in {}{}", verb, answer.value("frame", std::int64_t{0}),
                       answer.value("file", ""),
                       answer.contains("note") ? ", " + answer.value("note", "") : "");
  if (answer.contains("at_ns"))
    return fmt::format("{}: {} in {:.0f} ms{}", verb, what_is_shown(answer),
                       static_cast<double>(answer.value("at_ns", std::int64_t{0}) -
                                           answer.value("now_ns", std::int64_t{0})) /
                           1e6,
                       not_shown_by(answer));
  if (answer.contains("changed"))
    return fmt::format("{}: {}", verb,
                       answer.at("changed") == true
                           ? "done; ctl show save writes it into the show file"
                           : "the cue has all of it already");
  if (answer.value("dropped", 0) > 0)
    return fmt::format("{}: done; {} changed cues were not saved, and are as in the file again",
                       verb, answer.at("dropped").get<std::int64_t>());
  if (answer.contains("unsaved"))
    return fmt::format("{}: written; {} changed cues are not in the show's own file", verb,
                       answer.at("unsaved").get<std::int64_t>());
  return fmt::format("{}: done", verb);
}

std::string refusal_text(std::string_view verb, const CtlArguments& arguments,
                         const std::string& line) {
  constexpr std::string_view message = "message:";
  if (!line.starts_with(message)) return line;
  const bool of_file = verb == "camera" && arguments.words.size() == 1;
  return fmt::format("{}:{}", of_file ? arguments.words.front() : fmt::format("ctl {}", verb),
                     line.substr(message.size()));
}

std::string event_text(const Json& event) {
  return event.value("event", "") == "scene" ? scene_line(event) : plain_line(event);
}

}  // namespace tilewall::cli
