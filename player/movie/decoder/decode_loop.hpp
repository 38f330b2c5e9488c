// The decoder's loop: decodes the frames that panels want next into shared memory, as far ahead as
// there are slots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/decoder/catch_up.hpp"
#include "player/movie/decoder/decode_plan.hpp"
#include "player/movie/decoder/file_change.hpp"
#include "player/movie/decoder/slot_writer.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/hardware_decoder.hpp"
#include "player/movie/source/tone_mapper.hpp"

namespace tilewall::movie {

/// Threads: one owner; FFmpeg decodes on threads of its own.
class DecodeLoop {
 public:
  /// Opens the file, decodes its first picture, and sets the page's phase to playing. `hardware`
  /// may be null; `memory` outlives this object. Throws InputError naming what is wrong with the
  /// file, and JobError when a picture takes too much memory or the file cannot be read just now.
  DecodeLoop(std::string file, const MovieMemory& memory,
             std::shared_ptr<HardwareDecoder> hardware = nullptr, HdrMode hdr = HdrMode::map);

  /// Decodes one picture, or waits up to 50 ms for a panel to want one. Throws as FrameCursor does.
  void step();

  /// Whether the file has met damage and has been replaced or mended since, so that it has to be
  /// opened anew. Then no picture of the old file is left in the memory. Throws JobError where a
  /// panel reads one for too long.
  [[nodiscard]] bool was_mended();

 private:
  [[nodiscard]] bool met_damage() const noexcept;
  [[nodiscard]] std::vector<FrameReach> lost_frames() const;
  /// Moves the cursor for `target`. Returns false if the frame has been given up instead.
  [[nodiscard]] bool go_towards(std::int64_t target);
  /// Limits a picture that stands in for left-out pictures to its first frame.
  [[nodiscard]] TimedPicture without_gap(TimedPicture picture);
  void decode_one();
  /// The movie's length in frames: the container's estimate until the end has been decoded.
  [[nodiscard]] std::int64_t likely_frames() const noexcept;
  void note_end(std::int64_t end) noexcept;
  /// What became of a picture that was to be stored.
  enum class Stored {
    done,        ///< in a slot, or given up: the loop is through with it
    no_slot,     ///< all slots hold pictures that panels need earlier
    slots_busy,  ///< a panel needs it now, and panels read every slot that could take it
  };
  /// Whether a panel that catches up may still show the picture, although it is late.
  [[nodiscard]] bool is_awaited_late(const FrameReach& picture,
                                     const std::vector<FrameRequest>& requests) const;
  [[nodiscard]] Stored store(const TimedPicture& picture,
                             const std::vector<FrameRequest>& requests);
  void give_up(const FrameReach& frames);
  void note_return() noexcept;
  void note_work(const AVFrame& frame) noexcept;
  void note_device() noexcept;
  void rest(const std::vector<FrameRequest>& requests, std::uint32_t asked);

  const std::string file_;
  FileChange file_change_;
  const MovieMemory& memory_;
  MoviePage& page_;
  bool stored_damage_ = false;  // a damaged picture was stored
  const std::shared_ptr<HardwareDecoder> hardware_;
  FrameCursor cursor_;
  std::optional<TimedPicture> pending_;  // decoded, but not stored yet
  SlotWriter slots_;
  ToneMapper tone_;
  std::int64_t frames_ = 0;  // the movie's length; 0 until its end has been decoded
  // The target of the last jump. Pictures before it were only decoded on the way there.
  std::int64_t way_end_ = most_frames;
  std::int64_t requests_mark_ = 0;    // sum of the requested frames at the last rest
  std::uint64_t counted_cpu_ns_ = 0;  // CPU time that the page's decode_cpu_ns has already
  CatchUp catch_up_;
};

struct DecoderOptions {
  std::string file;
  std::string memory_file;  ///< shared memory of the movie: /proc/PID/fd/N of the host service
  HdrMode hdr = HdrMode::map;
  std::string trace;                 ///< "HOST:PORT" of the trace's receiver; "" = no trace
  std::filesystem::path clock_page;  ///< clock page of this host; used by the trace alone
  scene::DecodeDevice decode = scene::DecodeDevice::cpu;
};

/// Decodes into the memory until the process is killed; never returns. Throws InputError if the
/// file is refused, after it has written the reason into the page, and otherwise as DecodeLoop
/// does.
int run_decoder(const DecoderOptions& options);

}  // namespace tilewall::movie
