// What waits to be sent to one browser. A slow one falls behind in pictures, but not in state, and
// misses no answer.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "player/console/state/wall_state.hpp"

namespace tilewall::console {

class Outbox {
 public:
  /// A browser that leaves more than this unread is disconnected. One answer may be longer.
  static constexpr std::size_t most_answer_bytes = std::size_t{1} << 20;

  struct Message {
    SharedText data;
    bool is_binary = false;
  };

  explicit Outbox(StateReader reader) : reader_(reader) {}

  /// Adds an answer. Returns false where more wait than a browser may leave.
  [[nodiscard]] bool add_answer(std::string text);

  /// The browser has no state any more, and gets the whole one.
  void forget_state() noexcept { revision_.reset(); }

  void want_pictures(bool wanted);
  /// Adds a panel's picture in place of an older one that waits. Ignored where none are wanted.
  void add_picture(const std::string& panel, SharedText picture);

  /// The next message: answers first, then the state if the browser has not the newest one, then
  /// the picture that has waited longest. Empty where nothing waits.
  [[nodiscard]] std::optional<Message> next(WallState& state);

 private:
  const StateReader reader_;
  std::deque<SharedText> answers_;
  std::size_t answer_bytes_ = 0;
  std::optional<std::uint64_t> revision_;  // the state that the browser has; empty: none
  bool wants_pictures_ = false;
  std::deque<std::string> panels_;  // those with a picture that waits, in the order of arrival
  std::map<std::string, SharedText> pictures_;
};

}  // namespace tilewall::console
