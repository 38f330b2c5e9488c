// The shared memory of one movie on one host: the decoder writes pictures into slots, panels read
// them, and the host service counts the decoder's deaths. This file is the whole protocol.
//
//   [ MoviePage | slot 0 | slot 1 | ... ]   one memfd, its size sealed, made by the host service
//
// No process trusts another. A broken decoder may write anything anywhere in the memory, so panels
// copy what they use, check it against the memory's true size, and never wait without a limit.
//
// A slot changes hands without locks. The reader sets its seat's `reading`, then looks at the
// slot's frames again. The writer empties the slot's frames, then looks whether a seat reads it.
// Both use sequential consistency, so that one of the two sees the other (Dekker's algorithm).
//
// Threads: any, in any process; a field has one writer unless its comment says otherwise.
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

/// Limits a frame number from the memory to [0, most_frames], so that sums of them do not overflow.
[[nodiscard]] constexpr std::int64_t bounded_frame(std::int64_t frame) noexcept {
  return frame < 0 ? 0 : frame > most_frames ? most_frames : frame;
}

/// Memory for the slots of one movie: fifteen pictures of 8K, or a second of smaller ones.
inline constexpr std::size_t movie_slots_bytes = std::size_t{768} << 20;
inline constexpr int min_movie_slots = 3;  ///< a movie with larger pictures has to be imported

/// starting: the decoder opens the file. refused: the file cannot be played, for the reason in
/// `refusal`. lost: the decoder died too often. In both, a decoder may be trying whether
/// the movie can be played again.
enum class MoviePhase : std::uint32_t { starting, playing, refused, lost };

/// A panel's place in the memory. The panel writes it; the host service clears it when the panel's
/// connection ends.
struct alignas(64) MovieSeat {
  std::atomic<std::int32_t> reading{-1};          ///< slot that must not change now; -1: none
  std::atomic<std::int32_t> direction{1};         ///< 1 or -1: where the next frames lie
  std::atomic<std::int32_t> catches_up{0};        ///< 1: frames may be left out to be in time again
  std::atomic<std::int64_t> wanted{no_frame};     ///< the frame that the panel draws next
  std::atomic<std::int64_t> waiting_since_ns{0};  ///< CLOCK_MONOTONIC; 0: the panel does not wait
};

/// Describes one slot: its picture fills the frames [first, end).
struct alignas(64) MovieSlot {
  std::atomic<std::int64_t> first{no_frame};  ///< no_frame: empty; stored last
  std::atomic<std::int64_t> end{0};
  std::atomic<std::int64_t> since_ns{0};  ///< instant of publishing; CLOCK_MONOTONIC
  SharedPicture picture;
};

/// Death of one decoder, and the return of the next; CLOCK_MONOTONIC.
struct DeathRecord {
  std::atomic<std::int64_t> died_ns{0};
  std::atomic<std::int64_t> back_ns{0};  ///< the next decoder stored a picture; 0: not yet
};

/// Frames [first, end) that no panel will get; none while end is 0. One writer.
struct SharedFrames {
  std::atomic<std::int64_t> first{0};
  std::atomic<std::int64_t> end{0};

  /// Replaces the span. Empties it first, so that readers never see the old start with the new end.
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

  // Written by the host service before another process maps the memory.
  std::uint64_t magic = magic_value;
  std::uint32_t version = version_value;
  std::uint32_t page_bytes = sizeof(MoviePage);
  std::uint64_t made_ns = 0;  ///< CLOCK_MONOTONIC; distinguishes pages in statistics

  // Written by the host service.
  std::atomic<std::uint32_t> deaths{0};          ///< decoders that died since the page was made
  DeathRecord death_records[max_death_records];  ///< the first deaths; the decoder sets back_ns
  SharedFrames crash_zone;  ///< frames at which decoders died repeatedly, and which they avoid

  // Written by the decoder; `phase` and `device` also by the host service while none runs.
  std::atomic<MoviePhase> phase{MoviePhase::starting};
  char refusal[max_refusal_bytes] = {};
  /// The device that decodes. While a device is being opened, it is the requested choice: a decoder
  /// that dies then has died of the device's driver.
  std::atomic<scene::DecodeDevice> device{scene::DecodeDevice::cpu};
  char device_note[max_device_note_bytes] = {};  ///< why no GPU decodes; written before `device`
  std::atomic<std::uint64_t> slot_bytes{0};
  std::atomic<std::int32_t> slot_count{0};
  std::atomic<std::int64_t> end_frame{0};    ///< one after the last frame; 0: not known yet
  SharedFrames failed;                       ///< frames that do not decode; panels repeat a picture
  std::atomic<std::int64_t> position{0};     ///< the frame that the decoder decodes
  std::atomic<std::uint64_t> progress{0};    ///< grows with each decoded or given-up picture
  std::atomic<std::uint64_t> full_waits{0};  ///< times that panels were reading every slot
  std::atomic<std::uint64_t> decoded_pictures{0};  ///< pictures of all decoders so far
  std::atomic<std::uint64_t> decoded_px{0};        ///< their pixels
  std::atomic<std::uint64_t> decode_cpu_ns{0};     ///< CPU time of all threads of the decoders

  // Futexes.
  alignas(64) std::atomic<std::uint32_t> published{
      0};  ///< changes with a picture, phase or failure; wakes panels
  alignas(64) std::atomic<std::uint32_t> asked{0};  ///< changes when a panel begins to wait
  alignas(64) std::atomic<std::uint32_t> decoder_sleeps{0};  ///< 1: the decoder sleeps on `asked`

  MovieSeat seats[max_movie_seats];
  MovieSlot slots[max_movie_slots];
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<MovieSeat> && sizeof(MovieSeat) == 64 &&
              offsetof(MovieSeat, reading) == 0 && offsetof(MovieSeat, direction) == 4 &&
              offsetof(MovieSeat, catches_up) == 8 && offsetof(MovieSeat, wanted) == 16 &&
              offsetof(MovieSeat, waiting_since_ns) == 24);
static_assert(std::is_standard_layout_v<DeathRecord> && sizeof(DeathRecord) == 16 &&
              offsetof(DeathRecord, died_ns) == 0 && offsetof(DeathRecord, back_ns) == 8);
static_assert(std::is_standard_layout_v<SharedFrames> && sizeof(SharedFrames) == 16 &&
              offsetof(SharedFrames, first) == 0 && offsetof(SharedFrames, end) == 8);
static_assert(std::is_standard_layout_v<MovieSlot> && sizeof(MovieSlot) == 128 &&
              offsetof(MovieSlot, first) == 0 && offsetof(MovieSlot, end) == 8 &&
              offsetof(MovieSlot, since_ns) == 16 && offsetof(MovieSlot, picture) == 24);
// The first words are the same in each version, so that another one's page is recognised. Other
// places of the words below need another version_value.
static_assert(std::is_standard_layout_v<MoviePage> && offsetof(MoviePage, magic) == 0 &&
              offsetof(MoviePage, version) == 8 && offsetof(MoviePage, page_bytes) == 12 &&
              offsetof(MoviePage, made_ns) == 16);
static_assert(offsetof(MoviePage, deaths) == 24 && offsetof(MoviePage, death_records) == 32 &&
              offsetof(MoviePage, crash_zone) == 544 && offsetof(MoviePage, phase) == 560 &&
              offsetof(MoviePage, refusal) == 564 && offsetof(MoviePage, device) == 1076 &&
              offsetof(MoviePage, device_note) == 1080 && offsetof(MoviePage, slot_bytes) == 1336 &&
              offsetof(MoviePage, slot_count) == 1344 && offsetof(MoviePage, end_frame) == 1352 &&
              offsetof(MoviePage, failed) == 1360 && offsetof(MoviePage, position) == 1376);
static_assert(offsetof(MoviePage, progress) == 1384 && offsetof(MoviePage, full_waits) == 1392 &&
              offsetof(MoviePage, decoded_pictures) == 1400 &&
              offsetof(MoviePage, decoded_px) == 1408 &&
              offsetof(MoviePage, decode_cpu_ns) == 1416 &&
              offsetof(MoviePage, published) == 1472 && offsetof(MoviePage, asked) == 1536 &&
              offsetof(MoviePage, decoder_sleeps) == 1600 && offsetof(MoviePage, seats) == 1664 &&
              offsetof(MoviePage, slots) == 18048 && sizeof(MoviePage) == 22144);

/// Where slot 0 begins.
inline constexpr std::size_t slots_offset_bytes = (sizeof(MoviePage) + 4095) / 4096 * 4096;

/// A mapping of the memory. Any thread.
class MovieMemory {
 public:
  MovieMemory() noexcept = default;
  /// Maps the memory behind `fd`, which may be closed afterwards. Throws JobError if it is no movie
  /// memory of this version, or its size is not sealed.
  explicit MovieMemory(int fd);
  MovieMemory(MovieMemory&& other) noexcept;
  MovieMemory& operator=(MovieMemory&& other) noexcept;
  ~MovieMemory();

  [[nodiscard]] MoviePage& page() const noexcept { return *static_cast<MoviePage*>(begin_); }

  /// The bytes of slot `slot` of `slot_bytes` each; empty where they are not all in the memory.
  [[nodiscard]] std::span<std::uint8_t> slot(int slot, std::uint64_t slot_bytes) const noexcept;

  /// Room for all slots together, in bytes.
  [[nodiscard]] std::size_t slots_bytes() const noexcept { return bytes_ - slots_offset_bytes; }

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Makes a memory with a fresh page and `slots_bytes` of room for slots. The kernel allocates pages
/// as slots are used. Throws JobError.
[[nodiscard]] UniqueFd make_movie_memory(std::size_t slots_bytes);

/// Write and read the page's lines of text. Long lines are cut; control characters are replaced on
/// reading.
void set_refusal(MoviePage& page, std::string_view line) noexcept;
[[nodiscard]] std::string refusal_of(const MoviePage& page);
void set_device_note(MoviePage& page, std::string_view line) noexcept;
[[nodiscard]] std::string device_note_of(const MoviePage& page);

/// Wakes the panels that wait for a change of the page.
void wake_panels(MoviePage& page) noexcept;

/// Wakes the decoder if it sleeps, because a panel waits for a frame.
void wake_decoder(MoviePage& page) noexcept;

// Waiting for a word of shared memory to change, across processes.

/// Sleeps while `word` equals `seen`, for `limit` at most; may return early.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds limit) noexcept;

/// Wakes all that sleep on `word`.
void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace tilewall::movie
