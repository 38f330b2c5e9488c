#include "net/clock/clock_board.hpp"

#include <array>
#include <bit>

namespace tilewall::net {
namespace {

// A try fails only when the writer laps all slots during one copy; so many in a row never do.
constexpr int most_tries = 1000;

}  // namespace

void ClockBoard::publish(const sync::ClockStatus& status) noexcept {
  const std::uint64_t number = newest_.load(std::memory_order_relaxed) + 1;
  Slot& slot = slots_[number % slot_count];
  const auto words = std::bit_cast<std::array<std::uint64_t, status_words>>(status);
  slot.number.store(0, std::memory_order_relaxed);  // ordered before the words by their release
  for (std::size_t i = 0; i < status_words; ++i)
    slot.words[i].store(words[i], std::memory_order_release);
  slot.number.store(number, std::memory_order_release);
  newest_.store(number, std::memory_order_release);  // publishes the slot to newest()
}

std::optional<sync::ClockStatus> ClockBoard::newest() const noexcept {
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    const std::uint64_t number = newest_.load(std::memory_order_acquire);
    if (number == 0) return std::nullopt;
    if (auto status = read(number)) return status;
  }
  return std::nullopt;
}

// The acquire loads of the words see either the release stores of publication `number` or, of a
// later one, also the mark that publish() took away before them.
std::optional<sync::ClockStatus> ClockBoard::read(std::uint64_t number) const noexcept {
  const Slot& slot = slots_[number % slot_count];
  if (slot.number.load(std::memory_order_acquire) != number) return std::nullopt;
  std::array<std::uint64_t, status_words> words = {};
  for (std::size_t i = 0; i < status_words; ++i)
    words[i] = slot.words[i].load(std::memory_order_acquire);
  if (slot.number.load(std::memory_order_relaxed) != number) return std::nullopt;
  return std::bit_cast<sync::ClockStatus>(words);
}

}  // namespace tilewall::net
