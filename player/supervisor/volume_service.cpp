#include "player/supervisor/volume_service.hpp"

#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {
namespace {

constexpr const char* service_readers = "4";

}  // namespace

host::ProgramStart volume_service(const director::VolumeServerPlace& place,
                                  const net::ServerSockets& sockets,
                                  const VolumeServiceFiles& files) {
  host::ProgramStart start;
  start.arguments = {own_program("tilewall").string(),
                     "serve",
                     "--sockets",
                     std::to_string(sockets.tcp.get()),
                     std::to_string(sockets.udp.get()),
                     "--readers",
                     service_readers,
                     "--offers",
                     place.list.string()};
  start.options.output = files.log;
  start.options.own_group = true;
  start.options.inherited = {sockets.tcp.get(), sockets.udp.get()};
  start.pid_file = files.pid_file;
  return start;
}

}  // namespace tilewall::supervisor
