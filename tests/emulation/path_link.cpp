#include "tests/emulation/path_link.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"

namespace tilewall::test {
namespace {

constexpr std::size_t least_chunk_bytes = 1024;
constexpr std::size_t most_chunk_bytes = std::size_t{64} << 10;

bool is_share(double value) { return value >= 0 && value <= 1; }

}  // namespace

bool PathDice::happens(double share) {
  return share > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < share;
}

Nanos PathDice::up_to(Nanos most) {
  if (most <= Nanos{0}) return Nanos{0};
  return Nanos{std::uniform_int_distribution<Nanos::rep>(0, most.count())(random_)};
}

void PathDice::flip_a_bit(std::span<std::byte> bytes) {
  const std::uint64_t bit =
      std::uniform_int_distribution<std::uint64_t>(0, bytes.size() * 8 - 1)(random_);
  bytes[bit / 8] ^= std::byte{1} << (bit % 8);
}

void PathLink::reshape(const PathShape& shape) {
  TW_CHECK(shape.delay >= Nanos{0} && shape.jitter >= Nanos{0});
  TW_CHECK(is_share(shape.loss) && is_share(shape.reorder), "{} {}", shape.loss, shape.reorder);
  TW_CHECK(is_share(shape.duplicate) && is_share(shape.corrupt), "{} {}", shape.duplicate,
           shape.corrupt);
  TW_CHECK(shape.rate_gbit_s >= 0, "{}", shape.rate_gbit_s);
  shape_ = shape;
  if (shape.rate_gbit_s <= 0) free_at_ = {};
}

bool PathLink::has_room(std::size_t bytes, LocalInstant now) const noexcept {
  if (free_at_ <= now) return true;
  return bytes_in(free_at_ - now) + static_cast<double>(bytes) <=
         static_cast<double>(shape_.queue_bytes);
}

LocalInstant PathLink::pass(std::size_t bytes, LocalInstant now) noexcept {
  if (shape_.rate_gbit_s <= 0) return now + shape_.delay;
  free_at_ = std::max(free_at_, now) + time_of(static_cast<double>(bytes));
  return free_at_ + shape_.delay;
}

LocalInstant PathLink::open_to_streams_at() const noexcept {
  return free_at_ - time_of(static_cast<double>(shape_.queue_bytes) / 2);
}

std::size_t PathLink::window_bytes() const noexcept {
  return shape_.queue_bytes + static_cast<std::size_t>(bytes_in(shape_.delay));
}

std::size_t PathLink::chunk_bytes() const noexcept {
  if (shape_.rate_gbit_s <= 0) return most_chunk_bytes;
  return std::clamp(static_cast<std::size_t>(bytes_in(std::chrono::milliseconds(1))),
                    least_chunk_bytes, most_chunk_bytes);
}

Nanos PathLink::time_of(double bytes) const noexcept {
  if (shape_.rate_gbit_s <= 0) return Nanos{0};
  return Nanos{std::llround(bytes * 8 / shape_.rate_gbit_s)};
}

double PathLink::bytes_in(Nanos time) const noexcept {
  return as_double(time) * shape_.rate_gbit_s / 8;
}

}  // namespace tilewall::test
