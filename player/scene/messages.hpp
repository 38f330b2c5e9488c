// Messages between the director and the panels, and other clients of the control port.
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

/// What a panel has of a show that it takes part in: for a director that was started again.
struct PanelStanding {
  std::uint64_t version = 0;  ///< Scene::version of its newest scene
  std::uint64_t epoch = 0;    ///< Scene::epoch of that scene
  bool primed = false;        ///< Its first picture is ready
  DrawPace pace;              ///< How fast it draws
  int cpus = 0;               ///< CPUs of its host; 0: unknown
  // Late policy slow, for ticks of `epoch`:
  std::int64_t ready_end = 0;     ///< One past the last tick that it has drawn
  std::int64_t released_end = 0;  ///< One past the last tick that was released to it
  std::int64_t delay_ns = 0;      ///< Delay of that tick
};

/// Panel -> director, the first message of a connection.
struct PanelHello {
  int panel = 0;  ///< index into Wall::panels
  int pid = 0;
  std::string host;                         ///< Host name that the panel's machine has for itself
  std::optional<PanelStanding> standing{};  ///< Empty: the panel has no scene yet
};

inline constexpr std::size_t default_stage_bytes = std::size_t{64} << 20;

/// Number of coming ticks whose frames a panel stages, where there is room for them. `stage_bytes`:
/// as in PanelConfig.
[[nodiscard]] std::int64_t ticks_ahead(std::optional<std::size_t> stage_bytes) noexcept;

/// The server that pictures come from over the network.
struct PictureServer {
  std::string address;   ///< "HOST:PORT"; "" = pictures are local
  bool mounted = false;  ///< The server is mounted as a file system: the kernel receives
};

/// Director -> panel, once: all properties of the panel that do not change.
struct PanelConfig {
  std::string name;
  std::string host;  ///< Host name in the wall file; "" = this machine
  int column = 0;
  int row = 0;
  SizePx frame_buffer_px;  ///< before rotation
  wall::Rotation rotation = wall::Rotation::deg0;
  wall::ColorMatch color;
  wall::SizeMm lit_mm;  ///< Size of the lit area as seen on the wall, after rotation
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
  /// Limit of staged frames' bytes. Empty: a default for frames of servers, and no staging for
  /// files.
  std::optional<std::size_t> stage_bytes;
  bool pin = true;    ///< Threads and memory are placed by the host's plan
  std::string place;  ///< Requested placement in the form that parse_place() reads; "" = the plan's
  PictureServer server;  ///< Server of the panel's first pictures
  bool vsync = true;     ///< Swaps in windows wait for the display's refresh, where it has one

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

/// State of a panel's host clock against global time.
struct ReportedClock {
  std::string state;             ///< A name that to_string(ClockState) gives
  std::int64_t bound_ns = 0;     ///< Bound of the clock's error; 0: nothing known yet
  std::int64_t holdover_ns = 0;  ///< Time since a daemon has answered
  int daemon = 0;                ///< The daemon followed: 0 the first, 1 the standby
  /// Changes from one daemon to the other since the host's clock was started.
  std::uint64_t failovers = 0;
};

/// Progress of a panel with the details of volumes that stand still.
enum class DetailState {
  none,    ///< The panel shows the best there is
  coming,  ///< Finer voxels are being read
  ready,   ///< Finer pictures can be drawn; on walls of several panels, which wait for each other
};
struct DetailReport {
  std::uint64_t epoch = 0;  ///< Scene::epoch; 0: nothing known yet
  DetailState state = DetailState::none;
  std::int64_t best_tick = 0;  ///< In state none: pictures of this tick and later are the best
  int stage = 0;               ///< In state ready: the stage of volumes that can be shown
  bool more_comes = false;     ///< In state ready: finer voxels are being read, for the next stage
};

/// A process of the panel's host that died: its host service, a caster or a decoder.
struct HostRestart {
  std::string role;  ///< "host", "caster", "decoder"
  /// Time of death by the host's own clock; with the role it identifies the restart on that host.
  std::int64_t key_ns = 0;
  std::int64_t died_ns = 0;  ///< global time
  std::int64_t back_ns = 0;  ///< global time; 0: not yet
};

/// Whether the picture of a region stays although another frame was due.
struct RegionStay {
  std::string region;
  std::int64_t since_ns = 0;  ///< global time of the first tick at which it stayed; 0: it moves
  bool operator==(const RegionStay&) const = default;
};

/// Panel -> director, a few times a second: frames shown since the last batch, and totals since the
/// panel's start.
struct ShownBatch {
  std::uint64_t epoch = 0;  ///< Scene::epoch of the ticks
  std::vector<ShownFrame> frames;
  /// The frames were perhaps reported on an earlier connection, to a director that has died.
  /// Empty: they were not. Else all frames after this global time in nanoseconds are reported so.
  std::optional<std::int64_t> again_after_ns{};
  ReportedClock clock;
  std::string presenter;
  std::string cores;  ///< CPUs of its threads, for people
  std::uint64_t read_bytes = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t present_ns = 0;  ///< Time for uploading pictures to the presenter and swapping them
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_frames = 0;
  std::uint64_t received_bytes = 0;  ///< Bytes received from servers
  std::uint64_t lost_packets = 0;
  std::uint64_t repaired_packets = 0;
  std::uint64_t samples = 0;  ///< Samples taken of volumes
  /// Bytes that TCP may have in flight from servers; 0: not by TCP.
  std::uint64_t window_bytes = 0;
  std::uint64_t staged_bytes = 0;        ///< Bytes of coming frames in memory now
  std::uint64_t stage_budget_bytes = 0;  ///< Limit of staged_bytes; 0: nothing is staged
  std::uint64_t peak_rss_bytes = 0;
  /// Memory of the show's processes on the panel's host; 0: unknown.
  std::uint64_t host_memory_bytes = 0;
  std::int64_t buffers_ready = 0;  ///< Decoded pictures that wait for their instants
  std::int64_t buffers = 0;        ///< Size of the ring of pictures
  int level = 0;                   ///< Pyramid level that the movie is drawn from
  bool realtime = true;            ///< The presenting thread has realtime priority
  LateCounts late;
  std::uint64_t late_epoch = 0;  ///< Scene::epoch of the newest late frame; 0: none was late
  DrawPace pace;
  int cpus = 0;  ///< CPUs of the panel's host; 0: unknown
  DetailReport detail;
  std::vector<RegionStay> regions{};       ///< The regions of the picture that was drawn last
  std::vector<HostRestart> host_restarts;  ///< All known restarts of this host's processes so far
  std::optional<DecoderStatus> decoder;    ///< Decoders of this panel's host; instants are global
  std::optional<VolumeStatus> volume;      ///< State of the volume that the panel shows
};

/// Panel -> director, {"type": "drawn"}: the panel has the first picture of a changed scene. From
/// the two global times the director learns how long before its instant a change has to be sent.
struct ChangeDrawn {
  std::uint64_t epoch = 0;       ///< Scene::epoch
  std::int64_t received_ns = 0;  ///< when the scene arrived
  std::int64_t ready_ns = 0;     ///< when the picture was ready to be presented
};

/// Director -> panels, with late policy `slow`: ticks up to the last one listed may be shown, each
/// `delay_ns` later than its timeline has it.
struct ReleasedTick {
  std::int64_t tick = 0;
  std::int64_t delay_ns = 0;
};
struct Release {
  std::uint64_t epoch = 0;
  std::vector<ReleasedTick> ticks;  ///< Consecutive ticks
};

[[nodiscard]] nlohmann::json to_json(const PanelHello& hello);
[[nodiscard]] nlohmann::json to_json(const PanelConfig& config);
[[nodiscard]] nlohmann::json to_json(const ShownBatch& batch);
[[nodiscard]] nlohmann::json to_json(const Release& release);
[[nodiscard]] nlohmann::json to_json(const ChangeDrawn& drawn);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] PanelHello hello_from_json(const nlohmann::json& json);
[[nodiscard]] PanelConfig config_from_json(const nlohmann::json& json);
[[nodiscard]] ShownBatch batch_from_json(const nlohmann::json& json);
[[nodiscard]] Release release_from_json(const nlohmann::json& json);
[[nodiscard]] ChangeDrawn change_drawn_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
