#include "player/supervisor/volume_service.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>

#include "net/secret_variables.hpp"
#include "player/movie/remote/remote_url.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall {
namespace {

constexpr const char* service_readers = "4";

/// Of a port that is free now: the service, started again, has the same.
std::string free_address(const SocketAddress& address) {
  const UniqueFd socket = listen_tcp(with_port(address, 0));
  return to_string(local_address(socket.get()));
}

/// The volume with where else it is had; empty where it is no file of a name of its own.
std::optional<VolumeJob> served_job(const SourceSpec& source, const std::string& address,
                                    std::set<std::string>& names) {
  if (source.kind != SourceKind::volume) return std::nullopt;
  VolumeJob job = volume_job_of(source.path);
  if (is_remote(job.path)) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(job.path).lexically_normal();
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  // What an address has a meaning for cannot be a name in one.
  if (name.find_first_of("?&*[") != std::string::npos || !names.insert(name).second)
    return std::nullopt;
  job.served = fmt::format("{}{}/{}?transport=tcp", remote_scheme, address, name);
  return job;
}

}  // namespace

std::optional<ProgramStart> volume_service(Scene& scene, const VolumeServicePlace& place) {
  const std::string address = free_address(place.address);
  std::set<std::string> names;
  std::vector<std::string> paths;
  std::map<SourcePtr, SourcePtr> served;  // regions may share one
  for (Region& region : scene.regions) {
    if (const auto known = served.find(region.source); known != served.end()) {
      region.source = known->second;
      continue;
    }
    const auto job = served_job(*region.source, address, names);
    if (!job) continue;
    SourceSpec source = *region.source;
    source.path = to_text(*job);
    const auto made = std::make_shared<const SourceSpec>(std::move(source));
    served[region.source] = made;
    region.source = made;
    paths.push_back(job->path);
  }
  if (paths.empty()) return std::nullopt;
  ProgramStart start;
  start.arguments = {(program_folder() / "tilewall").string(),
                     "serve",
                     "--listen",
                     address,
                     "--readers",
                     service_readers,
                     "--"};
  start.arguments.insert(start.arguments.end(), paths.begin(), paths.end());
  start.options.output = place.log;
  start.options.own_group = true;
  const char* const secret = std::getenv(control_secret_variable);
  start.options.environment = {{stream_secret_variable, secret == nullptr ? "" : secret}};
  start.pid_file = place.pid_file;
  return start;
}

}  // namespace tilewall
