#include "player/movie/staging/stage_budget.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::movie {

StageBudget::Share::Share(std::shared_ptr<StageBudget> budget, std::function<void()> let_go)
    : budget_(std::move(budget)), let_go_(std::move(let_go)) {
  const std::scoped_lock lock(budget_->mutex_);
  budget_->shares_.push_back(this);
}

StageBudget::Share::~Share() {
  const std::scoped_lock lock(budget_->mutex_);
  std::erase(budget_->shares_, this);
}

bool StageBudget::is_idle(const Share& share) const noexcept {
  return share.used_ == 0 || share.used_ + idle_after_uses < uses_;
}

void StageBudget::Share::use() {
  std::vector<const Share*> idle;
  {
    const std::scoped_lock lock(budget_->mutex_);
    used_ = ++budget_->uses_;
    for (const Share* const share : budget_->shares_)
      if (budget_->is_idle(*share) && share->held_bytes_ > 0) idle.push_back(share);
  }
  for (const Share* const share : idle) share->let_go_();
}

void StageBudget::Share::hold(std::size_t bytes) {
  const std::scoped_lock lock(budget_->mutex_);
  held_bytes_ = bytes;
}

std::size_t StageBudget::Share::room() const {
  const std::scoped_lock lock(budget_->mutex_);
  std::size_t shares = 0;
  std::size_t others = 0;
  for (const Share* const share : budget_->shares_) {
    if (share == this || !budget_->is_idle(*share)) ++shares;
    others += share == this ? 0 : share->held_bytes_;
  }
  return std::min(budget_->bytes_ / shares, budget_->bytes_ - std::min(others, budget_->bytes_));
}

}  // namespace tilewall::movie
