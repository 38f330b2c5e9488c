// Questions to a server's application that wait to be sent, and the answers that have come.
//
// Not locked: guarded by its owner's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace tilewall {

class PendingCalls {
 public:
  /// Returns the question's number, which its answer carries as "id".
  [[nodiscard]] std::uint64_t add(nlohmann::json question) {
    question["id"] = next_;
    questions_.push_back(std::move(question));
    return next_++;
  }
  /// Those that were not sent yet, once.
  [[nodiscard]] std::vector<nlohmann::json> take_questions() noexcept {
    return std::exchange(questions_, {});
  }

  /// An answer came; one without a number is dropped.
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

}  // namespace tilewall
