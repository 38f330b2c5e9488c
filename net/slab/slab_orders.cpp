#include "net/slab/slab_orders.hpp"

#include <algorithm>

namespace tilewall::net {

SessionCounters& SessionCounters::operator+=(const SessionCounters& other) noexcept {
  slabs += other.slabs;
  sent_bytes += other.sent_bytes;
  data_pieces += other.data_pieces;
  resent_pieces += other.resent_pieces;
  parity_pieces += other.parity_pieces;
  protected_groups += other.protected_groups;
  repaired_groups += other.repaired_groups;
  return *this;
}

void FinishedRequests::add(std::uint32_t request) {
  requests_.insert(request);
  order_.push_back(request);
  if (order_.size() <= most) return;
  forgotten_ = std::max(forgotten_, order_.front());
  requests_.erase(order_.front());
  order_.pop_front();
}

void SlabOrders::take_request(std::uint32_t request, std::span<const std::byte> payload,
                              LocalInstant until, std::vector<SlabJob>& jobs) {
  // UDP clients repeat requests, so a known number is ignored. A finished one is refused too: acks
  // of the earlier slab's packets would count for the new one.
  const bool known = finished_.contains(request) || orders_.contains(request);
  if (known || orders_.size() >= most || payload.size() > largest_request_bytes) return;
  orders_[request].until = until;
  jobs.push_back({request, {payload.begin(), payload.end()}});
}

void SlabOrders::take_cancel(std::span<const std::byte> payload) {
  for (const std::uint32_t request : parse_cancel(payload)) {
    const Order* const order = find(request);
    if (order == nullptr) continue;
    if (!order->slab) cancelled_.push_back(request);
    finish(request);
  }
}

SlabOrders::Order* SlabOrders::find(std::uint32_t request) {
  const auto found = orders_.find(request);
  return found == orders_.end() ? nullptr : &found->second;
}

void SlabOrders::set_read(std::uint32_t request, OutgoingSlab slab) {
  orders_.at(request).slab.emplace(std::move(slab));
  ready_.push_back(request);
}

void SlabOrders::finish(std::uint32_t request) {
  finished_.add(request);
  orders_.erase(request);
}

SlabOrders::Ready SlabOrders::front() {
  while (!ready_.empty()) {
    if (Order* const order = find(ready_.front())) return {ready_.front(), order};
    ready_.pop_front();
  }
  return {};
}

}  // namespace tilewall::net
