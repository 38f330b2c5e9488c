#include "player/volume/caster_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::volume {
namespace {

constexpr std::chrono::milliseconds look_interval{50};
constexpr std::chrono::milliseconds reconnect_pause{50};
constexpr std::chrono::milliseconds rest_look_interval{250};
constexpr std::chrono::milliseconds grant_limit{1000};
// Limit for the time without a caster. A caster that has the request gets as long as it needs,
// because reading a volume may take minutes.
constexpr std::chrono::seconds no_caster_limit{5};

std::span<const std::byte> bytes_of(const auto& message) {
  return std::as_bytes(std::span(&message, 1));
}

/// Waits until there is something to read or the peer is gone; false if `limit` is over first.
bool wait_readable(int fd, std::chrono::milliseconds limit) {
  pollfd waiting = {fd, POLLIN, 0};
  return retry_eintr([&] { return ::poll(&waiting, 1, static_cast<int>(limit.count())); }) > 0;
}

}  // namespace

CasterLink::~CasterLink() {
  if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
}

void CasterLink::set_style(std::string style) {
  if (style == style_) return;
  style_ = std::move(style);
  style_told_ = false;
}

void CasterLink::disconnect() {
  caster_.reset();
  style_told_ = false;
  memory_told_ = false;
}

bool CasterLink::connect() {
  if (!caster_.empty()) return true;
  if (local_now() < next_connect_) return false;
  const bool granted = ask_service();
  if (!granted && !rest_) service_.reset();
  next_connect_ = local_now() + (rest_ ? rest_look_interval : reconnect_pause);
  return granted;
}

bool CasterLink::ask_service() {
  rest_.reset();
  if (service_.empty()) service_ = net::try_connect_local(options_.socket);
  if (service_.empty() ||
      !net::send_packet(service_.get(),
                        encode_caster_request({options_.volume, wait_policy_.changed})))
    return false;
  wait_policy_.changed = false;
  if (!wait_readable(service_.get(), grant_limit)) return false;
  CasterGrant grant;
  grant.magic = 0;
  net::ReceivedPacket packet =
      net::receive_packet(service_.get(), std::as_writable_bytes(std::span(&grant, 1)));
  if (packet.status != net::PacketStatus::received || packet.bytes != sizeof grant ||
      grant.magic != CasterGrant{}.magic)
    return false;
  if (grant.granted == 0) rest_ = grant;
  if (grant.granted != 1 || packet.file.empty()) return false;
  caster_ = std::move(packet.file);
  return true;
}

bool CasterLink::make_memory(std::size_t bytes) {
  if (bytes <= memory_bytes_) return true;
  if (memory_ != nullptr) ::munmap(std::exchange(memory_, nullptr), memory_bytes_);
  memory_bytes_ = 0;
  memory_told_ = false;
  memory_fd_ = UniqueFd(::memfd_create("tilewall-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory_fd_.empty() || ::ftruncate(memory_fd_.get(), static_cast<off_t>(bytes)) != 0)
    return false;
  ::fcntl(memory_fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_.get(), 0);
  if (at == MAP_FAILED) return false;
  memory_ = static_cast<std::uint8_t*>(at);
  memory_bytes_ = bytes;
  return true;
}

bool CasterLink::tell_style() {
  const UniqueFd text(::memfd_create("tilewall-style", MFD_CLOEXEC));
  const CastMessageHeader header{.kind = CastMessageKind::style};
  return !text.empty() &&
         ::write(text.get(), style_.data(), style_.size()) == static_cast<ssize_t>(style_.size()) &&
         net::send_packet(caster_.get(), bytes_of(header), text.get());
}

bool CasterLink::tell(const CastMessage& message) {
  if (!style_told_ && !tell_style()) return false;
  style_told_ = true;
  if (!memory_told_) {
    const CastMessageHeader header{.kind = CastMessageKind::memory};
    if (!net::send_packet(caster_.get(), bytes_of(header), memory_fd_.get())) return false;
    memory_told_ = true;
  }
  return net::send_packet(caster_.get(), bytes_of(message));
}

std::optional<CastAnswer> CasterLink::take_answer(std::uint64_t number) {
  CastAnswer answer;
  for (;;) {
    const net::ReceivedPacket packet =
        net::receive_packet(caster_.get(), std::as_writable_bytes(std::span(&answer, 1)));
    if (packet.status == net::PacketStatus::nothing_yet) return std::nullopt;
    if (packet.status == net::PacketStatus::closed || packet.bytes != sizeof answer ||
        answer.magic != CastAnswer{}.magic) {
      disconnect();
      return std::nullopt;
    }
    if (answer.number == number) return answer;  // skip answers to abandoned requests
  }
}

template <typename Tell>
CasterLink::Outcome CasterLink::ask(std::uint64_t number, Tell&& tell) {
  bool told = false;
  LocalInstant with_caster_at = local_now();
  for (;;) {
    if (options_.abandon()) return {End::abandoned, {}};
    if (!connect()) {
      told = false;
      if (rest_ && !wait_policy_.waits_for_caster) return rests();
      if (rest_) with_caster_at = local_now();
      if (local_now() - with_caster_at > no_caster_limit) return {};
      std::this_thread::sleep_for(look_interval);
      continue;
    }
    with_caster_at = local_now();
    if (!told && !tell()) {
      disconnect();
      continue;
    }
    told = true;
    if (!wait_readable(caster_.get(), look_interval)) continue;
    const auto answer = take_answer(number);
    told = !caster_.empty();  // the next caster knows nothing of the request
    if (answer && answer->status == CastStatus::waits)
      options_.problem(line_of(*answer));
    else if (answer)
      return {answer->status == CastStatus::done ? End::done : End::refused, *answer};
  }
}

CasterLink::Outcome CasterLink::rests() const {
  Outcome outcome{End::rests, {}};
  set_line(outcome.answer, line_of(*rest_));
  return outcome;
}

CasterLink::Outcome CasterLink::open() {
  OpenMessage message;
  message.number = ++number_;
  return ask(message.number, [&] { return net::send_packet(caster_.get(), bytes_of(message)); });
}

CasterLink::Outcome CasterLink::cast(CastMessage message, WaitPolicy wait_policy) {
  message.number = ++number_;
  // Keep the flag of an earlier request that did not reach the service.
  wait_policy.changed |= wait_policy_.changed;
  wait_policy_ = wait_policy;
  const std::size_t bytes =
      static_cast<std::size_t>(message.width) * static_cast<std::size_t>(message.height) * 4;
  if (!make_memory(bytes)) return {};
  Outcome outcome = ask(message.number, [&] { return tell(message); });
  if (outcome.end == End::done) wait_policy_.changed = false;
  return outcome;
}

ImageView CasterLink::picture(int width, int height) const noexcept {
  return {memory_, {width, height}, static_cast<std::size_t>(width) * 4};
}

}  // namespace tilewall::volume
