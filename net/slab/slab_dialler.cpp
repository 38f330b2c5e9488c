#include "net/slab/slab_dialler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr LocalInstant never_dialled{Nanos::max()};

}  // namespace

SlabDialler::SlabDialler(const std::vector<SocketAddress>& requesters,
                         std::function<void(const std::string& line)> log)
    : log_(std::move(log)) {
  for (const SocketAddress& address : requesters) requesters_.emplace_back().address = address;
}

SlabDialler::~SlabDialler() {
  for (const auto& [fd, attempt] : attempts_) end_connection(fd);
}

void SlabDialler::step(EventSet& events, LocalInstant now) {
  for (const SocketAddress& address : std::exchange(stripes_, {}))
    begin({address, -1}, events, now);
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    if (requesters_[i].due > now) continue;
    requesters_[i].due = never_dialled;
    begin({requesters_[i].address, static_cast<int>(i)}, events, now);
  }
  for (auto it = attempts_.begin(); it != attempts_.end();) {
    if (it->second.until > now) {
      ++it;
      continue;
    }
    fail(it->second.target, std::strerror(ETIMEDOUT), now);
    events.remove(it->first);
    end_connection(it->first);
    it = attempts_.erase(it);
  }
}

void SlabDialler::begin(const Target& target, EventSet& events, LocalInstant now) {
  try {
    UniqueFd socket = begin_connect_tcp(target.address);
    if (socket.empty()) return fail(target, std::strerror(errno), now);
    const int fd = socket.get();
    events.watch(fd, EPOLLOUT);
    attempts_[fd] = {std::move(socket), target, now + longest_connecting};
  } catch (const JobError& error) {  // no descriptor is free, or this host has no such addresses
    fail(target, error.what(), now);
  }
}

std::optional<SlabDialler::Connected> SlabDialler::finish(int fd, EventSet& events,
                                                          LocalInstant now) {
  const auto found = attempts_.find(fd);
  if (found == attempts_.end()) return std::nullopt;
  events.remove(fd);
  Attempt attempt = std::move(found->second);
  attempts_.erase(found);
  const int error = connect_error(fd);
  if (error == 0) return Connected{std::move(attempt.socket), attempt.target};
  fail(attempt.target, std::strerror(error), now);
  return Connected{{}, attempt.target};
}

void SlabDialler::fail(const Target& target, const std::string& why, LocalInstant now) {
  if (target.requester < 0) return;  // the requester waits for its stripes, and ends the session
  Requester& requester = requesters_[static_cast<std::size_t>(target.requester)];
  if (!std::exchange(requester.has_failed, true))
    log_(fmt::format("{}: {}: tried again until it answers", to_string(target.address), why));
  note_end(target.requester, now);
}

void SlabDialler::note_session(int requester, LocalInstant now) {
  Requester& answers = requesters_[static_cast<std::size_t>(requester)];
  answers.session_since = now;
  answers.has_failed = false;
}

void SlabDialler::note_end(int requester, LocalInstant now) {
  Requester& ended = requesters_[static_cast<std::size_t>(requester)];
  const auto since = std::exchange(ended.session_since, std::nullopt);
  if (since && now - *since >= lasting_session) ended.pause = shortest_pause;
  ended.due = now + ended.pause;
  ended.pause = std::min(ended.pause * 2, longest_pause);
}

void SlabDialler::begin_anew(EventSet& events, LocalInstant now) {
  for (const auto& [fd, attempt] : attempts_) {
    events.remove(fd);
    end_connection(fd);
  }
  attempts_.clear();
  stripes_.clear();
  for (std::size_t i = 0; i < requesters_.size(); ++i)
    if (requesters_[i].due == never_dialled) note_end(static_cast<int>(i), now);
}

LocalInstant SlabDialler::due() const {
  LocalInstant due = stripes_.empty() ? never_dialled : LocalInstant{};
  for (const Requester& requester : requesters_) due = std::min(due, requester.due);
  for (const auto& [fd, attempt] : attempts_) due = std::min(due, attempt.until);
  return due;
}

}  // namespace tilewall::net
