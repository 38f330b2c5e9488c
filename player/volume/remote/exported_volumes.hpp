// The volumes that a show's own server gives to other hosts: those in a list (volume_job.hpp),
// which is read again when it changes.
//
// Threads: any, several at once (SlabSource). The object has a thread that watches the list.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "player/volume/remote/volume_server.hpp"

namespace tilewall::volume {

class ExportedVolumes final : public net::SlabSource {
 public:
  /// Serves no volume while the file `list` does not exist.
  explicit ExportedVolumes(std::filesystem::path list);

  /// Answers like VolumeServer, by the newest list.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::uint64_t answer_bytes(std::span<const std::byte> request) override {
    return server_.answer_bytes(request);
  }
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

 private:
  void follow();

  const std::filesystem::path list_;
  VolumeServer server_;
  std::mutex mutex_;
  std::string seen_;      // guarded by mutex_; inode, time and size of the list that was read
  std::jthread watcher_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
