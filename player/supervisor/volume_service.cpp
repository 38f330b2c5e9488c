#include "player/supervisor/volume_service.hpp"

#include <cstdlib>

#include "net/secret_variables.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall {
namespace {

constexpr const char* service_readers = "4";

}  // namespace

std::string free_address(const SocketAddress& address) {
  const UniqueFd socket = listen_tcp(with_port(address, 0));
  return to_string(local_address(socket.get()));
}

ProgramStart volume_service(const VolumeServerPlace& place, const VolumeServiceFiles& files) {
  ProgramStart start;
  start.arguments = {own_program("tilewall").string(),
                     "serve",
                     "--listen",
                     place.address,
                     "--readers",
                     service_readers,
                     "--offers",
                     place.list.string()};
  start.options.output = files.log;
  start.options.own_group = true;
  const char* const secret = std::getenv(control_secret_variable);
  start.options.environment = {{stream_secret_variable, secret == nullptr ? "" : secret}};
  start.pid_file = files.pid_file;
  return start;
}

}  // namespace tilewall
