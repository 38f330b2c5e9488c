#include "net/slab/answer_budget.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::net {

bool AnswerBudget::try_take(std::uint64_t session, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t free = limits_.server_bytes - held_bytes_;
  const auto found = held_.find(session);
  const std::uint64_t held = found == held_.end() ? 0 : found->second;
  // After the dynamic thresholds of switches with shared memory (Choudhury and Hahne, 1998): each
  // holds at most as much as is free, so that n hoarders leave the share 1 / (n + 1).
  const std::uint64_t most = std::min(limits_.session_bytes, free);
  if (bytes > free || (held > 0 && held + bytes > most)) {
    is_short_ = true;
    return false;
  }
  held_[session] += bytes;
  held_bytes_ += bytes;
  return true;
}

void AnswerBudget::give_back(std::uint64_t session, std::uint64_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(session);
    found->second -= bytes;
    if (found->second == 0) held_.erase(found);
    held_bytes_ -= bytes;
    if (!std::exchange(is_short_, false)) return;
  }
  const std::scoped_lock lock(call_mutex_);
  if (on_room_) on_room_();
}

std::shared_ptr<const SlabBuffer> AnswerBudget::lend(std::uint64_t session, std::uint64_t bytes,
                                                     std::shared_ptr<const SlabBuffer> slab) {
  const SlabBuffer* const buffer = slab.get();
  const auto done = [budget = shared_from_this(), session, bytes,
                     held = std::move(slab)](const SlabBuffer*) mutable {
    held.reset();
    budget->give_back(session, bytes);
  };
  return {buffer, done};
}

bool AnswerBudget::is_short() const {
  const std::scoped_lock lock(mutex_);
  return is_short_;
}

std::uint64_t AnswerBudget::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  return held_bytes_;
}

void AnswerBudget::on_room(std::function<void()> call) {
  const std::scoped_lock lock(call_mutex_);
  on_room_ = std::move(call);
}

}  // namespace tilewall::net
