#include "player/scene/tick_grid_plan.hpp"

#include <algorithm>
#include <numeric>

namespace tilewall::scene {
namespace {

constexpr std::int64_t smooth_fps = 60;  // rate of glides over sources that need less
constexpr Rational smooth{smooth_fps, 1};
// Rate while only volumes' cameras glide, because each picture is computed.
constexpr Rational cast_rate{30, 1};
constexpr Rational fastest{120, 1};  // highest rate of a wall, unless the movie itself is faster

bool over(Rational a, Rational b) {
  return static_cast<__int128>(a.num) * b.den > static_cast<__int128>(b.num) * a.den;
}

/// Whether it begins at `at`, or a frame of it is due later.
bool plays(const sync::Timeline& line, GlobalInstant at) {
  if (line.paused()) return false;
  if (line.start >= at) return true;
  const auto count = line.tick_count();
  return !count || line.due(*count - 1) > at;
}

/// The rate divided by the smallest whole number that brings it down to what can be followed.
Rational followable(Rational rate, Rational own) {
  const Rational most = over(own, fastest) ? own : fastest;
  if (!over(rate, most)) return rate;
  const std::int64_t times = static_cast<std::int64_t>(rate.value() / most.value() + 1 - 1e-9);
  return reduced(rate.num, rate.den * std::max<std::int64_t>(times, 1));
}

/// The lowest rate that both rates divide; empty where it is above `smooth`.
std::optional<Rational> common_rate(Rational a, Rational b) {
  const std::int64_t num = std::lcm(a.num, b.num);
  const Rational common = reduced(num, std::gcd(a.den, b.den));
  if (num <= 0 || over(common, smooth)) return std::nullopt;
  return common;
}

/// The greatest multiple of a rate that is not above `most`.
Rational smoothed(Rational rate, Rational most = smooth) {
  const auto times = static_cast<std::int64_t>(most.value() / rate.value());
  return reduced(rate.num * std::max<std::int64_t>(times, 1), rate.den);
}

struct Player {
  const sync::Timeline* line;
  Rational rate;
};

std::vector<Player> players_of(const std::vector<Region>& regions, GlobalInstant at) {
  std::vector<Player> players;
  for (const Region& region : regions)
    if (plays(region.timeline, at))
      players.push_back({&region.timeline, followable(region.timeline.rate_fps, region.base_fps)});
  std::stable_sort(players.begin(), players.end(),
                   [](const Player& a, const Player& b) { return over(a.rate, b.rate); });
  return players;
}

Rational shared_rate(const std::vector<Player>& players) {
  Rational rate = players.front().rate;
  for (const Player& player : players) {
    if (player.rate == rate) continue;
    const auto common = common_rate(rate, player.rate);
    if (!common) return smoothed(players.front().rate);
    rate = *common;
  }
  return rate;
}

std::optional<GlobalInstant> glide_end(const std::vector<Region>& regions, GlobalInstant at) {
  std::optional<GlobalInstant> end;
  for (const Region& region : regions)
    if (const auto until = region.glides_until(); until && *until > at)
      end = std::max(end.value_or(at), *until);
  return end;
}

/// Begin of a grid that goes on with `line`'s frames: a nanosecond after the frame's own instant.
/// Both are rounded down, and the frame before must never be found.
GlobalInstant next_start(const sync::Timeline& line, GlobalInstant at) {
  if (line.start >= at) return line.start;
  return line.due(line.ticks().first_tick_from(at)) + Nanos(1);
}

/// One past the last tick that the grid needs; empty where it never ends.
std::optional<std::int64_t> count_of(const sync::TickGrid& grid, const std::vector<Player>& players,
                                     std::optional<GlobalInstant> moved_until) {
  GlobalInstant end = moved_until.value_or(grid.start);
  for (const Player& player : players) {
    const auto count = player.line->tick_count();
    if (!count) return std::nullopt;
    end = std::max(end, player.line->due(*count - 1));
  }
  return grid.first_tick_from(end) + 1;
}

/// Whether nothing but cameras of volumes glides.
bool moves_volumes_alone(const std::vector<Region>& regions, GlobalInstant at) {
  return std::none_of(regions.begin(), regions.end(), [&](const Region& region) {
    return region.view && region.view->duration > Nanos(0) && region.view->end() > at;
  });
}

}  // namespace

sync::TickGrid plan_tick_grid(const std::vector<Region>& regions, GlobalInstant at) {
  const std::vector<Player> players = players_of(regions, at);
  const auto moved_until = glide_end(regions, at);
  if (players.empty() && !moved_until) return {at, {0, 1}, std::nullopt};
  const Rational moving = moves_volumes_alone(regions, at) ? cast_rate : smooth;
  sync::TickGrid grid{at, moving, std::nullopt};
  if (!players.empty()) {
    grid.rate_fps = moved_until ? smoothed(shared_rate(players), moving) : shared_rate(players);
    grid.start = next_start(*players.front().line, at);
  }
  grid.count = count_of(grid, players, moved_until);
  return grid;
}

std::optional<GlobalInstant> end_of(const std::vector<Region>& regions) {
  std::optional<GlobalInstant> end;
  for (const Region& region : regions) {
    const auto count = region.timeline.tick_count();
    if (!count) return std::nullopt;
    end = std::max(end.value_or(GlobalInstant{}), region.timeline.due(*count - 1));
  }
  return end;
}

}  // namespace tilewall::scene
