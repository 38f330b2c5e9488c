// A server's workers without a network: what they take of the memory for answers, and give back.

#include "net/slab/slab_workers.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::net;
using test::eventually;
using Json = nlohmann::json;
using Slab = std::shared_ptr<const SlabBuffer>;

namespace {

/// Answers each request alike.
class SameAnswers final : public SlabSource {
 public:
  std::uint64_t told_bytes = 0;           ///< before the answer is read
  std::optional<std::size_t> slab_bytes;  ///< of the answer; empty: reading it fails
  std::atomic<int> reads = 0;

  Json call(const Json& question) override {
    if (question["type"] == "fail") throw std::runtime_error("no such question");
    return "here";
  }
  std::uint64_t answer_bytes(std::span<const std::byte>) override { return told_bytes; }
  Slab read(std::span<const std::byte>) override {
    ++reads;
    if (!slab_bytes) throw std::runtime_error("no disk");
    auto slab = std::make_shared<SlabBuffer>();
    slab->resize(*slab_bytes);
    return slab;
  }
};

/// Requests that begin with 0 are answered at once, others wait until they may go on. Of these, the
/// server is told that those with 1 are slow.
class SlowAnswers final : public SlabSource {
 public:
  std::atomic<int> waiting = 0;
  std::atomic<bool> may_go_on = false;

  Json call(const Json&) override { return nullptr; }
  bool is_slow_request(std::span<const std::byte> request) override {
    return request[0] == std::byte{1};
  }
  Slab read(std::span<const std::byte> request) override {
    const bool waits = request[0] != std::byte{0};
    if (waits) {
      ++waiting;
      may_go_on.wait(false);
    }
    auto slab = std::make_shared<SlabBuffer>();
    slab->resize(waits ? 2 : 1);
    return slab;
  }
};

/// Workers with 1000 bytes for answers, and who asks them.
struct Asked {
  SameAnswers source;
  SlabWorkers workers{source, 2, {1000, 1000}};
  std::shared_ptr<const void> wanted = std::make_shared<int>(0);
  std::uint32_t requests = 0;

  void submit(std::uint64_t session) { workers.submit(session, {++requests, {}, wanted}); }
  Slab next() {
    std::vector<SlabOutbox::Slab> slabs;
    REQUIRE(eventually([&] {
      slabs = workers.outbox().take().slabs;
      return !slabs.empty();
    }));
    CHECK(slabs.size() == 1);
    return slabs[0].slab;
  }
  /// The answer to a request for which the application tells and then gives so many bytes.
  Slab answer(std::uint64_t told, std::optional<std::size_t> given) {
    source.told_bytes = told;
    source.slab_bytes = given;
    submit(1);
    return next();
  }
  std::uint64_t held_bytes() const { return workers.budget().held_bytes(); }
};

}  // namespace

TEST_CASE("an answer holds the bytes that it has, until nobody has it any more", "[slab]") {
  Asked asked;
  Slab slab = asked.answer(800, 100);
  CHECK(slab->size() == 100);
  CHECK(asked.held_bytes() == 100);
  slab.reset();
  CHECK(asked.held_bytes() == 0);
  slab = asked.answer(800, 800);
  CHECK(asked.held_bytes() == 800);
  slab.reset();
  slab = asked.answer(100, 300);  // more than was told
  CHECK(slab->size() == 300);
  CHECK(asked.held_bytes() == 100);
}

TEST_CASE("an answer that fails, or never fits, holds nothing", "[slab]") {
  Asked asked;
  CHECK(asked.answer(800, std::nullopt)->size() == 0);
  CHECK(asked.held_bytes() == 0);
  CHECK(asked.answer(800, 0)->size() == 0);
  CHECK(asked.held_bytes() == 0);
  CHECK(asked.source.reads == 2);
  CHECK(asked.answer(1001, 1001)->size() == 0);
  CHECK(asked.source.reads == 2);
  CHECK(asked.answer(1000, 1000)->size() == 1000);
}

TEST_CASE("an answer that does not fit waits for room", "[slab]") {
  Asked asked;
  Slab first = asked.answer(600, 600);
  asked.submit(2);
  REQUIRE(eventually([&] { return asked.workers.budget().is_short(); }));
  CHECK(asked.workers.outbox().take().slabs.empty());
  CHECK(asked.source.reads == 1);
  first.reset();
  CHECK(asked.next()->size() == 600);
}

TEST_CASE("what is slow holds up nothing that is quick, and half of the threads at most",
          "[slab]") {
  SlowAnswers source;
  SlabWorkers workers(source, 4, {1000, 1000});
  const auto wanted = std::make_shared<const int>(0);
  std::uint32_t requests = 0;
  const auto submit = [&](int first) {
    workers.submit(1, {++requests, {static_cast<std::byte>(first)}, wanted});
  };
  std::vector<std::size_t> sizes;
  const auto answers = [&](std::size_t count) {
    return eventually([&] {
      for (const SlabOutbox::Slab& slab : workers.outbox().take().slabs)
        sizes.push_back(slab.slab->size());
      return sizes.size() >= count;
    });
  };
  for (int i = 0; i < 6; ++i) submit(1);
  const bool have_begun = eventually([&] { return source.waiting == 2; });
  for (int i = 0; i < 6; ++i) submit(0);
  const bool are_quick = answers(6);
  const int waiting = source.waiting;
  source.may_go_on = true;
  source.may_go_on.notify_all();
  CHECK(have_begun);
  CHECK(are_quick);
  CHECK(waiting == 2);
  CHECK(sizes == std::vector<std::size_t>(6, 1));
  CHECK(answers(12));
}

TEST_CASE("sessions take turns, and what nobody wants any more is left out", "[slab]") {
  SlowAnswers source;
  std::vector<std::uint64_t> sessions;
  {
    SlabWorkers workers(source, 1, {1000, 1000});
    const auto wanted = std::make_shared<const int>(0);
    auto cancelled = std::make_shared<const int>(0);
    std::uint32_t requests = 0;
    const auto submit = [&](std::uint64_t session, const std::shared_ptr<const int>& by) {
      workers.submit(session, {++requests, {std::byte{2}}, by});
    };
    submit(1, wanted);
    const bool has_begun = eventually([&] { return source.waiting == 1; });
    for (int i = 0; i < 4; ++i) submit(1, wanted);
    for (int i = 0; i < 3; ++i) submit(2, cancelled);
    submit(2, wanted);
    cancelled.reset();
    source.may_go_on = true;
    source.may_go_on.notify_all();
    const bool have_come = eventually([&] {
      for (const SlabOutbox::Slab& slab : workers.outbox().take().slabs)
        sessions.push_back(slab.session);
      return sessions.size() == 6;
    });
    CHECK(has_begun);
    CHECK(have_come);
  }
  CHECK(source.waiting == 6);  // those that were wanted
  const auto second = std::ranges::find(sessions, 2U);
  REQUIRE(second != sessions.end());
  CHECK(second - sessions.begin() <= 3);
}

TEST_CASE("a question's answer has its number, and a failure's text", "[slab]") {
  Asked asked;
  const auto answer = [&](const Json& question) {
    asked.workers.submit(1, 7, question);
    std::vector<SlabOutbox::Answer> answers;
    REQUIRE(eventually([&] {
      answers = asked.workers.outbox().take().answers;
      return !answers.empty();
    }));
    CHECK(answers[0].session == 1);
    CHECK(answers[0].connection == 7);
    return answers[0].message;
  };
  CHECK(answer({{"type", "where"}, {"id", 5}}) ==
        Json{{"type", "answer"}, {"answer", "here"}, {"id", 5}});
  CHECK(answer({{"type", "where"}}) == Json{{"type", "answer"}, {"answer", "here"}});
  CHECK(answer({{"type", "fail"}, {"id", 6}}) ==
        Json{{"type", "refused"}, {"error", "no such question"}, {"id", 6}});
}
