// The shared memory of one movie on one host: the decoder writes pictures into slots, panels read
// them, the host service keeps the statistics. This file is the whole protocol.
//
//   [ MoviePage | slot 0 | slot 1 | ... ]   one memfd, its size sealed, made by the host service
//
// Nobody trusts anybody: a broken decoder may write anything anywhere in it, so panels copy what
// they use, check it against the memory's true size, and never wait without a limit.
//
// A slot changes hands without locks. Reader: set its seat's `reading`, then look at the slot's
// frames again. Writer: empty the slot's frames, then look whether anybody reads it. Both in
// sequential consistency, so one of the two sees the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "player/movie/shared/shared_picture.hpp"
#include "player/scene/source_status.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

inline constexpr int max_movie_seats = 256;  ///< panels of a host that play one movie
inline constexpr int max_movie_slots = 32;
inline constexpr int max_death_records = 32;
inline constexpr std::size_t max_refusal_bytes = 512;
inline constexpr std::size_t max_device_note_bytes = 256;
inline constexpr std::int64_t no_frame = -1;
inline constexpr std::int64_t most_frames = std::int64_t{1} << 40;  ///< no movie has more

/// A frame number as it stands in the memory, brought to [0, most_frames]: sums of such fit.
[[nodiscard]] constexpr std::int64_t bounded_frame(std::int64_t frame) noexcept {
  return frame < 0 ? 0 : frame > most_frames ? most_frames : frame;
}

/// What a host spends on one movie at most: fifteen pictures of 8K, a second of anything smaller.
inline constexpr std::size_t movie_slots_bytes = std::size_t{768} << 20;
inline constexpr int min_movie_slots = 3;  ///< a movie with larger pictures has to be imported

/// starting: the decoder opens the file. refused: it cannot be played, and says why. lost: the
/// decoder died too often; nobody tries any more.
enum class MoviePhase : std::uint32_t { starting, playing, refused, lost };

/// Set by one panel, cleared by the host service when its connection ends.
struct alignas(64) MovieSeat {
  std::atomic<std::int32_t> reading{-1};          ///< the slot that must not change now
  std::atomic<std::int32_t> direction{1};         ///< 1 or -1: where the next frames lie
  std::atomic<std::int32_t> catches_up{0};        ///< 1: frames may be left out to be in time again
  std::atomic<std::int64_t> wanted{no_frame};     ///< the frame that is drawn next
  std::atomic<std::int64_t> waiting_since_ns{0};  ///< CLOCK_MONOTONIC; 0: is not waiting for it
};

/// Holds one picture, which fills the frames [first, end).
struct alignas(64) MovieSlot {
  std::atomic<std::int64_t> first{no_frame};  ///< no_frame: empty; stored last
  std::atomic<std::int64_t> end{0};
  std::atomic<std::int64_t> since_ns{0};  ///< it is there; CLOCK_MONOTONIC
  SharedPicture picture;
};

/// A decoder that died; CLOCK_MONOTONIC.
struct DeathRecord {
  std::atomic<std::int64_t> died_ns{0};
  std::atomic<std::int64_t> back_ns{0};  ///< 0: not yet
};

/// Frames that nobody can have: [first, end). One writer.
struct SharedFrames {
  std::atomic<std::int64_t> first{0};
  std::atomic<std::int64_t> end{0};

  /// Readers never see the old start with the new end.
  void set(std::int64_t new_first, std::int64_t new_end) noexcept {
    end.store(0);
    first.store(new_first);
    end.store(new_end);
  }

  [[nodiscard]] bool contains(std::int64_t frame) const noexcept {
    return frame < end.load() && frame >= first.load();
  }
};

struct MoviePage {
  static constexpr std::uint64_t magic_value = 0x3145564f4d575424;
  static constexpr std::uint32_t version_value = 5;

  // Host service, before anyone else maps it.
  std::uint64_t magic = magic_value;
  std::uint32_t version = version_value;
  std::uint32_t page_bytes = sizeof(MoviePage);
  std::uint64_t made_ns = 0;  ///< CLOCK_MONOTONIC; tells this page from those of other movies

  // Host service.
  std::atomic<std::uint32_t> deaths{0};
  DeathRecord death_records[max_death_records];  ///< the first ones
  SharedFrames crash_zone;  ///< where the decoder died again and again: it keeps away from there

  // Decoder; phase: also the host service, while there is no decoder.
  std::atomic<MoviePhase> phase{MoviePhase::starting};
  char refusal[max_refusal_bytes] = {};
  /// Decodes now. While a device is being opened, the choice it is opened for: a decoder that dies
  /// then died of the device's driver.
  std::atomic<scene::DecodeDevice> device{scene::DecodeDevice::cpu};
  char device_note[max_device_note_bytes] = {};  ///< why no GPU decodes; written before `device`
  std::atomic<std::uint64_t> slot_bytes{0};
  std::atomic<std::int32_t> slot_count{0};
  std::atomic<std::int64_t> end_frame{0};    ///< beyond the last one, where that is known; else 0
  SharedFrames failed;                       ///< cannot be decoded: panels keep the picture before
  std::atomic<std::int64_t> position{0};     ///< the frame it is at
  std::atomic<std::uint64_t> progress{0};    ///< grows with all it gets done
  std::atomic<std::uint64_t> full_waits{0};  ///< how often panels were reading every slot
  std::atomic<std::uint64_t> decoded_pictures{0};  ///< by all decoders since the page was made
  std::atomic<std::uint64_t> decoded_px{0};
  std::atomic<std::uint64_t> decode_cpu_ns{0};  ///< of all of the decoder's threads

  // Futexes.
  alignas(64) std::atomic<std::uint32_t> published{
      0};                                           ///< a picture, phase or failure: panels wake
  alignas(64) std::atomic<std::uint32_t> asked{0};  ///< a panel waits for a frame
  alignas(64) std::atomic<std::uint32_t> decoder_sleeps{0};

  MovieSeat seats[max_movie_seats];
  MovieSlot slots[max_movie_slots];
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<MovieSeat> && sizeof(MovieSeat) == 64 &&
              offsetof(MovieSeat, wanted) == 16 && offsetof(MovieSeat, waiting_since_ns) == 24);
static_assert(std::is_standard_layout_v<MovieSlot> && sizeof(MovieSlot) == 128 &&
              offsetof(MovieSlot, since_ns) == 16 && offsetof(MovieSlot, picture) == 24);
// The first words are the same in each version, so that another one's page is recognised. Other
// places of the words below need another version_value.
static_assert(std::is_standard_layout_v<MoviePage> && offsetof(MoviePage, magic) == 0 &&
              offsetof(MoviePage, version) == 8 && offsetof(MoviePage, page_bytes) == 12 &&
              offsetof(MoviePage, made_ns) == 16);
static_assert(offsetof(MoviePage, phase) == 560 && offsetof(MoviePage, slot_bytes) == 1336 &&
              offsetof(MoviePage, published) == 1472 && offsetof(MoviePage, seats) == 1664 &&
              offsetof(MoviePage, slots) == 18048 && sizeof(MoviePage) == 22144);

/// Where slot 0 begins.
inline constexpr std::size_t slots_offset_bytes = (sizeof(MoviePage) + 4095) / 4096 * 4096;

/// A mapping of the memory. Any thread.
class MovieMemory {
 public:
  MovieMemory() noexcept = default;
  /// Maps what `fd` refers to, which may be closed afterwards. Throws JobError where it is not such
  /// a memory or could shrink.
  explicit MovieMemory(int fd);
  MovieMemory(MovieMemory&& other) noexcept;
  MovieMemory& operator=(MovieMemory&& other) noexcept;
  ~MovieMemory();

  [[nodiscard]] MoviePage& page() const noexcept { return *static_cast<MoviePage*>(begin_); }

  /// The bytes of slot `slot` of `slot_bytes` each; empty where they are not all in the memory.
  [[nodiscard]] std::span<std::uint8_t> slot(int slot, std::uint64_t slot_bytes) const noexcept;

  /// Bytes there are for slots.
  [[nodiscard]] std::size_t slots_bytes() const noexcept { return bytes_ - slots_offset_bytes; }

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A memory with a fresh page and room for `slots_bytes` of slots. It takes memory as slots are
/// used. Throws JobError.
[[nodiscard]] UniqueFd make_movie_memory(std::size_t slots_bytes);

/// Whole text lines in and out of the page's fixed bytes.
void set_refusal(MoviePage& page, std::string_view line) noexcept;
[[nodiscard]] std::string refusal_of(const MoviePage& page);
void set_device_note(MoviePage& page, std::string_view line) noexcept;
[[nodiscard]] std::string device_note_of(const MoviePage& page);

/// Tells the panels that something changed.
void wake_panels(MoviePage& page) noexcept;

/// Tells the decoder that a panel waits, where it sleeps.
void wake_decoder(MoviePage& page) noexcept;

// Waiting for a word of shared memory to change, across processes.

/// Sleeps while `word` is `seen`, for `limit` at most; may return early.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds limit) noexcept;

/// Wakes all that sleep on `word`.
void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace tilewall::movie
