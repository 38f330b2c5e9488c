#include "player/movie/shared/movie_request.hpp"

#include <poll.h>

#include <cstring>

#include "net/local_socket.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr std::chrono::milliseconds grant_limit{1000};
constexpr std::chrono::milliseconds request_pause{50};

/// The answer that was received; empty if it is malformed.
std::optional<MovieSubscription> subscription_of(UniqueFd connection, net::ReceivedPacket& packet,
                                                 const MovieGrant& grant) {
  if (packet.status != net::PacketStatus::received || packet.bytes != sizeof grant ||
      grant.magic != MovieGrant{}.magic)
    return std::nullopt;
  if (grant.seat < 0 || grant.seat >= max_movie_seats)
    throw JobError(fmt::format("expected at most {} panels of this host on one movie, found more",
                               max_movie_seats));
  MovieMemory memory(packet.file.get());
  return MovieSubscription{std::move(connection), std::move(memory), grant.seat};
}

}  // namespace

std::vector<std::byte> encode_request(const std::string& path) {
  const MovieRequest request{MovieRequest{}.magic, static_cast<std::uint32_t>(path.size())};
  std::vector<std::byte> packet(sizeof request + path.size());
  std::memcpy(packet.data(), &request, sizeof request);
  std::memcpy(packet.data() + sizeof request, path.data(), path.size());
  return packet;
}

std::optional<std::string> decode_request(std::span<const std::byte> packet) {
  MovieRequest request;
  if (packet.size() < sizeof request) return std::nullopt;
  std::memcpy(&request, packet.data(), sizeof request);
  if (request.magic != MovieRequest{}.magic || request.path_bytes == 0 ||
      request.path_bytes > max_movie_path_bytes ||
      request.path_bytes != packet.size() - sizeof request)
    return std::nullopt;
  return std::string(reinterpret_cast<const char*>(packet.data()) + sizeof request,
                     request.path_bytes);
}

bool MovieSubscription::open() const {
  std::byte none{};
  return net::receive_packet(connection.get(), std::span(&none, 1)).status ==
         net::PacketStatus::nothing_yet;
}

bool MovieSubscriber::request() {
  if (local_now() < next_request_) return false;
  next_request_ = local_now() + request_pause;
  connection_ = net::try_connect_local(socket_);
  if (!connection_.empty() && !net::send_packet(connection_.get(), encode_request(path_)))
    connection_.reset();
  requested_at_ = local_now();
  return !connection_.empty();
}

std::optional<MovieSubscription> MovieSubscriber::try_subscribe(std::chrono::milliseconds limit) {
  if (connection_.empty() && !request()) return std::nullopt;
  pollfd waiting = {connection_.get(), POLLIN, 0};
  retry_eintr([&] { return ::poll(&waiting, 1, static_cast<int>(limit.count())); });
  MovieGrant grant;
  grant.magic = 0;
  net::ReceivedPacket packet =
      net::receive_packet(connection_.get(), std::as_writable_bytes(std::span(&grant, 1)));
  if (packet.status == net::PacketStatus::nothing_yet) {
    if (local_now() - requested_at_ > grant_limit) connection_.reset();
    return std::nullopt;
  }
  return subscription_of(std::exchange(connection_, {}), packet, grant);
}

}  // namespace tilewall::movie
