#include "net/slab/slab_workers.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::net {
namespace {

constexpr std::size_t shortest_sweep = 1024;

}  // namespace

SlabWorkers::SlabWorkers(SlabSource& source, int count) : source_(source) {
  for (int i = 0; i < count; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

SlabWorkers::~SlabWorkers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  outbox_->close();
}

void SlabWorkers::submit(std::uint64_t session, SlabJob job) {
  add({session,
       -1,
       {},
       std::move(job.payload),
       SlabReply(outbox_, session, job.request, std::move(job.wanted))});
}

void SlabWorkers::submit(std::uint64_t session, int connection, nlohmann::json question) {
  add({session, connection, std::move(question), {}, {}});
}

// A worker skips cancelled requests when it comes to them. A client that cancels faster than that
// must not let the queue grow, so they are removed each time that it has doubled.
void SlabWorkers::add(Work work) {
  const std::scoped_lock lock(mutex_);
  if (todo_.size() >= std::max(sweep_at_, shortest_sweep)) {
    std::erase_if(todo_, [](const Work& queued) { return queued.is_unwanted(); });
    sweep_at_ = 2 * todo_.size();
  }
  todo_.push_back(std::move(work));
  changed_.notify_one();
}

void SlabWorkers::end_session(std::uint64_t session) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(todo_, [&](const Work& work) { return work.session == session; });
  }
  source_.session_ended(session);
}

void SlabWorkers::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !todo_.empty(); })) {
    Work work = std::move(todo_.front());
    todo_.pop_front();
    lock.unlock();
    if (!work.is_unwanted()) perform(work);
    lock.lock();
  }
}

void SlabWorkers::perform(Work& work) noexcept {
  try {
    if (work.connection < 0)
      source_.answer(std::move(work.payload), std::move(work.reply));
    else
      answer_question(work);
  } catch (...) {
    // The reply that answer() held has sent an empty slab. A question stays without an answer, as
    // there is no memory for one.
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
