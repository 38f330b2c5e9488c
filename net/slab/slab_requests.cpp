#include "net/slab/slab_requests.hpp"

#include <algorithm>

namespace tilewall::net {
namespace {

constexpr Nanos first_retransmit_timeout = std::chrono::milliseconds(100);  // unknown round trip
constexpr Nanos longest_retransmit_timeout = std::chrono::seconds(2);
constexpr Nanos retransmit_slack = std::chrono::milliseconds(30);

}  // namespace

Nanos SlabRequests::retransmit_timeout() const noexcept {
  return round_trip_ == Nanos{0} ? first_retransmit_timeout : round_trip_ * 2 + retransmit_slack;
}

SlabRequests::Map::const_reference SlabRequests::add(std::span<const std::byte> payload,
                                                     LocalInstant until, LocalInstant now) {
  if (requests_.empty()) heard_ = now;  // an idle server has no reason to send: silence starts here
  const auto added = requests_.try_emplace(requests_.end(), next_request_++);
  PendingSlab& pending = added->second;
  pending.payload.assign(payload.begin(), payload.end());
  pending.until = until;
  pending.asked = now;
  pending.ask_again = now + retransmit_timeout();
  return *added;
}

SlabRequests::Iterator SlabRequests::piece_came(std::uint32_t request, std::uint64_t slab_bytes,
                                                LocalInstant now) {
  heard_ = now;
  const auto found = requests_.find(request);
  if (found == requests_.end()) return found;
  PendingSlab& pending = found->second;
  if (pending.slab) return pending.slab->shape().slab_bytes == slab_bytes ? found : requests_.end();
  pending.slab.emplace(SlabShape{slab_bytes, piece_bytes_},
                       pool_.take(static_cast<std::size_t>(slab_bytes)));
  const Nanos took = heard_ - pending.asked;
  // If a request was repeated, it is unknown which one was answered, so it gives no sample (Karn's
  // algorithm).
  if (pending.times == 1)
    round_trip_ = round_trip_ == Nanos{0} ? took : (round_trip_ * 7 + took) / 8;
  return found;
}

void SlabRequests::finish(Iterator request, std::vector<FinishedSlab>& finished) {
  counters_.received_bytes += request->second.slab->shape().slab_bytes;
  finished.push_back({request->first, request->second.slab->finish()});
  requests_.erase(request);
}

void SlabRequests::ask_again(
    LocalInstant now, const std::function<void(std::uint32_t request, const PendingSlab&)>& send) {
  for (auto& [request, pending] : requests_) {
    if (pending.slab || pending.ask_again > now) continue;
    send(request, pending);
    ++pending.times;
    pending.ask_again =
        now + std::min(retransmit_timeout() * pending.times, longest_retransmit_timeout);
  }
}

LocalInstant SlabRequests::ask_again_due() const {
  LocalInstant due = no_deadline;
  for (const auto& [request, pending] : requests_)
    if (!pending.slab) due = std::min(due, pending.ask_again);
  return due;
}

std::optional<LocalInstant> SlabRequests::silent_since() const {
  return requests_.empty() ? std::nullopt : std::optional(heard_);
}

void for_each_cancel(std::span<const std::uint32_t> requests,
                     const std::function<void(std::span<const std::byte> payload)>& send) {
  const std::span<const std::byte> payload = std::as_bytes(requests);
  for (std::size_t at = 0; at < payload.size(); at += smallest_piece_bytes)
    send(payload.subspan(at, std::min(smallest_piece_bytes, payload.size() - at)));
}

}  // namespace tilewall::net
