#include "player/bench/net_load.hpp"

#include <deque>
#include <nlohmann/json.hpp>

#include "player/bench/common.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

// Interval of looking at the other clients.
constexpr Nanos look_again = std::chrono::milliseconds(1);

/// A client with its open requests.
class Fetcher {
 public:
  explicit Fetcher(const net::SlabClientOptions& options) : client_(options) {}

  void ask() { asked_.push_back(client_.fetch({})); }

  /// Collects finished slabs and requests as many again. Returns the number of bytes that came.
  std::uint64_t turn() {
    std::uint64_t bytes = 0;
    while (!asked_.empty()) {
      auto slab = client_.take(asked_.front());
      if (!slab) break;
      bytes += slab->size();
      client_.give_back(std::move(*slab));
      asked_.pop_front();
      ask();
    }
    return bytes;
  }

  net::SlabClient& client() { return client_; }

 private:
  net::SlabClient client_;
  std::deque<net::SlabClient::Ticket> asked_;
};

}  // namespace

MemorySource::MemorySource(std::size_t slab_bytes) {
  memory_.resize(slab_bytes);
  for (std::size_t i = 0; i < memory_.size(); ++i)
    memory_.data()[i] = static_cast<std::byte>(i * 2654435761U >> 13);
}

nlohmann::json MemorySource::call(const nlohmann::json& question) {
  if (question.value("type", "") == "echo") return question;
  throw InputError("this server only measures: see 'tilewall bench net --help'");
}

std::shared_ptr<const net::SlabBuffer> MemorySource::read(std::span<const std::byte>) {
  return {std::shared_ptr<const net::SlabBuffer>(), &memory_};  // the memory outlives every session
}

NetResult run_net_load(const net::SocketAddress& server, const NetLoad& load) {
  net::SlabClientOptions options;
  options.servers = {server};
  options.session.transport = load.transport;
  options.session.stripes = load.transport == net::SlabTransport::tcp ? load.streams : 1;
  options.session.key = load.key;
  options.session.encrypt = load.encrypt;
  options.session.interfaces = load.interfaces;
  options.keep_bytes = std::size_t{512} << 20;
  std::deque<Fetcher> fetchers;
  const int clients = load.transport == net::SlabTransport::udp ? load.streams : 1;
  for (int i = 0; i < clients; ++i) fetchers.emplace_back(options);
  for (Fetcher& fetcher : fetchers)
    for (int i = 0; i < load.in_flight; ++i) fetcher.ask();
  std::uint64_t bytes = 0;
  const auto run_until = [&](LocalInstant until) {
    while (local_now() < until) {
      const std::uint64_t known = fetchers.front().client().news();
      for (Fetcher& fetcher : fetchers) bytes += fetcher.turn();
      fetchers.front().client().wait_for_news(known, std::min(until, local_now() + look_again));
    }
  };
  // The first part does not count: slabs' memory is new, and the path's rate is still being
  // learned.
  run_until(local_now() + Nanos(load.duration) / 4);
  const auto counters = [&] {
    net::ReceiveCounters sum;
    for (Fetcher& fetcher : fetchers) {
      const net::ReceiveCounters one = fetcher.client().status().received;
      sum.packets += one.packets;
      sum.lost_packets += one.lost_packets;
      sum.copied_pieces += one.copied_pieces;
    }
    return sum;
  };
  const net::ReceiveCounters before = counters();
  const double cpu_before = process_cpu_s();
  const LocalInstant start = local_now();
  bytes = 0;
  run_until(start + Nanos(load.duration));
  NetResult result;
  result.seconds = as_double(local_now() - start) * 1e-9;
  result.tuning = fetchers.front().client().status().tuning;
  result.bytes = bytes;
  result.rx_cpu_s = process_cpu_s() - cpu_before;
  const net::ReceiveCounters after = counters();
  result.packets = after.packets - before.packets;
  result.lost_packets = after.lost_packets - std::min(after.lost_packets, before.lost_packets);
  result.copied_pieces = after.copied_pieces - before.copied_pieces;
  return result;
}

}  // namespace tilewall::bench
