// The decoder's work: decodes what panels want next into their shared memory, ahead as far as the
// slots go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/decoder/catch_up.hpp"
#include "player/movie/decoder/decode_plan.hpp"
#include "player/movie/decoder/slot_writer.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/hardware_decoder.hpp"
#include "player/movie/source/tone_mapper.hpp"

namespace tilewall::movie {

/// Threads: one owner; FFmpeg decodes on its own.
class DecodeLoop {
 public:
  /// Opens the file and decodes its first picture, by `hardware` where it is not null; then the
  /// page says that it plays. Throws InputError naming what is wrong with the file, JobError when a
  /// picture takes too much memory or the file cannot be read (now).
  DecodeLoop(std::string file, const MovieMemory& memory,
             std::shared_ptr<HardwareDecoder> hardware = nullptr, HdrMode hdr = HdrMode::map);

  /// One turn: decodes one picture, or waits a while for a panel to want one. Throws as
  /// FrameCursor does.
  void step();

 private:
  [[nodiscard]] std::vector<FrameReach> lost_frames() const;
  [[nodiscard]] bool go_towards(std::int64_t target);
  /// A picture that may stand for others only as these were left out fills its first frame alone.
  [[nodiscard]] TimedPicture without_gap(TimedPicture picture);
  void decode_one();
  /// As the container says, until the end has been seen.
  [[nodiscard]] std::int64_t likely_frames() const noexcept;
  void note_end(std::int64_t end) noexcept;
  /// False: the picture is wanted, but no slot is free.
  [[nodiscard]] bool store(const TimedPicture& picture, const std::vector<FrameRequest>& requests);
  void give_up(const FrameReach& frames);
  void note_return() noexcept;
  void note_work(const AVFrame& frame) noexcept;
  void note_device() noexcept;
  void rest(const std::vector<FrameRequest>& requests, std::uint32_t asked);

  const std::string file_;
  const MovieMemory& memory_;
  MoviePage& page_;
  const std::shared_ptr<HardwareDecoder> hardware_;
  FrameCursor cursor_;
  std::optional<TimedPicture> pending_;  // decoded, not stored yet
  SlotWriter slots_;
  ToneMapper tone_;
  std::int64_t frames_ = 0;  // of the movie; 0 until its end has been seen
  std::int64_t requests_mark_ = 0;
  std::uint64_t counted_cpu_ns_ = 0;
  CatchUp catch_up_;
};

struct DecoderOptions {
  std::string file;
  std::string memory_file;  ///< /proc/PID/fd/N
  HdrMode hdr = HdrMode::map;
  std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
  std::filesystem::path clock_page;  ///< for the trace: this host's
  scene::DecodeDevice decode = scene::DecodeDevice::cpu;
};

/// Serves the memory until it is killed. Returns an exit code where it cannot go on; why stands in
/// the page, where the file was refused.
int run_decoder(const DecoderOptions& options);

}  // namespace tilewall::movie
