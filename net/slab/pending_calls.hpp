// Questions to a server's application that wait to be sent, and answers that wait to be taken.
//
// Threads: no internal locking; guarded by its owner's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace tilewall::net {

class PendingCalls {
 public:
  /// Queues a question and returns its number, which the answer carries as "id".
  [[nodiscard]] std::uint64_t add(nlohmann::json question) {
    question["id"] = next_;
    questions_.push_back(std::move(question));
    return next_++;
  }
  /// Removes and returns the questions that were not sent yet.
  [[nodiscard]] std::vector<nlohmann::json> take_questions() noexcept {
    return std::exchange(questions_, {});
  }

  /// Keeps an answer until it is taken. An answer without a valid "id" is dropped.
  void add_answer(nlohmann::json answer) {
    const auto id = answer.find("id");
    if (id == answer.end() || !id->is_number_unsigned()) return;
    const auto number = id->get<std::uint64_t>();
    answers_[number] = std::move(answer);
  }
  [[nodiscard]] bool has_answer(std::uint64_t number) const { return answers_.contains(number); }
  /// @pre has_answer(number)
  [[nodiscard]] nlohmann::json take_answer(std::uint64_t number) {
    return std::move(answers_.extract(number).mapped());
  }

 private:
  std::uint64_t next_ = 1;
  std::vector<nlohmann::json> questions_;
  std::map<std::uint64_t, nlohmann::json> answers_;
};

}  // namespace tilewall::net
