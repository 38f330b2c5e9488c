#include "player/movie/shared/frame_waiter.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "player/movie/shared/movie_page.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::chrono::milliseconds look_interval{20};  // between checks of connection and abandon
constexpr std::chrono::milliseconds at_once{0};
constexpr std::chrono::seconds open_limit{12};  // longer than the decoder may take to open a file
// Shorter than the time that the director gives a panel that holds up the others.
constexpr std::chrono::milliseconds no_progress_limit{2500};
// Limit for a seek into a very long group of pictures.
constexpr std::chrono::seconds longest_wait{30};

}  // namespace

/// Ends a wait for a decoder that makes no progress, or none for this panel.
class FrameWaiter::Timeout {
 public:
  [[nodiscard]] bool ended(std::uint64_t progress) {
    const LocalInstant now = local_now();
    if (progress != progress_) since_ = now;
    progress_ = progress;
    return now - since_ > no_progress_limit || now - begun_ > longest_wait;
  }

 private:
  const LocalInstant begun_ = local_now();
  LocalInstant since_ = begun_;
  std::uint64_t progress_ = 0;
};

FrameWaiter::FrameWaiter(SharedMovieOptions options)
    : options_(std::move(options)), subscriber_(options_.socket, options_.file) {
  wait_until_open();
}

void FrameWaiter::wait_until_open() {
  const auto& abandon = options_.abandon_open ? options_.abandon_open : options_.abandon;
  const LocalInstant until = local_now() + open_limit;
  while (local_now() < until && !abandon()) {
    if (!connect(look_interval)) {
      if (!subscriber_.is_waiting()) std::this_thread::sleep_for(look_interval);
      continue;
    }
    const MoviePage& page = movie_->memory.page();
    const std::uint32_t seen = page.published.load();
    const MoviePhase phase = page.phase.load();
    if (phase == MoviePhase::refused) throw InputError(refusal_of(page));
    if (phase != MoviePhase::starting) return;
    futex_wait(page.published, seen, look_interval);
    if (!movie_->open()) disconnect();
  }
  if (!movie_ && !abandon()) throw JobError(options_.file + ": no host service answers");
}

bool FrameWaiter::connect(std::chrono::milliseconds limit) {
  if (movie_) return true;
  auto movie = subscriber_.try_subscribe(limit);
  const std::scoped_lock lock(mutex_);
  movie_ = std::move(movie);
  return movie_.has_value();
}

bool FrameWaiter::reconnect(std::chrono::milliseconds limit) {
  try {
    return connect(limit);
  } catch (const JobError&) {  // no seat, descriptor or usable memory; the next try may succeed
    return false;
  }
}

void FrameWaiter::disconnect() {
  awaited_frame_ = no_frame;
  const std::scoped_lock lock(mutex_);
  movie_.reset();
}

void FrameWaiter::note_direction(std::int64_t frame) noexcept {
  asked_frame_ = frame;
  if (last_frame_ == no_frame || frame == last_frame_) return;
  // One step back may be the seam of a loop; only two in a row are playing backwards.
  const int step = frame > last_frame_ ? 1 : -1;
  if (std::exchange(last_step_, step) == step) direction_ = step;
}

FrameWait FrameWaiter::wait(std::int64_t frame) {
  note_direction(frame);
  awaited_frame_ = no_frame;
  if (movie_) {
    set_request(movie_->memory, movie_->own_seat(), frame, direction_, RequestKind::next);
    if (auto pin = try_pin(movie_->memory, movie_->own_seat(), frame))
      return {FrameWaitEnd::got, std::move(pin)};
  }
  abandoned_at_.reset();
  FrameWait waited = wait_patiently(frame);
  if (movie_) end_wait(movie_->own_seat());
  if (movie_ && waited.end == FrameWaitEnd::abandoned)
    abandoned_at_ = movie_->memory.page().published.load();
  return waited;
}

FrameWait FrameWaiter::wait_patiently(std::int64_t frame) {
  Timeout timeout;
  bool is_requested = false;
  for (;;) {
    if (options_.abandon()) return {FrameWaitEnd::abandoned, std::nullopt};
    if (!reconnect(look_interval)) {
      if (timeout.ended(0)) return {};
      if (!subscriber_.is_waiting()) std::this_thread::sleep_for(look_interval);
      is_requested = false;
      continue;
    }
    MoviePage& page = movie_->memory.page();
    // The futex word is read before the slots, so that a picture in between ends the wait at once.
    const std::uint32_t seen = page.published.load();
    if (auto pin = try_pin(movie_->memory, movie_->own_seat(), frame))
      return {FrameWaitEnd::got, std::move(pin)};
    if (is_out_of_reach(page, frame) || timeout.ended(page.progress.load())) return {};
    // A repeated request would reset the time since when the panel waits, and lose its turn.
    if (!std::exchange(is_requested, true))
      set_request(movie_->memory, movie_->own_seat(), frame, direction_, RequestKind::waiting);
    futex_wait(page.published, seen, look_interval);
    if (!movie_->open()) disconnect();
  }
}

picture::ReadyPictures FrameWaiter::ready(std::int64_t frame) {
  if (!reconnect(at_once)) return {};
  const MoviePage& page = movie_->memory.page();
  seen_ = page.published.load();
  return {is_out_of_reach(page, frame), ready_pictures(page)};
}

void FrameWaiter::await(std::int64_t frame, LocalInstant until) {
  const Nanos left = std::clamp<Nanos>(until - local_now(), Nanos(0), look_interval);
  if (!movie_) return std::this_thread::sleep_for(left);
  MovieSeat& seat = movie_->own_seat();
  if (std::exchange(awaited_frame_, frame) != frame) {
    set_request(movie_->memory, seat, frame, direction_, RequestKind::newest);
    awaited_since_ns_ = seat.waiting_since_ns.load();
  } else {
    seat.waiting_since_ns.store(awaited_since_ns_);
  }
  futex_wait(movie_->memory.page().published, seen_, left);
  end_wait(seat);
  if (!movie_->open()) disconnect();
}

bool FrameWaiter::is_late() {
  return !reconnect(at_once) || movie_->memory.page().published.load() == abandoned_at_;
}

void FrameWaiter::reserve(std::int64_t frame) noexcept {
  if (movie_) set_request(movie_->memory, movie_->own_seat(), frame, direction_, RequestKind::next);
}

void FrameWaiter::look_ahead() {
  last_frame_ = asked_frame_;
  if (!movie_) return;
  const std::int64_t next =
      stays_ ? last_frame_ : std::max<std::int64_t>(0, last_frame_ + direction_);
  set_request(movie_->memory, movie_->own_seat(), next, direction_, RequestKind::next);
}

void FrameWaiter::leave() {
  awaited_frame_ = no_frame;
  if (movie_) withdraw_request(movie_->own_seat());
}

std::optional<scene::DecoderStatus> FrameWaiter::decoder_status() const {
  const std::scoped_lock lock(mutex_);
  if (!movie_) return std::nullopt;
  const MoviePage& page = movie_->memory.page();
  scene::DecoderStatus status;
  status.movies = {{page.made_ns, page.decoded_pictures.load(), page.decoded_px.load(),
                    page.decode_cpu_ns.load()}};
  const scene::DecodeDevice device = page.device.load();
  const bool decodes = device == scene::DecodeDevice::vaapi || device == scene::DecodeDevice::cuda;
  status.device = decodes ? device : scene::DecodeDevice::cpu;
  if (!decodes) status.device_note = device_note_of(page);
  const std::uint32_t deaths = std::min<std::uint32_t>(page.deaths.load(), max_death_records);
  for (std::uint32_t i = 0; i < deaths; ++i)
    status.deaths.push_back(
        {page.death_records[i].died_ns.load(), page.death_records[i].back_ns.load()});
  return status;
}

}  // namespace tilewall::movie
