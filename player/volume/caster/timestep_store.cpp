#include "player/volume/caster/timestep_store.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "player/volume/caster/slab_reducer.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr int slab_slices = 16;  // read at once, where the file has no thickness of its own
constexpr int least_side = 2;    // of a Volume

VolumeFile open_file(const VolumeJob& job) {
  VolumeFile file = VolumeFile::open(job.path, job.options);
  return file;
}

/// A side of one voxel becomes two, a spacing apart about where it was: a slab as thick as the
/// voxel.
VolumeSize thickened(VolumeSize size) noexcept {
  return {std::max(size.x, least_side), std::max(size.y, least_side), std::max(size.z, least_side)};
}

VolumePlace thickened(VolumePlace place, VolumeSize size) noexcept {
  const auto thicken = [&](int side, double& spacing, const Vec3d& axis) {
    if (side >= least_side) return;
    place.origin = place.origin - (spacing / 2) * axis;
  };
  thicken(size.x, place.spacing.x, place.axes[0]);
  thicken(size.y, place.spacing.y, place.axes[1]);
  thicken(size.z, place.spacing.z, place.axes[2]);
  return place;
}

VolumePlace stretched(VolumePlace place, Vec3d by) noexcept {
  place.spacing = {place.spacing.x * by.x, place.spacing.y * by.y, place.spacing.z * by.z};
  return place;
}

/// Copies one slice of `from` voxels into one of `to`, whose sides of one voxel are two.
void place_slice(VolumeSize from, VolumeSize to, std::size_t voxel_bytes, const std::byte* slice,
                 std::byte* at) {
  if (from.x == to.x && from.y == to.y) {
    std::memcpy(at, slice,
                static_cast<std::size_t>(from.x) * static_cast<std::size_t>(from.y) * voxel_bytes);
    return;
  }
  for (int y = 0; y < to.y; ++y)
    for (int x = 0; x < to.x; ++x) {
      const auto index =
          static_cast<std::size_t>(std::min(y, from.y - 1)) * static_cast<std::size_t>(from.x) +
          static_cast<std::size_t>(std::min(x, from.x - 1));
      std::memcpy(at, slice + index * voxel_bytes, voxel_bytes);
      at += voxel_bytes;
    }
}

}  // namespace

TimestepStore::TimestepStore(const VolumeJob& job, int threads)
    : threads_(threads),
      stretch_(job.stretch),
      file_(open_file(job)),
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

std::uint64_t TimestepStore::read_bytes() const {
  const std::scoped_lock lock(mutex_);
  return read_bytes_;
}

void TimestepStore::drain() const noexcept {
  std::uint64_t count = 0;
  static_cast<void>(::read(ready_fd_.get(), &count, sizeof count));
}

bool TimestepStore::has(std::int64_t timestep) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const Slot& slot) { return slot.timestep == timestep; });
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
  if (found->failure) std::rethrow_exception(found->failure);
  return found->ready;
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
    Slot slot{*next, nullptr, nullptr};
    try {
      slot.ready = read(*next, stop);
    } catch (const std::exception&) {
      slot.failure = std::current_exception();
    }
    lock.lock();
    if (stop.stop_requested()) return;
    kept_.push_front(std::move(slot));
    const std::uint64_t one = 1;
    static_cast<void>(::write(ready_fd_.get(), &one, sizeof one));
  }
}

ReadyTimestepPtr TimestepStore::read(std::int64_t timestep, const std::stop_token& stop) {
  const TraceSpan span("read volume", {timestep, TraceLabels::none});
  const VolumeInfo& info = file_.info();
  const int side = 1 << reduced_by_;
  const VolumeSize small = reduced_size(info.size, side);
  const VolumeSize size = thickened(small);
  const auto voxel_bytes = static_cast<std::size_t>(bytes_of(info.type));
  const std::size_t small_slice =
      static_cast<std::size_t>(small.x) * static_cast<std::size_t>(small.y) * voxel_bytes;
  const std::size_t slice =
      static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) * voxel_bytes;
  VoxelArray voxels(info.type, size);
  const int thickness = std::max({info.slab_voxels, slab_slices, side}) / side * side;
  std::vector<std::byte> slab(file_.slab_bytes(0, std::min(thickness, info.size.z)));
  std::vector<std::byte> reduced(small_slice);
  const std::size_t file_slice = file_.slab_bytes(0, 1);
  for (int z = 0; z < info.size.z && !stop.stop_requested(); z += thickness) {
    const int end = std::min(z + thickness, info.size.z);
    const std::span<std::byte> part(slab.data(), file_.slab_bytes(z, end));
    file_.read(static_cast<int>(timestep), z, end, part);
    for (int from = z; from < end; from += side) {
      const std::byte* const first = slab.data() + static_cast<std::size_t>(from - z) * file_slice;
      if (side > 1)
        reduce_slab(info.type, info.size, first, std::min(side, end - from), side, reduced.data());
      const auto to = static_cast<std::size_t>(from / side);
      place_slice(small, size, voxel_bytes, side > 1 ? reduced.data() : first,
                  voxels.data() + to * slice);
    }
    const std::scoped_lock lock(mutex_);
    read_bytes_ += part.size();
  }
  if (size.z != small.z) std::memcpy(voxels.data() + slice, voxels.data(), slice);
  const VolumePlace place = thickened(reduced_place(info.place, side), small);
  return std::make_shared<ReadyTimestep>(
      Volume(std::move(voxels), stretched(place, stretch_), info.scale, threads_), threads_);
}

}  // namespace tilewall
