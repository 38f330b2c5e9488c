// Live sources in a show: which timestep of each is on the wall, and the messages about that
// between director, panels and casters, over the control port.
//
// The timesteps of a live source follow from no clock, so the director names them. It tells panels
// the next one (LiveStep without an instant); each draws it ahead and says so (LiveDrawn); then the
// director tells all of them the instant from which it is shown. So no two panels ever show
// different timesteps. The scene and its epoch stay the same meanwhile.
//
// The caster of a live source has a connection of its own. It says what it has received
// (LiveReport), and is told which timestep is wanted (LiveOrder).
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "render/volume/orbit.hpp"

namespace tilewall::scene {

/// Stands for a timestep, or its frame, that does not exist: none has come yet.
inline constexpr std::int64_t no_timestep = -1;
inline constexpr std::int64_t last_timestep = (std::int64_t{1} << 44) - 1;

/// The frame of a timestep of a run of a source. Each run begins at timestep 0, so panels and
/// casters tell the timesteps of different runs apart by their frames: the upper bits are of the
/// run. @pre timestep <= last_timestep
[[nodiscard]] constexpr std::int64_t live_frame(std::uint64_t run, std::int64_t timestep) noexcept {
  constexpr std::uint64_t run_bits = (std::uint64_t{1} << 19) - 1;
  return timestep == no_timestep
             ? no_timestep
             : static_cast<std::int64_t>((run >> 1 & run_bits) << 44) + timestep;
}
/// The timestep of a frame.
[[nodiscard]] constexpr std::int64_t timestep_of(std::int64_t frame) noexcept {
  return frame == no_timestep ? no_timestep : frame & last_timestep;
}

/// The longest LiveFrame::note in bytes.
inline constexpr std::size_t longest_live_note = 47;

/// The frames of one live source on the wall. Director -> panels.
struct LiveStep {
  std::string source;                 ///< SourceSpec::path
  std::uint64_t number = 0;           ///< grows with each message about the source
  std::int64_t shown = no_timestep;   ///< frame that is shown from `since` until `from`
  std::int64_t next = no_timestep;    ///< frame that is shown from `from` on; no_timestep: none
  GlobalInstant from = never;         ///< `never`: panels draw it ahead and wait
  std::int64_t before = no_timestep;  ///< frame that is shown until `since`
  GlobalInstant since{};              ///< may be still to come: the next frame is drawn meanwhile
  // What labels say of each of these frames beside its time: its age, the rate and the skipped
  // timesteps as of when it was chosen. One text for all panels; at most longest_live_note bytes.
  std::string shown_note{};
  std::string next_note{};
  std::string before_note{};

  /// The frame that is shown at `at`.
  [[nodiscard]] std::int64_t at(GlobalInstant at) const noexcept {
    if (next != no_timestep && at >= from) return next;
    return at >= since ? shown : before;
  }
  /// The note of one of the frames; "" for any other.
  [[nodiscard]] const std::string& note_of(std::int64_t frame) const noexcept;
  bool operator==(const LiveStep&) const = default;
};

/// The steps of all live sources that a panel knows.
using LiveSteps = std::vector<LiveStep>;

/// The step of the source; null where there is none.
[[nodiscard]] const LiveStep* find_step(const LiveSteps& steps, const SourceSpec& source) noexcept;

/// The frames of the scene's regions at an instant, those of live sources by `steps`.
[[nodiscard]] std::vector<std::int64_t> frames_of(const Scene& scene, const LiveSteps& steps,
                                                  GlobalInstant at);

/// Panel -> director: the panel has drawn the next timestep, and waits for its instant.
struct LiveDrawn {
  std::string source;
  std::uint64_t number = 0;  ///< LiveStep::number
};

/// Caster -> director, the first message of a connection.
struct CasterHello {
  int pid = 0;
  std::string host;    ///< Host name that the caster's machine has for itself
  std::string source;  ///< SourceSpec::path
};

/// Why a timestep was not shown.
enum class LiveSkip : std::uint8_t {
  rank_gone,
  passed,
  late,
  blocks,
  refused,
  superseded,
  new_run
};
inline constexpr std::size_t live_skips = 7;
inline constexpr std::string_view live_skip_names[live_skips] = {
    "rank_gone", "passed", "late", "blocks", "refused", "superseded", "new_run"};

/// A timestep that a caster did not receive whole.
struct LiveSkipped {
  std::int64_t timestep = 0;
  LiveSkip skip = LiveSkip::late;
  std::string cause;  ///< for people: "rank 3 is gone"
};

/// What a live source is, once a rank has described it.
struct LiveShape {
  std::string name;
  std::array<int, 3> grid{};
  std::array<double, 3> spacing{1, 1, 1};
  std::array<double, 3> origin{};
  std::string field;  ///< the field that is shown; "" = not known yet
  int ranks = 1;
  bool operator==(const LiveShape&) const = default;
};

/// The box of a live source's grid, in world units. An axis of one voxel is as thick as the voxel.
[[nodiscard]] render::WorldBox box_of(const LiveShape& shape);

/// Seconds that a caster's whole timesteps took, all of them together.
struct LiveWork {
  std::uint64_t timesteps = 0;
  double wire_s = 0;     ///< from the first voxels to the last ones
  double convert_s = 0;  ///< copying voxels to their places
  double tiles_s = 0;    ///< cells' ranges, and packing for the processor's kernels
  double after_s = 0;    ///< the part of this work that came after the last voxels
  bool operator==(const LiveWork&) const = default;
};

/// Caster -> director: what it knows and has received. Sums are since the caster's start.
struct LiveReport {
  std::optional<LiveShape> shape;
  std::uint64_t run = 0;               ///< the source's run, by which its ranks name it; 0: unknown
  std::int64_t reached = no_timestep;  ///< newest timestep that a rank has ended in this run
  std::vector<std::int64_t> kept;      ///< whole timesteps of this run in memory, oldest first
  std::int64_t resolved = no_timestep;  ///< newest wanted timestep that came whole or was skipped
  std::vector<LiveSkipped> skipped;     ///< since the last report; at most 16
  std::string waits_for;                ///< for people: "2 of 4 ranks are connected"; "" = nothing
  std::string refused{};                ///< why a rank was refused or dropped last; "" = none was
  double newest_time = 0;               ///< the simulation's time of the newest kept timestep
  std::uint64_t received_bytes = 0;
  std::uint64_t lost_packets = 0;
  std::uint64_t repaired_packets = 0;
  std::uint64_t received = 0;  ///< whole timesteps
  LiveWork work{};
};

/// Director -> caster: what is wanted, and what may be dropped.
struct LiveOrder {
  std::uint64_t run = 0;                ///< LiveReport::run that it is for
  std::int64_t wanted = no_timestep;    ///< no_timestep: none
  std::vector<std::int64_t> on_wall{};  ///< frames that panels show or draw, which must be kept
  bool operator==(const LiveOrder&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const LiveStep& step);
[[nodiscard]] nlohmann::json to_json(const LiveDrawn& drawn);
[[nodiscard]] nlohmann::json to_json(const CasterHello& hello);
[[nodiscard]] nlohmann::json to_json(const LiveReport& report);
[[nodiscard]] nlohmann::json to_json(const LiveOrder& order);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] LiveStep live_step_from_json(const nlohmann::json& json);
[[nodiscard]] LiveDrawn live_drawn_from_json(const nlohmann::json& json);
[[nodiscard]] CasterHello caster_hello_from_json(const nlohmann::json& json);
[[nodiscard]] LiveReport live_report_from_json(const nlohmann::json& json);
[[nodiscard]] LiveOrder live_order_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
