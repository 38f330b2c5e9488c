#include "player/volume/remote/exported_volumes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::volume {
namespace {

constexpr std::chrono::milliseconds list_look_interval{
    500};  // so that readers end that nobody asks

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

/// A list is always a new file in place of the one before.
void ExportedVolumes::follow() {
  struct stat status = {};
  const std::scoped_lock lock(mutex_);  // nobody is answered by a list that has been replaced
  if (::stat(list_.c_str(), &status) != 0) return;
  std::string seen = fmt::format("{} {}.{} {}", status.st_ino, status.st_mtim.tv_sec,
                                 status.st_mtim.tv_nsec, status.st_size);
  if (seen == seen_) return;
  seen_ = std::move(seen);
  try {
    server_.replace(volume_exports_of(read_text_file(list_, longest_export_list), list_.string()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall serve: {}\n", error.what());
    server_.replace({});
  }
}

}  // namespace tilewall::volume
