#include "net/slab/slab_client.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "net/show_keys.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds reconnect_limit{1500};
constexpr std::chrono::milliseconds reconnect_gap{200};
constexpr std::size_t most_asked = 256;  // open prompt requests of a session
constexpr Nanos longest_wait = std::chrono::milliseconds(200);
constexpr Nanos silence_before_next = std::chrono::milliseconds(700);
constexpr Nanos silence_before_again = std::chrono::seconds(5);

ReceiveCounters sum(ReceiveCounters a, const ReceiveCounters& b) {
  a.received_bytes += b.received_bytes;
  a.packets += b.packets;
  a.lost_packets += b.lost_packets;
  a.repaired_packets += b.repaired_packets;
  a.recovered_pieces += b.recovered_pieces;
  a.repeated_packets += b.repeated_packets;
  a.malformed_packets += b.malformed_packets;
  a.copied_pieces += b.copied_pieces;
  return a;
}

}  // namespace

SlabClient::SlabClient(SlabClientOptions options)
    : options_(std::move(options)),
      pool_(options_.keep_bytes),
      wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  connect_first();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SlabClient::~SlabClient() {
  thread_.request_stop();
  wake();
}

void SlabClient::wake() noexcept { ::eventfd_write(wake_.get(), 1); }

void SlabClient::connect_first() {
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    try {
      require_key_beyond_loopback(options_.servers[i], options_.session.key.has_value());
      session_ = std::make_unique<ClientSession>(options_.servers[i], options_.session, pool_,
                                                 options_.connect_limit);
      status_.server = i;
      status_.connected = true;
      status_.tuning = session_->tuning();
      return;
    } catch (const std::exception&) {
      if (i + 1 == options_.servers.size()) throw;
    }
  }
}

Json SlabClient::call(const Json& question, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = calls_.add(question);
  wake();
  if (!news_.wait_for(lock, limit, [&] { return calls_.has_answer(number); }))
    throw JobError(fmt::format("{}: expected an answer within {} ms, found none",
                               to_string(options_.servers[status_.server]), limit.count()));
  return parse_answer(calls_.take_answer(number));
}

SlabClient::Ticket SlabClient::fetch(std::vector<std::byte> payload, LocalInstant until,
                                     RequestKind kind) {
  const std::scoped_lock lock(mutex_);
  const Ticket ticket = tickets_.next++;
  pending_[ticket] = {ticket, std::move(payload), until, kind, 0};
  wake();
  return ticket;
}

void SlabClient::cancel(std::vector<Ticket> tickets) {
  const std::scoped_lock lock(mutex_);
  for (const Ticket ticket : tickets) {
    if (const auto come = come_.find(ticket); come != come_.end()) {
      pool_.give_back(std::move(come->second));
      come_.erase(come);
    }
    const auto pending = pending_.find(ticket);
    if (pending == pending_.end()) continue;
    if (pending->second.request != 0) cancelled_.push_back(pending->second.request);
    pending_.erase(pending);
  }
  if (!cancelled_.empty()) wake();
}

bool SlabClient::has(Ticket ticket) const {
  const std::scoped_lock lock(mutex_);
  return come_.contains(ticket);
}

std::optional<SlabBuffer> SlabClient::take(Ticket ticket) {
  const std::scoped_lock lock(mutex_);
  const auto found = come_.find(ticket);
  if (found == come_.end()) return std::nullopt;
  SlabBuffer buffer = std::move(found->second);
  come_.erase(found);
  return buffer;
}

std::uint64_t SlabClient::news() const {
  const std::scoped_lock lock(mutex_);
  return news_count_;
}

void SlabClient::wait_for_news(std::uint64_t known, LocalInstant until) {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, std::max(until - local_now(), Nanos{0}),
                 [&] { return news_count_ != known; });
}

SlabClientStatus SlabClient::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

void SlabClient::send_pending() {
  const std::scoped_lock lock(mutex_);
  if (!cancelled_.empty()) session_->cancel(cancelled_);
  for (const std::uint32_t request : cancelled_) asked_.erase(request);
  cancelled_.clear();
  for (auto it = pending_.lower_bound(tickets_.unsent); it != pending_.end(); ++it) {
    auto& [ticket, pending] = *it;
    const bool waits =
        pending.kind == RequestKind::prompt && session_->prompt_requests() >= most_asked;
    if (waits || !session_->has_room(pending.payload.size())) break;
    pending.request = session_->fetch(pending.payload, pending.until, pending.kind);
    asked_[pending.request] = ticket;
    tickets_.unsent = ticket + 1;
  }
  for (const Json& question : calls_.take_questions()) session_->ask(question);
}

void SlabClient::wait() {
  std::vector<pollfd> watched = session_->watched();
  watched.push_back({wake_.get(), POLLIN, 0});
  const Nanos left = std::clamp(session_->due() - local_now(), Nanos{0}, longest_wait);
  const timespec timeout = {0, left.count()};
  ::ppoll(watched.data(), watched.size(), &timeout, nullptr);
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
}

void SlabClient::publish(ClientSession::Events& events) {
  const std::scoped_lock lock(mutex_);
  for (FinishedSlab& finished : events.slabs) {
    const auto asked = asked_.find(finished.request);
    if (asked == asked_.end()) continue;
    if (pending_.erase(asked->second) > 0) come_[asked->second] = std::move(finished.slab);
    asked_.erase(asked);
    ++news_count_;
  }
  for (Json& answer : events.answers) calls_.add_answer(std::move(answer));
  status_.received = sum(ended_, session_->counters());
  status_.round_trip = session_->round_trip();
  if (!events.slabs.empty() || !events.answers.empty()) news_.notify_all();
  events = {};
}

bool SlabClient::is_silent(LocalInstant now) const {
  const auto since = session_->silent_since();
  const Nanos limit = options_.servers.size() > 1 ? silence_before_next : silence_before_again;
  return since && now - *since > limit;
}

void SlabClient::lose_session() {
  const std::scoped_lock lock(mutex_);
  ended_ = sum(ended_, session_->counters());
  session_.reset();
  asked_.clear();
  cancelled_.clear();
  for (auto& [ticket, pending] : pending_) pending.request = 0;
  tickets_.unsent = 1;
  status_.connected = false;
  ++status_.switches;
}

bool SlabClient::reconnect(const std::stop_token& stop) {
  for (std::size_t tries = 1; !stop.stop_requested(); ++tries) {
    const std::size_t server = (status_.server + tries) % options_.servers.size();
    try {
      auto session =
          std::make_unique<ClientSession>(options_.servers[server], options_.session, pool_,
                                          std::min(options_.connect_limit, reconnect_limit));
      const std::scoped_lock lock(mutex_);
      session_ = std::move(session);
      status_.server = server;
      status_.connected = true;
      status_.tuning = session_->tuning();
      return true;
    } catch (const std::exception&) {
      if (tries % options_.servers.size() == 0) std::this_thread::sleep_for(reconnect_gap);
    }
  }
  return false;
}

// Returns false once the session is lost.
bool SlabClient::turn(ClientSession::Events& events) {
  try {
    send_pending();
    wait();
    const LocalInstant now = local_now();
    const bool alive = session_->step(now, events);
    publish(events);
    return alive && !is_silent(now);
  } catch (const std::exception&) {  // out of memory or descriptors
    events = {};
    return false;
  }
}

void SlabClient::run(const std::stop_token& stop) {
  name_this_thread("slabs");
  place_this_thread(options_.placement);
  ClientSession::Events events;
  while (!stop.stop_requested()) {
    if (turn(events)) continue;
    lose_session();
    if (!reconnect(stop)) return;
  }
}

}  // namespace tilewall::net
