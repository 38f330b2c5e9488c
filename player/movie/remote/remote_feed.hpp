// A wall movie's blocks from a server: asked for many frames ahead, within a budget of memory, and
// only those that the view needs and that are not here yet.
//
// Threads: one owner; the client's own thread receives.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/slab/slab_client.hpp"
#include "player/movie/frames/block_feed.hpp"

namespace tilewall {

struct RemoteFeedOptions {
  std::string name;  ///< of the movie
  std::size_t budget_bytes = 64u << 20;
  /// Whether nobody wants the frame that is waited for any more.
  std::function<bool()> abandon;
};

class RemoteFeed final : public BlockFeed {
 public:
  RemoteFeed(std::shared_ptr<SlabClient> client, RemoteFeedOptions options);
  ~RemoteFeed() override;
  RemoteFeed(const RemoteFeed&) = delete;
  RemoteFeed& operator=(const RemoteFeed&) = delete;

  void select(int level, std::span<const int> blocks) override;
  void expect(std::span<const std::int64_t> frames) override;
  [[nodiscard]] const LoadedFrame* take(std::int64_t frame) override;
  void count(DrawCounters& counters) const override;
  [[nodiscard]] std::optional<ReadyPictures> ready(std::int64_t frame) override;
  void await(std::int64_t frame, LocalInstant until) override;

 private:
  /// Some blocks of a frame, asked for by one request.
  struct Part {
    int level = 0;
    std::vector<int> blocks;
    SlabClient::Ticket ticket = 0;
    bool come = false;
    bool has_frame = false;
    SlabBuffer slab;
    std::vector<std::span<const std::uint8_t>> bytes;  // of the blocks, in `slab`
    LocalInstant since;
  };
  using Parts = std::vector<Part>;

  void forget_missing(std::int64_t frame);
  void request(std::int64_t frame);
  void collect();
  void collect(Part& part);
  void forget(Parts& parts);
  void forget_others();
  [[nodiscard]] bool is_complete(const Parts& parts) const;
  [[nodiscard]] std::size_t staged_bytes() const;
  [[nodiscard]] const Part* part_with(const Parts& parts, int block) const;

  const std::shared_ptr<SlabClient> client_;
  const RemoteFeedOptions options_;
  int level_ = 0;
  std::vector<int> wanted_;
  std::int64_t current_ = -1;  // the frame that was asked for last
  std::vector<std::int64_t> expected_;
  std::map<std::int64_t, Parts> staged_;  // by frame
  std::size_t frame_bytes_ = 0;           // of the newest whole frame
  LoadedFrame loaded_;
  std::uint64_t seen_ = 0;  // of the client's news, when it was last looked at
};

}  // namespace tilewall
