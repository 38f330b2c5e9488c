#include "tests/emulation/bench_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/clock/clock_daemon.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::test {

using namespace net;
namespace {

constexpr std::chrono::seconds end_limit{3};

double own_cpu_s() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void BenchProcess::Inside::say_port(std::uint16_t port) const {
  if (::write(pipe, &port, sizeof port) != sizeof port) throw JobError("nobody asks for the port");
}

BenchProcess::BenchProcess(const std::string& name,
                           const std::function<void(const Inside&, BenchProcessReport&)>& body) {
  int ends[2];
  check_sys(::pipe2(ends, O_CLOEXEC), "pipe2");
  pipe_ = UniqueFd(ends[0]);
  UniqueFd writing(ends[1]);
  pid_ = start_role(name, {}, [&] {
    const UniqueFd stop = stop_signal_fd();
    BenchProcessReport report;
    body({stop.get(), writing.get()}, report);
    report.cpu_s = own_cpu_s();
    return ::write(writing.get(), &report, sizeof report) == sizeof report ? exit_done
                                                                           : exit_failed;
  });
  writing.reset();  // so that its end is seen here
  if (::read(pipe_.get(), &port_, sizeof port_) == sizeof port_) return;
  end_child(pid_, end_limit);
  throw JobError(name + " did not start");
}

BenchProcess::~BenchProcess() {
  if (pid_ != 0) end_child(pid_, end_limit);
}

BenchProcessReport BenchProcess::end() {
  end_child(pid_, end_limit);
  pid_ = 0;
  BenchProcessReport report;
  if (::read(pipe_.get(), &report, sizeof report) != sizeof report) return {};
  return report;
}

}  // namespace tilewall::test
