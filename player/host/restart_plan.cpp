#include "player/host/restart_plan.hpp"

#include <algorithm>

namespace tilewall::host {
namespace {

constexpr int pause_growth = 4;

}  // namespace

std::size_t RecentDeaths::add(TimePoint now) {
  deaths_.push_back(now);
  while (deaths_.front() + window_ < now) deaths_.pop_front();
  return deaths_.size();
}

void RestartPlan::take_death(std::optional<int> exit_code, TimePoint now) {
  const std::size_t deaths = deaths_.add(now);
  const bool has_rest_code = exit_code && limits_.rest_code == exit_code;
  if (deaths >= limits_.most || has_rest_code) {
    deaths_.forget();
    rests_since_ = now;
    start_at_ = now + limits_.rest;
    return;
  }
  auto pause = deaths < 2 ? std::chrono::milliseconds(0) : limits_.first_pause;
  for (std::size_t i = 2; i < deaths; ++i) pause *= pause_growth;
  start_at_ = now + pause;
}

void RestartPlan::rouse() {
  if (rests_since_) start_at_ = std::min(*start_at_, *rests_since_ + limits_.least_rest);
}

bool RestartPlan::take_start(TimePoint now) {
  if (!start_at_ || now < *start_at_) return false;
  start_at_.reset();
  rests_since_.reset();
  return true;
}

}  // namespace tilewall::host
