#include "player/movie/staging/file_fetcher.hpp"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "player/movie/staging/block_fetcher.hpp"
#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t keep_bytes = std::size_t{8} << 20;  // unused memory kept for later reads
constexpr std::chrono::hours as_long_as_it_takes{1};      // a disk answers sooner or later

}  // namespace

FileFetcher::FileFetcher(std::filesystem::path folder, const MovieManifest& movie)
    : folder_(std::move(folder)), movie_(movie), pool_(keep_bytes) {}

FileFetcher::~FileFetcher() = default;

std::vector<BlockFetcher::Asked> FileFetcher::fetch(std::int64_t frame, int level,
                                                    std::vector<int> blocks, Haste haste) {
  if (!thread_.joinable())
    thread_ = std::jthread([this, parent = sync::trace_parent()](const std::stop_token& stop) {
      const sync::TraceThread trace(parent, "read");
      name_this_thread("read");
      run(stop);
    });
  const std::scoped_lock lock(mutex_);
  const Ticket ticket = next_ticket_++;
  // Blocks that the panel waits for go before those that are only expected.
  auto place = requests_.end();
  if (haste == Haste::now) place = std::ranges::find(requests_, Haste::ahead, &Request::haste);
  requests_.insert(place, {ticket, frame, level, blocks, haste});
  requested_.notify_one();
  std::vector<Asked> asked;
  asked.push_back({ticket, std::move(blocks)});
  return asked;
}

void FileFetcher::cancel(std::vector<Ticket> tickets) {
  const std::scoped_lock lock(mutex_);
  const auto is_cancelled = [&](Ticket ticket) {
    return std::ranges::find(tickets, ticket) != tickets.end();
  };
  std::erase_if(requests_, [&](const Request& request) { return is_cancelled(request.ticket); });
  std::erase_if(there_, [&](const auto& there) { return is_cancelled(there.first); });
  if (is_cancelled(reading_)) reading_ = 0;
}

std::optional<BlockFetcher::Brought> FileFetcher::take(Ticket ticket, std::size_t /*blocks*/) {
  const std::scoped_lock lock(mutex_);
  const auto found = there_.find(ticket);
  if (found == there_.end()) return std::nullopt;
  Brought brought = std::move(found->second);
  there_.erase(found);
  return brought;
}

std::uint64_t FileFetcher::news() const {
  const std::scoped_lock lock(mutex_);
  return news_;
}

void FileFetcher::wait_for_news(std::uint64_t known, LocalInstant until) {
  std::unique_lock lock(mutex_);
  brought_.wait_for(lock, std::max(until - local_now(), Nanos{0}), [&] { return news_ != known; });
}

bool FileFetcher::is_busy() const {
  const std::scoped_lock lock(mutex_);
  return is_reading_;
}

BlockFetcher::Brought FileFetcher::read(const Request& request) {
  const sync::TraceSpan span("read", {request.frame, sync::TraceLabels::none});
  Brought brought;
  const std::filesystem::path file = folder_ / frame_file_name(request.frame);
  const UniqueFd fd(
      retry_eintr([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.empty()) return brought;
  if (request.level != likely_level_ || request.blocks != likely_blocks_) likely_.forget();
  likely_.prefetch(fd.get());
  if (!index_.load(fd.get(), movie_, request.level)) return brought;
  std::vector<BlockPlace> places = places_of(index_.blocks(), request.blocks);
  brought.memory = pool_.take(total_bytes(places));
  std::vector<std::byte*> to;
  to.reserve(places.size());
  std::byte* next = brought.memory.data();
  for (const BlockPlace& place : places) to.push_back(std::exchange(next, next + place.size_bytes));
  read_blocks(fd.get(), places, to);
  likely_.learn(index_.blocks(), request.blocks);
  likely_level_ = request.level;
  likely_blocks_ = request.blocks;
  for (std::size_t i = 0; i < places.size(); ++i)
    brought.blocks.emplace_back(reinterpret_cast<const std::uint8_t*>(to[i]), places[i].size_bytes);
  brought.read_bytes = index_.read_bytes() + total_bytes(places);
  brought.has_frame = true;
  return brought;
}

void FileFetcher::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (requested_.wait(lock, stop, [this] { return !requests_.empty(); }) &&
         !stop.stop_requested()) {
    const Request request = std::move(requests_.front());
    requests_.pop_front();
    reading_ = request.ticket;
    is_reading_ = true;
    lock.unlock();
    Brought brought;
    try {
      brought = read(request);
    } catch (const std::exception&) {  // out of memory counts as a missing frame
      brought = {};
    }
    lock.lock();
    is_reading_ = false;
    if (reading_ != request.ticket) {
      pool_.give_back(std::move(brought.memory));
      continue;
    }
    there_.emplace(request.ticket, std::move(brought));
    reading_ = 0;
    ++news_;
    brought_.notify_all();
  }
}

std::unique_ptr<picture::PictureSource> open_staged_movie(const std::filesystem::path& folder,
                                                          int threads,
                                                          std::shared_ptr<StageBudget> budget,
                                                          std::function<bool()> abandon,
                                                          DrawMemoryPtr memory) {
  const MovieManifest movie = load_manifest(folder);
  auto prefetcher = std::make_unique<StagedPrefetcher>(
      std::make_unique<FileFetcher>(folder, movie),
      StagedPrefetcherOptions{std::move(budget), as_long_as_it_takes, std::move(abandon)});
  return open_block_movie(movie, std::move(prefetcher), threads, std::move(memory));
}

}  // namespace tilewall::movie
