// Makes the report of a show. Users and scripts rely on its keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "player/trace/show_trace.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// A process that died, and perhaps came back. Times are seconds since the command began.
struct Restart {
  std::string role;   ///< "panel", "sound", "decoder", ...
  std::string panel;  ///< panel's name; "" for other processes
  double at_s = 0;
  std::optional<double> back_s;  ///< when the director knew that it was back; empty: never
  bool hung = false;             ///< The process gave no sign of life for seconds, and was killed
  std::string host{};            ///< host's name; "" for panels
};

/// The lowest and the highest level of a buffer.
struct BufferLevel {
  std::optional<std::uint64_t> lowest;  ///< empty before the first level that counts
  std::uint64_t peak = 0;
  /// Adds a level. `counts`: it may count as the lowest, since the show neither begins nor ends.
  void add(std::uint64_t level, bool counts);
};

/// The state of one panel, as the director knows it.
struct PanelState {
  std::optional<ConnectionId> connection;
  bool primed = false;
  bool missed_start = false;  ///< the show started without it
  bool failed = false;        ///< it told of a failure, and no process of it was primed since
  int pid = 0;
  std::string host;
  scene::ShownBatch totals;                 ///< the newest counters; its frames are empty
  std::uint64_t damaged_blocks_before = 0;  ///< sum over its processes that have ended
  BufferLevel staged_bytes;                 ///< sampled by its reports
  BufferLevel buffers_ready;                ///< sampled by its reports
  /// Instant of the newest report or hello; empty before the first.
  std::optional<LocalInstant> heard_at;
  std::optional<std::size_t> open_restart;  ///< index of a restart without back_s
  /// First death since the panel's last picture, in seconds since the command began. Empty: none.
  std::optional<double> dark_since_s;
};

/// The hosts of the wall file for all of whose panels `says` is true, in the order of the panels.
template <typename Predicate>
[[nodiscard]] std::vector<std::string> hosts_where(const wall::Wall& wall, Predicate&& says) {
  std::vector<std::string> hosts;
  for (const wall::Panel& first : wall.panels) {
    if (first.host.empty() || std::ranges::find(hosts, first.host) != hosts.end()) continue;
    bool all = true;
    for (std::size_t i = 0; i < wall.panels.size(); ++i)
      all = all && (wall.panels[i].host != first.host || says(i));
    if (all) hosts.push_back(first.host);
  }
  return hosts;
}

struct ReportInput {
  const wall::Wall& wall;
  wall::BezelMode bezels;
  wall::ContentMode content;
  const ShowLedger& ledger;
  const std::vector<PanelState>& panels;
  const std::vector<Restart>& restarts;
  const LogHistogram& clock_bounds_ns;
  bool hashes;
  std::string error;               ///< "" for a show that has not failed
  std::vector<std::string> notes;  ///< lines for people
  std::optional<double> start_s;   ///< Time from the command to the first frame on all panels
  std::function<double(GlobalInstant)> since_start_s;  ///< seconds since the command began
  std::optional<trace::TraceSummary> trace;            ///< empty where the show is not traced
};

[[nodiscard]] nlohmann::json report_json(ReportInput input);

/// The decoders of ordinary movies, by host: each movie once with its newest figures, and the
/// device as the panel with the most pictures reports it.
[[nodiscard]] std::map<std::string, scene::DecoderStatus> decoders_of(
    const std::vector<PanelState>& panels);

/// Times and memory of a panel's volume, for report and status; null where it shows none.
[[nodiscard]] nlohmann::json volume_json(const scene::ShownBatch& totals);

/// {`p50`, `p99`, `max`}
[[nodiscard]] nlohmann::json to_json(const Percentiles& values);

/// The frame's hash as 16 hexadecimal digits.
[[nodiscard]] std::string hash_text(const scene::ShownFrame& shown);

}  // namespace tilewall::director
