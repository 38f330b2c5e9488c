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
  told_ = false;  // the next caster knows nothing of the request
  style_told_ = false;
  memory_told_ = false;
}

bool CasterLink::connect(std::chrono::milliseconds limit) {
  if (!caster_.empty()) return true;
  if (!service_asked_at_ && local_now() < next_connect_) return false;
  const bool granted = ask_service(limit);
  if (service_asked_at_) return false;
  if (!granted && !rest_) service_.reset();
  next_connect_ = local_now() + (rest_ ? rest_look_interval : reconnect_pause);
  return granted;
}

/// Asks for a caster, or goes on waiting for the answer while service_asked_at_ is set.
bool CasterLink::ask_service(std::chrono::milliseconds limit) {
  if (!service_asked_at_) {
    rest_.reset();
    if (service_.empty()) service_ = net::try_connect_local(options_.socket);
    if (service_.empty() ||
        !net::send_packet(service_.get(),
                          encode_caster_request({options_.volume, wait_policy_.changed})))
      return false;
    wait_policy_.changed = false;
    service_asked_at_ = local_now();
  }
  if (wait_readable(service_.get(), limit)) return take_grant();
  if (local_now() - *service_asked_at_ > grant_limit) service_asked_at_.reset();
  return false;
}

bool CasterLink::take_grant() {
  service_asked_at_.reset();
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
CasterLink::Outcome CasterLink::ask(std::uint64_t number, const Limits& limits, Tell&& tell) {
  LocalInstant with_caster_at = local_now();
  for (;;) {
    if (limits.abandon()) return {End::abandoned, {}};
    // A request that is overdue from the start is sent all the same, and its answer looked for.
    const bool is_overdue = limits.overdue && limits.overdue();
    const auto interval = is_overdue ? std::chrono::milliseconds(0) : look_interval;
    if (!connect(interval)) {
      if (rest_ && !wait_policy_.waits_for_caster) return rests();
      if (rest_) with_caster_at = local_now();
      if (local_now() - with_caster_at > no_caster_limit) return {};
      if (is_overdue) return {End::overdue, {}};
      if (!service_asked_at_) std::this_thread::sleep_for(look_interval);
      continue;
    }
    with_caster_at = local_now();
    if (!told_ && !tell()) {
      disconnect();
      continue;
    }
    told_ = true;
    if (!wait_readable(caster_.get(), interval)) {
      if (is_overdue) return {End::overdue, {}};
      continue;
    }
    const auto answer = take_answer(number);
    if (answer && answer->status == CastStatus::waits)
      options_.problem(line_of(*answer));
    else if (answer && answer->status == CastStatus::reads)
      progress_(answer->progress);
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
  told_ = false;
  const auto& abandon = options_.abandon_open ? options_.abandon_open : options_.abandon;
  return ask(message.number, {abandon, {}},
             [&] { return net::send_packet(caster_.get(), bytes_of(message)); });
}

CasterLink::Outcome CasterLink::cast(CastMessage message, WaitPolicy wait_policy) {
  message.number = ++number_;
  told_ = false;
  under_way_.reset();
  const std::size_t bytes =
      static_cast<std::size_t>(message.width) * static_cast<std::size_t>(message.height) * 4;
  if (!make_memory(bytes)) return {};
  return wait(message, wait_policy);
}

CasterLink::Outcome CasterLink::resume(WaitPolicy wait_policy) {
  return wait(*std::exchange(under_way_, std::nullopt), wait_policy);
}

CasterLink::Outcome CasterLink::wait(const CastMessage& message, WaitPolicy wait_policy) {
  // Keep the flag of an earlier request that did not reach the service.
  wait_policy.changed |= wait_policy_.changed;
  wait_policy_ = wait_policy;
  Outcome outcome =
      ask(message.number, {options_.abandon, options_.overdue}, [&] { return tell(message); });
  if (outcome.end == End::done) wait_policy_.changed = false;
  if (outcome.end == End::overdue) under_way_ = message;
  return outcome;
}

bool CasterLink::is_late() {
  if (!under_way_) return false;
  // Without a caster the next cast() has to make the request again.
  if (!connect(std::chrono::milliseconds(0))) return !rest_;
  return told_ && !wait_readable(caster_.get(), std::chrono::milliseconds(0));
}

void CasterLink::keep_connected() {
  pollfd caster = {caster_.get(), 0, 0};
  if (!caster_.empty() && ::poll(&caster, 1, 0) > 0) disconnect();  // it can only be closed
  static_cast<void>(connect(std::chrono::milliseconds(0)));
}

ImageView CasterLink::picture(int width, int height) const noexcept {
  return {memory_, {width, height}, static_cast<std::size_t>(width) * 4};
}

}  // namespace tilewall::volume
