// A movie as a panel sees it: draw frame n, or the part of it that this panel shows, into a
// picture.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base/rational.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall {

/// `movie_px` of the movie (its full-size level) covers `picture_px` of the panel's picture. Both
/// may reach beyond what there is: no movie there is black, no picture there is cut off.
struct Placement {
  RectF movie_px;
  RectF picture_px;
  bool operator==(const Placement&) const = default;
};

/// What was shown in place of a frame that was due, from the least to the worst. blocks: a part of
/// it could not be decoded. repeated: the decoder could not give it, and the picture before stayed.
/// missing: the source has no such frame, and the picture before stayed. black: there was no
/// picture before either, or the source cannot be opened at all.
enum class FrameDamage : std::uint8_t { none, blocks, repeated, missing, black };
inline constexpr std::size_t frame_damage_kinds = 5;

/// What a picture source did so far. Written by the drawing threads, read by any.
struct DrawCounters {
  std::atomic<std::uint64_t> read_bytes{0};      ///< from files, indexes included
  std::atomic<std::uint64_t> decoded_px{0};      ///< pixels that came out of a decoder
  std::atomic<std::uint64_t> decode_ns{0};       ///< thread time spent decoding and scaling
  std::atomic<std::uint64_t> damaged_blocks{0};  ///< that could not be read or decoded
  std::atomic<std::uint64_t> damaged_frames{0};  ///< with at least one such block, or missing whole
  std::atomic<std::uint64_t> received_bytes{0};  ///< from servers
  std::atomic<std::uint64_t> lost_packets{0};    ///< on the way from there
  std::atomic<std::uint64_t> repaired_packets{0};    ///< that came again, in time or not
  std::atomic<std::uint64_t> window_bytes{0};        ///< TCP may have under way; 0: not by TCP
  std::atomic<std::uint64_t> staged_bytes{0};        ///< of frames to come, in memory now
  std::atomic<std::uint64_t> stage_budget_bytes{0};  ///< of the panel; 0: nothing is staged
  std::atomic<std::uint64_t> samples{0};             ///< of volumes
  // Of what draws volumes for all panels of the host, since it was started.
  std::atomic<int> level{0};  ///< of the pyramid, that the newest picture was drawn from
  /// Of the newest picture; never black, which is for those who have the picture before.
  std::atomic<FrameDamage> damage{FrameDamage::none};
};

/// outdone: a better one could be drawn, but DrawWish::holds_back. provisional: a better one is
/// being made ready; DrawWish::awaits_best gets it. damaged: (a part of) the last good picture was
/// drawn in place of the frame. abandoned: the picture was not drawn, because nobody waits for it
/// any more. Of several parts of a picture the greatest is the picture's.
enum class DrawStatus { whole, outdone, provisional, damaged, abandoned };

/// A decoder process that died and was started again; instants of this host's CLOCK_MONOTONIC.
struct DecoderDeath {
  std::int64_t died_ns = 0;
  std::int64_t back_ns = 0;  ///< 0: not yet
};

/// What decodes an ordinary movie. `automatic` is a choice only: the first GPU interface of the
/// host that takes the movie's codec, else the processor.
enum class DecodeDevice : std::uint32_t { automatic, cpu, vaapi, cuda };
inline constexpr std::string_view decode_device_names[] = {"auto", "cpu", "vaapi", "cuda"};

[[nodiscard]] constexpr std::string_view name_of(DecodeDevice device) noexcept {
  return decode_device_names[static_cast<std::size_t>(device)];
}

/// Empty where `name` is none of decode_device_names.
[[nodiscard]] constexpr std::optional<DecodeDevice> parse_decode_device(
    std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(decode_device_names); ++i)
    if (decode_device_names[i] == name) return static_cast<DecodeDevice>(i);
  return std::nullopt;
}

/// What the process did that decodes for all panels of this host.
struct DecoderStatus {
  std::uint64_t decoded_pictures = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t cpu_ns = 0;
  DecodeDevice device = DecodeDevice::cpu;  ///< that decodes now; never automatic
  std::string device_note;           ///< why no GPU decodes, where one was asked for or failed
  std::vector<DecoderDeath> deaths;  ///< the first ones
};

/// How long pictures took, from the wish until they were there.
struct PictureTimes {
  std::uint64_t pictures = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p95_ns = 0;
  std::int64_t max_ns = 0;
};

/// What a volume's pictures cost so far, and what the volume takes. Times are of this panel's
/// pictures, as time passes, where nothing else is said.
struct VolumeStatus {
  std::uint64_t style_ns = 0;       ///< tables of a new style
  std::uint64_t occupancy_ns = 0;   ///< finding the cells that it shows
  std::uint64_t cast_ns = 0;        ///< rays
  std::uint64_t beams_cpu_ns = 0;   ///< of that, lists of samples: computing time of all threads
  std::uint64_t sample_cpu_ns = 0;  ///< and taking and shading them, likewise
  std::uint64_t gpu_ns = 0;         ///< of cast_ns, by a GPU
  std::uint64_t annotate_ns = 0;    ///< axes, colour bar, label
  std::uint64_t wait_ns = 0;        ///< for the caster: at other panels' pictures, or reading
  std::uint64_t copy_ns = 0;        ///< out of the memory that both have
  std::uint64_t held_bytes = 0;     ///< of voxels and what is kept beside them, on this host
  std::uint64_t limit_bytes = 0;    ///< what that may be
  std::uint64_t read_bytes = 0;     ///< of voxels, on this host
  std::uint64_t read_bricks = 0;    ///< for that; 0 of files without
  std::uint64_t read_ns = 0;        ///< for that, from files
  std::uint64_t decode_ns = 0;      ///< and unpacking and packing them
  std::uint64_t caster_cpu_ns = 0;  ///< computing time of this host's caster, all panels' pictures
  int level = 0;                    ///< of the newest picture, 0 the finest
  std::string drawn_by;             ///< it: "gl: RENDERER" or "cpu: KERNELS"
  bool blank = false;               ///< the newest one in full shows nothing but background
  bool detail_failed = false;       ///< and its detail cannot be read: it shows the overview
  PictureTimes still;               ///< pictures in full
  PictureTimes moving;              ///< coarse ones: while a camera moves or a style changes
};

/// A picture that fills the frames [first, end), and since when it is there.
struct ReadyPicture {
  std::int64_t first = 0;
  std::int64_t end = 0;
  LocalInstant since;
};

struct VolumeShot;

/// How the coming pictures are to be drawn.
struct DrawWish {
  /// Pyramid levels below what the view's pixels would take, down to the coarsest there is: while
  /// an operator scrubs, or where a wall cannot keep up. Wall movies and JPEG images; others draw
  /// as ever.
  int coarser_by = 0;
  /// The frame stays (a pause, a still) while views move over it: what is decoded of it is kept, up
  /// to a limit; another process that decodes keeps it too.
  bool keep = false;
  /// Of volumes: the picture is waited for until it is as good as it gets.
  bool awaits_best = false;
  /// What is shown was drawn without it: the picture is waited for however long.
  bool mends = false;
  /// Of volumes: what is better is made ready, but not drawn yet, as the wall's other hosts have
  /// not.
  bool holds_back = false;
  std::shared_ptr<const VolumeShot> shot =
      nullptr;  ///< of a volume: from where, and in which style
  bool operator==(const DrawWish&) const = default;
};

/// Of a source whose pictures another process decodes: what draw() would have at once.
struct ReadyPictures {
  bool lost = false;  ///< the frame asked for never comes
  std::vector<ReadyPicture> pictures;
};

class PictureSource {
 public:
  virtual ~PictureSource() = default;
  [[nodiscard]] virtual SizePx size_px() const noexcept = 0;

  /// Draws frame `frame` as placed; every pixel of `picture` is written. What is damaged or missing
  /// is taken from `last_good` (same size; may be null: black) and counted. One caller at a time;
  /// uses its own threads inside. Never throws for bad file contents.
  virtual DrawStatus draw(std::int64_t frame, const Placement& placement, const ImageView& picture,
                          const ImageView* last_good) = 0;

  /// Holds for the draws from now on, until the next wish. The caller of draw() only.
  virtual void wish(const DrawWish& wish) { static_cast<void>(wish); }

  /// Which frames are likely to be drawn after the coming draw(), the next first: from a disk one
  /// is read meanwhile, from a server as many as there is room for.
  virtual void expect(std::span<const std::int64_t> frames) { static_cast<void>(frames); }
  /// Whether expect() does anything.
  [[nodiscard]] virtual bool reads_ahead() const noexcept { return false; }

  /// The coming ready(), await() and draw() are of a picture of this size, so placed.
  virtual void aim(const Placement& placement, SizePx picture_px) {
    static_cast<void>(placement);
    static_cast<void>(picture_px);
  }

  /// What is there, for who would draw `frame`; empty for sources that decode in this process. The
  /// caller of draw() only.
  [[nodiscard]] virtual std::optional<ReadyPictures> ready(std::int64_t /*frame*/) {
    return std::nullopt;
  }

  /// Waits until `until` for what the last ready() did not have, `frame` above all; may return
  /// early. The other process may leave out frames that come too late. The caller of draw() only.
  virtual void await(std::int64_t /*frame*/, LocalInstant /*until*/) {}

  /// The coming draw() is of `frame`, and the ones after it follow: another process that decodes
  /// overwrites none of these pictures from now on. The caller of draw() only.
  virtual void reserve(std::int64_t /*frame*/) {}

  /// Nothing is drawn of it for a while: another process need keep no picture for this panel. The
  /// caller of draw() only.
  virtual void leave() {}

  [[nodiscard]] virtual const DrawCounters& counters() const noexcept = 0;

  /// Empty for sources that decode in this process. Any thread.
  [[nodiscard]] virtual std::optional<DecoderStatus> decoder_status() const { return std::nullopt; }

  /// Empty for what is no volume. Any thread.
  [[nodiscard]] virtual std::optional<VolumeStatus> volume_status() const { return std::nullopt; }
};

/// What sources share that draw one after the other on one panel; see draw_memory.hpp.
struct DrawMemory;
using DrawMemoryPtr = std::shared_ptr<DrawMemory>;

/// Opens a wall movie's folder for drawing with `threads` decoding threads (1 = the caller's own).
/// Null memory: some of its own. Throws InputError.
[[nodiscard]] std::unique_ptr<PictureSource> open_wall_movie(const std::filesystem::path& folder,
                                                             int threads,
                                                             DrawMemoryPtr memory = {});

struct MovieManifest;
class BlockFeed;

/// The same movie, whose blocks come from `feed`.
[[nodiscard]] std::unique_ptr<PictureSource> open_block_movie(const MovieManifest& movie,
                                                              std::unique_ptr<BlockFeed> feed,
                                                              int threads,
                                                              DrawMemoryPtr memory = {});

/// A sequence of JPEG, PNG or TIFF images of one size, frame n being files[n] ("" = a gap: the last
/// good picture stays). Throws InputError when the first one cannot be read.
[[nodiscard]] std::unique_ptr<PictureSource> open_image_sequence(
    std::vector<std::filesystem::path> files, int threads, DrawMemoryPtr memory = {});

}  // namespace tilewall
