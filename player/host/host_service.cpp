#include "player/host/host_service.hpp"

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_page.hpp"
#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "player/host/movie_service.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall {

int run_host_service(const HostServiceOptions& options) {
  const ChildWatch watch;  // before the client's thread, which inherits the blocked signals
  ClockPageWriter page(options.clock_page);
  ClockClientOptions client_options;
  client_options.daemons = resolve_clock_daemons(options.clock, "--clock");
  client_options.key = AuthKey::from_environment(clock_secret_variable);
  client_options.previous = page.previous();
  client_options.on_publish = [&](const ClockStatus& status) { page.publish(status); };
  const ClockClient client(client_options);
  MovieService movies(options.movies, options.run_dir);
  while (movies.serve_until(watch) != WatchEvent::stop) {
  }
  return 0;
}

}  // namespace tilewall
