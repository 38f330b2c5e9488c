#include "player/director/show_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilewall::director {
namespace {

constexpr std::chrono::seconds sample_interval{1};
constexpr std::chrono::milliseconds sign_of_life_limit{1500};
constexpr std::size_t many_deaths = 3;  // decoders that die so often in a minute hardly play

template <typename T>
T growth_of(T now, T before) {
  return now > before ? now - before : T{};
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// "panels a, b, c and 4 more" for the panels for which `holds` is true; "" where there is none.
template <typename Predicate>
std::string panels_where(const HealthInput& input, Predicate&& holds) {
  constexpr std::size_t most = 3;
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    if (holds(i) && ++count <= most) names += (count == 1 ? "" : ", ") + input.wall.panels[i].name;
  if (count > most) names += fmt::format(" and {} more", count - most);
  return count == 0 ? "" : fmt::format("panel{} {}", plural(count), names);
}

class Findings {
 public:
  void add(Light light, std::string reason) {
    (light == Light::red ? red_ : yellow_).push_back(std::move(reason));
  }

  [[nodiscard]] Health health(std::string all_well) const {
    if (red_.empty() && yellow_.empty()) return {Light::green, {std::move(all_well)}};
    Health health{red_.empty() ? Light::yellow : Light::red, red_};
    health.reasons.insert(health.reasons.end(), yellow_.begin(), yellow_.end());
    return health;
  }

 private:
  std::vector<std::string> red_;
  std::vector<std::string> yellow_;
};

void find_missing_panels(const HealthInput& input, Findings& found) {
  const auto gone = [&](std::size_t i) { return !input.panels[i].connection; };
  if (input.phase == "gathering") {
    const std::string waits = panels_where(input, [&](std::size_t i) {
      return !input.panels[i].connection || !input.panels[i].primed;
    });
    found.add(Light::yellow, waits.empty() ? "the show is about to start"
                                           : fmt::format("waiting for a picture from {}", waits));
    return;
  }
  const std::vector<std::string> hosts = hosts_where(input.wall, gone);
  const auto host_of = [&](std::size_t i) -> const std::string& {
    return input.wall.panels[i].host;
  };
  for (const std::string& host : hosts)
    found.add(Light::red,
              fmt::format("host {} gone ({})", host,
                          panels_where(input, [&](std::size_t i) { return host_of(i) == host; })));
  const std::string others = panels_where(input, [&](std::size_t i) {
    return gone(i) && std::ranges::find(hosts, host_of(i)) == hosts.end();
  });
  if (!others.empty()) found.add(Light::red, others + " gone");
  const std::string silent = panels_where(input, [&](std::size_t i) {
    const auto& heard_at = input.panels[i].heard_at;
    return !gone(i) && heard_at && input.now - *heard_at > sign_of_life_limit;
  });
  if (!silent.empty())
    found.add(Light::red, fmt::format("no sign of life from {} for more than {:.1f} s", silent,
                                      std::chrono::duration<double>(sign_of_life_limit).count()));
}

/// "5 of 240 frames late in 10 s on panels a, b (decode)"
void find_late_frames(const HealthInput& input, Findings& found) {
  const TroubleCounts& recent = input.recent;
  if (recent.frames_late == 0) return;
  const auto late = [&](std::size_t i) {
    return i < recent.late_by_panel.size() && recent.late_by_panel[i] > 0;
  };
  std::string text = fmt::format("{} of {} frames late in {} s", recent.frames_late,
                                 recent.frames_due, TroubleHistory::frame_window.count());
  if (const std::string names = panels_where(input, late); !names.empty()) text += " on " + names;
  for (std::size_t i = 0; i < input.late_causes.size(); ++i) {
    if (!late(i) || input.late_causes[i].empty()) continue;
    text += fmt::format(" ({})", input.late_causes[i]);
    break;
  }
  const bool most = recent.frames_late * 2 > recent.frames_due;
  found.add(most ? Light::red : Light::yellow, std::move(text));
}

void find_deaths(const HealthInput& input, Findings& found) {
  const TroubleCounts& recent = input.recent;
  if (const std::size_t deaths = recent.decoder_deaths; deaths > 0)
    found.add(
        deaths >= many_deaths ? Light::red : Light::yellow,
        fmt::format("the movie decoder died {} time{} in the last minute", deaths, plural(deaths)));
  if (const std::size_t restarts = recent.restarts; restarts > 0)
    found.add(Light::yellow, fmt::format("{} process{} restarted in the last minute", restarts,
                                         restarts == 1 ? " was" : "es were"));
}

void find_losses(const HealthInput& input, Findings& found) {
  if (!input.frozen.empty())
    found.add(Light::red, fmt::format("content frozen: {}", fmt::join(input.frozen, ", ")));
  if (input.recent.damaged_frames > 0)
    found.add(
        Light::yellow,
        fmt::format("{} damaged picture{} in {} s", input.recent.damaged_frames,
                    plural(input.recent.damaged_frames), TroubleHistory::frame_window.count()));
  const std::string unsure = panels_where(input, [&](std::size_t i) {
    const std::string& state = input.panels[i].totals.clock.state;
    return input.panels[i].connection && state == "holdover";
  });
  if (!unsure.empty() && input.phase != "gathering")
    found.add(Light::yellow, fmt::format("no clock daemon answers the host of {}", unsure));
  if (input.coarser_by > 0)
    found.add(Light::yellow, fmt::format("shown {} level{} below full detail, to keep up",
                                         input.coarser_by, input.coarser_by == 1 ? "" : "s"));
}

}  // namespace

std::string_view to_string(Light light) noexcept {
  constexpr std::string_view names[] = {"green", "yellow", "red"};
  return names[static_cast<std::size_t>(light)];
}

bool TroubleHistory::wants_sample(LocalInstant now) const noexcept {
  return samples_.empty() || now - samples_.back().at >= sample_interval;
}

void TroubleHistory::add(LocalInstant now, TroubleCounts counts) {
  samples_.push_back({now, std::move(counts)});
  while (samples_.front().at < now - death_window - sample_interval) samples_.pop_front();
}

/// The newest sample at `at` or earlier; counts of 0 where the show is younger.
const TroubleCounts& TroubleHistory::before(LocalInstant at) const {
  const TroubleCounts* found = &none_;
  for (const Sample& sample : samples_)
    if (sample.at <= at) found = &sample.counts;
  return *found;
}

TroubleCounts TroubleHistory::growth(LocalInstant now, const TroubleCounts& counts) const {
  const TroubleCounts& frames = before(now - frame_window);
  const TroubleCounts& deaths = before(now - death_window);
  TroubleCounts grown_by;
  grown_by.frames_due = growth_of(counts.frames_due, frames.frames_due);
  grown_by.frames_late = growth_of(counts.frames_late, frames.frames_late);
  grown_by.damaged_frames = growth_of(counts.damaged_frames, frames.damaged_frames);
  for (std::size_t i = 0; i < counts.late_by_panel.size(); ++i)
    grown_by.late_by_panel.push_back(
        growth_of(counts.late_by_panel[i],
                  i < frames.late_by_panel.size() ? frames.late_by_panel[i] : std::int64_t{0}));
  grown_by.decoder_deaths = growth_of(counts.decoder_deaths, deaths.decoder_deaths);
  grown_by.restarts = growth_of(counts.restarts, deaths.restarts);
  return grown_by;
}

Health health_of(const HealthInput& input) {
  Findings found;
  if (!input.error.empty()) found.add(Light::red, input.error);
  find_missing_panels(input, found);
  find_late_frames(input, found);
  find_deaths(input, found);
  find_losses(input, found);
  const std::size_t count = input.panels.size();
  return found.health(count == 1 ? "the panel shows every frame in time"
                                 : fmt::format("all {} panels show every frame in time", count));
}

}  // namespace tilewall::director
