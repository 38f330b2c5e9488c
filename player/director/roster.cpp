#include "player/director/roster.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_restarts = 10'000;
constexpr const char* director_role = "director";
constexpr std::chrono::seconds usual_start_limit{10};
// The start of a panel takes 40 ms of CPU time, with its keeper and its share of mpirun. The rest
// is for other work of the host.
constexpr std::chrono::milliseconds start_of_a_panel{100};

std::optional<std::size_t> index_field(const nlohmann::json& object, const char* field,
                                       std::size_t end) {
  const auto index = nullable_json_field<std::size_t>(object, field);
  expect_field(!index || *index < end, field, "the index of a restart");
  return index;
}

nlohmann::json level_state(const BufferLevel& level) {
  return {json_or_null(level.lowest), level.peak};
}

BufferLevel level_field(const nlohmann::json& object, const char* field) {
  const auto parts = json_field<std::vector<nlohmann::json>>(object, field);
  expect_field(parts.size() == 2 && parts[1].is_number_unsigned(), field, "[lowest, peak]");
  BufferLevel level;
  if (parts[0].is_number_unsigned()) level.lowest = parts[0].get<std::uint64_t>();
  level.peak = parts[1].get<std::uint64_t>();
  return level;
}

nlohmann::json restart_state(const Restart& restart) {
  return {{"role", restart.role}, {"panel", restart.panel},
          {"at_s", restart.at_s}, {"back_s", json_or_null(restart.back_s)},
          {"hung", restart.hung}, {"host", restart.host}};
}

Restart restart_of_state(const nlohmann::json& json) {
  return {json_field<std::string>(json, "role"), json_field<std::string>(json, "panel"),
          json_field<double>(json, "at_s"),      nullable_json_field<double>(json, "back_s"),
          json_field<bool>(json, "hung"),        json_field<std::string>(json, "host")};
}

}  // namespace

Roster::Roster(const wall::Wall& wall, LocalInstant command_start)
    : wall_(wall), command_start_(command_start), panels_(wall.panels.size()) {}

const std::string& Roster::name_of(std::size_t panel) const { return wall_.panels[panel].name; }

std::string Roster::hosts_and_panels_where(
    const std::function<bool(const PanelState& panel)>& says) const {
  const std::vector<std::string> hosts =
      hosts_where(wall_, [&](std::size_t i) { return says(panels_[i]); });
  const auto host_of = [&](const PanelState& panel) -> const std::string& {
    return wall_.panels[static_cast<std::size_t>(&panel - panels_.data())].host;
  };
  std::string text;
  for (const std::string& host : hosts)
    text += (text.empty() ? "host " : ", host ") + host + " (" +
            names_where([&](const PanelState& panel) { return host_of(panel) == host; }) + ")";
  const std::string others = names_where([&](const PanelState& panel) {
    return says(panel) && std::ranges::find(hosts, host_of(panel)) == hosts.end();
  });
  if (others.empty()) return text;
  return text + (text.empty() ? "panel " : ", panel ") + others;
}

std::optional<std::size_t> Roster::panel_of(ConnectionId id) const {
  const auto found = panel_of_.find(id);
  return found == panel_of_.end() ? std::nullopt : std::optional(found->second);
}

bool Roster::all_primed() const {
  return std::all_of(panels_.begin(), panels_.end(),
                     [](const PanelState& panel) { return panel.connection && panel.primed; });
}

bool Roster::all_failed() const { return std::ranges::all_of(panels_, &PanelState::failed); }

bool Roster::none_can_show() const {
  return std::ranges::all_of(
      panels_, [](const PanelState& panel) { return panel.failed || !panel.connection; });
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
  if (panel_of_.contains(from))
    throw InputError({"message"}, "type", "one hello of a connection", "a second one");
  const auto index = static_cast<std::size_t>(hello.panel);
  PanelState& panel = panels_[index];
  // What still comes from an older connection is reported again on this one.
  if (panel.connection) panel_of_.erase(*panel.connection);
  // A panel that died while no director was there comes back as another process.
  const bool died_unseen = !panel.connection && panel.heard_at == std::nullopt && panel.pid != 0 &&
                           panel.pid != hello.pid && !panel.open_restart;
  if (died_unseen) note_death(index, false);
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
  if (batch.frames.empty()) return false;
  panel.dark_since_s.reset();
  if (!panel.open_restart) return false;
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
  const double at_s = since_start_s();
  PanelState& dead = panels_[panel];
  // A panel that dies before its first picture is away since its first death, not its last one.
  if (!dead.dark_since_s) dead.dark_since_s = at_s;
  dead.open_restart = add_restart({"panel", name_of(panel), at_s, std::nullopt, hung, {}});
}

void Roster::note_director_deaths(const std::vector<double>& deaths_s) {
  for (const double at_s : deaths_s) {
    const auto is_known = [&](const Restart& one) {
      return one.role == director_role && one.at_s == at_s;
    };
    if (std::ranges::none_of(restarts_, is_known))
      add_restart({director_role, "", at_s, std::nullopt, false, {}});
  }
  director_is_back_ = false;
}

bool Roster::note_director_back() {
  if (std::exchange(director_is_back_, true)) return false;
  for (Restart& one : restarts_)
    if (one.role == director_role && !one.back_s) one.back_s = since_start_s();
  return true;
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
    return panel.dark_since_s && since_start_s() > *panel.dark_since_s + limit_s;
  });
}

std::string Roster::names_of_critical_lost(Nanos limit) const {
  const double limit_s = std::chrono::duration<double>(limit).count();
  std::string names;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (!wall_.panels[i].critical) continue;
    const PanelState& panel = panels_[i];
    const bool died = panel.dark_since_s && since_start_s() > *panel.dark_since_s + limit_s;
    const bool never_came = panel.missed_start && !panel.heard_at;
    if (died || never_came || silence_of(i) > limit)
      names += (names.empty() ? "" : ", ") + name_of(i);
  }
  return names;
}

double Roster::since_start_s() const {
  return std::chrono::duration<double>(local_now() - command_start_).count();
}

std::vector<ConnectionId> Roster::connections() const {
  std::vector<ConnectionId> ids;
  ids.reserve(panel_of_.size());
  for (const auto& [id, panel] : panel_of_) ids.push_back(id);
  return ids;
}

nlohmann::json Roster::checkpoint() const {
  nlohmann::json panels = nlohmann::json::array();
  for (const PanelState& panel : panels_)
    panels.push_back({{"missed_start", panel.missed_start},
                      {"pid", panel.pid},
                      {"host", panel.host},
                      {"totals", scene::to_json(panel.totals)},
                      {"damaged_before", panel.damaged_blocks_before},
                      {"staged", level_state(panel.staged_bytes)},
                      {"ready", level_state(panel.buffers_ready)},
                      {"open_restart", json_or_null(panel.open_restart)},
                      {"dark_since_s", json_or_null(panel.dark_since_s)}});
  nlohmann::json restarts = nlohmann::json::array();
  for (const Restart& restart : restarts_) restarts.push_back(restart_state(restart));
  nlohmann::json of_hosts = nlohmann::json::array();
  for (const auto& [key, index] : host_restarts_)
    of_hosts.push_back({{"host", key.host},
                        {"role", key.role},
                        {"key_ns", key.key_ns},
                        {"index", json_or_null(index)}});
  return {{"panels", std::move(panels)},
          {"restarts", std::move(restarts)},
          {"host_restarts", std::move(of_hosts)},
          {"sound_restart", json_or_null(sound_restart_)}};
}

void Roster::restore(const nlohmann::json& checkpoint) {
  restarts_.clear();
  for (const auto& one : json_field<std::vector<nlohmann::json>>(checkpoint, "restarts"))
    restarts_.push_back(restart_of_state(one));
  const auto panels = json_field<std::vector<nlohmann::json>>(checkpoint, "panels");
  expect_field(panels.size() == panels_.size(), "panels", "as many as the wall has");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    PanelState& panel = panels_[i];
    panel.missed_start = json_field<bool>(panels[i], "missed_start");
    panel.pid = json_field<int>(panels[i], "pid");
    panel.host = json_field<std::string>(panels[i], "host");
    panel.totals = scene::batch_from_json(json_field<nlohmann::json>(panels[i], "totals"));
    panel.damaged_blocks_before = json_field<std::uint64_t>(panels[i], "damaged_before");
    panel.staged_bytes = level_field(panels[i], "staged");
    panel.buffers_ready = level_field(panels[i], "ready");
    panel.open_restart = index_field(panels[i], "open_restart", restarts_.size());
    panel.dark_since_s = nullable_json_field<double>(panels[i], "dark_since_s");
  }
  for (const auto& one : json_field<std::vector<nlohmann::json>>(checkpoint, "host_restarts"))
    host_restarts_[{json_field<std::string>(one, "host"), json_field<std::string>(one, "role"),
                    json_field<std::int64_t>(one, "key_ns")}] =
        index_field(one, "index", restarts_.size());
  sound_restart_ = index_field(checkpoint, "sound_restart", restarts_.size());
}

}  // namespace tilewall::director
