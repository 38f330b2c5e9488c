#include "player/movie/source/picture_damage.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilewall::movie {
namespace {

// Pictures that a decoder may hold in its threads and for reordering. If more are expected, the
// decoder's stamps differ from the packets', and nothing can be expected by them.
constexpr std::size_t most_expected = 256;

}  // namespace

void PictureDamage::expect(std::int64_t pts) {
  if (!in_order_ || (last_pts_ && pts <= *last_pts_)) return;
  expected_.insert(pts);
  if (expected_.size() <= most_expected) return;
  in_order_ = false;
  expected_.clear();
}

void PictureDamage::refuse() {
  ++lost_packets_;
  ++refused_;
  refused_since_ = true;
}

void PictureDamage::restart() {
  expected_.clear();
  last_pts_.reset();
  refused_ = 0;
  refused_since_ = spreads_ = false;
}

/// The number of expected pictures with stamps below `pts` that have not come. It is 0 for the
/// first picture, because a decoder rightly leaves out those that refer to pictures from before its
/// start.
std::int64_t PictureDamage::missed_before(std::int64_t pts) {
  if (last_pts_ && pts <= *last_pts_) {
    in_order_ = false;
    expected_.clear();
  }
  const auto end = expected_.lower_bound(pts);
  const auto missed = std::distance(expected_.begin(), end);
  expected_.erase(expected_.begin(), end);
  expected_.erase(pts);
  return std::exchange(last_pts_, pts) ? missed : 0;
}

/// Counts missed pictures as lost, except those that refuse() has counted.
void PictureDamage::count_missed(std::int64_t missed) {
  const std::int64_t known = std::min(missed, refused_);
  refused_ -= known;
  lost_packets_ += missed - known;
}

PictureDamage::Verdict PictureDamage::take(const Picture& picture) {
  const std::int64_t missed = picture.pts ? missed_before(*picture.pts) : 0;
  count_missed(missed);
  const bool after_loss = std::exchange(refused_since_, false) || missed > 0;
  if (picture.is_key)
    spreads_ = picture.has_errors;
  else
    spreads_ = spreads_ || picture.has_errors || after_loss;
  return {spreads_, after_loss};
}

void PictureDamage::end() {
  if (last_pts_) count_missed(static_cast<std::int64_t>(expected_.size()));
  expected_.clear();
}

}  // namespace tilewall::movie
