#include "player/rendering/ranks/frame_assignment.hpp"

#include <algorithm>

namespace tilewall::rendering {
namespace {

constexpr std::size_t runs_a_rank = 4;  // that are left at least when a run begins
constexpr double overdue_factor = 8;    // of the mean time of a frame
constexpr double least_overdue_s = 10;

}  // namespace

FrameAssignment::FrameAssignment(const std::vector<std::int64_t>& frames, std::size_t ranks)
    : waiting_(frames.begin(), frames.end()), runs_(ranks), left_(frames.size()) {}

std::optional<std::int64_t> FrameAssignment::next(std::size_t rank, double now_s) {
  std::deque<std::int64_t>& run = runs_[rank];
  if (run.empty() && !waiting_.empty()) {
    const std::size_t length =
        std::clamp<std::size_t>(waiting_.size() / (runs_a_rank * runs_.size()), 1, longest_run);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(length);
    run.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
  }
  if (run.empty()) {
    const auto longest = std::ranges::max_element(runs_, {}, &std::deque<std::int64_t>::size);
    if (longest->empty()) return std::nullopt;
    run.push_back(longest->back());
    longest->pop_back();
  }
  const std::int64_t frame = run.front();
  run.pop_front();
  under_way_[frame] = {rank, now_s, std::nullopt};
  return frame;
}

std::optional<std::int64_t> FrameAssignment::overdue(std::size_t rank, double now_s) {
  if (finished_ == 0) return std::nullopt;
  const double most_s =
      std::max(least_overdue_s, overdue_factor * finished_s_ / static_cast<double>(finished_));
  for (auto& [frame, holder] : under_way_) {
    const double since_s = holder.helper ? holder.helped_since_s : holder.since_s;
    if (holder.rank == rank || holder.helper == rank || now_s - since_s < most_s) continue;
    holder.helper = rank;
    holder.helped_since_s = now_s;
    return frame;
  }
  return std::nullopt;
}

bool FrameAssignment::has(std::size_t rank, std::int64_t frame) const {
  const auto found = under_way_.find(frame);
  return found != under_way_.end() && (found->second.rank == rank || found->second.helper == rank);
}

bool FrameAssignment::finish(std::int64_t frame, double now_s) {
  const auto found = under_way_.find(frame);
  if (found == under_way_.end()) return false;
  finished_s_ += now_s - found->second.since_s;
  ++finished_;
  --left_;
  under_way_.erase(found);
  return true;
}

std::vector<std::int64_t> FrameAssignment::lose(std::size_t rank) {
  std::vector<std::int64_t> lost;
  for (auto one = under_way_.begin(); one != under_way_.end();) {
    UnderWay& holder = one->second;
    if (holder.helper == rank) holder.helper.reset();
    if (holder.rank == rank && holder.helper) {
      holder.rank = *holder.helper;
      holder.helper.reset();
    }
    if (holder.rank != rank) {
      ++one;
      continue;
    }
    lost.push_back(one->first);
    one = under_way_.erase(one);
  }
  waiting_.insert(waiting_.begin(), runs_[rank].begin(), runs_[rank].end());
  waiting_.insert(waiting_.begin(), lost.begin(), lost.end());
  std::ranges::sort(waiting_);
  runs_[rank].clear();
  return lost;
}

std::size_t FrameAssignment::under_way(std::size_t rank) const {
  return static_cast<std::size_t>(std::ranges::count_if(under_way_, [rank](const auto& one) {
    return one.second.rank == rank || one.second.helper == rank;
  }));
}

std::optional<std::int64_t> FrameAssignment::oldest(std::size_t rank) const {
  std::optional<std::int64_t> oldest;
  double since_s = 0;
  for (const auto& [frame, holder] : under_way_)
    if (holder.rank == rank && (!oldest || holder.since_s < since_s)) {
      oldest = frame;
      since_s = holder.since_s;
    }
  return oldest;
}

}  // namespace tilewall::rendering
