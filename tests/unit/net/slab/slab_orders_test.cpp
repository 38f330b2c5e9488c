// What a server knows of the slabs that a client has asked for.

#include "net/slab/slab_orders.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <set>

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace {

using Numbers = std::vector<std::uint32_t>;

OutgoingSlab small_slab() {
  auto bytes = std::make_shared<SlabBuffer>();
  bytes->resize(100);
  return {std::move(bytes), 1000, false};
}

/// Numbers of the jobs that a request adds.
Numbers asked(SlabOrders& orders, std::uint32_t request, std::size_t payload_bytes = 3,
              LocalInstant now = SlabOrders::not_repeated) {
  const std::vector<std::byte> payload(payload_bytes);
  std::vector<SlabJob> jobs;
  orders.take_request(request, payload, SlabOrders::no_deadline, now, jobs);
  Numbers numbers;
  for (const SlabJob& job : jobs) {
    numbers.push_back(job.request);
    CHECK(job.payload.size() == payload_bytes);
  }
  return numbers;
}

void cancel(SlabOrders& orders, const Numbers& requests) {
  orders.take_cancel(std::as_bytes(std::span(requests)));
}

}  // namespace

TEST_CASE("a request that comes again is read once", "[slab]") {
  SlabOrders orders;
  CHECK(asked(orders, 1) == Numbers{1});
  CHECK(asked(orders, 1).empty());
  orders.finish(1);
  CHECK(asked(orders, 1).empty());
  CHECK(asked(orders, 2) == Numbers{2});
}

TEST_CASE("a client that asks for too much at once is not heard", "[slab]") {
  SlabOrders orders;
  constexpr std::uint32_t beyond = 1'000'000;
  for (std::uint32_t request = 1; request <= most_open_requests; ++request)
    CHECK(asked(orders, request) == Numbers{request});
  CHECK(asked(orders, beyond).empty());
  orders.finish(1);
  CHECK(asked(orders, beyond) == Numbers{beyond});
  SlabOrders fresh;
  CHECK(asked(fresh, 0).empty());  // numbers rise from 1
  CHECK(asked(fresh, 1, largest_request_bytes + 1).empty());
  constexpr std::uint32_t largest = most_open_payload_bytes / largest_request_bytes;
  for (std::uint32_t request = 1; request <= largest; ++request)
    CHECK(asked(fresh, request, largest_request_bytes) == Numbers{request});
  CHECK(asked(fresh, beyond, 1).empty());
  cancel(fresh, {7});
  CHECK(asked(fresh, beyond, 1) == Numbers{beyond});
}

TEST_CASE("requests whose cancels were lost make room, and live ones do not", "[slab]") {
  SlabOrders orders;
  const LocalInstant begin{100s};
  for (std::uint32_t request = 1; request <= most_open_requests; ++request)
    CHECK(asked(orders, request, 3, begin).size() == 1);
  orders.set_read(1, small_slab());
  constexpr std::uint32_t beyond = 1'000'000;
  CHECK(asked(orders, beyond, 3, begin + 10s).empty());
  for (std::uint32_t request = 3; request <= most_open_requests; ++request)
    CHECK(asked(orders, request, 3, begin + 10s).empty());  // repeated, all but the second
  CHECK(asked(orders, beyond, 3, begin + 12s) == Numbers{beyond});
  CHECK(orders.find(1) != nullptr);
  CHECK(orders.find(2) == nullptr);
  CHECK(orders.find(3) != nullptr);
  orders.finish(3);
  CHECK(asked(orders, 2, 3, begin + 13s) == Numbers{2});  // it was wanted after all
}

TEST_CASE("a request is wanted until it is cancelled, finished or its session ends", "[slab]") {
  std::vector<SlabJob> jobs;
  {
    SlabOrders orders;
    for (const std::uint32_t request : {1u, 2u, 3u})
      orders.take_request(request, {}, SlabOrders::no_deadline, SlabOrders::not_repeated, jobs);
    REQUIRE(jobs.size() == 3);
    for (const SlabJob& job : jobs) CHECK_FALSE(job.wanted.expired());
    cancel(orders, {1});
    orders.set_read(2, small_slab());
    orders.finish(2);
    CHECK(jobs[0].wanted.expired());
    CHECK(jobs[1].wanted.expired());
    CHECK_FALSE(jobs[2].wanted.expired());
  }
  CHECK(jobs[2].wanted.expired());
}

TEST_CASE("slabs are sent in the order in which they were read", "[slab]") {
  SlabOrders orders;
  for (const std::uint32_t request : {1u, 2u, 3u}) CHECK(asked(orders, request).size() == 1);
  CHECK_FALSE(orders.may_have_front());
  CHECK(orders.front().order == nullptr);
  for (const std::uint32_t request : {3u, 1u, 2u}) orders.set_read(request, small_slab());
  CHECK(orders.front().request == 3);
  orders.pop_front();
  CHECK(orders.front().request == 1);
  orders.finish(1);
  CHECK(orders.front().request == 2);
  CHECK(orders.front().order == orders.find(2));
  orders.pop_front();
  CHECK(orders.front().order == nullptr);
  CHECK(orders.find(3) != nullptr);  // it may have to be sent again
}

TEST_CASE("a cancelled slab is forgotten, and stays so when its request comes again", "[slab]") {
  SlabOrders orders;
  for (const std::uint32_t request : {1u, 2u}) CHECK(asked(orders, request).size() == 1);
  orders.set_read(1, small_slab());
  cancel(orders, {1, 2, 7});
  CHECK(orders.find(1) == nullptr);
  CHECK(orders.front().order == nullptr);
  CHECK(asked(orders, 2).empty());
  CHECK(asked(orders, 7) == Numbers{7});  // its cancel overtook it
}

TEST_CASE("finished requests join into runs, in whatever order they finish", "[slab]") {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    Numbers numbers(300);
    std::iota(numbers.begin(), numbers.end(), 1u);
    std::shuffle(numbers.begin(), numbers.end(), random);
    FinishedRequests finished;
    std::set<std::uint32_t> right;
    for (const std::uint32_t request : std::span(numbers).first(200)) {
      finished.add(request);
      if (request % 7 == 0) finished.add(request);  // once more
      right.insert(request);
    }
    for (std::uint32_t request = 0; request <= 301; ++request)
      CHECK(finished.contains(request) == right.contains(request));
  }
}

TEST_CASE("an old request that is open, or came to nobody, outlives all that finish after it",
          "[slab]") {
  SlabOrders orders;
  CHECK(asked(orders, 2) == Numbers{2});  // the first was lost on its way
  for (std::uint32_t request = 3; request < 50'000; ++request) {
    REQUIRE(asked(orders, request).size() == 1);
    orders.set_read(request, small_slab());
    orders.finish(request);
  }
  CHECK(asked(orders, 1) == Numbers{1});
  CHECK(orders.find(2) != nullptr);
  CHECK(asked(orders, 3).empty());
  CHECK(asked(orders, 49'999).empty());
}

TEST_CASE("of finished requests no more runs are remembered than are needed", "[slab]") {
  FinishedRequests finished;
  const auto most = static_cast<std::uint32_t>(FinishedRequests::most_runs);
  for (std::uint32_t request = 10; request < 10 + 2 * most; request += 2) finished.add(request);
  CHECK(finished.contains(10));
  CHECK_FALSE(finished.contains(11));
  finished.add(10 + 2 * most);  // the two lowest runs become one
  CHECK_FALSE(finished.contains(9));
  CHECK(finished.contains(11));
  CHECK_FALSE(finished.contains(13));
  CHECK(finished.contains(10 + 2 * most));
}
