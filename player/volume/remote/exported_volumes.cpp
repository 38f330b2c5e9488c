#include "player/volume/remote/exported_volumes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::volume {
namespace {

// Without requests, the watcher ends the readers of volumes that are no longer in the list.
constexpr std::chrono::milliseconds list_look_interval{500};

}  // namespace

ExportedVolumes::ExportedVolumes(std::filesystem::path list)
    : list_(std::move(list)), server_(std::vector<VolumeExport>()) {
  follow();
  watcher_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, list_look_interval, [&] { return stop.stop_requested(); }))
      follow();
  });
}

nlohmann::json ExportedVolumes::call(const nlohmann::json& question) {
  follow();
  return server_.call(question);
}

std::shared_ptr<const net::SlabBuffer> ExportedVolumes::read(std::span<const std::byte> request) {
  follow();
  return server_.read(request);
}

/// Reads the list if it has changed. The director replaces it by a new file, never writes into it.
void ExportedVolumes::follow() {
  struct stat status = {};
  const std::scoped_lock lock(mutex_);  // other requests wait here until the new list is read
  if (::stat(list_.c_str(), &status) != 0) return;
  std::string seen = fmt::format("{} {}.{} {}", status.st_ino, status.st_mtim.tv_sec,
                                 status.st_mtim.tv_nsec, status.st_size);
  if (seen == seen_) return;
  seen_ = std::move(seen);
  try {
    server_.replace(volume_exports_of(read_text_file(list_, longest_export_list), list_.string()));
  } catch (const std::exception& error) {
    log_line("tilewall serve: {}", error.what());
    server_.replace({});
  }
}

}  // namespace tilewall::volume
