#include "player/volume/caster/live_link.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::volume {
namespace {

constexpr std::chrono::milliseconds connect_limit{250};
constexpr std::chrono::milliseconds retry_pause{100};
// A host that does not answer takes a fifth of the thread's time at most.
constexpr int retry_pause_factor = 4;

}  // namespace

LiveLink::LiveLink(std::string director, const net::AuthKey& key, scene::CasterHello hello)
    : director_(std::move(director)), key_(key), hello_(std::move(hello)) {}

std::optional<pollfd> LiveLink::watched() const {
  if (!stream_) return std::nullopt;
  const auto events = static_cast<short>(stream_->wants_write() ? POLLIN | POLLOUT : POLLIN);
  return pollfd{stream_->fd(), events, 0};
}

std::optional<scene::LiveOrder> LiveLink::step(LocalInstant now) {
  std::optional<scene::LiveOrder> order;
  if (!stream_ && now >= next_try_) connect();
  if (!stream_) return order;
  try {
    std::vector<net::Message> received;
    net::StreamStatus status = stream_->read_some(received);
    if (stream_->is_authenticated() && !greeted_) say_hello();
    for (const net::Message& message : received) take(parse_json(message.text), order);
    if (status == net::StreamStatus::open) status = stream_->write_some();
    if (status != net::StreamStatus::open) stream_.reset();
  } catch (const InputError&) {  // a director that sends nonsense
    stream_.reset();
  }
  if (!stream_) greeted_ = false;
  return order;
}

void LiveLink::connect() {
  greeted_ = false;
  const LocalInstant began = local_now();
  next_try_ = began + retry_pause;  // also where the next line throws
  UniqueFd socket = net::try_connect_tcp(net::resolve(director_, "--director"), connect_limit);
  if (!socket.empty()) stream_.emplace(net::SealedStream::client(std::move(socket), key_));
  const LocalInstant ended = local_now();
  next_try_ = ended + std::max<Nanos>(retry_pause, (ended - began) * retry_pause_factor);
}

void LiveLink::take(const nlohmann::json& json, std::optional<scene::LiveOrder>& order) {
  const auto type = json_field<std::string>(json, "type");
  if (type == "live_order") order = scene::live_order_from_json(json);
}

void LiveLink::say_hello() {
  stream_->queue({scene::to_json(hello_).dump(), {}});
  greeted_ = true;
  is_new_ = true;
}

void LiveLink::send(const scene::LiveReport& report) {
  if (!stream_ || !greeted_) return;
  stream_->queue({scene::to_json(report).dump(), {}});
  if (stream_->write_some() == net::StreamStatus::open) return;
  stream_.reset();
  greeted_ = false;
}

}  // namespace tilewall::volume
