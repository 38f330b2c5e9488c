// What waits for one browser: answers before states before pictures, and the newest of each.

#include "player/console/state/outbox.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::console;
using Json = nlohmann::json;

namespace {

SharedText picture(const std::string& text) { return std::make_shared<const std::string>(text); }

/// The next message's text; pictures begin with "binary "; "" = none.
std::string next_of(Outbox& outbox, WallState& state) {
  const auto message = outbox.next(state);
  if (!message) return "";
  return (message->is_binary ? "binary " : "") + *message->data;
}

Json next_json(Outbox& outbox, WallState& state) {
  return Json::parse(next_of(outbox, state), nullptr, false);
}

}  // namespace

TEST_CASE("answers go first, then the newest state, then pictures in turn", "[console]") {
  WallState state;
  Outbox outbox(StateReader::operator_);
  outbox.want_pictures(true);
  outbox.add_picture("left", picture("l1"));
  outbox.add_picture("right", picture("r1"));
  outbox.add_picture("left", picture("l2"));
  state.set("a", 1);
  state.commit();
  CHECK(outbox.add_answer("one"));
  CHECK(outbox.add_answer("two"));
  CHECK(next_of(outbox, state) == "one");
  CHECK(next_of(outbox, state) == "two");
  CHECK(next_json(outbox, state).at("type") == "state");
  CHECK(next_of(outbox, state) == "binary l2");
  outbox.add_picture("left", picture("l3"));
  state.set("a", 2);
  state.commit();
  state.set("a", 3);
  state.commit();
  const Json patch = next_json(outbox, state);
  CHECK(patch.at("from") == 1);
  CHECK(patch.at("revision") == 3);
  CHECK(patch.at("patch") == Json{{"a", 3}});
  CHECK(next_of(outbox, state) == "binary r1");
  CHECK(next_of(outbox, state) == "binary l3");
  CHECK(next_of(outbox, state).empty());
  CHECK(next_of(outbox, state).empty());
}

TEST_CASE("a browser that has lost its state gets the whole one", "[console]") {
  WallState state;
  Outbox outbox(StateReader::operator_);
  state.set("a", 1);
  state.commit();
  CHECK(next_json(outbox, state).at("type") == "state");
  CHECK(next_of(outbox, state).empty());
  outbox.forget_state();
  outbox.forget_state();
  CHECK(next_json(outbox, state).at("type") == "state");
  CHECK(next_of(outbox, state).empty());
  for (int i = 0; i < 30; ++i) {
    state.set("a", i + 2);
    state.commit();
  }
  CHECK(next_json(outbox, state).at("type") == "state");  // too far behind for a patch
}

TEST_CASE("pictures that nobody wants are not kept", "[console]") {
  WallState state;
  Outbox outbox(StateReader::operator_);
  static_cast<void>(next_of(outbox, state));
  outbox.add_picture("left", picture("l1"));
  CHECK(next_of(outbox, state).empty());
  outbox.want_pictures(true);
  outbox.add_picture("left", picture("l2"));
  outbox.want_pictures(false);
  CHECK(next_of(outbox, state).empty());
  outbox.want_pictures(true);
  CHECK(next_of(outbox, state).empty());
}

TEST_CASE("a browser may leave a mebibyte of answers", "[console]") {
  WallState state;
  Outbox outbox(StateReader::operator_);
  const std::string answer(1024, 'x');
  for (int i = 0; i < 1024; ++i) REQUIRE(outbox.add_answer(answer));
  CHECK_FALSE(outbox.add_answer("x"));
  CHECK(next_of(outbox, state) == answer);
  CHECK(outbox.add_answer("x"));
}

TEST_CASE("one answer may be longer than what may wait", "[console]") {
  Outbox outbox(StateReader::operator_);
  CHECK(outbox.add_answer(std::string(2 * Outbox::most_answer_bytes, 'x')));
  CHECK_FALSE(outbox.add_answer("x"));
}
