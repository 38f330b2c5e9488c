// The sources that a panel has open: opened when they are wanted, ahead of time where that is
// known, and closed when others are asked for; volumes as soon as no scene names them, since their
// voxels stay in memory for as long as any panel has them open.
//
// Threads: one owner, but for totals(). Sources that are opened ahead are opened on a thread of
// their own.
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

/// What the decoder has done so far, over all sources it had open.
struct DecodeTotals {
  std::uint64_t read_bytes = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_frames = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t lost_packets = 0;
  std::uint64_t repaired_packets = 0;
  std::uint64_t samples = 0;             ///< of volumes
  std::uint64_t window_bytes = 0;        ///< now
  std::uint64_t staged_bytes = 0;        ///< now
  std::uint64_t stage_budget_bytes = 0;  ///< of all together; 0: nothing is staged
  int level = 0;                         ///< of the pyramid, drawn from last
  /// All decoders of open sources as one: the newest source's device, and the figures and deaths of
  /// each movie, those of sources closed since included. Empty where no open source has a decoder.
  std::optional<scene::DecoderStatus> decoder;
  std::optional<scene::VolumeStatus> volume;  ///< of the newest source that is open and has one
};

class SourceCache {
 public:
  /// Opens a source that is no playlist; may throw; any thread.
  using Open =
      std::function<std::unique_ptr<picture::PictureSource>(const scene::SourceSpec& spec)>;

  explicit SourceCache(Open open) : open_(std::move(open)) {}

  /// The source, opened if need be. Throws what Open throws, again at every call.
  [[nodiscard]] picture::PictureSource& get(const scene::SourcePtr& spec);

  /// Starts to open it, unless that is done or under way.
  void want(const scene::SourcePtr& spec);

  /// Closes the volumes that are not among these, nor an item of them.
  void close_volumes_but(const std::vector<scene::SourcePtr>& named);

  /// Closes all: they are made for walls of another kind.
  void clear();

  /// Any thread.
  [[nodiscard]] DecodeTotals totals() const;

 private:
  struct Slot {
    scene::SourcePtr spec;
    std::shared_future<std::shared_ptr<picture::PictureSource>>
        opening;                                     // not ready: still under way
    std::shared_ptr<picture::PictureSource> source;  // null until get()
  };
  [[nodiscard]] Slot& slot_of(const scene::SourcePtr& spec);
  void close_oldest();
  void close(Slot& slot);
  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const;

  const Open open_;
  mutable std::mutex mutex_;  // guards slots_ against totals()
  std::list<Slot> slots_;     // the one asked for last is the first
  DecodeTotals closed_;       // guarded by mutex_: of sources closed since
  // Guarded by mutex_: of decoders whose sources were closed since; the newest max_closed_deaths.
  std::vector<scene::DecoderDeath> closed_deaths_;
  std::vector<scene::DecodedMovie>
      closed_movies_;  // guarded by mutex_; the newest max_closed_movies
};

}  // namespace tilewall::panel
