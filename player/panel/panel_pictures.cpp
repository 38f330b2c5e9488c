#include "player/panel/panel_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "sync/base/role_log.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::panel {
namespace {

// The memory for copied rows is given back after so long without a watcher.
constexpr std::chrono::seconds idle_limit{2};

// A hand that scrubs or pans sees so soon what the wall shows.
constexpr std::int64_t quickest_ms = 200;

constexpr std::size_t header_bytes = 200;  // of a message, about, beside its JPEG

std::vector<std::uint8_t> jpeg_of(const SampledRows& rows, int quality) {
  const SizePx size = rows.reduced_px();
  const std::size_t stride = std::size_t{4} * static_cast<std::size_t>(size.width);
  std::vector<std::uint8_t> pixels(stride * static_cast<std::size_t>(size.height));
  const ImageView view{pixels.data(), size, stride};
  rows.reduce(view);
  return movie::encode_jpeg(movie::planes_of(view), quality);
}

}  // namespace

void PicturePace::start(const scene::WatchOrder& order, LocalInstant now) {
  next_ = soonest_ = std::max(next_, now + std::chrono::milliseconds(order.delay_ms));
}

void PicturePace::add(const scene::WatchOrder& order, LocalInstant at, std::size_t bytes) {
  const double pause_ns = 1e9 * static_cast<double>(bytes) / static_cast<double>(order.bytes_per_s);
  const Nanos pause(static_cast<std::int64_t>(std::min(pause_ns, 3.6e12)));  // an hour at most
  const auto after = [&](std::int64_t interval_ms) {
    return at + std::max<Nanos>(pause, std::chrono::milliseconds(interval_ms));
  };
  next_ = after(order.interval_ms);
  soonest_ = after(std::min(order.interval_ms, std::max(quickest_ms, order.interval_ms / 5)));
}

PanelPictures::PanelPictures(const WatchedBy& watched, SizePx picture_px, Send send)
    : watched_(watched),
      picture_px_(picture_px),
      send_(std::move(send)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

bool PanelPictures::wants(LocalInstant now) noexcept {
  if (holder_ != Holder::presenting_thread) return false;
  if (watched_.number() == 0) {
    if (!job_.rows.empty() && now >= job_.used_at + idle_limit) hand_over(Task::give_back);
    return false;
  }
  return has_started_newest(now) && !job_.rows.empty() &&
         (is_new_ || started_number_ != answered_number_) &&
         now >= (is_changed_ ? pace_.soonest() : pace_.next());
}

/// Whether the job is for the newest order, and with this thread.
bool PanelPictures::has_started_newest(LocalInstant now) noexcept {
  if (watched_.number() == started_number_) return true;
  const auto newest = watched_.try_newest();
  if (!newest || !newest->order.pictures) return false;
  started_number_ = newest->number;
  job_.order = newest->order;
  job_.used_at = now;
  pace_.start(job_.order, now);
  const SizePx reduced_px = reduced_size_px(picture_px_, job_.order.side_px);
  if (!job_.rows.empty() && job_.rows.reduced_px() == reduced_px) return true;
  job_.shown.size_px = reduced_px;
  hand_over(Task::make_room);
  return false;
}

void PanelPictures::take(const ImageView& picture, const present::Inset& inset,
                         scene::SwappedPicture shown, LocalInstant now) noexcept {
  if (!wants(now)) return;
  job_.rows.take(picture, inset);
  job_.shown = shown;
  job_.shown.size_px = job_.rows.reduced_px();
  job_.used_at = now;
  is_new_ = is_changed_ = false;
  answered_number_ = started_number_;
  hand_over(Task::encode);
}

/// A condition variable would have a lock, for which the presenting thread might wait.
/// @pre the presenting thread holds the job
void PanelPictures::hand_over(Task task) noexcept {
  job_.task = task;
  Holder holder = Holder::presenting_thread;
  holder_.compare_exchange_strong(holder, Holder::pictures_thread);
  holder_.notify_one();
}

void PanelPictures::run(const std::stop_token& stop) {
  sync::use_least_priority();
  const std::stop_callback end(stop, [this] {
    holder_ = Holder::nobody;
    holder_.notify_one();
  });
  for (;;) {
    holder_.wait(Holder::presenting_thread);
    if (stop.stop_requested()) return;
    do_task();
    Holder holder = Holder::pictures_thread;
    holder_.compare_exchange_strong(holder, Holder::presenting_thread);
  }
}

void PanelPictures::do_task() try {
  switch (job_.task) {
    case Task::make_room:
      return job_.rows.prepare(picture_px_, job_.shown.size_px);
    case Task::encode:
      return encode();
    case Task::give_back:
      job_.rows = {};
  }
} catch (const std::exception& error) {
  if (const std::string line = error.what(); std::exchange(trouble_, line) != line)
    log_line("tilewall-panel: a picture for watchers: {}", line);
}

void PanelPictures::encode() {
  pace_.add(job_.order, job_.used_at, 0);  // in case that the rest fails
  std::vector<std::uint8_t> jpeg = jpeg_of(job_.rows, job_.order.quality);
  pace_.add(job_.order, job_.used_at, jpeg.size() + header_bytes);
  if (watched_.number() != 0) send_(scene::to_json(job_.shown), std::move(jpeg));
}

}  // namespace tilewall::panel
