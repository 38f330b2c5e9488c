// Reads the compressed blocks of frames from files, on a thread of its own and one frame ahead, so
// that decoding does not wait for a disk that is fast enough on average, and no read keeps the
// drawing thread from a newer scene.
//
// Threads: one owner, who makes all calls. From the first read on it has a reading thread.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "player/movie/frames/block_prefetcher.hpp"
#include "player/movie/frames/block_reader.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/io_thread.hpp"
#include "player/movie/frames/likely_ranges.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

class FrameLoader final : public BlockPrefetcher {
 public:
  /// take() returns null when `abandon` returns true before the frame has been read; empty: it
  /// waits for as long as the disk takes.
  FrameLoader(std::filesystem::path folder, const MovieManifest& movie,
              std::function<bool()> abandon = {});
  ~FrameLoader() override;
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  void select(int level, std::span<const int> blocks) override;
  /// Starts to read the first of these frames, unless it has been read or something is being read.
  void expect(std::span<const std::int64_t> frames) override;
  [[nodiscard]] const LoadedFrame* take(std::int64_t frame) override;
  [[nodiscard]] bool is_busy() const override { return io_.is_busy(); }

 private:
  static constexpr std::int64_t none = -1;

  struct Loaded {
    LoadedFrame frame;
    BlockReader reader;  // owns the bytes of frame.blocks
  };
  /// What is being read, or was read last. Only the reading thread uses it while it is busy.
  struct Order {
    std::int64_t frame = none;
    int level = 0;
    std::vector<int> blocks;
    std::uint64_t selection = 0;  // selection_ when the order was made
  };
  void start(std::int64_t frame);
  /// Whether the order's result is this frame with the selected blocks. @pre nothing is being read
  [[nodiscard]] bool has(std::int64_t frame) const noexcept;
  void run_order() noexcept;
  void load(Loaded& into);

  const std::filesystem::path folder_;
  const MovieManifest movie_;
  const std::function<bool()> abandon_;
  int level_ = 0;
  std::vector<int> wanted_;
  std::uint64_t selection_ = 1;  // counts changes of level_ and wanted_
  std::int64_t ahead_ = none;    // the ordered frame until it is taken
  std::array<Loaded, 2> frames_;
  std::size_t taken_ = 0;  // index of the owner's frame; the other one is the reading thread's

  // The reading thread's while it is busy.
  Order order_;
  FrameIndex index_;
  LikelyRanges likely_;
  std::uint64_t likely_selection_ = 0;  // Order::selection of what likely_ has learned

  IoThread io_;  // last: its job uses the others
};

}  // namespace tilewall::movie
