// The messages between the director and the panels (and whoever else sits at the control port).
//
// Every message is one JSON object with a "type". Times are global, in nanoseconds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/scene/late.hpp"
#include "player/scene/panel_places.hpp"
#include "player/scene/scene.hpp"
#include "player/scene/source_status.hpp"

namespace tilewall::scene {

inline constexpr int control_protocol_version = 1;

/// What the wall does when a panel cannot keep up: skip frames; slow the timeline down; or skip,
/// and show less detail on all panels until they keep up.
enum class LatePolicy { drop, slow, lower };
inline constexpr std::string_view late_policy_names[] = {"drop", "slow", "lower"};
[[nodiscard]] std::string to_string(LatePolicy policy);

/// Director -> whoever connects, first message: what a hello must answer.
struct Challenge {
  std::string nonce;  ///< random, for this connection
};

/// Panel -> director, the answer.
struct PanelHello {
  int panel = 0;  ///< index into Wall::panels
  int pid = 0;
  std::string host;  ///< as the panel's machine calls itself
  std::string tag;   ///< hello_text() under the show's key, in hexadecimal; "" without a key
};

/// What a hello's tag is computed over.
[[nodiscard]] std::string hello_text(const Challenge& challenge, const PanelHello& hello);

inline constexpr std::size_t default_stage_bytes = std::size_t{64} << 20;

/// Frames of how many coming ticks a panel stages, where there is room for them. `stage_bytes`: as
/// PanelConfig's.
[[nodiscard]] std::int64_t ticks_ahead(std::optional<std::size_t> stage_bytes) noexcept;

/// Where pictures come from over the network.
struct PictureServer {
  std::string address;   ///< "HOST:PORT"; "" = they do not
  bool mounted = false;  ///< in files: the kernel receives
};

/// Director -> panel, once: everything about this panel that does not change.
struct PanelConfig {
  std::string name;
  std::string host;  ///< as the wall file calls it; "" = this machine
  int column = 0;
  int row = 0;
  SizePx frame_buffer_px;  ///< before rotation
  wall::Rotation rotation = wall::Rotation::deg0;
  wall::ColorMatch color;
  wall::SizeMm lit_mm;  ///< of its lit area, as seen on the wall
  PanelPlaces places;
  wall::PanelBlend blend;
  std::string display;  ///< X display; "" = the environment's
  PointPx window_px;
  std::string presenter;  ///< "auto", "gl", "cpu", "null"
  bool headless = false;
  LatePolicy late = LatePolicy::drop;
  bool hashes = false;
  std::vector<std::int64_t> snapshot_frames;
  int decode_threads = 1;
  /// Of coming frames in memory. Empty: a default for what servers give, none of files.
  std::optional<std::size_t> stage_bytes;
  bool pin = true;       ///< threads and memory are placed by its host's plan
  std::string place;     ///< what is asked for instead, as parse_place() takes it
  PictureServer server;  ///< of its first pictures
  bool vsync = true;     ///< swaps in windows go with the display's refresh, where it has one

  /// The frame buffer's size as the viewer sees it.
  [[nodiscard]] SizePx viewed_size_px() const noexcept;
};

/// Panel -> director: one swap.
struct ShownFrame {
  std::int64_t tick = 0;
  std::int64_t frame = 0;
  std::int64_t stamp_ns = 0;  ///< global time when the swap returned
  std::uint64_t hash = 0;     ///< XXH3-64 of the picture, when asked for
  FrameDamage damage = FrameDamage::none;
};

/// How a panel's host is in step with global time.
struct ReportedClock {
  std::string state;             ///< as to_string(ClockState) has it
  std::int64_t bound_ns = 0;     ///< of the error; 0: nothing known yet
  std::int64_t holdover_ns = 0;  ///< how long no daemon has answered
  int daemon = 0;                ///< the one followed: 0 the first, 1 the standby
  std::uint64_t failovers = 0;   ///< from one to the other, since the host's clock was started
};

/// How far a panel is with the details of volumes that stand still.
enum class DetailState {
  none,    ///< there is nothing better than what it shows
  coming,  ///< there will be
  ready,   ///< it could be shown: of a wall with several hosts, which wait for each other
};
struct DetailReport {
  std::uint64_t epoch = 0;  ///< Scene::epoch; 0: nothing known yet
  DetailState state = DetailState::none;
  std::int64_t best_tick = 0;  ///< of state none: its pictures are the best from there on
};

/// A process of the panel's host that died: its host service, a caster or a decoder.
struct HostRestart {
  std::string role;          ///< "host", "caster", "decoder"
  std::int64_t key_ns = 0;   ///< on that host one of each role: its death by the host's own clock
  std::int64_t died_ns = 0;  ///< global time
  std::int64_t back_ns = 0;  ///< global time; 0: not yet
};

/// Panel -> director, a few times a second: what was shown since the last one, and totals so far.
struct ShownBatch {
  std::uint64_t epoch = 0;  ///< Scene::epoch that the ticks belong to
  std::vector<ShownFrame> frames;
  ReportedClock clock;
  std::string presenter;
  std::string cores;  ///< what its threads run on, in words
  std::uint64_t read_bytes = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t present_ns = 0;  ///< bringing pictures to the presenter, and their swaps
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_frames = 0;
  std::uint64_t received_bytes = 0;  ///< from servers
  std::uint64_t lost_packets = 0;
  std::uint64_t repaired_packets = 0;
  std::uint64_t samples = 0;             ///< of volumes
  std::uint64_t window_bytes = 0;        ///< TCP may have under way from servers; 0: not by TCP
  std::uint64_t staged_bytes = 0;        ///< of frames to come, in memory now
  std::uint64_t stage_budget_bytes = 0;  ///< may be; 0: nothing is staged
  std::uint64_t peak_rss_bytes = 0;
  std::int64_t buffers_ready = 0;  ///< decoded pictures that wait for their instants
  std::int64_t buffers = 0;        ///< of the ring
  int level = 0;                   ///< of the movie's pyramid that is drawn from
  bool realtime = true;            ///< the presenting thread has realtime priority
  LateCounts late;
  DrawPace pace;
  int cpus = 0;  ///< that the panel's host has; 0: unknown
  DetailReport detail;
  std::vector<HostRestart> host_restarts;  ///< all that are known on this host so far
  std::optional<DecoderStatus> decoder;    ///< of this panel's host; its instants are global
  std::optional<VolumeStatus> volume;      ///< of the volume that it shows
};

/// Panel -> director, {"type": "drawn"}: it has the first picture of a changed scene. Global times,
/// so the director can tell how long before its instant a change has to be sent.
struct ChangeDrawn {
  std::uint64_t epoch = 0;       ///< Scene::epoch
  std::int64_t received_ns = 0;  ///< when the scene arrived
  std::int64_t ready_ns = 0;     ///< when the picture was ready to be presented
};

/// Anyone -> director: {"type": VERB, "tag": TAG}, answered by one message. "status" is answered
/// with player/director/status.hpp's. What the tag, in hexadecimal, is computed over under the
/// show's key
/// ("" without a key):
[[nodiscard]] std::string request_text(const Challenge& challenge, const std::string& verb);

/// Director -> panels, late policy slow: ticks up to the last one listed may be shown, each
/// `delay_ns` later than its timeline says.
struct ReleasedTick {
  std::int64_t tick = 0;
  std::int64_t delay_ns = 0;
};
struct Release {
  std::uint64_t epoch = 0;
  std::vector<ReleasedTick> ticks;  ///< consecutive
};

[[nodiscard]] nlohmann::json to_json(const Challenge& challenge);
[[nodiscard]] nlohmann::json to_json(const PanelHello& hello);
[[nodiscard]] nlohmann::json to_json(const PanelConfig& config);
[[nodiscard]] nlohmann::json to_json(const ShownBatch& batch);
[[nodiscard]] nlohmann::json to_json(const Release& release);
[[nodiscard]] nlohmann::json to_json(const ChangeDrawn& drawn);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] Challenge challenge_from_json(const nlohmann::json& json);
[[nodiscard]] PanelHello hello_from_json(const nlohmann::json& json);
[[nodiscard]] PanelConfig config_from_json(const nlohmann::json& json);
[[nodiscard]] ShownBatch batch_from_json(const nlohmann::json& json);
[[nodiscard]] Release release_from_json(const nlohmann::json& json);
[[nodiscard]] ChangeDrawn change_drawn_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
