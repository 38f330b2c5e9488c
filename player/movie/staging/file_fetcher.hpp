// Fetches blocks from a wall movie's files into memory, on a thread of its own, one request after
// the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/likely_ranges.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/staging/block_fetcher.hpp"
#include "player/movie/staging/staged_prefetcher.hpp"

namespace tilewall::movie {

/// Threads: one owner; the object owns a reading thread from the first fetch() on.
class FileFetcher final : public BlockFetcher {
 public:
  FileFetcher(std::filesystem::path folder, const MovieManifest& movie);
  ~FileFetcher() override;
  FileFetcher(const FileFetcher&) = delete;
  FileFetcher& operator=(const FileFetcher&) = delete;

  [[nodiscard]] std::vector<Asked> fetch(std::int64_t frame, int level, std::vector<int> blocks,
                                         Haste haste) override;
  /// Does not interrupt a read that is under way; its blocks are thrown away.
  void cancel(std::vector<Ticket> tickets) override;
  [[nodiscard]] std::optional<Brought> take(Ticket ticket, std::size_t blocks) override;
  void give_back(net::SlabBuffer memory) noexcept override { pool_.give_back(std::move(memory)); }
  [[nodiscard]] std::uint64_t news() const override;
  void wait_for_news(std::uint64_t known, LocalInstant until) override;
  [[nodiscard]] bool is_busy() const override;

 private:
  struct Request {
    Ticket ticket = 0;
    std::int64_t frame = 0;
    int level = 0;
    std::vector<int> blocks;
    Haste haste = Haste::ahead;
  };
  void run(const std::stop_token& stop);
  [[nodiscard]] Brought read(const Request& request);

  const std::filesystem::path folder_;
  const MovieManifest movie_;
  net::SlabPool pool_;
  // Reading thread only.
  FrameIndex index_;
  LikelyRanges likely_;
  int likely_level_ = 0;  // level and blocks of the last request
  std::vector<int> likely_blocks_;

  mutable std::mutex mutex_;
  std::condition_variable_any requested_;
  std::condition_variable_any brought_;
  // Guarded by mutex_.
  std::deque<Request> requests_;
  Ticket reading_ = 0;               // the request being read; 0: none, or a cancelled one
  bool is_reading_ = false;          // a read is under way
  std::map<Ticket, Brought> there_;  // answers that have not been taken
  std::uint64_t news_ = 0;           // number of answers so far
  Ticket next_ticket_ = 1;
  std::jthread thread_;  // last member: it is joined before the others are destroyed
};

/// Opens a wall movie's folder as open_wall_movie() does, and stages its coming frames.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_staged_movie(
    const std::filesystem::path& folder, int threads, std::shared_ptr<StageBudget> budget,
    std::function<bool()> abandon, DrawMemoryPtr memory);

}  // namespace tilewall::movie
