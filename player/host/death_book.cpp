#include "player/host/death_book.hpp"

#include <algorithm>
#include <cstdlib>

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds first_pause{20};
constexpr std::chrono::milliseconds longest_pause{1000};
constexpr int widest_zone_step = 8;  // 32 * 4^8 frames: a whole movie

}  // namespace

std::optional<std::chrono::milliseconds> DeathBook::add(std::optional<std::int64_t> position,
                                                        std::int64_t pictures) {
  const bool healthy = pictures >= recovered_pictures;
  in_a_row_ = healthy ? 1 : in_a_row_ + 1;
  if (position) note_place(*position, healthy);
  if (in_a_row_ > most_in_a_row) return std::nullopt;
  if (in_a_row_ == 1) return std::chrono::milliseconds(0);
  return std::min(longest_pause, first_pause * (1 << std::min(in_a_row_ - 2, 10)));
}

void DeathBook::note_place(std::int64_t position, bool healthy) {
  const bool near = same_place_ > 0 && std::abs(position - place_) <= same_place_frames;
  same_place_ = near && !healthy ? same_place_ + 1 : 1;
  place_ = near ? std::min(place_, position) : position;
  if (same_place_ >= 2) {
    const int step = std::min(same_place_ - 2, widest_zone_step);
    zone_ = {place_, place_ + (first_zone_frames << (2 * step))};
  }
}

}  // namespace tilewall
