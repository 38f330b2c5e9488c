// Finds the volumes of a server by their names: those below some folders, or those of a list of
// exports. Links that lead out of the folders are not followed. Files that a volume's file names
// itself, such as the data of a detached header, are opened by the reader without this check.
//
// Threads: immutable; any thread.
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
  /// Each input is a folder with volumes below it, or a volume, whose name is its file name. If two
  /// have the same name, the first one is found. Throws InputError for other inputs.
  explicit VolumePlaces(const std::vector<std::filesystem::path>& inputs);

  /// Only find() looks whether an export exists. Never throws.
  explicit VolumePlaces(std::vector<VolumeExport> exports) : exports_(std::move(exports)) {}

  /// At most `most` names: exports, then paths of volumes below the folders, sorted. Files whose
  /// names differ in a number only are one pattern ("run/ct-%04d.nrrd"). Files are found by their
  /// suffixes; wall movies are left out.
  [[nodiscard]] std::vector<std::string> list(std::size_t most) const;

  struct Found {
    std::string path;               ///< absolute; without links, except for an export
    std::string root;               ///< Served folder with a slash; messages leave it out
    std::vector<std::string> more;  ///< VolumeOptions::more
    /// ReaderLimits::beneath; "" for an export, whose files the wall's own user has chosen
    std::filesystem::path beneath;
  };
  /// The place of a volume; empty if there is none.
  [[nodiscard]] std::optional<Found> find(const std::string& name) const;

 private:
  struct Place {
    std::filesystem::path path;  // without links
    UniqueFd folder;
    std::string only;  // the only name that is served; "" = all below the folder
  };
  [[nodiscard]] static Found found(const VolumeExport& exported);

  std::vector<Place> places_;
  std::vector<VolumeExport> exports_;
};

/// Whether a folder is a volume itself, such as a Zarr folder.
[[nodiscard]] bool is_volume_folder(const std::filesystem::path& folder);

}  // namespace tilewall::volume
