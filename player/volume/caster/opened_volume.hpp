// A caster's volume: the file or live source that it is read from, and why it cannot be opened.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "player/volume/caster/live_receiver.hpp"
#include "player/volume/caster/live_store.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

/// What a live source's caster has in place of a TimestepStore.
struct LiveVolumes {
  LiveVolumes(const VolumeJob& job, const std::string& source, const std::string& director,
              HostGpu& gpu, int threads, sync::TraceRecorder* recorder)
      : store(job, gpu, threads), receiver(job, source, director, store, recorder) {}

  LiveStore store;
  LiveReceiver receiver;  // after the store, to which it gives timesteps
};

class OpenedVolume {
 public:
  struct Source {
    std::string volume;                       ///< a VolumeJob as JSON
    std::string director;                     ///< "HOST:PORT"; live sources only
    int threads = 1;                          ///< threads that prepare timesteps
    sync::TraceRecorder* recorder = nullptr;  ///< null: not traced
  };
  /// Opens the volume, or keeps the reason why that cannot be done.
  explicit OpenedVolume(Source source);

  // One of these where the volume is open.

  [[nodiscard]] TimestepStore* store() noexcept { return store_ ? &*store_ : nullptr; }
  [[nodiscard]] const TimestepStore* store() const noexcept { return store_ ? &*store_ : nullptr; }
  [[nodiscard]] const LiveVolumes* live() const noexcept { return live_.get(); }

  /// Opens a volume again that was refused a while ago. Throws InputError where it is refused.
  void open_again();
  /// The timestep; null while it is being read. Throws InputError if it cannot be read.
  [[nodiscard]] ReadyTimestepPtr timestep(std::int64_t number);

  /// Notes that a panel was told that the volume cannot be opened.
  void note_refusal() noexcept { was_refused_ = true; }
  [[nodiscard]] bool was_refused() const noexcept { return was_refused_; }
  /// Forgets a volume that was refused. The next panel opens it anew and may find it repaired.
  void close();

 private:
  void open();
  void refuse(std::string why);

  const Source source_;
  std::optional<HostGpu> gpu_;
  std::optional<TimestepStore> store_;
  std::unique_ptr<LiveVolumes> live_;
  std::string refusal_;        // why the volume cannot be opened; "" = not known
  LocalInstant refused_at_{};  // when refusal_ was found
  bool was_refused_ = false;
};

}  // namespace tilewall::volume
