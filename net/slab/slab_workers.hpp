// A server's worker threads with the queue of what they are to do: requests for slabs and questions
// of clients, in the order in which they came.
//
// Threads: owns the workers, which call only the SlabSource and put the results into the outbox.
// The network thread calls the public functions.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "net/slab/slab_orders.hpp"
#include "net/slab/slab_outbox.hpp"
#include "net/slab/slab_source.hpp"

namespace tilewall::net {

class SlabWorkers {
 public:
  /// `source` outlives this.
  SlabWorkers(SlabSource& source, int count);
  /// Ends the workers, and drops results that wait in the outbox.
  ~SlabWorkers();

  [[nodiscard]] SlabOutbox& outbox() noexcept { return *outbox_; }

  void submit(std::uint64_t session, SlabJob job);
  /// `connection` is the descriptor that asked. Its answer carries the question's "id".
  void submit(std::uint64_t session, int connection, nlohmann::json question);

  /// Removes what an ended session left in the queue, and tells the source that it ended. What is
  /// being done goes on.
  void end_session(std::uint64_t session);

 private:
  struct Work {
    std::uint64_t session = 0;
    int connection = -1;  // -1: a request for a slab
    nlohmann::json question;
    std::vector<std::byte> payload;  // the request's
    SlabReply reply;
    [[nodiscard]] bool is_unwanted() const noexcept { return connection < 0 && !reply.is_wanted(); }
  };

  void add(Work work);
  void run(const std::stop_token& stop);
  void perform(Work& work) noexcept;
  void answer_question(Work& work);

  SlabSource& source_;
  const std::shared_ptr<SlabOutbox> outbox_ = std::make_shared<SlabOutbox>();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Work> todo_;     // guarded by mutex_
  std::size_t sweep_at_ = 0;  // guarded by mutex_: length at which cancelled work is removed
  std::vector<std::jthread> threads_;
};

}  // namespace tilewall::net
