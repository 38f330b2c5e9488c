// The sources that a panel has open. They are opened when they are drawn, or ahead of time where
// want() announces them, and the least recently used one is closed when there are too many. Volumes
// are closed as soon as no scene names them, since their voxels stay in memory while any panel has
// them open.
//
// Each source is opened on a thread of its own, because a disk or another process may never answer.
// A source that cannot be closed at once, because one of its threads waits for a disk, is set aside
// until it can.
//
// Threads: one owner, except for totals().
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
  /// Status of the newest open volume, with the progress of the one of which least is read.
  std::optional<scene::VolumeStatus> volume;
};

class SourceCache {
 public:
  /// Opens a source that is no playlist; may throw; any thread.
  using Open =
      std::function<std::unique_ptr<picture::PictureSource>(const scene::SourceSpec& spec)>;

  explicit SourceCache(Open open) : open_(std::move(open)) {}

  /// The source; null while it is being opened. Starts to open it where it is closed. Throws what
  /// Open threw, once; the next call opens the source anew. The pointer is valid until another call
  /// of this object.
  [[nodiscard]] picture::PictureSource* find(const scene::SourcePtr& spec);

  /// find(), but waits until the source is open. Null where `abandon` returned true first. It is
  /// called about every 20 ms, and may be empty.
  picture::PictureSource* get(const scene::SourcePtr& spec,
                              const std::function<bool()>& abandon = {});

  /// Starts to open the source, unless it is open or being opened. A failure is thrown by the next
  /// find().
  void want(const scene::SourcePtr& spec);

  /// Whether the source is open, perhaps for another SourcePtr that names the same.
  [[nodiscard]] bool is_open(const scene::SourcePtr& spec) const noexcept;

  /// To be called when another scene begins, with its regions' sources. Closes the volumes that are
  /// neither in `named` nor items of a playlist in it.
  void close_volumes_but(const std::vector<scene::SourcePtr>& named);

  /// Closes the sources that are neither in `named` nor items of a playlist in it.
  void close_but(const std::vector<scene::SourcePtr>& named);

  /// Takes the sources out of another cache that `named` has. Where the same source is open here,
  /// `replaces` decides which one is closed: this cache's, or else the other is left where it is.
  /// Returns whether any was taken.
  bool take(SourceCache& from, const std::vector<scene::SourcePtr>& named, bool replaces);

  /// Closes all sources, because bezel mode or content mode of the wall has changed.
  void clear();

  /// Renews the connections of the open sources.
  void keep_connected();

  /// Any thread.
  [[nodiscard]] DecodeTotals totals() const;

 private:
  struct Slot {
    scene::SourcePtr spec;
    std::shared_future<std::shared_ptr<picture::PictureSource>> opening;  // valid: being opened
    std::shared_ptr<picture::PictureSource> source;                       // null until find()
    [[nodiscard]] bool is_opening() const;
    [[nodiscard]] bool can_be_destroyed() const;
  };
  [[nodiscard]] Slot& slot_of(const scene::SourcePtr& spec);
  void open(Slot& slot);
  void close_oldest();
  template <typename Closes>
  void close_where(const std::vector<scene::SourcePtr>& named, Closes&& closes);
  void note_closed(const Slot& slot);
  void set_aside(std::list<Slot>& closed);
  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const;

  const Open open_;
  mutable std::mutex mutex_;   // guards slots_ against totals()
  std::list<Slot> slots_;      // most recently used first
  std::list<Slot> set_aside_;  // closed, but cannot be destroyed without waiting
  std::size_t most_open_ = 16;
  DecodeTotals closed_;  // guarded by mutex_: sums over closed sources
  // Guarded by mutex_: decoders of closed sources; the newest max_closed_deaths.
  std::vector<scene::DecoderDeath> closed_deaths_;
  std::vector<scene::DecodedMovie>
      closed_movies_;  // guarded by mutex_; the newest max_closed_movies
};

}  // namespace tilewall::panel
