#include "player/sound/sound_link.hpp"

#include <poll.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds connect_limit{1000};
constexpr std::size_t most_waiting = 4;  // messages: a director that is behind needs no more

}  // namespace

SoundLink::SoundLink(std::string director, SoundHello hello, Callbacks callbacks)
    : director_(std::move(director)),
      hello_(std::move(hello)),
      callbacks_(std::move(callbacks)),
      key_(AuthKey::from_environment(control_secret_variable)) {}

void SoundLink::step(std::chrono::milliseconds limit) {
  try {
    if (!stream_) return connect(limit);
    pollfd waiting = {stream_->fd(), POLLIN, 0};
    if (stream_->wants_write()) waiting.events |= POLLOUT;
    ::poll(&waiting, 1, static_cast<int>(limit.count()));
    if ((waiting.revents & (POLLIN | POLLERR | POLLHUP)) != 0) take_messages();
    if (stream_ && stream_->write_some() != StreamStatus::open) stream_.reset();
  } catch (const InputError&) {
    stream_.reset();  // a director that sends nonsense
  }
}

void SoundLink::connect(std::chrono::milliseconds limit) {
  greeted_ = false;
  sources_ = {};
  UniqueFd socket = try_connect_tcp(resolve(director_, "--director"), connect_limit);
  if (socket.empty())
    std::this_thread::sleep_for(limit);
  else
    stream_.emplace(std::move(socket), MessageLimits{});
}

void SoundLink::take_messages() {
  std::vector<Message> received;
  const StreamStatus status = stream_->read_some(received);
  for (const Message& message : received) handle(parse_json(message.text));
  if (status != StreamStatus::open) stream_.reset();
}

void SoundLink::handle(const nlohmann::json& json) {
  const auto type = json_field<std::string>(json, "type");
  if (type == "challenge") return answer(challenge_from_json(json));
  if (type == "sound_config") return callbacks_.config(sound_config_from_json(json));
  if (type == "release") return callbacks_.release(release_from_json(json));
  if (type == "quit") return callbacks_.quit();
  if (type == "source") return sources_.take(json);
  if (type == "scene") {
    Scene scene = scene_from_json(json_field<nlohmann::json>(json, "scene"), sources_);
    sources_.keep_only(sources_of(scene));
    callbacks_.scene(std::move(scene));
  }
}

void SoundLink::answer(const Challenge& challenge) {
  SoundHello hello = hello_;
  if (key_) {
    const std::string text = sound_hello_text(challenge, hello);
    hello.tag = to_hex(key_->tag(std::as_bytes(std::span(text))));
  }
  stream_->queue({to_json(hello).dump(), {}});
  greeted_ = true;
}

void SoundLink::send(const SoundStatus& status) {
  if (!stream_ || !greeted_ || stream_->queued_messages() >= most_waiting) return;
  stream_->queue({to_json(status).dump(), {}});
  if (stream_->write_some() != StreamStatus::open) stream_.reset();
}

}  // namespace tilewall
