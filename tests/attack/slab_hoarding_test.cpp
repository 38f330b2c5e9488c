// Clients of a slab server that ask for all they can and take nothing, or keep its readers busy.

#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/slab/recent_answers.hpp"
#include "net/slab/slab_client.hpp"
#include "tests/attack/hoarder.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

constexpr std::uint64_t hoarded_slab_bytes = 1 << 20;

/// Numbers whose bytes are known before. Seeds from a million on take until the test lets them go.
class CountedNumbers final : public SlabSource {
 public:
  nlohmann::json call(const nlohmann::json& question) override { return question; }
  std::uint64_t answer_bytes(std::span<const std::byte> request) override {
    return word(request, 1);
  }
  bool is_slow_request(std::span<const std::byte> request) override {
    return word(request, 0) >= 1'000'000;
  }
  std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override {
    if (word(request, 0) >= 1'000'000) {
      ++slow_reads;
      released.wait(false);
    }
    return numbers_for(request);
  }

  std::atomic<bool> released = false;
  std::atomic<int> slow_reads = 0;

 private:
  static std::uint64_t word(std::span<const std::byte> request, std::size_t i) {
    std::uint64_t words[2] = {};
    std::memcpy(words, request.data(), std::min(request.size(), sizeof words));
    return words[i];
  }
};

SlabServerOptions hoarded() {
  SlabServerOptions options{resolve("127.0.0.1:0", "test")};
  options.answers = {32 * hoarded_slab_bytes, 8 * hoarded_slab_bytes};
  return options;
}

void ask_for(Hoarder& hoarder, int slabs, std::uint64_t first_seed) {
  for (int i = 0; i < slabs; ++i)
    CHECK(hoarder.ask(
        numbers_request(first_seed + static_cast<std::uint64_t>(i), hoarded_slab_bytes)));
}

/// Asks for a slab as others do, and returns whether it came.
bool is_served(std::uint16_t port, std::uint64_t seed) {
  SlabClient client(client_of(port, SlabTransport::tcp));
  const auto slab = await(client, client.fetch(numbers_request(seed, hoarded_slab_bytes)));
  return slab && is_right(*slab, seed, hoarded_slab_bytes);
}

}  // namespace

TEST_CASE("clients that take nothing hold a bounded part of a server's memory", "[attack]") {
  CountedNumbers source;
  RunningServer server(hoarded(), source);
  Hoarder first(server.port());
  ask_for(first, 120, 0);
  CHECK(eventually([&] { return server.status().answer_bytes >= 6 * hoarded_slab_bytes; }));
  CHECK(is_served(server.port(), 1000));
  // Those of the first one, and the slab that was served, until the server hears that it was taken.
  CHECK(server.status().answer_bytes <= (8 + 1) * hoarded_slab_bytes);
  std::vector<std::unique_ptr<Hoarder>> more;
  for (int i = 0; i < 20; ++i) {
    more.push_back(std::make_unique<Hoarder>(server.port()));
    ask_for(*more.back(), 120, 0);
  }
  // The last ones find no room, nor do others until those that take nothing are dropped.
  CHECK(is_served(server.port(), 1001));
  CHECK(server.status().answer_bytes <= 32 * hoarded_slab_bytes);
}

TEST_CASE("an answer that is larger than a server's memory for answers is refused", "[attack]") {
  CountedNumbers source;
  RunningServer server(hoarded(), source);
  SlabClient client(client_of(server.port(), SlabTransport::tcp));
  const auto slab = await(client, client.fetch(numbers_request(1, 33 * hoarded_slab_bytes)));
  REQUIRE(slab);
  CHECK(slab->size() == 0);
  const auto large = await(client, client.fetch(numbers_request(1, 31 * hoarded_slab_bytes)));
  REQUIRE(large);
  CHECK(is_right(*large, 1, 31 * hoarded_slab_bytes));
}

TEST_CASE("slow answers keep neither quick ones waiting nor other sessions' slow ones",
          "[attack]") {
  CountedNumbers source;
  RunningServer server(hoarded(), source);
  Hoarder greedy(server.port());
  ask_for(greedy, 6, 1'000'000);
  CHECK(eventually([&] { return source.slow_reads == 2; }));  // half of four threads
  CHECK(is_served(server.port(), 7));
  Hoarder other(server.port());
  ask_for(other, 1, 2'000'000);
  CHECK(eventually([&] { return source.slow_reads == 3; }));
  source.released = true;
  source.released.notify_all();
  CHECK(is_served(server.port(), 3'000'000));
}

TEST_CASE("a question that many ask is answered once", "[attack]") {
  RecentAnswers answers(10min);
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 8; ++i)
      askers.emplace_back([&] {
        for (int turn = 0; turn < 100; ++turn)
          static_cast<void>(answers.get("list", [&] { return nlohmann::json(++made); }));
      });
  }
  CHECK(made == 1);
  CHECK_THROWS_AS(answers.get("other", []() -> nlohmann::json { throw InputError("no"); }),
                  InputError);
  CHECK(answers.get("other", [] { return 5; }) == 5);
  answers.clear();
  CHECK(answers.get("list", [] { return 6; }) == 6);
}
