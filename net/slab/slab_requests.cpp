#include "net/slab/slab_requests.hpp"

#include <algorithm>

namespace tilewall::net {
namespace {

constexpr Nanos first_retransmit_timeout = std::chrono::milliseconds(100);  // unknown round trip
constexpr Nanos longest_repeat_gap = std::chrono::seconds(1);
constexpr int most_doublings = 10;  // of the time between repetitions
constexpr Nanos retransmit_slack = std::chrono::milliseconds(30);

}  // namespace

Nanos SlabRequests::retransmit_timeout() const noexcept {
  return round_trip_ == Nanos{0} ? first_retransmit_timeout : round_trip_ * 2 + retransmit_slack;
}

SlabRequests::Map::const_reference SlabRequests::add(std::span<const std::byte> payload,
                                                     LocalInstant until, LocalInstant now,
                                                     RequestKind kind, std::uint64_t most_bytes) {
  if (kind == RequestKind::prompt && prompt_++ == 0)
    heard_ = now;  // an idle server has no reason to send: silence starts here
  const auto added = requests_.try_emplace(requests_.end(), next_request_++);
  PendingSlab& pending = added->second;
  pending.payload.assign(payload.begin(), payload.end());
  pending.kind = kind;
  pending.most_bytes = most_bytes;
  pending.until = until;
  pending.asked = now;
  pending.ask_again = now + retransmit_timeout();
  payload_bytes_ += payload.size();
  repeats_.emplace(pending.ask_again, added->first);
  return *added;
}

void SlabRequests::forget(std::uint32_t request) {
  if (const auto found = requests_.find(request); found != requests_.end()) erase(found);
}

void SlabRequests::erase(Iterator request) {
  const PendingSlab& pending = request->second;
  if (pending.kind == RequestKind::prompt) --prompt_;
  payload_bytes_ -= pending.payload.size();
  if (!pending.slab) repeats_.erase({pending.ask_again, request->first});
  requests_.erase(request);
}

SlabRequests::Iterator SlabRequests::piece_came(std::uint32_t request, std::uint64_t slab_bytes,
                                                LocalInstant now) {
  heard_ = now;
  const auto found = requests_.find(request);
  if (found == requests_.end()) return found;
  PendingSlab& pending = found->second;
  if (pending.slab) return pending.slab->shape().slab_bytes == slab_bytes ? found : requests_.end();
  if (slab_bytes > pending.most_bytes) return requests_.end();
  pending.slab.emplace(SlabShape{slab_bytes, piece_bytes_},
                       pool_.take(static_cast<std::size_t>(slab_bytes)));
  repeats_.erase({pending.ask_again, request});
  const Nanos took = heard_ - pending.asked;
  // If a request was repeated, it is unknown which one was answered, so it gives no sample (Karn's
  // algorithm).
  if (pending.times == 1 && pending.kind == RequestKind::prompt)
    round_trip_ = round_trip_ == Nanos{0} ? took : (round_trip_ * 7 + took) / 8;
  return found;
}

void SlabRequests::finish(Iterator request, std::vector<FinishedSlab>& finished) {
  counters_.received_bytes += request->second.slab->shape().slab_bytes;
  finished.push_back({request->first, request->second.slab->finish()});
  erase(request);
}

void SlabRequests::ask_again(
    LocalInstant now, const std::function<void(std::uint32_t request, const PendingSlab&)>& send) {
  const Nanos longest = std::max(longest_repeat_gap, retransmit_timeout());
  for (int i = 0; i < most_repeated && ask_again_due() <= now; ++i) {
    auto repeat = repeats_.extract(repeats_.begin());
    const std::uint32_t request = repeat.value().second;
    PendingSlab& pending = requests_.at(request);
    send(request, pending);
    const Nanos gap = retransmit_timeout() * (1 << std::min(pending.times, most_doublings));
    ++pending.times;
    pending.ask_again = now + std::min(gap, longest);
    repeat.value().first = pending.ask_again;
    repeats_.insert(std::move(repeat));
  }
}

LocalInstant SlabRequests::ask_again_due() const {
  return repeats_.empty() ? no_deadline : repeats_.begin()->first;
}

std::optional<LocalInstant> SlabRequests::silent_since() const {
  return prompt_ == 0 ? std::nullopt : std::optional(heard_);
}

void for_each_cancel(std::span<const std::uint32_t> requests,
                     const std::function<void(std::span<const std::byte> payload)>& send) {
  const std::span<const std::byte> payload = std::as_bytes(requests);
  for (std::size_t at = 0; at < payload.size(); at += smallest_piece_bytes)
    send(payload.subspan(at, std::min(smallest_piece_bytes, payload.size() - at)));
}

}  // namespace tilewall::net
