// A server's worker threads with the queues of what they are to do: requests for slabs and
// questions of clients. Sessions take turns, so one that asks for much does not delay the others,
// and what is slow has threads of its own (SlabSource::is_slow_request), of which a session gets
// half. A request whose answer does not fit into memory waits, and so do the later ones of its
// session.
//
// Threads: owns the workers, which call only the SlabSource and put the results into the outbox.
// The network thread calls the public functions.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "net/slab/answer_budget.hpp"
#include "net/slab/slab_orders.hpp"
#include "net/slab/slab_outbox.hpp"
#include "net/slab/slab_source.hpp"

namespace tilewall::net {

class SlabWorkers {
 public:
  /// Starts `count` threads for quick work and as many for slow work. `source` outlives this.
  SlabWorkers(SlabSource& source, int count, const AnswerBudget::Limits& limits);
  /// Ends the workers, and drops results that wait in the outbox.
  ~SlabWorkers();

  [[nodiscard]] SlabOutbox& outbox() noexcept { return *outbox_; }
  [[nodiscard]] const AnswerBudget& budget() const noexcept { return *budget_; }

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
    std::optional<std::uint64_t> bytes = {};  // of the answer; empty until the source has told
    [[nodiscard]] bool is_unwanted() const noexcept { return connection < 0 && !reply.is_wanted(); }
  };

  /// What threads of one kind are to do. The workers' mutex guards it.
  struct Lane {
    std::condition_variable_any changed;
    std::map<std::uint64_t, std::deque<Work>> queues;  // by session; none is empty
    std::deque<std::uint64_t> turns;                   // the sessions with a queue; the next first
    std::size_t waiting = 0;                           // length of all queues
    std::size_t sweep_at = 0;                          // `waiting` at which cancelled work goes
    std::uint64_t added = 0;                           // how often work was added
    std::map<std::uint64_t, int> busy;                 // threads by session, none of them 0
    int most_busy = 0;                                 // most threads of a session
  };

  void add(Lane& lane, Work work);
  static void sweep(Lane& lane);
  [[nodiscard]] std::optional<Work> next(Lane& lane);
  void note_done(Lane& lane, std::uint64_t session);
  void run(Lane& lane, const std::stop_token& stop);
  void put_back(Lane& lane, Work work);
  [[nodiscard]] bool may_begin(const Work& work);
  void measure(Work& work) noexcept;
  [[nodiscard]] bool is_slow(const Work& work) const noexcept;
  void perform(Work& work) noexcept;
  void answer_request(Work& work);
  void answer_question(Work& work);

  SlabSource& source_;
  const std::shared_ptr<SlabOutbox> outbox_ = std::make_shared<SlabOutbox>();
  const std::shared_ptr<AnswerBudget> budget_;
  std::mutex mutex_;
  Lane quick_;               // guarded by mutex_
  Lane slow_;                // guarded by mutex_
  std::uint64_t rooms_ = 0;  // guarded by mutex_: how often bytes came free that were waited for
  std::vector<std::jthread> threads_;
};

}  // namespace tilewall::net
