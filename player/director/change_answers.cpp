#include "player/director/change_answers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tilewall::director {
namespace {

// A client that sends requests without reading the answers cannot make the list grow for ever.
constexpr std::size_t most_pending = 4096;

}  // namespace

void ChangeAnswers::add(ConnectionId to, std::uint64_t version, nlohmann::json answer,
                        LocalInstant now) {
  if (pending_.size() >= most_pending) {
    send(pending_.front());
    pending_.pop_front();
  }
  pending_.push_back({to, version, std::move(answer), now + limit});
}

void ChangeAnswers::note_shown(std::size_t panel, std::uint64_t version) {
  shown_.at(panel) = std::max(shown_.at(panel), version);
}

bool ChangeAnswers::is_shown(std::uint64_t version) const {
  return std::ranges::all_of(roster_.connected(), [&](const auto& connected) {
    return shown_[connected.second] >= version;
  });
}

void ChangeAnswers::step(LocalInstant now) {
  while (!pending_.empty() &&
         (pending_.front().until <= now || is_shown(pending_.front().version))) {
    send(pending_.front());
    pending_.pop_front();
  }
}

void ChangeAnswers::finish() {
  for (const Pending& pending : pending_) send(pending);
  pending_.clear();
}

void ChangeAnswers::forget(ConnectionId id) {
  std::erase_if(pending_, [&](const Pending& pending) { return pending.to == id; });
}

void ChangeAnswers::send(const Pending& pending) const {
  nlohmann::json answer = pending.answer;
  answer["shown"] = nlohmann::json::array();
  answer["not_shown"] = nlohmann::json::array();
  for (std::size_t panel = 0; panel < shown_.size(); ++panel)
    answer[shown_[panel] >= pending.version ? "shown" : "not_shown"].push_back(
        roster_.name_of(panel));
  send_(pending.to, answer);
}

}  // namespace tilewall::director
