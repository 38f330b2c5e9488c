#include "net/slab/recent_answers.hpp"

#include <utility>

namespace tilewall::net {
namespace {

constexpr std::size_t most_kept_answers = 64;  // a list may have some MiB

}  // namespace

nlohmann::json RecentAnswers::get(const std::string& question,
                                  const std::function<nlohmann::json()>& make) {
  std::unique_lock lock(mutex_);
  made_.wait(lock, [&] {
    const auto found = kept_.find(question);
    return found == kept_.end() || !found->second.is_being_made;
  });
  const LocalInstant now = local_now();
  std::erase_if(kept_, [&](const auto& entry) {
    return !entry.second.is_being_made && now - entry.second.made > longest_kept_;
  });
  if (const auto found = kept_.find(question); found != kept_.end()) return found->second.answer;
  kept_[question].is_being_made = true;
  lock.unlock();
  nlohmann::json answer;
  try {
    answer = make();
  } catch (...) {
    lock.lock();
    kept_.erase(question);
    made_.notify_all();
    throw;
  }
  lock.lock();
  // Where too many are kept, or clear() was called meanwhile, only its asker gets it.
  const auto found = kept_.find(question);
  if (found != kept_.end() && kept_.size() <= most_kept_answers)
    found->second = {answer, local_now(), false};
  else
    kept_.erase(question);
  made_.notify_all();
  return answer;
}

void RecentAnswers::clear() {
  const std::scoped_lock lock(mutex_);
  kept_.clear();
  made_.notify_all();
}

}  // namespace tilewall::net
