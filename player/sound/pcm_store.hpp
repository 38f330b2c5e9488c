// Decoded sound in memory: pieces of files as stereo samples, put in by the decoder ahead of need
// and read by whoever plays.
//
// Threads: any. Nobody holds its lock for longer than it takes to look up or copy one chunk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "player/sound/reader/sound_question.hpp"

namespace tilewall::sound {

/// What a player of sound reads from.
struct PcmReader {
  virtual ~PcmReader() = default;
  /// Frames a second of the file's sound; 0 while that is not known, or there is none.
  [[nodiscard]] virtual int rate_hz(int file) const = 0;
  /// Fills `stereo` with the frames from `first` on. False: some are missing, silence in their
  /// place.
  [[nodiscard]] virtual bool read(int file, std::int64_t first, std::span<float> stereo) const = 0;
};

class PcmStore : public PcmReader {
 public:
  static constexpr std::size_t max_chunks = 384;  ///< 12 MiB; 32 s at 48 kHz

  /// The number under which `path` is known here, from 0; the same one for the same path.
  [[nodiscard]] int file_id(const std::string& path);
  [[nodiscard]] std::string path(int file) const;

  void set_rate_hz(int file, int rate_hz);
  [[nodiscard]] int rate_hz(int file) const override;

  /// In a full store the chunk that was read or put longest ago makes room.
  void put(int file, std::int64_t index, std::shared_ptr<const PcmChunk> chunk);
  [[nodiscard]] bool has(int file, std::int64_t index) const;
  [[nodiscard]] bool read(int file, std::int64_t first, std::span<float> stereo) const override;

 private:
  struct Key {
    int file = 0;
    std::int64_t index = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Kept {
    std::shared_ptr<const PcmChunk> chunk;
    mutable std::uint64_t used = 0;  ///< rises with every use
  };
  [[nodiscard]] std::shared_ptr<const PcmChunk> find(const Key& key) const;

  mutable std::mutex mutex_;
  // guarded by mutex_
  std::vector<std::string> paths_;
  std::unordered_map<std::string, int> ids_;
  std::vector<int> rates_hz_;
  std::map<Key, Kept> chunks_;
  mutable std::uint64_t uses_ = 0;
};

}  // namespace tilewall::sound
