#include "player/director/roster.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_restarts = 10'000;
constexpr std::chrono::seconds usual_start_limit{10};
// The start of a panel takes 40 ms of CPU time, with its keeper and its share of mpirun. The rest
// is for other work of the host.
constexpr std::chrono::milliseconds start_of_a_panel{100};

}  // namespace

Roster::Roster(const wall::Wall& wall, LocalInstant command_start)
    : wall_(wall), command_start_(command_start), panels_(wall.panels.size()) {}

const std::string& Roster::name_of(std::size_t panel) const { return wall_.panels[panel].name; }

std::optional<std::size_t> Roster::panel_of(ConnectionId id) const {
  const auto found = panel_of_.find(id);
  return found == panel_of_.end() ? std::nullopt : std::optional(found->second);
}

bool Roster::all_primed() const {
  return std::all_of(panels_.begin(), panels_.end(),
                     [](const PanelState& panel) { return panel.connection && panel.primed; });
}

std::chrono::seconds Roster::start_limit() const {
  struct Host {
    int panels = 0;
    int cpus = 0;
  };
  std::map<std::string, Host> hosts;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    Host& host = hosts[wall_.panels[i].host];
    ++host.panels;
    host.cpus = std::max(host.cpus, panels_[i].totals.cpus);
  }
  const int own_cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::chrono::milliseconds longest{0};
  for (const auto& [name, host] : hosts)
    longest =
        std::max(longest, start_of_a_panel * host.panels / (host.cpus > 0 ? host.cpus : own_cpus));
  return std::max(usual_start_limit, std::chrono::ceil<std::chrono::seconds>(longest));
}

void Roster::note_missing() {
  for (PanelState& panel : panels_) panel.missed_start = !panel.connection || !panel.primed;
}

std::size_t Roster::join(ConnectionId from, const scene::PanelHello& hello) {
  if (hello.panel < 0 || static_cast<std::size_t>(hello.panel) >= panels_.size())
    throw InputError({"message"}, "panel", "a panel of the wall", std::to_string(hello.panel));
  const auto index = static_cast<std::size_t>(hello.panel);
  PanelState& panel = panels_[index];
  panel.connection = from;
  if (panel.pid != hello.pid)  // a new process counts from 0
    panel.damaged_blocks_before += std::exchange(panel.totals.damaged_blocks, 0);
  panel.pid = hello.pid;
  panel.host = hello.host;
  panel.primed = false;
  panel.totals.detail = {};
  panel.heard_at = local_now();
  panel_of_[from] = index;
  return index;
}

std::optional<std::size_t> Roster::leave(ConnectionId id) {
  const auto found = panel_of_.find(id);
  if (found == panel_of_.end()) return std::nullopt;
  const std::size_t index = found->second;
  panel_of_.erase(found);
  if (panels_[index].connection != id) return std::nullopt;
  panels_[index].connection.reset();
  return index;
}

bool Roster::take(std::size_t index, const scene::ShownBatch& batch, const Steady& steady) {
  PanelState& panel = panels_[index];
  panel.heard_at = local_now();
  panel.totals = batch;
  panel.totals.frames.clear();
  panel.staged_bytes.add(batch.staged_bytes, steady.staged);
  panel.buffers_ready.add(static_cast<std::uint64_t>(batch.buffers_ready), steady.ready);
  if (batch.frames.empty() || !panel.open_restart) return false;
  restarts_[*std::exchange(panel.open_restart, std::nullopt)].back_s = since_start_s();
  return true;
}

Nanos Roster::silence_of(std::size_t index) const {
  const PanelState& panel = panels_[index];
  return panel.heard_at ? local_now() - *panel.heard_at : Nanos(0);
}

bool Roster::shows_only_background() const {
  bool any = false;
  for (const PanelState& panel : panels_) {
    if (!panel.totals.volume) continue;
    if (!panel.totals.volume->blank) return false;
    any = true;
  }
  return any;
}

std::optional<std::size_t> Roster::add_restart(Restart restart) {
  if (restarts_.size() >= max_restarts) return std::nullopt;
  restarts_.push_back(std::move(restart));
  return restarts_.size() - 1;
}

void Roster::take_host_restarts(const std::string& host,
                                const std::vector<scene::HostRestart>& restarts,
                                const std::function<double(GlobalInstant)>& at_s) {
  const auto seconds = [&](std::int64_t global_ns) {
    return at_s(GlobalInstant{Nanos(global_ns)});
  };
  for (const scene::HostRestart& one : restarts) {
    if (host_restarts_.size() >= max_restarts) return;
    const auto [found, is_new] = host_restarts_.try_emplace({host, one.role, one.key_ns});
    if (is_new)
      found->second = add_restart({one.role, "", seconds(one.died_ns), std::nullopt, false, host});
    if (found->second && one.back_ns != 0 && !restarts_[*found->second].back_s)
      restarts_[*found->second].back_s = seconds(one.back_ns);
  }
}

void Roster::note_death(std::size_t panel, bool hung) {
  panels_[panel].open_restart =
      add_restart({"panel", name_of(panel), since_start_s(), std::nullopt, hung, {}});
}

void Roster::note_sound_death(const std::string& host) {
  sound_restart_ = add_restart({"sound", "", since_start_s(), std::nullopt, false, host});
}

void Roster::note_sound_back() {
  if (const auto open = std::exchange(sound_restart_, std::nullopt))
    restarts_[*open].back_s = since_start_s();
}

std::string Roster::names_of_lost(double limit_s) const {
  return names_where([&](const PanelState& panel) {
    return panel.open_restart && since_start_s() > restarts_[*panel.open_restart].at_s + limit_s;
  });
}

double Roster::since_start_s() const {
  return std::chrono::duration<double>(local_now() - command_start_).count();
}

}  // namespace tilewall::director
