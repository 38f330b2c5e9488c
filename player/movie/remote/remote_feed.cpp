#include "player/movie/remote/remote_feed.hpp"

#include <algorithm>

#include "player/movie/remote/block_request.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr Nanos look_again = std::chrono::milliseconds(20);       // whether somebody still wants it
constexpr std::chrono::milliseconds longest_take{2500};           // then the picture before stays
constexpr Nanos ask_anew_after = std::chrono::milliseconds(250);  // for a frame that was not there
constexpr std::size_t first_frames = 4;  // asked for before it is known how large one is

}  // namespace

RemoteFeed::RemoteFeed(std::shared_ptr<SlabClient> client, RemoteFeedOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

RemoteFeed::~RemoteFeed() {
  for (auto& [frame, parts] : staged_) forget(parts);
}

void RemoteFeed::select(int level, std::span<const int> blocks) {
  level_ = level;
  wanted_.assign(blocks.begin(), blocks.end());
}

const RemoteFeed::Part* RemoteFeed::part_with(const Parts& parts, int block) const {
  for (const Part& part : parts)
    if (part.level == level_ && std::binary_search(part.blocks.begin(), part.blocks.end(), block))
      return &part;
  return nullptr;
}

// A frame that was not there may have been written since.
void RemoteFeed::forget_missing(std::int64_t frame) {
  const LocalInstant stale = local_now() - ask_anew_after;
  std::erase_if(staged_[frame], [&](const Part& part) {
    return part.come && !part.has_frame && part.since < stale;
  });
}

// Asks for what the view needs of the frame and nobody has asked for yet.
void RemoteFeed::request(std::int64_t frame) {
  Parts& parts = staged_[frame];
  BlockRequest missing{options_.name, level_, frame, {}};
  for (const int block : wanted_)
    if (part_with(parts, block) == nullptr) missing.blocks.push_back(block);
  for (BlockRequest& request : split_request(missing)) {
    Part& part = parts.emplace_back();
    part.level = level_;
    part.ticket = client_->fetch(to_bytes(request));
    part.blocks = std::move(request.blocks);
  }
}

void RemoteFeed::forget(Parts& parts) {
  std::vector<SlabClient::Ticket> tickets;
  for (Part& part : parts) {
    if (part.come)
      client_->give_back(std::move(part.slab));
    else
      tickets.push_back(part.ticket);
  }
  parts.clear();
  if (!tickets.empty()) client_->cancel(std::move(tickets));
}

void RemoteFeed::forget_others() {
  for (auto it = staged_.begin(); it != staged_.end();) {
    const bool wanted = it->first == current_ ||
                        std::find(expected_.begin(), expected_.end(), it->first) != expected_.end();
    if (wanted) {
      ++it;
      continue;
    }
    forget(it->second);
    it = staged_.erase(it);
  }
}

void RemoteFeed::collect(Part& part) {
  auto slab = client_->take(part.ticket);
  if (!slab) return;
  part.slab = std::move(*slab);
  part.come = true;
  part.since = local_now();
  BlockAnswer answer = parse_block_answer(part.slab.bytes(), part.blocks.size());
  part.has_frame = answer.status == BlockAnswerStatus::found;
  part.bytes = std::move(answer.blocks);
}

void RemoteFeed::collect() {
  seen_ = client_->news();
  for (auto& [frame, parts] : staged_)
    for (Part& part : parts)
      if (!part.come) collect(part);
}

bool RemoteFeed::is_complete(const Parts& parts) const {
  return std::all_of(wanted_.begin(), wanted_.end(), [&](int block) {
    const Part* const part = part_with(parts, block);
    return part != nullptr && part->come;
  });
}

std::size_t RemoteFeed::staged_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [frame, parts] : staged_)
    for (const Part& part : parts) bytes += part.come ? part.slab.capacity() : 0;
  return bytes;
}

void RemoteFeed::expect(std::span<const std::int64_t> frames) {
  expected_.assign(frames.begin(), frames.end());
  collect();
  std::size_t room = first_frames;
  if (frame_bytes_ > 0) room = std::max<std::size_t>(options_.budget_bytes / frame_bytes_, 2);
  if (expected_.size() > room) expected_.resize(room);
  forget_others();
  if (wanted_.empty()) return;
  for (const std::int64_t frame : expected_) request(frame);
  trace_counter("staged MiB", static_cast<double>(staged_bytes()) / (1 << 20));
}

void RemoteFeed::count(DrawCounters& counters) const {
  const ReceiveCounters received = client_->status().received;
  counters.received_bytes = received.received_bytes;
  counters.lost_packets = received.lost_packets;
  counters.repaired_packets = received.repaired_packets;
  counters.staged_bytes = staged_bytes();
}

std::optional<ReadyPictures> RemoteFeed::ready(std::int64_t frame) {
  current_ = frame;
  collect();
  forget_missing(frame);
  request(frame);
  ReadyPictures there;
  there.lost = is_complete(staged_[frame]) &&
               std::any_of(staged_[frame].begin(), staged_[frame].end(),
                           [](const Part& part) { return part.come && !part.has_frame; });
  for (const auto& [number, parts] : staged_) {
    if (!is_complete(parts)) continue;
    LocalInstant since;
    for (const Part& part : parts) since = std::max(since, part.since);
    there.pictures.push_back({number, number + 1, since});
  }
  return there;
}

void RemoteFeed::await(std::int64_t frame, LocalInstant until) {
  current_ = frame;
  collect();
  request(frame);
  if (is_complete(staged_[frame])) return;
  client_->wait_for_news(seen_, std::min(until, local_now() + look_again));
}

const LoadedFrame* RemoteFeed::take(std::int64_t frame) {
  const TraceSpan span("wait for server", {frame, TraceLabels::none});
  const LocalInstant give_up = local_now() + longest_take;
  current_ = frame;
  collect();
  forget_missing(frame);
  request(frame);
  while (!is_complete(staged_[frame]) && local_now() < give_up) {
    if (options_.abandon && options_.abandon()) return nullptr;
    client_->wait_for_news(seen_, local_now() + look_again);
    collect();
  }
  const Parts& parts = staged_[frame];
  loaded_ = {};
  for (const int block : wanted_) {
    const Part* const part = part_with(parts, block);
    const bool there = part != nullptr && part->come && part->has_frame;
    loaded_.has_index |= there;
    loaded_.blocks.emplace_back();
    if (!there) continue;
    const auto found = std::lower_bound(part->blocks.begin(), part->blocks.end(), block);
    loaded_.blocks.back() = part->bytes[static_cast<std::size_t>(found - part->blocks.begin())];
    loaded_.read_bytes += loaded_.blocks.back().size();
  }
  std::size_t bytes = 0;
  for (const Part& part : parts) bytes += part.come ? part.slab.capacity() : 0;
  if (bytes > 0) frame_bytes_ = bytes;
  return &loaded_;
}

}  // namespace tilewall
