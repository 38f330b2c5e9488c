#include "player/panel/panel_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
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

PanelPictures::PanelPictures(const WatchedBy& watched, Send send)
    : watched_(watched),
      send_(std::move(send)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

bool PanelPictures::wants(LocalInstant now) noexcept {
  const std::uint64_t number = watched_.number();
  if (number == 0) return false;
  if (number == started_number_)
    return (is_new_ || number != answered_number_) &&
           now.since_epoch.count() >= (is_changed_ ? soonest_ns_ : next_ns_);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  started_number_ = number;
  pace_.start(watched_.newest().order, now);
  if (!is_busy_) publish_pace();
  return !is_busy_ && now >= pace_.next();
}

void PanelPictures::take(const ImageView& picture, const present::Inset& inset,
                         scene::SwappedPicture shown, LocalInstant now) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const scene::WatchOrder order = watched_.newest().order;
  if (!lock || is_busy_ || !order.pictures) return;
  job_ = Job{std::move(spare_), shown, order, now};
  job_->shown.size_px = reduced_size_px(picture.size_px, order.side_px);
  job_->rows.take(picture, inset, job_->shown.size_px);
  is_busy_ = true;
  next_ns_ = soonest_ns_ = std::numeric_limits<std::int64_t>::max();
  is_new_ = is_changed_ = false;
  answered_number_ = started_number_;
  job_came_.notify_one();
}

void PanelPictures::run(const std::stop_token& stop) {
  sync::use_least_priority();
  std::string trouble;  // the last one that was logged
  while (auto job = next_job(stop)) {
    std::size_t bytes = 0;
    try {
      std::vector<std::uint8_t> jpeg = jpeg_of(job->rows, job->order.quality);
      bytes = jpeg.size() + header_bytes;
      if (watched_.number() != 0) send_(scene::to_json(job->shown), std::move(jpeg));
    } catch (const std::exception& error) {
      if (const std::string line = error.what(); std::exchange(trouble, line) != line)
        log_line("tilewall-panel: a picture for watchers: {}", line);
    }
    finish(std::move(*job), bytes);
  }
}

std::optional<PanelPictures::Job> PanelPictures::next_job(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto came = [this] { return job_.has_value(); };
  while (!spare_.empty() && !job_ && !stop.stop_requested())
    if (!job_came_.wait_for(lock, stop, idle_limit, came) && watched_.number() == 0) spare_ = {};
  if (!job_came_.wait(lock, stop, came)) return std::nullopt;
  return std::exchange(job_, std::nullopt);
}

void PanelPictures::finish(Job job, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  pace_.add(job.order, job.taken_at, bytes);
  spare_ = std::move(job.rows);
  is_busy_ = false;
  publish_pace();
}

/// @pre mutex_ is held
void PanelPictures::publish_pace() {
  next_ns_ = pace_.next().since_epoch.count();
  soonest_ns_ = pace_.soonest().since_epoch.count();
}

}  // namespace tilewall::panel
