#include "player/host/media_service.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "net/local_socket.hpp"
#include "player/movie/shared/movie_request.hpp"
#include "player/trace/restart_log.hpp"
#include "sync/base/check.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::host {
namespace {

// Panels may come back to a volume soon, after a restart of the panel or a return to the last
// scene. Its voxels may take a quarter of the memory, so only the volume that was left last is
// kept.
constexpr std::chrono::seconds unused_caster_grace{5};

}  // namespace

MediaService::MediaService(const std::filesystem::path& socket, Surroundings surroundings)
    : surroundings_(std::move(surroundings)), listening_(net::listen_local(socket)) {}

WatchEvent MediaService::serve_until(const ChildWatch& watch, std::chrono::milliseconds limit) {
  limit = accept_pause_.longest_wait(limit);
  std::vector<pollfd> waiting = {{watch.fd(), POLLIN, 0},
                                 {accept_pause_.active() ? -1 : listening_.get(), POLLIN, 0}};
  for (const Client& client : clients_) waiting.push_back({client.connection.get(), POLLIN, 0});
  if (!movies_.empty() || !volumes_.empty()) limit = std::min(limit, KeptDecoder::look_interval);
  ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
  for (std::size_t i = 2; i < waiting.size(); ++i)
    if (waiting[i].revents != 0 && !serve(clients_[i - 2])) leave(clients_[i - 2]);
  std::erase_if(clients_, [](const Client& client) { return client.connection.empty(); });
  if (waiting[1].revents != 0) accept_all();
  movies_.remove_if([](const KeptDecoder& movie) { return movie.seats_taken() == 0; });
  end_unused_casters();
  const WatchEvent event = watch.wait(std::chrono::milliseconds(0));
  reap();
  for (KeptDecoder& movie : movies_) movie.look();
  for (KeptCaster& volume : volumes_) volume.look();
  return event;
}

void MediaService::accept_all() {
  for (;;) {
    UniqueFd connection = net::accept_local(listening_.get());
    if (connection.empty()) {
      accept_pause_.note_failure(errno);
      return;
    }
    clients_.push_back({std::move(connection)});
  }
}

bool MediaService::serve(Client& client) {
  std::array<std::byte, std::max(movie::max_request_bytes, volume::max_caster_request_bytes) + 1>
      packet;
  const net::ReceivedPacket received = net::receive_packet(client.connection.get(), packet);
  if (received.status == net::PacketStatus::nothing_yet) return true;
  if (received.status == net::PacketStatus::closed || client.movie != nullptr) return false;
  const std::span bytes(packet.data(), received.bytes);
  if (const auto request = volume::decode_caster_request(bytes))
    return try_grant_caster(client, *request);
  if (client.volume != nullptr) return false;
  const auto file = movie::decode_request(bytes);
  return file && try_grant(client, *file);
}

bool MediaService::try_grant(Client& client, const std::string& file) {
  try {
    return grant(client, file);
  } catch (const std::exception& error) {  // only this movie fails, and the panel asks again
    log_line("tilewall-host: {}: {}", file, error.what());
    return false;
  }
}

bool MediaService::grant(Client& client, const std::string& file) {
  KeptDecoder& movie = movie_of(file);
  movie::MovieGrant answer;
  const auto seat = movie.take_seat();
  if (seat) {
    answer.seat = *seat;
    client.seat = *seat;
    client.movie = &movie;
  }
  return net::send_packet(client.connection.get(), std::as_bytes(std::span(&answer, 1)),
                          movie.memory_fd());
}

KeptDecoder& MediaService::movie_of(const std::string& file) {
  const auto found = std::find_if(movies_.begin(), movies_.end(),
                                  [&](const KeptDecoder& movie) { return movie.file() == file; });
  if (found != movies_.end()) return *found;
  const std::string name = started_ == 0 ? "decoder" : fmt::format("decoder-{}", started_);
  ++started_;
  DecoderPlace place{surroundings_.run_dir / "logs" / (name + ".log"),
                     surroundings_.run_dir / "pids" / name, surroundings_.decode};
  place.more_arguments = trace_arguments();
  place.more_arguments.insert(place.more_arguments.end(), {"--hdr", surroundings_.hdr});
  return movies_.emplace_back(file, std::move(place));
}

void MediaService::leave(Client& client) {
  if (client.volume != nullptr) client.volume->leave();
  if (client.movie != nullptr) client.movie->leave_seat(client.seat);
  client.connection.reset();
}

void MediaService::end_unused_casters() {
  LocalInstant newest{};
  for (const KeptCaster& volume : volumes_)
    if (volume.users() == 0) newest = std::max(newest, volume.unused_since());
  const LocalInstant kept_from = std::max(newest, local_now() - unused_caster_grace);
  volumes_.remove_if([&](const KeptCaster& volume) {
    return volume.users() == 0 && volume.unused_since() < kept_from;
  });
}

std::vector<std::string> MediaService::trace_arguments() const {
  if (surroundings_.trace.empty()) return {};
  return {"--trace", surroundings_.trace, "--clock-page", surroundings_.clock_page.string()};
}

bool MediaService::try_grant_caster(Client& client, const volume::CasterRequest& request) {
  try {
    return grant_caster(client, request);
  } catch (const std::exception& error) {  // only this volume fails, and the panel asks again
    log_line("tilewall-host: {}", error.what());
    return false;
  }
}

bool MediaService::grant_caster(Client& client, const volume::CasterRequest& request) {
  if (client.volume == nullptr) {
    client.volume = &caster_of(request.volume);
    client.volume->join();
  } else if (client.volume->volume() != request.volume) {
    return false;
  }
  if (request.changed) client.volume->rouse();
  volume::CasterGrant answer;
  if (const std::string trouble = client.volume->trouble(); !trouble.empty()) {
    volume::set_line(answer, trouble);
    return net::send_packet(client.connection.get(), std::as_bytes(std::span(&answer, 1)));
  }
  const UniqueFd connection = client.volume->connect();
  if (connection.empty()) return false;
  answer.granted = 1;
  return net::send_packet(client.connection.get(), std::as_bytes(std::span(&answer, 1)),
                          connection.get());
}

KeptCaster& MediaService::caster_of(const std::string& volume) {
  for (KeptCaster& caster : volumes_)
    if (caster.volume() == volume) return caster;
  const std::string name =
      casters_started_ == 0 ? "caster" : fmt::format("caster-{}", casters_started_);
  ++casters_started_;
  CasterPlace place{surroundings_.run_dir / (name + ".socket"),
                    surroundings_.run_dir / "logs" / (name + ".log"),
                    surroundings_.run_dir / "pids" / name, trace_arguments()};
  if (!surroundings_.director.empty())
    place.more_arguments.insert(place.more_arguments.end(), {"--director", surroundings_.director});
  place.on_change = [file = trace::restart_log_file(surroundings_.run_dir), name](bool runs) {
    runs ? trace::log_return(file, "caster", name) : trace::log_death(file, "caster", name);
  };
  return volumes_.emplace_back(volume, std::move(place));
}

void MediaService::take_end(const ChildEnd& end) {
  for (KeptDecoder& movie : movies_)
    if (movie.take_end(end)) return;
  for (KeptCaster& volume : volumes_) volume.take_end(end);
}

void MediaService::reap() {
  while (const auto end = reap_any()) take_end(*end);
}

}  // namespace tilewall::host
