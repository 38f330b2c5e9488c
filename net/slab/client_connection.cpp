#include "net/slab/client_connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

}  // namespace

Json await_message(MessageStream& stream, const SocketAddress& server, LocalInstant until) {
  std::vector<Message> messages;
  for (;;) {
    if (stream.write_some() != StreamStatus::open) break;
    const Nanos left = until - local_now();
    if (left <= Nanos{0}) break;
    pollfd waiting = {stream.fd(), POLLIN, 0};
    ::poll(&waiting, 1,
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    const StreamStatus status = stream.read_one(messages);
    try {
      if (!messages.empty()) return parse_json(messages.front().text);
    } catch (const InputError&) {  // the peer is not a tilewall server
      break;
    }
    if (status != StreamStatus::open) break;
  }
  throw JobError(
      fmt::format("{}: expected a tilewall server, found none that answers", to_string(server)));
}

MessageStream connect_to_server(const SocketAddress& server, std::chrono::milliseconds limit,
                                const std::function<void(int socket)>& prepare) {
  UniqueFd socket = try_connect_tcp(server, limit, prepare);
  if (socket.empty())
    throw JobError(fmt::format(
        "{}: nobody answers; 'tilewall serve DIR --listen ADDRESS:PORT' starts a server",
        to_string(server)));
  return {std::move(socket), unauthenticated_limits};
}

MessageStream accept_from_server(int listening, const SocketAddress& server, LocalInstant until) {
  for (;;) {
    const Nanos left = until - local_now();
    if (left <= Nanos{0}) break;
    pollfd waiting = {listening, POLLIN, 0};
    ::poll(&waiting, 1,
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    SocketAddress from;
    from.length = sizeof from.storage;
    UniqueFd socket(retry_eintr([&] {
      return ::accept4(listening, from.raw(), &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    }));
    if (!socket.empty() && is_same_host(from, server))
      return {std::move(socket), unauthenticated_limits};
  }
  throw JobError(fmt::format("{}: expected a connection for slabs, found none", to_string(server)));
}

SlabChallenge await_challenge(MessageStream& stream, const SocketAddress& server, bool keyed,
                              LocalInstant until) {
  SlabChallenge challenge = parse_challenge(await_message(stream, server, until));
  if (keyed && !challenge.keyed)
    throw InputError({to_string(server)}, "key", "a server that has the wall's key",
                     "one that has none");
  if (!keyed && challenge.keyed)
    throw InputError({to_string(server)}, "key", "the wall's key: give it with --key-file FILE",
                     "none");
  return challenge;
}

ControlConnection::ControlConnection(const SocketAddress& server, const std::optional<AuthKey>& key,
                                     std::chrono::milliseconds limit, LocalInstant until)
    : stream_(connect_to_server(server, limit, close_when_peer_vanishes)),
      challenge_(await_challenge(stream_, server, key.has_value(), until)) {}

SessionStart ControlConnection::begin(const SocketAddress& server,
                                      const SlabSessionOptions& options, const SlabHello& hello,
                                      LocalInstant until) {
  const SlabHandshake handshake(options.key, challenge_.nonce, challenge_.provides);
  stream_.queue({text_of(handshake.hello(hello)), {}});
  const std::uint64_t id = handshake.parse_welcome(hello, await_message(stream_, server, until));
  const SessionKeys keys = handshake.keys(hello);
  seal_.emplace(hello.seal, ControlKeys{keys.control_to_server, keys.control_to_client});
  stream_.allow(seal_->limits({options.longest_answer_bytes, 0}));
  return {id, keys};
}

void ControlConnection::ask(const Json& question) {
  stream_.queue(seal_->seal({text_of(question), {}}));
}

bool ControlConnection::step(std::vector<Json>& answers, std::vector<Json>& told) {
  std::vector<Message> messages;
  if (stream_.write_some() != StreamStatus::open) return false;
  const StreamStatus status = stream_.read_some(messages);
  for (Message& message : messages) {
    Json json = parse_json(seal_->open(std::move(message)).text);
    if (is_told(json))
      told.push_back(parse_told(json));
    else
      answers.push_back(std::move(json));
  }
  return status == StreamStatus::open;
}

pollfd ControlConnection::watched() const {
  const auto events = static_cast<short>(stream_.wants_write() ? POLLIN | POLLOUT : POLLIN);
  return {stream_.fd(), events, 0};
}

}  // namespace tilewall::net
