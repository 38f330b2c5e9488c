// The volumes that the show's server exports to hosts without the files: all volumes of the scenes,
// as long as a scene names them, and no others.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "player/scene/scene.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

struct VolumeServerPlace {
  std::string address;         ///< "HOST:PORT" of the server for the wall's hosts; "" = none
  std::filesystem::path list;  ///< file with the exports; its first version starts the server
};

class VolumeExports {
 public:
  /// `note` is called with lines for the report. Exports that another director has listed keep
  /// their names.
  VolumeExports(VolumeServerPlace place, std::function<void(const std::string& line)> note);

  /// The scene with the addresses at which other hosts get its volumes. They are exported from now
  /// on. Identical sources share one export. A `served` address sent by a client is ignored.
  [[nodiscard]] scene::Scene with_exports(scene::Scene scene, LocalInstant now);

  /// Keeps the exports of a scene that may be shown next. To be called in every turn, before
  /// step().
  void keep(const scene::Scene& scene, LocalInstant now);
  /// Ends exports that no scene has named for 3 s. Until then panels may still draw the last scene.
  /// To be called in every turn.
  void step(const scene::Scene& scene, LocalInstant now);

 private:
  /// A source with volumes.
  struct Named {
    scene::SourcePtr source;        // the source with the volumes' addresses
    std::vector<std::string> keys;  // keys of its volumes in exports_
    LocalInstant used;              // when a scene last named it
  };
  [[nodiscard]] scene::SourcePtr named(const scene::SourcePtr& source,
                                       std::vector<std::string>& keys);
  [[nodiscard]] std::string address_of(const std::string& path,
                                       const std::vector<std::string>& more,
                                       std::vector<std::string>& keys);
  void write_list();

  const VolumeServerPlace place_;
  const std::function<void(const std::string& line)> note_;
  std::map<scene::SourcePtr, Named> named_;
  std::map<std::string, volume::VolumeExport> exports_;  // by path and further files
  std::uint64_t last_number_ = 0;  // numbers are unique, so names never change file
  bool is_written_ = true;         // the list file has all of exports_
  bool noted_ = false;
  LocalInstant looked_at_;
};

}  // namespace tilewall::director
