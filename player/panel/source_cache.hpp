// The sources that a panel has open. They are opened when they are drawn, or ahead of time where
// want() announces them, and the least recently used one is closed when there are too many. Volumes
// are closed as soon as no scene names them, since their voxels stay in memory while any panel has
// them open.
//
// Threads: one owner, except for totals(). want() opens sources on threads of their own.
#pragma once

#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "player/picture/picture_source.hpp"
#include "player/scene/source_spec.hpp"

namespace tilewall::panel {

/// Totals since the start of the panel, over all sources that were open.
struct DecodeTotals {
  std::uint64_t read_bytes = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_frames = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t lost_packets = 0;
  std::uint64_t repaired_packets = 0;
  std::uint64_t samples = 0;             ///< samples along the rays of volumes
  std::uint64_t window_bytes = 0;        ///< size of the network windows now
  std::uint64_t staged_bytes = 0;        ///< size of the staged blocks now
  std::uint64_t stage_budget_bytes = 0;  ///< limit for all staged blocks; 0: nothing is staged
  int level = 0;                         ///< pyramid level of the last picture
  /// The decoders of all open sources as one: the device of the newest source, and figures and
  /// deaths for each movie, with those of closed sources. Empty where no open source has a decoder.
  std::optional<scene::DecoderStatus> decoder;
  std::optional<scene::VolumeStatus> volume;  ///< status of the newest open volume
};

class SourceCache {
 public:
  /// Opens a source that is no playlist; may throw; any thread.
  using Open =
      std::function<std::unique_ptr<picture::PictureSource>(const scene::SourceSpec& spec)>;

  explicit SourceCache(Open open) : open_(std::move(open)) {}

  /// The source, opened if need be; blocks meanwhile. Throws what Open throws, again at every call.
  /// The reference is valid until another get(), want() or closing call.
  [[nodiscard]] picture::PictureSource& get(const scene::SourcePtr& spec);

  /// Starts to open the source, unless it is open or being opened. Does not block.
  void want(const scene::SourcePtr& spec);

  /// Closes the volumes that are neither in `named` nor items of a playlist in it.
  void close_volumes_but(const std::vector<scene::SourcePtr>& named);

  /// Closes all sources, because bezel mode or content mode of the wall has changed.
  void clear();

  /// Any thread.
  [[nodiscard]] DecodeTotals totals() const;

 private:
  struct Slot {
    scene::SourcePtr spec;
    std::shared_future<std::shared_ptr<picture::PictureSource>> opening;  // not ready: being opened
    std::shared_ptr<picture::PictureSource> source;                       // null until get()
  };
  [[nodiscard]] Slot& slot_of(const scene::SourcePtr& spec);
  void close_oldest();
  void close(Slot& slot);
  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const;

  const Open open_;
  mutable std::mutex mutex_;  // guards slots_ against totals()
  std::list<Slot> slots_;     // most recently used first
  DecodeTotals closed_;       // guarded by mutex_: sums over closed sources
  // Guarded by mutex_: decoders of closed sources; the newest max_closed_deaths.
  std::vector<scene::DecoderDeath> closed_deaths_;
  std::vector<scene::DecodedMovie>
      closed_movies_;  // guarded by mutex_; the newest max_closed_movies
};

}  // namespace tilewall::panel
