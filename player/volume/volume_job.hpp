// A volume as scenes name it and casters open it: SourceSpec::path of a volume is one of these as
// JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::volume {

/// What draws it: a GPU where a host has one, else the processor; or one of these whatever there
/// is.
enum class CasterChoice { automatic, cpu, gl };
inline constexpr std::string_view caster_choice_names[] = {"auto", "cpu", "gl"};
[[nodiscard]] std::string_view name_of(CasterChoice choice) noexcept;
[[nodiscard]] std::optional<CasterChoice> parse_caster_choice(const std::string& name);

struct VolumeJob {
  std::string path;  ///< absolute, as every host knows it; or tilewall://HOST:PORT/NAME
  /// tilewall://HOST:PORT/NAME of the host that has the file, for those that have not; "" = none
  std::string served;
  render::VolumeOptions options;  ///< what of the file
  std::size_t memory_bytes = 0;   ///< of voxels on a host, at most; above 0
  Vec3d stretch = {1, 1, 1};      ///< of the spacings, where axes have lengths of other kinds
  CasterChoice caster = CasterChoice::automatic;
  bool operator==(const VolumeJob&) const = default;
};

[[nodiscard]] std::string to_text(const VolumeJob& job);
/// Throws InputError for what is none.
[[nodiscard]] VolumeJob volume_job_of(const std::string& text);

/// A volume of a show as the server for its other hosts has it: under a name that leads to just
/// that file or series. The director writes the list of them whenever it changes, the server reads
/// it.
inline constexpr std::size_t most_volume_exports = 1000;
inline constexpr std::size_t longest_export_list = std::size_t{64} << 20;  ///< bytes

struct VolumeExport {
  std::string name;               ///< what a client asks for; of one volume of a show alone
  std::string path;               ///< absolute; where it leads is meant
  std::vector<std::string> more;  ///< VolumeOptions::more, which clients cannot name
  bool operator==(const VolumeExport&) const = default;
};

[[nodiscard]] std::string to_text(const std::vector<VolumeExport>& exports);
/// Throws InputError naming `file` for what is no such list.
[[nodiscard]] std::vector<VolumeExport> volume_exports_of(std::string_view text,
                                                          const std::string& file);

}  // namespace tilewall::volume
