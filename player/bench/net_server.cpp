#include "player/bench/net_server.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/clock/clock_daemon.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::bench {
namespace {

constexpr std::chrono::seconds server_end_limit{2};

double ended_children_cpu_s() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

NetServer::NetServer(const NetServerOptions& options,
                     const std::function<std::unique_ptr<net::SlabSource>()>& make_source) {
  int ends[2];
  check_sys(::pipe(ends), "pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_ = start_role("tw-bench-net", {{}, {}, false, {writing.get()}}, [&] {
    const UniqueFd stop = stop_signal_fd();
    const std::unique_ptr<net::SlabSource> source = make_source();
    net::SlabServerOptions server_options;
    server_options.address = net::resolve("127.0.0.1:0", "server");
    server_options.key = options.key;
    server_options.rate_gbit_s = options.rate_gbit_s;
    net::SlabServer server(server_options, *source);
    const std::uint16_t port = server.port();
    if (::write(writing.get(), &port, sizeof port) != sizeof port) return exit_failed;
    server.run(stop.get());
    return exit_done;
  });
  writing.reset();
  if (::read(reading.get(), &port_, sizeof port_) == sizeof port_) return;
  end_child(pid_, server_end_limit);
  throw JobError("bench net: the server did not start");
}

NetServer::~NetServer() {
  if (pid_ != 0) static_cast<void>(end());
}

net::SocketAddress NetServer::address() const {
  return net::resolve(fmt::format("127.0.0.1:{}", port_), "server");
}

double NetServer::end() {
  const double before = ended_children_cpu_s();
  end_child(pid_, server_end_limit);
  pid_ = 0;
  return ended_children_cpu_s() - before;
}

}  // namespace tilewall::bench
