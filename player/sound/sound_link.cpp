#include "player/sound/sound_link.hpp"

#include <poll.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::sound {
namespace {

constexpr std::chrono::milliseconds connect_limit{1000};
constexpr std::size_t most_waiting = 4;  // messages: a director that is behind needs no more

}  // namespace

SoundLink::SoundLink(std::string director, const net::AuthKey& key, scene::SoundHello hello,
                     Callbacks callbacks)
    : director_(std::move(director)),
      key_(key),
      hello_(std::move(hello)),
      callbacks_(std::move(callbacks)) {}

void SoundLink::step(std::chrono::milliseconds limit) {
  try {
    if (!stream_) return connect(limit);
    pollfd waiting = {stream_->fd(), POLLIN, 0};
    if (stream_->wants_write()) waiting.events |= POLLOUT;
    ::poll(&waiting, 1, static_cast<int>(limit.count()));
    if ((waiting.revents & (POLLIN | POLLERR | POLLHUP)) != 0) take_messages();
    if (stream_ && stream_->write_some() != net::StreamStatus::open) stream_.reset();
  } catch (const InputError&) {
    stream_.reset();  // a director that sends nonsense
  }
}

void SoundLink::connect(std::chrono::milliseconds limit) {
  greeted_ = false;
  sources_ = {};
  UniqueFd socket = net::try_connect_tcp(net::resolve(director_, "--director"), connect_limit);
  if (socket.empty())
    std::this_thread::sleep_for(limit);
  else
    stream_.emplace(net::SealedStream::client(std::move(socket), key_));
}

void SoundLink::take_messages() {
  std::vector<net::Message> received;
  const net::StreamStatus status = stream_->read_some(received);
  if (stream_->is_authenticated() && !std::exchange(greeted_, true))
    stream_->queue({scene::to_json(hello_).dump(), {}});
  for (const net::Message& message : received) handle(parse_json(message.text));
  if (status != net::StreamStatus::open) stream_.reset();
}

void SoundLink::handle(const nlohmann::json& json) {
  const auto type = json_field<std::string>(json, "type");
  if (type == "release") return callbacks_.release(scene::release_from_json(json));
  if (type == "quit") return callbacks_.quit();
  if (type == "source") return sources_.take(json);
  if (type == "scene") {
    const scene::Scene scene =
        scene::scene_from_json(json_field<nlohmann::json>(json, "scene"), sources_);
    sources_.keep_only(scene::sources_of(scene));
    callbacks_.scene(scene);
  }
}

void SoundLink::send(const scene::SoundStatus& status) {
  if (!stream_ || !greeted_ || stream_->queued_messages() >= most_waiting) return;
  stream_->queue({scene::to_json(status).dump(), {}});
  if (stream_->write_some() != net::StreamStatus::open) stream_.reset();
}

}  // namespace tilewall::sound
