#include "player/volume/caster/rank_handshakes.hpp"

#include <exception>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/thread_place.hpp"

namespace tilewall::volume {

RankHandshakes::RankHandshakes(net::SlabSessionOptions options, net::SlabPool& pool,
                               std::function<void()> changed)
    : options_(std::move(options)), pool_(pool), changed_(std::move(changed)) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

RankHandshakes::~RankHandshakes() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

std::uint64_t RankHandshakes::begin(net::Offered offered) { return add(std::move(offered)); }

std::uint64_t RankHandshakes::begin(const net::SocketAddress& rank) { return add(rank); }

std::uint64_t RankHandshakes::add(std::variant<net::SocketAddress, net::Offered> with) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= most_waiting) return 0;
    waiting_.push_back({next_number_, std::move(with)});
  }
  wake_.notify_one();
  return next_number_++;
}

std::vector<RankHandshakes::Result> RankHandshakes::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(finished_, {});
}

void RankHandshakes::run(const std::stop_token& stop) {
  name_this_thread("handshake");
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested())
      return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Result result = carry_out(std::move(job));
    lock.lock();
    finished_.push_back(std::move(result));
    lock.unlock();
    changed_();
  }
}

RankHandshakes::Result RankHandshakes::carry_out(Job job) const {
  Result result;
  result.number = job.number;
  try {
    if (auto* const offered = std::get_if<net::Offered>(&job.with)) {
      result.from = offered->from;
      result.session =
          std::make_unique<net::ClientSession>(std::move(*offered), options_, pool_, limit);
    } else {
      result.from = std::get<net::SocketAddress>(job.with);
      result.session = std::make_unique<net::ClientSession>(result.from, options_, pool_, limit);
    }
  } catch (const JobError& error) {
    result.fault = error.what();
    result.is_absent = true;
  } catch (const std::exception& error) {
    result.fault = error.what();
  }
  return result;
}

}  // namespace tilewall::volume
