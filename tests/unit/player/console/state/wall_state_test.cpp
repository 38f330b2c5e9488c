// The state in revisions: whole for who has none, patches for all others.

#include "player/console/state/wall_state.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tilewall::console;
using Json = nlohmann::json;

TEST_CASE("a revision is made where something has changed", "[console]") {
  WallState state;
  CHECK(state.revision() == 0);
  CHECK_FALSE(state.commit());
  state.set("director", "away");
  CHECK(state.revision() == 0);
  CHECK(state.commit());
  CHECK(state.revision() == 1);
  state.set("director", "connected");
  state.set("director", "away");
  CHECK_FALSE(state.commit());
  CHECK(state.part("director") == "away");
  CHECK(state.part("status").is_null());
}

TEST_CASE("patches lead from each revision that is kept to the newest one", "[console]") {
  WallState state;
  std::vector<Json> states = {Json::object()};
  for (std::uint64_t i = 1; i <= 40; ++i) {
    state.set("count", i);
    if (i % 3 == 0)
      state.set("third", {{"at", i}});
    else
      state.set("third", nullptr);
    REQUIRE(state.commit());
    const Json whole = Json::parse(*state.message_from(std::nullopt, StateReader::operator_));
    CHECK(whole.at("type") == "state");
    CHECK(whole.at("revision") == i);
    states.push_back(whole.at("state"));
  }
  for (std::uint64_t from = 0; from < 40; ++from) {
    const Json message = Json::parse(*state.message_from(from, StateReader::operator_));
    const bool is_kept = from + WallState::kept_revisions > 40;
    CHECK(message.at("type") == (is_kept ? "patch" : "state"));
    CHECK(message.at("revision") == 40);
    if (!is_kept) continue;
    CHECK(message.at("from") == from);
    Json page = states[from];
    page.merge_patch(message.at("patch"));
    CHECK(page.at("count") == 40);
    CHECK(page.value("third", Json()).is_null());
  }
  // A revision of a console before this one.
  CHECK(Json::parse(*state.message_from(7000, StateReader::operator_)).at("type") == "state");
}

TEST_CASE("revisions share the parts that are equal in them", "[console]") {
  WallState state;
  state.set("status", {{"fps", 24}});
  state.set("lines", 1);
  REQUIRE(state.commit());
  const Json* const status = &state.part("status");
  state.set("status", {{"fps", 24}});
  state.set("lines", 2);
  REQUIRE(state.commit());
  CHECK(&state.part("status") == status);
  CHECK(Json::parse(*state.message_from(1, StateReader::operator_)).at("patch") ==
        Json{{"lines", 2}});
  state.set("status", {{"fps", 23}});
  state.set("status", {{"fps", 24}});
  CHECK(&state.part("status") == status);
  CHECK_FALSE(state.commit());
}

TEST_CASE("a message is made once for all who need it", "[console]") {
  WallState state;
  state.set("a", 1);
  state.commit();
  state.set("a", 2);
  state.commit();
  CHECK(state.message_from(1, StateReader::operator_) ==
        state.message_from(1, StateReader::operator_));
  CHECK(state.message_from(std::nullopt, StateReader::operator_) ==
        state.message_from(std::nullopt, StateReader::operator_));
  const SharedText old_patch = state.message_from(1, StateReader::operator_);
  const SharedText old_whole = state.message_from(std::nullopt, StateReader::operator_);
  state.set("a", 3);
  state.commit();
  CHECK(*state.message_from(1, StateReader::operator_) != *old_patch);
  CHECK(*state.message_from(std::nullopt, StateReader::operator_) != *old_whole);
}

TEST_CASE("a state with bytes that are no UTF-8 is told as text", "[console]") {
  WallState state;
  state.set("name", "\xff");
  state.commit();
  CHECK(Json::parse(*state.message_from(std::nullopt, StateReader::operator_))
            .at("state")
            .at("name") == "\xef\xbf\xbd");
}

TEST_CASE("guests get no part of the state that is for operators alone", "[console]") {
  WallState state({"movies"});
  state.set("director", "away");
  state.set("movies", {{{"movie", "/home/ann/secret"}}});
  state.commit();
  const auto told = [&](std::optional<std::uint64_t> from, StateReader reader) {
    const Json message = Json::parse(*state.message_from(from, reader));
    return message.at(from ? "patch" : "state");
  };
  const Json director = {{"director", "away"}};
  CHECK(told(std::nullopt, StateReader::guest) == director);
  CHECK(told(0, StateReader::guest) == director);
  CHECK(told(std::nullopt, StateReader::operator_).contains("movies"));
  CHECK(told(0, StateReader::operator_).contains("movies"));
  state.set("movies", Json::array());
  state.commit();
  CHECK(told(1, StateReader::guest) == Json::object());
  CHECK(told(1, StateReader::operator_) == Json{{"movies", Json::array()}});
}
