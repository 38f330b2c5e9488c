// Answers that are kept for some seconds: who makes one, who waits for it, and how many are kept.

#include "net/slab/recent_answers.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>
#include <string>

#include "tests/support/eventually.hpp"

using namespace tilewall::net;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

/// Answers each question by how many answers were made before.
class Maker {
 public:
  explicit Maker(RecentAnswers& answers) : answers_(answers) {}
  int ask(const std::string& question) {
    return answers_.get(question, [&] { return Json(made_++); }).get<int>();
  }

 private:
  RecentAnswers& answers_;
  int made_ = 0;
};

}  // namespace

TEST_CASE("an answer is made once, and anew after it is old or forgotten", "[slab]") {
  RecentAnswers answers(1h);
  Maker maker(answers);
  CHECK(maker.ask("a") == 0);
  CHECK(maker.ask("b") == 1);
  CHECK(maker.ask("a") == 0);
  answers.clear();
  CHECK(maker.ask("a") == 2);
  RecentAnswers brief(0ns);
  Maker again(brief);
  CHECK(again.ask("a") == 0);
  CHECK(again.ask("a") == 1);
}

TEST_CASE("64 answers are kept, and no more", "[slab]") {
  RecentAnswers answers(1h);
  Maker maker(answers);
  for (int i = 0; i < 64; ++i) CHECK(maker.ask(std::to_string(i)) == i);
  for (int i = 0; i < 64; ++i) CHECK(maker.ask(std::to_string(i)) == i);
  CHECK(maker.ask("another") == 64);
  CHECK(maker.ask("another") == 65);
  CHECK(maker.ask("0") == 0);
}

TEST_CASE("who wants an answer that is being made waits for it, others do not", "[slab]") {
  RecentAnswers answers(1h);
  std::promise<void> go_on;
  std::atomic<int> made = 0;
  const auto slow = [&] {
    ++made;
    go_on.get_future().wait();
    return Json("slow");
  };
  auto first = std::async(std::launch::async, [&] { return answers.get("a", slow); });
  const bool is_begun = tilewall::test::eventually([&] { return made == 1; });
  const Json quick = answers.get("b", [] { return Json("quick"); });
  auto second = std::async(std::launch::async, [&] {
    return answers.get("a", [&] {
      ++made;
      return Json("again");
    });
  });
  const bool waits = second.wait_for(20ms) == std::future_status::timeout;
  go_on.set_value();
  CHECK(is_begun);
  CHECK(quick == "quick");
  CHECK(waits);
  CHECK(first.get() == "slow");
  CHECK(second.get() == "slow");
  CHECK(made == 1);
}

TEST_CASE("an answer that could not be made, or was forgotten on the way, is not kept", "[slab]") {
  RecentAnswers answers(1h);
  const auto fail = []() -> Json { throw std::runtime_error("no disk"); };
  CHECK_THROWS_WITH(answers.get("a", fail), "no disk");
  CHECK(answers.get("a", [] { return Json(1); }) == 1);
  const auto forget = [&] {
    answers.clear();
    return Json(2);
  };
  CHECK(answers.get("b", forget) == 2);
  CHECK(answers.get("b", [] { return Json(3); }) == 3);
}
