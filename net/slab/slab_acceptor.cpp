#include "net/slab/slab_acceptor.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/slab/eviction.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::net {
namespace {

constexpr Nanos shortest_line_gap = std::chrono::seconds(1);

SlabAcceptorOptions checked(SlabAcceptorOptions options) {
  if (!options.key && !options.address.loopback())
    throw InputError(to_string(options.address) +
                     ": beyond loopback sources need the wall's key to connect: make one with "
                     "'tilewall key new FILE', and give it with --key-file FILE");
  return options;
}

void send_refusal(MessageStream& stream, const std::string& why) {
  stream.queue({text_of({{"type", "refused"}, {"error", why}}), {}});
  static_cast<void>(stream.write_some());
}

}  // namespace

void Offered::refuse(const std::string& why) { send_refusal(control, why); }

SlabAcceptor::SlabAcceptor(SlabAcceptorOptions options)
    : options_(checked(std::move(options))),
      listening_(listen_tcp_without_blocking(options_.address)) {}

std::vector<pollfd> SlabAcceptor::watched() const {
  std::vector<pollfd> watched;
  watched.reserve(held_.size() + 1);
  // While accept() fails for lack of descriptors, the socket would stay readable.
  watched.push_back({listening_.get(), static_cast<short>(pause_.active() ? 0 : POLLIN), 0});
  for (const Held& held : held_) watched.push_back({held.stream.fd(), POLLIN, 0});
  return watched;
}

LocalInstant SlabAcceptor::due() const {
  LocalInstant due{Nanos::max()};
  if (!held_.empty()) due = held_.front().since + longest_held;
  return pause_.active() ? std::min(due, pause_.until()) : due;
}

void SlabAcceptor::step(LocalInstant now) {
  std::vector<pollfd> ready = watched();
  ::poll(ready.data(), ready.size(), 0);
  auto it = held_.begin();
  for (std::size_t i = 1; i < ready.size(); ++i) {
    const bool keep = now - it->since <= longest_held && (ready[i].revents == 0 || read(*it, now));
    refused_ += keep ? 0U : 1U;
    it = keep ? std::next(it) : held_.erase(it);
  }
  if (ready.front().revents != 0) accept_all(now);
}

void SlabAcceptor::accept_all(LocalInstant now) {
  for (;;) {
    SocketAddress from;
    from.length = sizeof from.storage;
    UniqueFd socket(retry_eintr([&] {
      return ::accept4(listening_.get(), from.raw(), &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    }));
    if (socket.empty()) {
      if (pause_.note_failure(errno)) log_at_times("no further source can be accepted", now);
      return;
    }
    if (held_.size() >= most_held) {
      std::vector<UnprovedPeer> peers;
      for (const Held& held : held_) peers.push_back({held.from, held.since});
      held_.erase(std::next(held_.begin(), static_cast<std::ptrdiff_t>(evicted_of(peers))));
      ++refused_;
    }
    close_when_peer_vanishes(socket.get());
    held_.push_back({MessageStream(std::move(socket), unauthenticated_limits), from, now, {}});
  }
}

// Returns whether the connection is to be kept.
bool SlabAcceptor::read(Held& held, LocalInstant now) {
  std::vector<Message> messages;
  const StreamStatus status = held.stream.read_some(messages);
  try {
    for (const Message& message : messages) take_message(held, message);
    if (status == StreamStatus::malformed)
      throw InputError({"message"}, "", "a tilewall provider's challenge", "something else");
  } catch (const InputError& error) {
    send_refusal(held.stream, error.what());
    log_at_times(fmt::format("{} was refused: {}", to_string(held.from), error.what()), now);
    return false;
  }
  return status == StreamStatus::open;
}

void SlabAcceptor::take_message(Held& held, const Message& message) const {
  if (held.challenge)
    throw InputError({"message"}, "", "nothing after the challenge", "another message");
  SlabChallenge challenge = parse_challenge(parse_json(message.text));
  if (options_.key && !challenge.keyed)
    throw InputError({"message"}, "key", "a provider that has the wall's key", "one that has none");
  if (!options_.key && challenge.keyed)
    throw InputError({"message"}, "key", "a provider without a key, as this side has none",
                     "one that has a key");
  held.challenge = std::move(challenge);
}

std::vector<Offered> SlabAcceptor::take() {
  std::vector<Offered> offers;
  for (auto it = held_.begin(); it != held_.end();) {
    if (!it->challenge) {
      ++it;
      continue;
    }
    std::string provides = it->challenge->provides;
    offers.push_back(
        {std::move(provides), it->from, std::move(*it->challenge), std::move(it->stream)});
    it = held_.erase(it);
  }
  return offers;
}

void SlabAcceptor::log_at_times(const std::string& line, LocalInstant now) {
  if (now - logged_ < shortest_line_gap) return;
  logged_ = now;
  options_.log(line);
}

}  // namespace tilewall::net
