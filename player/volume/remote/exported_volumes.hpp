// What the server of a show gives to its hosts: the volumes that a file lists, whenever it changes
// (volume_job.hpp).
//
// Threads: as a SlabSource's; owns one, which looks at the file.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "player/volume/remote/volume_server.hpp"

namespace tilewall::volume {

class ExportedVolumes final : public net::SlabSource {
 public:
  /// Without a file nothing is given.
  explicit ExportedVolumes(std::filesystem::path list);

  /// As VolumeServer's; what was listed before is given.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

 private:
  void follow();

  const std::filesystem::path list_;
  VolumeServer server_;
  std::mutex mutex_;
  std::string seen_;      // guarded by mutex_: which file it was
  std::jthread watcher_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
