#include "net/slab/slab_orders.hpp"

#include <iterator>
#include <utility>

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
  const auto above = runs_.upper_bound(request);
  const bool joins_above = above != runs_.end() && above->first == request + 1;
  if (above != runs_.begin()) {
    const auto below = std::prev(above);
    if (request <= below->second) return;
    if (below->second + 1 == request) {
      below->second = joins_above ? above->second : request;
      if (joins_above) runs_.erase(above);
      return;
    }
  }
  if (joins_above) {
    auto run = runs_.extract(above);
    run.key() = request;
    runs_.insert(std::move(run));
    return;
  }
  runs_.emplace_hint(above, request, request);
  if (runs_.size() <= most_runs) return;
  const auto second = std::next(runs_.begin());
  runs_.begin()->second = second->second;
  runs_.erase(second);
}

bool FinishedRequests::contains(std::uint32_t request) const {
  const auto above = runs_.upper_bound(request);
  return above != runs_.begin() && request <= std::prev(above)->second;
}

void SlabOrders::take_request(std::uint32_t request, std::span<const std::byte> payload,
                              LocalInstant until, LocalInstant now, std::vector<SlabJob>& jobs) {
  // UDP clients repeat requests, so a known number is ignored. A finished one is refused too: acks
  // of the earlier slab's packets would count for the new one.
  if (Order* const order = find(request)) {
    order->asked = now;
    return;
  }
  if (request == 0 || finished_.contains(request) || payload.size() > largest_request_bytes) return;
  if (!has_room(payload.size())) drop_unrepeated(now);
  if (!has_room(payload.size())) return;
  Order& order = orders_[request];
  order.until = until;
  order.asked = now;
  order.payload_bytes = payload.size();
  order.wanted = std::make_shared<char>();
  payload_bytes_ += payload.size();
  jobs.push_back({request, {payload.begin(), payload.end()}, order.wanted});
}

// Looks through all orders, so it does that once a second at most. They do not count as finished: a
// client that was cut off for a while repeats them, and they are read again.
void SlabOrders::drop_unrepeated(LocalInstant now) {
  if (now == not_repeated || now - dropped_ < std::chrono::seconds(1)) return;
  dropped_ = now;
  for (auto it = orders_.begin(); it != orders_.end();) {
    const Order& order = it->second;
    const bool drop = !order.slab && now - order.asked > longest_unrepeated;
    if (drop) payload_bytes_ -= order.payload_bytes;
    it = drop ? orders_.erase(it) : std::next(it);
  }
}

void SlabOrders::take_cancel(std::span<const std::byte> payload) {
  for (const std::uint32_t request : parse_cancel(payload))
    if (find(request) != nullptr) finish(request);
}

SlabOrders::Order* SlabOrders::find(std::uint32_t request) {
  const auto found = orders_.find(request);
  return found == orders_.end() ? nullptr : &found->second;
}

void SlabOrders::set_read(std::uint32_t request, OutgoingSlab slab) {
  orders_.at(request).slab.emplace(std::move(slab));
  ready_.push_back(request);
  ++slabs_;
}

void SlabOrders::finish(std::uint32_t request) {
  finished_.add(request);
  const auto order = orders_.find(request);
  payload_bytes_ -= order->second.payload_bytes;
  if (order->second.slab) --slabs_;
  orders_.erase(order);
}

SlabOrders::Ready SlabOrders::front() {
  while (!ready_.empty()) {
    if (Order* const order = find(ready_.front())) return {ready_.front(), order};
    ready_.pop_front();
  }
  return {};
}

}  // namespace tilewall::net
