// Brings a wall movie's blocks from a server.
//
// Threads: one owner; the client's own thread receives.
#pragma once

#include <memory>
#include <string>

#include "net/slab/slab_client.hpp"
#include "player/movie/staging/block_supply.hpp"

namespace tilewall {

class RemoteSupply final : public BlockSupply {
 public:
  /// `name`: of the movie, on the client's servers.
  RemoteSupply(std::shared_ptr<SlabClient> client, std::string name);

  [[nodiscard]] std::vector<Asked> fetch(std::int64_t frame, int level, std::vector<int> blocks,
                                         Haste haste) override;
  void cancel(std::vector<Ticket> tickets) override { client_->cancel(std::move(tickets)); }
  [[nodiscard]] std::optional<Brought> take(Ticket ticket, std::size_t blocks) override;
  void give_back(SlabBuffer memory) noexcept override { client_->give_back(std::move(memory)); }
  [[nodiscard]] std::uint64_t news() const override { return client_->news(); }
  void wait_for_news(std::uint64_t known, LocalInstant until) override {
    client_->wait_for_news(known, until);
  }
  void count(DrawCounters& counters) const override;

 private:
  const std::shared_ptr<SlabClient> client_;
  const std::string name_;
};

}  // namespace tilewall
