// The description of a volume that scenes have and casters open. SourceSpec::path of a volume is a
// VolumeJob as JSON.
//
// Threads: values and free functions without state.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/live/live_messages.hpp"
#include "render/readers/volume_info.hpp"

namespace tilewall::volume {

/// What draws a volume. `automatic`: the GPU if the host has one, else the processor. `scalar`: the
/// processor without instructions that only some processors have, so that all draw the same bytes.
enum class CasterChoice { automatic, cpu, gl, scalar };
inline constexpr std::string_view caster_choice_names[] = {"auto", "cpu", "gl", "scalar"};
/// The names that users may choose for a wall.
inline constexpr std::span<const std::string_view> wall_caster_names =
    std::span(caster_choice_names).first<3>();
[[nodiscard]] std::string_view name_of(CasterChoice choice) noexcept;
[[nodiscard]] std::optional<CasterChoice> parse_caster_choice(const std::string& name);

/// How a wall gets the timesteps of a live source.
struct LiveJob {
  std::string name;                ///< Name of the source
  std::string listen;              ///< "ADDRESS:PORT" to which its ranks connect; "" = none
  std::vector<std::string> ranks;  ///< "HOST:PORT" of ranks that listen
  std::string field;               ///< the field that is shown; "" = rank 0's first one
  net::LivePolicy policy = net::LivePolicy::newest;
  std::int64_t nth = 1;  ///< policy nth: each N-th timestep
  double wait_s = 0;     ///< longest that a rank waits for the wall, policies every, nth
  /// f32 values are sent as u8, from this value on 0, up to that value 255; empty: as they are.
  std::optional<std::array<double, 2>> quantise;
  bool keeps_camera =
      false;  ///< the camera was given in world units, and is not fitted to the grid
  bool operator==(const LiveJob&) const = default;
};

struct VolumeJob {
  /// Absolute, the same on every host; or tilewall://HOST:PORT/NAME; or live:NAME.
  std::string path;
  /// tilewall://HOST:PORT/NAME from which hosts without the file read the volume; "" = none
  std::string served;
  render::VolumeOptions options;  ///< the part of the file that is shown
  std::size_t memory_bytes = 0;   ///< limit of the memory for voxels on each host; above 0
  Vec3d stretch = {1, 1, 1};      ///< factors of the spacings, for axes that are no lengths
  CasterChoice caster = CasterChoice::automatic;
  std::optional<LiveJob> live;  ///< empty: a volume that is stored
  /// Places from one timestep to the next: above 1, those between the two have values of both. A
  /// place is counted in these.
  int steps_between = 1;
  bool operator==(const VolumeJob&) const = default;
};

inline constexpr int most_steps_between = 1024;

[[nodiscard]] std::string to_text(const VolumeJob& job);
/// Throws InputError if `text` is no job, or has no memory or no stretch above 0.
[[nodiscard]] VolumeJob volume_job_of(const std::string& text);

// The list of volumes that the show's own server gives to its other hosts. The director writes it
// whenever it changes; the server reads it.

inline constexpr std::size_t most_volume_exports = 1000;
inline constexpr std::size_t longest_export_list = std::size_t{64} << 20;  ///< bytes

/// A volume of a show that other hosts may read.
struct VolumeExport {
  std::string name;               ///< the name that clients request; unique in a show
  std::string path;               ///< absolute; a link is followed
  std::vector<std::string> more;  ///< VolumeOptions::more, which clients cannot name
  bool operator==(const VolumeExport&) const = default;
};

[[nodiscard]] std::string to_text(const std::vector<VolumeExport>& exports);
/// Throws InputError naming `file` if `text` is no such list.
[[nodiscard]] std::vector<VolumeExport> volume_exports_of(std::string_view text,
                                                          const std::string& file);

}  // namespace tilewall::volume
