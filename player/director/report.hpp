// The report of a show, with the keys that users and scripts rely on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/director/show_ledger.hpp"
#include "player/trace/show_trace.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// A process that died and came back; seconds since the command began.
struct Restart {
  std::string role;
  std::string panel;  ///< "" where it is no panel's
  double at_s = 0;
  std::optional<double> back_s;  ///< when its first frame was known of; empty: never
  bool hung = false;             ///< it had given no sign of life for seconds, and was killed
  std::string host{};            ///< told where it is no panel's
};

/// How full a buffer was while the show could have filled it.
struct BufferLevel {
  std::optional<std::uint64_t> lowest;
  std::uint64_t peak = 0;
  /// `counts`: it is not low because the show begins or ends.
  void add(std::uint64_t level, bool counts);
};

/// What the director knows of one panel.
struct PanelState {
  std::optional<ConnectionId> connection;
  bool primed = false;
  bool missed_start = false;  ///< the show started without it
  int pid = 0;
  std::string host;
  scene::ShownBatch totals;                 ///< the newest counters; its frames are empty
  std::uint64_t damaged_blocks_before = 0;  ///< of its processes that have ended
  BufferLevel staged_bytes;                 ///< as told a few times a second, as the next
  BufferLevel buffers_ready;
  std::optional<LocalInstant> heard_at;     ///< its newest report or hello; empty before it
  std::optional<std::size_t> open_restart;  ///< index of a restart that is not over
};

struct ReportInput {
  const wall::Wall& wall;
  wall::BezelMode bezels;
  wall::ContentMode content;
  const ShowLedger& ledger;
  const std::vector<PanelState>& panels;
  const std::vector<Restart>& restarts;
  const LogHistogram& clock_bounds_ns;
  bool hashes;
  std::string error;                                   ///< "" when all went well
  std::vector<std::string> notes;                      ///< what a person should know besides
  std::optional<double> start_s;                       ///< command to first frame on all panels
  std::function<double(GlobalInstant)> since_start_s;  ///< from the command's begin
  std::optional<trace::TraceSummary> trace;
};

[[nodiscard]] nlohmann::json report_json(ReportInput input);

/// What decodes ordinary movies on each host, by its name: every movie once, as the newest of the
/// host's panels tells of it, and the device that the busiest of them tells of.
[[nodiscard]] std::map<std::string, scene::DecoderStatus> decoders_of(
    const std::vector<PanelState>& panels);

/// What a panel's volume costs and takes, for its report and status; null where it shows none.
[[nodiscard]] nlohmann::json volume_json(const scene::ShownBatch& totals);

/// {`p50`, `p99`, `max`}
[[nodiscard]] nlohmann::json to_json(const Percentiles& values);

/// 16 hexadecimal digits.
[[nodiscard]] std::string hash_text(const scene::ShownFrame& shown);

}  // namespace tilewall::director
