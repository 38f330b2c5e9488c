// What a server knows of the slabs that a client has asked for.

#include "net/slab/slab_orders.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::net;

namespace {

using Numbers = std::vector<std::uint32_t>;

OutgoingSlab small_slab() {
  auto bytes = std::make_shared<SlabBuffer>();
  bytes->resize(100);
  return {std::move(bytes), 1000, false};
}

/// Numbers of the jobs that a request adds.
Numbers asked(SlabOrders& orders, std::uint32_t request, std::size_t payload_bytes = 3) {
  const std::vector<std::byte> payload(payload_bytes);
  std::vector<SlabJob> jobs;
  orders.take_request(request, payload, SlabOrders::no_deadline, jobs);
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
  for (std::uint32_t request = 1; request <= SlabOrders::most; ++request)
    CHECK(asked(orders, request) == Numbers{request});
  CHECK(asked(orders, 1000).empty());
  orders.finish(1);
  CHECK(asked(orders, 1000) == Numbers{1000});
  SlabOrders fresh;
  CHECK(asked(fresh, 1, largest_request_bytes) == Numbers{1});
  CHECK(asked(fresh, 2, largest_request_bytes + 1).empty());
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

TEST_CASE("a cancelled slab is forgotten, and not read where that has not begun", "[slab]") {
  SlabOrders orders;
  for (const std::uint32_t request : {1u, 2u}) CHECK(asked(orders, request).size() == 1);
  orders.set_read(1, small_slab());
  cancel(orders, {1, 2, 7});
  CHECK(orders.take_cancelled() == Numbers{2});
  CHECK(orders.take_cancelled().empty());
  CHECK(orders.find(1) == nullptr);
  CHECK(orders.front().order == nullptr);
  CHECK(asked(orders, 2).empty());
}

TEST_CASE("of finished requests the newest are remembered one by one", "[slab]") {
  FinishedRequests finished;
  const auto most = static_cast<std::uint32_t>(FinishedRequests::most);
  for (std::uint32_t request = 10; request < 10 + 2 * most; request += 2) finished.add(request);
  CHECK(finished.contains(10));
  CHECK_FALSE(finished.contains(11));
  CHECK_FALSE(finished.contains(9));
  finished.add(10 + 2 * most);  // 10 is forgotten, and so are all before it
  CHECK(finished.contains(9));
  CHECK(finished.contains(10));
  CHECK_FALSE(finished.contains(11));
  CHECK(finished.contains(12));
}
