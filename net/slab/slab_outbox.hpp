// What other threads hand to a server's network thread for sending: slabs and messages from the
// application at any time, and workers' answers to questions.
//
// Threads: any. Only the network thread calls take(), and only the owner of the workers close().
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "net/slab/slab_buffer.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

class SlabOutbox {
 public:
  struct Slab {
    std::uint64_t session = 0;
    std::uint32_t request = 0;
    std::shared_ptr<const SlabBuffer> slab;  ///< not null
  };
  struct Answer {
    std::uint64_t session = 0;
    int connection = -1;  ///< descriptor that asked the question
    nlohmann::json message;
  };
  struct Contents {
    std::vector<Slab> slabs;
    std::vector<Answer> answers;
    std::vector<nlohmann::json> told;  ///< messages for every session, oldest first
  };

  SlabOutbox();

  void put(Slab slab);
  void put(Answer answer);
  /// Adds a message for every session. It replaces one of the same "type" that was not taken yet.
  void tell(nlohmann::json message);

  /// Readable while take() would return something.
  [[nodiscard]] int wake_fd() const noexcept { return wake_.get(); }
  /// Removes and returns all.
  [[nodiscard]] Contents take();

  /// Drops all, and from now on whatever is put in: the server is about to end.
  void close();

 private:
  template <typename Item>
  void add(std::vector<Item> Contents::*list, Item item);
  void wake();

  const UniqueFd wake_;
  std::mutex mutex_;
  Contents contents_;       // guarded by mutex_
  bool is_closed_ = false;  // guarded by mutex_
  bool is_awake_ = false;   // guarded by mutex_: wake_ was written since the last take()
};

}  // namespace tilewall::net
