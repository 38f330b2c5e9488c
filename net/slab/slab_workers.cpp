#include "net/slab/slab_workers.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::net {
namespace {

constexpr std::size_t shortest_sweep = 1024;

}  // namespace

SlabWorkers::SlabWorkers(SlabSource& source, int count, const AnswerBudget::Limits& limits)
    : source_(source), budget_(std::make_shared<AnswerBudget>(limits)) {
  budget_->on_room([this] {
    const std::scoped_lock lock(mutex_);
    ++rooms_;
    for (Lane* const lane : {&quick_, &slow_}) lane->changed.notify_all();
  });
  quick_.most_busy = count;
  slow_.most_busy = std::max(1, count / 2);
  for (int i = 0; i < count; ++i)
    for (Lane* const lane : {&quick_, &slow_})
      threads_.emplace_back([this, lane](const std::stop_token& stop) { run(*lane, stop); });
}

SlabWorkers::~SlabWorkers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  budget_->on_room(nullptr);
  outbox_->close();
}

void SlabWorkers::submit(std::uint64_t session, SlabJob job) {
  add(quick_, {session,
               -1,
               {},
               std::move(job.payload),
               SlabReply(outbox_, session, job.request, std::move(job.wanted))});
}

void SlabWorkers::submit(std::uint64_t session, int connection, nlohmann::json question) {
  add(quick_, {session, connection, std::move(question), {}, {}});
}

// A worker skips cancelled requests when it comes to them. A client that cancels faster than that
// must not let the queue grow, so they are removed each time that it has doubled.
void SlabWorkers::add(Lane& lane, Work work) {
  const std::scoped_lock lock(mutex_);
  if (lane.waiting >= std::max(lane.sweep_at, shortest_sweep)) {
    sweep(lane);
    lane.sweep_at = 2 * lane.waiting;
  }
  std::deque<Work>& queue = lane.queues[work.session];
  if (queue.empty()) lane.turns.push_back(work.session);
  queue.push_back(std::move(work));
  ++lane.waiting;
  ++lane.added;
  lane.changed.notify_one();
}

void SlabWorkers::sweep(Lane& lane) {
  for (auto& [session, queue] : lane.queues)
    lane.waiting -= std::erase_if(queue, [](const Work& work) { return work.is_unwanted(); });
  std::erase_if(lane.turns, [&](std::uint64_t id) { return lane.queues.at(id).empty(); });
  std::erase_if(lane.queues, [](const auto& entry) { return entry.second.empty(); });
}

void SlabWorkers::end_session(std::uint64_t session) {
  {
    const std::scoped_lock lock(mutex_);
    for (Lane* const lane : {&quick_, &slow_}) {
      const auto queue = lane->queues.find(session);
      if (queue == lane->queues.end()) continue;
      lane->waiting -= queue->second.size();
      lane->queues.erase(queue);
      std::erase(lane->turns, session);
    }
  }
  source_.session_ended(session);
}

/// Removes and returns the work of the first session in turn whose next one may begin, which then
/// has its bytes; the session is the last in turn from now on.
std::optional<SlabWorkers::Work> SlabWorkers::next(Lane& lane) {
  for (std::size_t left = lane.turns.size(); left > 0; --left) {
    const std::uint64_t session = lane.turns.front();
    lane.turns.pop_front();
    std::deque<Work>& queue = lane.queues.at(session);
    while (!queue.empty() && queue.front().is_unwanted()) {
      queue.pop_front();
      --lane.waiting;
    }
    const auto busy = lane.busy.find(session);
    const bool may_more = busy == lane.busy.end() || busy->second < lane.most_busy;
    const bool begins =
        may_more && !queue.empty() && (!queue.front().bytes || may_begin(queue.front()));
    std::optional<Work> work;
    if (begins) {
      work = std::move(queue.front());
      queue.pop_front();
      --lane.waiting;
      ++lane.busy[session];
    }
    if (queue.empty())
      lane.queues.erase(session);
    else
      lane.turns.push_back(session);
    if (work) return work;
  }
  return std::nullopt;
}

bool SlabWorkers::may_begin(const Work& work) {
  return *work.bytes == 0 || budget_->try_take(work.session, *work.bytes);
}

/// Puts a request back whose answer does not fit; the next one in turn of its session.
void SlabWorkers::put_back(Lane& lane, Work work) {
  std::deque<Work>& queue = lane.queues[work.session];
  if (queue.empty()) lane.turns.push_back(work.session);
  queue.push_front(std::move(work));
  ++lane.waiting;
}

void SlabWorkers::run(Lane& lane, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    std::optional<Work> work = next(lane);
    if (!work) {
      lane.changed.wait(lock, stop, [&, rooms = rooms_, added = lane.added] {
        return rooms_ != rooms || lane.added != added;
      });
      continue;
    }
    const std::uint64_t session = work->session;
    const bool has_bytes = work->bytes.has_value();
    lock.unlock();
    if (&lane == &quick_ && is_slow(*work)) {
      add(slow_, std::move(*work));
      lock.lock();
      note_done(lane, session);
      continue;
    }
    if (!has_bytes) measure(*work);
    lock.lock();
    const bool is_dropped = !has_bytes && work->is_unwanted();
    if (has_bytes || (!is_dropped && may_begin(*work))) {
      lock.unlock();
      perform(*work);
      work.reset();
      lock.lock();
    } else if (!is_dropped) {
      put_back(lane, std::move(*work));
    }
    note_done(lane, session);
  }
}

/// Notes that a thread is done with what next() gave it.
void SlabWorkers::note_done(Lane& lane, std::uint64_t session) {
  const auto busy = lane.busy.find(session);
  const bool was_full = busy->second == lane.most_busy;
  if (--busy->second == 0) lane.busy.erase(busy);
  if (!was_full || !lane.queues.contains(session)) return;
  ++lane.added;  // its next work may begin
  lane.changed.notify_one();
}

bool SlabWorkers::is_slow(const Work& work) const noexcept {
  try {
    return work.connection < 0 ? source_.is_slow_request(work.payload)
                               : source_.is_slow_question(work.question);
  } catch (const std::exception&) {  // its answer tells the client what is wrong
    return false;
  }
}

/// Finds out how many bytes the answer will have. A question's is small.
void SlabWorkers::measure(Work& work) noexcept {
  work.bytes = 0;
  try {
    if (work.connection < 0) work.bytes = source_.answer_bytes(work.payload);
  } catch (const std::exception&) {  // its answer tells the client what is wrong
  }
  if (!budget_->can_ever_fit(*work.bytes)) work.reply = {};  // refuses it
}

void SlabWorkers::perform(Work& work) noexcept {
  try {
    if (work.connection >= 0)
      answer_question(work);
    else if (*work.bytes == 0)
      source_.answer(std::move(work.payload), std::move(work.reply));
    else
      answer_request(work);
  } catch (...) {
    // The reply that answer() held has sent an empty slab. A question stays without an answer, as
    // there is no memory for one.
  }
}

/// Reads an answer whose bytes were taken from the budget, which gets back what is not needed.
void SlabWorkers::answer_request(Work& work) {
  std::uint64_t taken = *work.bytes;
  try {
    std::shared_ptr<const SlabBuffer> slab = source_.read(work.payload);
    const std::uint64_t needed = slab ? std::min<std::uint64_t>(slab->size(), taken) : 0;
    if (needed < taken) budget_->give_back(work.session, taken - needed);
    taken = 0;
    work.reply.give(needed > 0 ? budget_->lend(work.session, needed, std::move(slab)) : slab);
  } catch (...) {
    if (taken > 0) budget_->give_back(work.session, taken);
    throw;
  }
}

void SlabWorkers::answer_question(Work& work) {
  nlohmann::json message;
  try {
    message = {{"type", "answer"}, {"answer", source_.call_from(work.session, work.question)}};
  } catch (const std::exception& error) {
    message = {{"type", "refused"}, {"error", error.what()}};
  } catch (...) {
    message = {{"type", "refused"}, {"error", "the application failed"}};
  }
  const auto id = work.question.find("id");
  if (id != work.question.end() && id->is_number()) message["id"] = *id;
  outbox_->put(SlabOutbox::Answer{work.session, work.connection, std::move(message)});
}

}  // namespace tilewall::net
