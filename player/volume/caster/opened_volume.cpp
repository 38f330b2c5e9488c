#include "player/volume/caster/opened_volume.hpp"

#include <chrono>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::volume {
namespace {

constexpr std::chrono::seconds reopen_pause{1};  // a volume's folder may be back by then

}  // namespace

OpenedVolume::OpenedVolume(Source source) : source_(std::move(source)) { open(); }

void OpenedVolume::open() {
  try {
    const VolumeJob job = volume_job_of(source_.volume);
    gpu_.emplace(job.caster);
    if (job.live)
      live_ = std::make_unique<LiveVolumes>(job, source_.volume, source_.director, *gpu_,
                                            source_.threads, source_.recorder);
    else
      store_.emplace(job, *gpu_, source_.threads);
  } catch (const InputError& error) {
    refuse(error.what());
  } catch (const JobError& error) {
    // The port of a live source may be in use by its caster before.
    refuse(error.what());
  }
}

void OpenedVolume::refuse(std::string why) {
  gpu_.reset();
  refusal_ = std::move(why);
  refused_at_ = local_now();
}

void OpenedVolume::close() {
  store_.reset();
  live_.reset();
  gpu_.reset();
  refusal_.clear();
  was_refused_ = false;
}

void OpenedVolume::open_again() {
  const bool is_open = store_ || live_;
  if (!is_open && !refusal_.empty() && local_now() >= refused_at_ + reopen_pause) close();
  if (!store_ && !live_ && refusal_.empty()) open();
  if (!store_ && !live_) throw InputError(refusal_);
}

ReadyTimestepPtr OpenedVolume::timestep(std::int64_t number) {
  open_again();
  if (live_) return live_->store.get(number);
  if (number >= store_->timesteps())
    throw InputError({"timestep"}, "", "under " + std::to_string(store_->timesteps()),
                     std::to_string(number));
  return store_->get(number);
}

}  // namespace tilewall::volume
