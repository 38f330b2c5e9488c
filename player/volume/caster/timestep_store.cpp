#include "player/volume/caster/timestep_store.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

TimestepWords words_of(const VolumeInfo& info, int timestep) {
  std::string label = info.dataset;
  if (info.timesteps() > 1) {
    const auto index = static_cast<std::size_t>(timestep);
    const bool named = index < info.time_labels.size() && !info.time_labels[index].empty();
    label += fmt::format("{}{} of {}", label.empty() ? "" : "  ", timestep, info.timesteps());
    if (named) label += "  " + info.time_labels[index];
  }
  return {label, info.value_unit};
}

constexpr std::chrono::seconds retry_pause{5};  // before a timestep that failed is read again

}  // namespace

TimestepStore::TimestepStore(const VolumeJob& job, int threads)
    : threads_(threads),
      job_(job),
      file_(VolumeFile::open(job.path, job.options)),
      ready_fd_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  const VolumeInfo& info = file_.info();
  timesteps_ = info.timesteps();
  reduced_by_ = halvings_for(info.size, info.type, info.timesteps(), job.memory_bytes);
  const VolumeSize size = reduced_size(info.size, 1 << reduced_by_);
  const double bytes = static_cast<double>(size.voxels()) * shown_bytes_per_voxel(info.type);
  slots_ = std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(job.memory_bytes) / bytes));
  slots_ = std::min(slots_, static_cast<std::size_t>(timesteps_));
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

TimestepStore::~TimestepStore() = default;

void TimestepStore::drain() const noexcept {
  std::uint64_t count = 0;
  static_cast<void>(::read(ready_fd_.get(), &count, sizeof count));
}

bool TimestepStore::has(std::int64_t timestep) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const Slot& slot) { return slot.timestep == timestep; });
}

std::uint64_t TimestepStore::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  double bytes = 0;
  for (const Slot& slot : kept_)
    if (slot.ready)
      bytes += static_cast<double>(slot.ready->volume.size().voxels()) *
               shown_bytes_per_voxel(slot.ready->volume.type());
  return static_cast<std::uint64_t>(bytes);
}

ReadyTimestepPtr TimestepStore::get(std::int64_t timestep) {
  const std::scoped_lock lock(mutex_);
  if (wanted_ && *wanted_ != timestep) direction_ = timestep > *wanted_ ? 1 : -1;
  wanted_ = timestep;
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Slot& slot) { return slot.timestep == timestep; });
  changed_.notify_all();
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  if (!found->failure) return found->ready;
  if (local_now() < found->read_at + retry_pause) std::rethrow_exception(found->failure);
  kept_.erase(found);  // files are written anew, disks come back
  return nullptr;
}

std::optional<std::int64_t> TimestepStore::next_to_read() {
  if (!wanted_) return 0;  // before anyone asks
  const auto ahead = std::min<std::int64_t>(static_cast<std::int64_t>(slots_), timesteps_);
  for (std::int64_t i = 0; i < ahead; ++i) {
    const std::int64_t step = ((*wanted_ + i * direction_) % timesteps_ + timesteps_) % timesteps_;
    if (!has(step)) return step;
  }
  return std::nullopt;
}

void TimestepStore::make_room() {
  while (kept_.size() >= slots_) kept_.pop_back();
}

void TimestepStore::run(const std::stop_token& stop) {
  use_background_priority();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = next_to_read();
    if (!next || has(*next)) {
      changed_.wait(lock, stop, [&] {
        const auto now = next_to_read();
        return now && !has(*now);
      });
      continue;
    }
    make_room();
    lock.unlock();
    Slot slot{*next, nullptr, nullptr, {}};
    try {
      slot.ready = read(*next, stop);
    } catch (const std::exception&) {
      slot.failure = std::current_exception();
      reopen();
    }
    slot.read_at = local_now();
    lock.lock();
    if (stop.stop_requested()) return;
    kept_.push_front(std::move(slot));
    const std::uint64_t one = 1;
    static_cast<void>(::write(ready_fd_.get(), &one, sizeof one));
  }
}

/// A file that crashed its reader at one timestep has others.
void TimestepStore::reopen() {
  if (!file_.is_lost()) return;
  try {
    VolumeFile again = VolumeFile::open(job_.path, job_.options);
    const VolumeInfo& now = again.info();
    const VolumeInfo& before = file_.info();
    if (now.size == before.size && now.type == before.type && now.timesteps() == before.timesteps())
      file_ = std::move(again);
  } catch (const std::exception&) {
    // It stays lost; the next timestep that is wanted tries again.
  }
}

ReadyTimestepPtr TimestepStore::read(std::int64_t timestep, const std::stop_token& stop) {
  const TraceSpan span("read volume", {timestep, TraceLabels::none});
  LoadOptions options;
  options.timestep = static_cast<int>(timestep);
  options.side = 1 << reduced_by_;
  options.stretch = job_.stretch;
  options.threads = threads_;
  options.stop = stop;
  return std::make_shared<ReadyTimestep>(load_volume(file_, options), threads_,
                                         words_of(file_.info(), options.timestep));
}

}  // namespace tilewall
