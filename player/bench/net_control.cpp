#include <algorithm>
#include <thread>

#include "player/bench/net_load.hpp"
#include "player/bench/net_server.hpp"
#include "sync/base/check.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds between_questions{2};
constexpr std::chrono::seconds answer_limit{5};
constexpr int loaded_in_flight = 3;

/// Fetches slabs as long as it lives, while another thread asks questions.
class BackgroundLoad {
 public:
  explicit BackgroundLoad(net::SlabClient& client)
      : thread_([&client, this](const std::stop_token& stop) { run(client, stop); }) {}

  /// Ends the load. Returns the number of bytes that came.
  std::uint64_t end() {
    thread_.request_stop();
    thread_.join();
    return bytes_;
  }

 private:
  void run(net::SlabClient& client, const std::stop_token& stop) {
    std::vector<net::SlabClient::Ticket> tickets;
    tickets.reserve(loaded_in_flight);
    for (int i = 0; i < loaded_in_flight; ++i) tickets.push_back(client.fetch({}));
    while (!stop.stop_requested()) {
      const std::uint64_t known = client.news();
      for (net::SlabClient::Ticket& ticket : tickets) {
        auto slab = client.take(ticket);
        if (!slab) continue;
        bytes_ += slab->size();
        client.give_back(std::move(*slab));
        ticket = client.fetch({});
      }
      client.wait_for_news(known, local_now() + std::chrono::milliseconds(1));
    }
    client.cancel(tickets);
  }

  std::uint64_t bytes_ = 0;  // read once the thread has ended
  std::jthread thread_;      // last member
};

void ask_for(net::SlabClient& client, std::chrono::milliseconds duration, std::vector<double>& us) {
  for (const LocalInstant until = local_now() + Nanos(duration); local_now() < until;) {
    const LocalInstant asked = local_now();
    static_cast<void>(client.call({{"type", "echo"}}, answer_limit));
    us.push_back(as_double(local_now() - asked) * 1e-3);
    std::this_thread::sleep_for(between_questions);
  }
}

Json percentiles(std::vector<double> us) {
  TW_CHECK(!us.empty());
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) {
    return us[std::min(us.size() - 1, static_cast<std::size_t>(share * double(us.size())))];
  };
  return {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", us.back()}};
}

}  // namespace

Json measure_control_latency(const NetServerOptions& options, std::size_t slab_bytes, int runs,
                             std::chrono::seconds duration) {
  std::vector<double> idle_us, loaded_us;
  double gbit = 0;
  double loaded_s = 0;
  for (int run = 0; run < runs; ++run) {
    NetServer server(options, [&] { return std::make_unique<MemorySource>(slab_bytes); });
    net::SlabClientOptions client_options;
    client_options.servers = {server.address()};
    client_options.session.key = options.key;
    client_options.keep_bytes = std::size_t{512} << 20;
    net::SlabClient client(client_options);
    ask_for(client, duration, idle_us);
    BackgroundLoad load(client);
    // Time for the load to get up to its rate.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const LocalInstant start = local_now();
    ask_for(client, duration, loaded_us);
    loaded_s += as_double(local_now() - start) * 1e-9 + 0.5;
    gbit += static_cast<double>(load.end()) * 8e-9;
  }
  const std::size_t questions = idle_us.size() + loaded_us.size();
  return {{"idle_us", percentiles(std::move(idle_us))},
          {"loaded_us", percentiles(std::move(loaded_us))},
          {"questions", questions},
          {"loaded_gbit_s", gbit / loaded_s}};
}

}  // namespace tilewall::bench
