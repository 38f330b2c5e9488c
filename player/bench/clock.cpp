// tilewall bench clock: the real daemon and the real client, over loopback and over a virtual cable
// between two networks, chronyd beside them. All read one clock, so every error is known.
//
//   $ tilewall bench clock --seconds 10
//   loopback  error p50 0.044 p99 0.107 max 0.109 us, bound 1.47 us, ...
//   veth      error p50 0.043 p99 0.106 max 0.108 us, bound 1.61 us, ...
//   chrony    error p50 0.397 p99 0.825 max 0.825 us (its own estimate, 49 answers)

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_daemon.hpp"
#include "player/bench/benchmarks.hpp"
#include "player/bench/chrony.hpp"
#include "player/bench/common.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::bench {
namespace {

using namespace std::chrono_literals;

constexpr Nanos look_interval = 1ms;
constexpr Nanos settle = 2s;
constexpr Nanos chrony_settle = 15s;  // chrony settles more slowly than our daemon
constexpr std::chrono::seconds lock_limit{5};

struct BenchClockArguments {
  double seconds = 30;
  bool json = false;
};

/// A clock daemon in a process of its own, as the supervisor starts it.
class DaemonProcess {
 public:
  explicit DaemonProcess(const net::SocketAddress& at, const net::AuthKey& key)
      : socket_(net::bind_udp(at)) {
    pid_ = start_role("tw-clockd", {}, [&] { return net::serve_clock(socket_.get(), key); });
  }
  ~DaemonProcess() { end_child(pid_, 500ms); }
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  [[nodiscard]] net::SocketAddress address() const { return net::local_address(socket_.get()); }

 private:
  UniqueFd socket_;
  pid_t pid_ = 0;
};

/// Errors and bounds of a client on one path, against the truth.
struct PathRecord {
  std::vector<std::int64_t> errors_ns;
  std::vector<std::int64_t> bounds_ns;
  std::vector<std::int64_t> bound_shares;  // bound as a share of rtt_min/2 + drift x age, in 1/1000
  std::int64_t violations = 0;

  void look(const sync::ClockStatus& status) {
    const LocalInstant now = local_now();
    const Nanos error =
        std::chrono::abs(status.mapping.to_global(now).since_epoch - now.since_epoch);
    const Nanos bound = status.mapping.bound_at(now);
    const double drifted_ns =
        std::abs(status.drift_ppb) * 1e-9 * static_cast<double>((now - status.heard).count());
    const double least_ns = static_cast<double>(status.round_trip_min.count()) / 2 + drifted_ns;
    errors_ns.push_back(error.count());
    bounds_ns.push_back(bound.count());
    bound_shares.push_back(std::llround(1e3 * static_cast<double>(bound.count()) / least_ns));
    if (error > bound) violations++;
  }
};

/// A daemon, its client, and the record of their path.
class MeasuredPath {
 public:
  /// `server`, `client`: their networks; null: this process's.
  MeasuredPath(std::string name, const net::NetworkNamespace* server, const char* address)
      : name_(std::move(name)), key_(net::AuthKey(std::as_bytes(std::span(secret_)))) {
    std::optional<net::NetworkNamespace::Visit> visit;
    if (server != nullptr) visit.emplace(*server);
    daemon_.emplace(net::resolve(std::string(address) + ":0", "bench"), key_);
  }

  /// Starts a thread, so all daemons must have been forked before.
  void start_client(const net::NetworkNamespace* where) {
    std::optional<net::NetworkNamespace::Visit> visit;
    if (where != nullptr) visit.emplace(*where);
    net::ClockClientOptions options;
    options.daemons = {daemon_->address()};
    options.key = key_;
    client_ = std::make_unique<net::ClockClient>(options);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const net::ClockClient& client() const noexcept { return *client_; }
  PathRecord record;

 private:
  static constexpr std::string_view secret_ = "the benchmark's own key";
  std::string name_;
  net::AuthKey key_;
  std::optional<DaemonProcess> daemon_;
  std::unique_ptr<net::ClockClient> client_;
};

nlohmann::json percentiles_us(std::vector<std::int64_t> values_ns) {
  const Percentiles values = percentiles(values_ns);
  return {{"p50", values.p50 / 1e3}, {"p99", values.p99 / 1e3}, {"max", values.max / 1e3}};
}

nlohmann::json path_json(const PathRecord& record) {
  std::vector<std::int64_t> shares = record.bound_shares;
  const Percentiles share = percentiles(shares);
  return {{"error_us", percentiles_us(record.errors_ns)},
          {"bound_us", percentiles_us(record.bounds_ns)},
          {"bound_ratio", {{"p50", share.p50 / 1e3}, {"p99", share.p99 / 1e3}}},
          {"bound_violations", record.violations},
          {"samples", record.errors_ns.size()}};
}

/// Samples all clients every millisecond until the time is over.
void look_for(double seconds, std::vector<std::unique_ptr<MeasuredPath>>& paths) {
  const LocalInstant begin = local_now();
  const auto count = static_cast<std::int64_t>(seconds * 1e9 / look_interval.count());
  for (std::int64_t i = 1; i <= count; ++i) {
    std::ignore = sync::wait_until(begin + i * look_interval, 0ns);
    for (const auto& path : paths) path->record.look(path->client().status());
  }
}

void print_line(const std::string& name, const nlohmann::json& errors, const std::string& rest) {
  fmt::print("{:<9} error p50 {:.3f} p99 {:.3f} max {:.3f} us{}\n", name,
             errors.at("p50").get<double>(), errors.at("p99").get<double>(),
             errors.at("max").get<double>(), rest);
}

void print_clock_report(const nlohmann::json& report, const std::string& note) {
  for (const auto& [name, path] : report.at("paths").items())
    print_line(name, path.at("error_us"),
               fmt::format(", bound {:.2f} us ({:.2f} of rtt/2 + drift x age), violated {} of {}",
                           path.at("bound_us").at("p50").get<double>(),
                           path.at("bound_ratio").at("p50").get<double>(),
                           path.at("bound_violations").get<int>(), path.at("samples").get<int>()));
  if (report.contains("chrony_error_us"))
    print_line(
        "chrony", report.at("chrony_error_us"),
        fmt::format(" (its own estimate, {} answers)", report.at("chrony_samples").get<int>()));
  if (!note.empty()) fmt::print("{}\n", note);
}

int run_bench_clock(const BenchClockArguments& arguments) {
  const ScratchFolder scratch("");
  std::string note;
  const std::unique_ptr<VethPair> veth = try_make_veth_pair(note);
  if (!veth) note = "veth and chrony were not measured: " + note;
  std::vector<std::unique_ptr<MeasuredPath>> paths;
  if (veth)
    paths.push_back(
        std::make_unique<MeasuredPath>("veth", &veth->server, VethPair::server_address));
  paths.push_back(std::make_unique<MeasuredPath>("loopback", nullptr, "127.0.0.1"));
  std::unique_ptr<ChronyWatch> chrony;
  if (veth) chrony = ChronyWatch::try_start(*veth, scratch.path());
  if (veth && !chrony) note = "chrony was not measured: chronyd is not installed";
  for (const auto& path : paths)
    path->start_client(path->name() == "veth" ? &veth->client : nullptr);
  for (const auto& path : paths)
    if (!path->client().wait_until_locked(lock_limit))
      throw JobError("bench clock: " + path->name() + ": the clock daemon does not answer");
  std::ignore = sync::wait_until(local_now() + (chrony ? chrony_settle : settle), 0ns);
  if (chrony) chrony->begin();
  look_for(arguments.seconds, paths);

  nlohmann::json report = bench_header(1);
  report["seconds"] = arguments.seconds;
  report["path"] = paths.front()->name();
  report.update(path_json(paths.front()->record));
  for (const auto& path : paths) report["paths"][path->name()] = path_json(path->record);
  if (chrony && !chrony->errors_ns().empty()) {
    report["chrony_error_us"] = percentiles_us(chrony->errors_ns());
    report["chrony_samples"] = chrony->errors_ns().size();
  }
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_clock_report(report, note);
  return exit_done;
}

command::CommandRun add_clock_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchClockArguments>();
  command.add_option("--seconds", arguments->seconds, "how long to look, 1000 times a second")
      ->check(command::NumberIn(0.1, 86400.0))
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench clock --seconds 60 --json");
  return [arguments] { return run_bench_clock(*arguments); };
}

}  // namespace

Benchmark clock_benchmark() {
  return {"clock", "The clock's error where it is known, its bound, and chrony's beside it",
          add_clock_options};
}

}  // namespace tilewall::bench
