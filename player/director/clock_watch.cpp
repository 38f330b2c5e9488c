#include "player/director/clock_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

constexpr const char* holdover_state = "holdover";
constexpr std::size_t most_names = 4;  // hosts in one line

/// "h1, h2 and 3 more".
std::string named(const std::vector<std::string>& hosts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(hosts.size(), most_names); ++i)
    text += (i > 0 ? ", " : "") + hosts[i];
  if (hosts.size() > most_names) text += fmt::format(" and {} more", hosts.size() - most_names);
  return text;
}

}  // namespace

void ClockWatch::take(const std::string& name, const scene::ReportedClock& clock) {
  Host& host = hosts_[name];
  const bool in_holdover = clock.state == holdover_state;
  if (in_holdover && !host.in_holdover) host.holdovers++;
  if (!in_holdover && host.in_holdover) host.past_holdover_ns += host.newest.holdover_ns;
  host.in_holdover = in_holdover;
  host.newest = clock;
}

std::optional<std::string> ClockWatch::news(Instant now) {
  if (now < last_line_ + line_interval) return std::nullopt;
  const std::string standing = this->standing();
  if (standing == told_) return std::nullopt;
  told_ = standing;
  last_line_ = now;
  return standing.empty() ? "clock: all hosts are in step with the clock daemon again" : standing;
}

/// The hosts in holdover or on a standby daemon, without figures that change all the time; "" where
/// all hosts follow the first daemon.
std::string ClockWatch::standing() const {
  std::vector<std::string> alone;
  std::vector<std::string> on_standby;
  for (const auto& [name, host] : hosts_) {
    if (host.in_holdover)
      alone.push_back(name);
    else if (host.newest.daemon > 0)
      on_standby.push_back(name);
  }
  std::string text;
  if (!alone.empty())
    text =
        fmt::format("no clock daemon answers {}: holdover, the show goes on, its error bound grows",
                    named(alone));
  if (!on_standby.empty())
    text += fmt::format("{}{} in step with the standby clock daemon: the first does not answer",
                        text.empty() ? "" : "; ", named(on_standby));
  return text.empty() ? text : "clock: " + text;
}

nlohmann::json ClockWatch::report() const {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [name, host] : hosts_) {
    const std::int64_t now_ns = host.in_holdover ? host.newest.holdover_ns : 0;
    all.push_back({{"host", name},
                   {"state", host.newest.state},
                   {"bound_us", static_cast<double>(host.newest.bound_ns) / 1e3},
                   {"daemon", host.newest.daemon},
                   {"failovers", host.newest.failovers},
                   {"holdovers", host.holdovers},
                   {"holdover_s", static_cast<double>(host.past_holdover_ns + now_ns) / 1e9}});
  }
  return all;
}

nlohmann::json ClockWatch::checkpoint() const {
  nlohmann::json hosts = nlohmann::json::array();
  for (const auto& [name, host] : hosts_)
    hosts.push_back({{"host", name},
                     {"state", host.newest.state},
                     {"bound_ns", host.newest.bound_ns},
                     {"holdover_ns", host.newest.holdover_ns},
                     {"daemon", host.newest.daemon},
                     {"failovers", host.newest.failovers},
                     {"in_holdover", host.in_holdover},
                     {"past_holdover_ns", host.past_holdover_ns},
                     {"holdovers", host.holdovers}});
  return {{"hosts", std::move(hosts)}, {"told", told_}};
}

void ClockWatch::restore(const nlohmann::json& checkpoint) {
  for (const auto& one : json_field<std::vector<nlohmann::json>>(checkpoint, "hosts"))
    hosts_[json_field<std::string>(one, "host")] = {
        {json_field<std::string>(one, "state"), json_field<std::int64_t>(one, "bound_ns"),
         json_field<std::int64_t>(one, "holdover_ns"), json_field<int>(one, "daemon"),
         json_field<std::uint64_t>(one, "failovers")},
        json_field<bool>(one, "in_holdover"),
        json_field<std::int64_t>(one, "past_holdover_ns"),
        json_field<std::uint64_t>(one, "holdovers")};
  told_ = json_field<std::string>(checkpoint, "told");
}

}  // namespace tilewall::director
