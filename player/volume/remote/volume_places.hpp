// The volumes below some folders, by name; nothing outside of them, by whatever links of their own.
// Or volumes each by a name of its own: these, and nothing else.
// What a volume's file names in its turn (a detached header's data) is its reader's business.
//
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/volume/volume_job.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::volume {

class VolumePlaces {
 public:
  /// Each a folder with volumes below it, or a volume, which has its own name: of two that are
  /// called alike the first counts. Throws InputError for what is neither.
  explicit VolumePlaces(const std::vector<std::filesystem::path>& inputs);

  /// Whether there is something is seen when it is asked for. Never throws.
  explicit VolumePlaces(std::vector<VolumeExport> exports) : exports_(std::move(exports)) {}

  /// Paths below a folder: files, folders and numbered patterns ("run/ct-%04d.nrrd"), in order, at
  /// most so many. Files that are known by their names, a pattern for those that it counts; no wall
  /// movies.
  [[nodiscard]] std::vector<std::string> list(std::size_t most) const;

  struct Found {
    std::string path;               ///< without links, but of an export's
    std::string root;               ///< of the folder, with a slash: messages leave it out
    std::vector<std::string> more;  ///< VolumeOptions::more
  };
  /// Where the volume lies; empty where there is none.
  [[nodiscard]] std::optional<Found> find(const std::string& name) const;

 private:
  struct Place {
    std::filesystem::path path;  // without links
    UniqueFd folder;
    std::string only;  // the one name in it; "" = all below
  };
  [[nodiscard]] static Found found(const VolumeExport& exported);

  std::vector<Place> places_;
  std::vector<VolumeExport> exports_;
};

/// Whether a folder is a volume itself, rather than one of volumes.
[[nodiscard]] bool is_volume_folder(const std::filesystem::path& folder);

}  // namespace tilewall::volume
