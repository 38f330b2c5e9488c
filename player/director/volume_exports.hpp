// Which volumes of a show its server gives to those hosts that have them not: all that the scenes
// show, as long as they do, and nothing else.
//
// One owner, the director's thread.
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
  std::string address;         ///< "HOST:PORT", as the wall's hosts reach it; "" = there is none
  std::filesystem::path list;  ///< of what it gives; the first one written starts it
};

class VolumeExports {
 public:
  /// `note`: a line for the report.
  VolumeExports(VolumeServerPlace place, std::function<void(const std::string& line)> note);

  /// The scene, its volumes' files with where else they are had; those are exported from now on. A
  /// source stays one source. What a source says of itself about that does not count.
  [[nodiscard]] scene::Scene with_exports(scene::Scene scene, LocalInstant now);

  /// To be called now and then: takes out what the scene does not show any more, and has not shown
  /// for a while, as panels may still draw the one before.
  void step(const scene::Scene& scene, LocalInstant now);

 private:
  /// A source with volumes.
  struct Named {
    scene::SourcePtr source;        // with where they are had
    std::vector<std::string> keys;  // of exports_
    LocalInstant used;
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
  std::map<std::string, volume::VolumeExport> exports_;  // by path and files that follow it
  std::uint64_t last_number_ = 0;  // of exports: a name never leads to another file
  bool is_written_ = true;         // the list, as exports_ is
  bool noted_ = false;
  LocalInstant looked_at_;
};

}  // namespace tilewall::director
