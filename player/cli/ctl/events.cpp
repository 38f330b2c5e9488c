#include "player/cli/ctl/events.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace tilewall {
namespace {

using Json = nlohmann::json;

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

/// Whatever the event says, as "name: field value, field value".
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

void print_events(WallConnection& wall, bool json) {
  static_cast<void>(wall.ask({{"type", "subscribe"}}));
  while (const auto event = wall.next_event()) {
    const std::string line = json                                   ? event->dump()
                             : event->value("event", "") == "scene" ? scene_line(*event)
                                                                    : plain_line(*event);
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}

}  // namespace tilewall
