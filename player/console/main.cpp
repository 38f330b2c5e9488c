// tilewall-console: serves the operator's page of one show. The supervisor starts it, and gives it
// a socket that listens already, so that its address stays the same when it is started again.
// tilewall-console --run-dir FOLDER --listen-fd N [--certificate FILE --key FILE]

#include <sys/prctl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <optional>

#include "net/socket.hpp"
#include "player/console/console.hpp"
#include "player/console/web_server.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace {

using namespace tilewall;

// Where requests of strangers use up memory, this process ends, and none of the show's.
constexpr std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;

int run(const Arguments& arguments) {
  ::prctl(PR_SET_NAME, "tw-console");
  limit_own_memory(memory_limit_bytes);
  UniqueFd listening(arguments.number("--listen-fd"));
  const net::SocketAddress at = net::local_address(listening.get());
  const std::string address = net::to_string(at);
  std::optional<console::TlsFiles> tls;
  if (arguments.has("--certificate"))
    tls = console::TlsFiles{arguments.text("--certificate"), arguments.text("--key")};
  boost::asio::io_context io(1);
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&](boost::system::error_code, int) { io.stop(); });
  console::Console console(
      io, arguments.text("--run-dir"),
      console::own_names(address.substr(0, address.rfind(':')), at.port(), tls.has_value()));
  const console::WebServer server(io, std::move(listening), tls, console);
  log_line("the console listens at {}", address);
  io.run();
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) try {
  allow_open_files();
  trace::begin_host_role("tilewall-console");
  return run(Arguments(argc, argv));
} catch (const std::exception& error) {
  log_line("tilewall-console: {}", error.what());
  return exit_failed;
}
