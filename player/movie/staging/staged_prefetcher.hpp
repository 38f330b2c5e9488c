// Fetches a wall movie's blocks many frames ahead, within a budget of memory. It requests only the
// blocks that the view needs, and each of them once.
//
// The frame that is drawn and the one drawn before it stay in memory, so that a late movie's last
// picture can be drawn again while another region of the wall goes on. They count towards the
// budget; if it does not hold even them, no frame is fetched ahead.
//
// Threads: one owner; the fetcher's own thread fetches the blocks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "player/movie/frames/block_prefetcher.hpp"
#include "player/movie/staging/block_fetcher.hpp"
#include "player/movie/staging/stage_budget.hpp"

namespace tilewall::movie {

struct StagedPrefetcherOptions {
  std::shared_ptr<StageBudget> budget;  ///< the panel's budget
  Nanos longest_take{0};                ///< limit of a take(); the last picture stays after it
  /// Returns true to end a take(), which then returns null; may be empty.
  std::function<bool()> abandon;
};

class StagedPrefetcher final : public BlockPrefetcher {
 public:
  StagedPrefetcher(std::unique_ptr<BlockFetcher> fetcher, StagedPrefetcherOptions options);
  ~StagedPrefetcher() override;
  StagedPrefetcher(const StagedPrefetcher&) = delete;
  StagedPrefetcher& operator=(const StagedPrefetcher&) = delete;

  void select(int level, std::span<const int> blocks) override;
  void expect(std::span<const std::int64_t> frames) override;
  [[nodiscard]] const LoadedFrame* take(std::int64_t frame) override;
  [[nodiscard]] bool is_busy() const override { return fetcher_->is_busy(); }
  [[nodiscard]] bool is_late(bool stays) override;
  void count(picture::DrawCounters& counters) const override;
  [[nodiscard]] std::optional<picture::ReadyPictures> ready(std::int64_t frame) override;
  void await(std::int64_t frame, LocalInstant until) override;

 private:
  /// Blocks of a frame that were requested together.
  struct Part {
    int level = 0;
    BlockFetcher::Asked asked;
    std::optional<BlockFetcher::Brought> brought;  // empty until the answer has come
    LocalInstant since;                            // instant of the answer
    int unwanted = 0;  // calls of expect() since a selection last wanted one of its blocks
    [[nodiscard]] bool has_come() const { return brought.has_value(); }
    [[nodiscard]] bool is_missing() const { return brought && !brought->has_frame; }
  };
  struct Staged {
    std::vector<Part> parts;
    std::uint64_t asked_for = 0;  // selection_ whose blocks have all been requested
    std::uint64_t whole_for = 0;  // selection_ whose blocks have all come
  };
  static constexpr std::int64_t none = -1;

  [[nodiscard]] const Part* part_with(const Staged& staged, int block) const;
  [[nodiscard]] bool is_wanted(const Part& part) const;
  [[nodiscard]] bool is_whole(const Staged& staged) const;
  [[nodiscard]] std::size_t reserved_bytes(const Staged& staged) const;
  [[nodiscard]] std::vector<std::int64_t> affordable(std::span<const std::int64_t> frames);
  void need(std::int64_t frame);
  void request(std::int64_t frame);
  void collect();
  [[nodiscard]] bool collect(Part& part);
  void note_size(std::size_t bytes);
  [[nodiscard]] std::size_t frame_bytes() const;
  template <typename Drop>
  void drop_parts(Staged& staged, Drop&& is_dropped);
  void forget_missing(Staged& staged, Nanos age);
  void forget(std::map<std::int64_t, Staged>::iterator frame);
  void forget_others();
  void let_go();
  void fill_loaded(const Staged& staged);
  void publish_levels();

  const StagedPrefetcherOptions options_;
  const std::unique_ptr<BlockFetcher> fetcher_;
  int level_ = 0;
  std::vector<int> wanted_;
  std::uint64_t selection_ = 1;  // counts changes of level_ and wanted_
  std::int64_t current_ = none;  // the frame that is due
  std::int64_t drawn_ = none;    // the last whole frame that take() returned
  std::vector<std::int64_t> expected_;
  std::map<std::int64_t, Staged> staged_;   // by frame
  std::map<int, std::size_t> frame_bytes_;  // likely size of a frame, by level; 0: unknown
  std::size_t level_bytes_ = 0;             // bytes of coming frames, for the counters
  std::uint64_t read_bytes_ = 0;            // bytes that came since the last take()
  LoadedFrame loaded_;
  std::uint64_t seen_ = 0;    // the fetcher's news() at the last collect()
  StageBudget::Share share_;  // last member, because it calls let_go()
};

}  // namespace tilewall::movie
