// What a replay takes from a log, and which logs are refused.

#include "player/director/log/recording.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;

namespace {
namespace recording_test {

const std::string head = "{\"log\":1,\"show\":\"/tour.toml\"}\n";
const std::string started = "{\"at_ns\":1000,\"event\":\"start\"}\n";

/// A line "command" with these further fields.
std::string command(const std::string& request, const std::string& more) {
  return "{\"at_ns\":1500,\"event\":\"command\",\"request\":" + request + "," + more + "}\n";
}

std::string done(const std::string& request, std::int64_t effect_ns, int version,
                 const std::string& more = "") {
  return command(request, "\"outcome\":\"done\",\"effect_ns\":" + std::to_string(effect_ns) +
                              ",\"version\":" + std::to_string(version) + more);
}

std::string log_refusal(const std::string& text) {
  try {
    static_cast<void>(recording_from_text(text, "a.jsonl"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace recording_test
}  // namespace

TEST_CASE("commands of one scene are one change, at its instant after the start", "[replay]") {
  using namespace recording_test;
  const Recording recording = recording_from_text(
      head + started + done(R"({"type":"next"})", 2000, 3, R"(,"cue":"two","begins_again":true)") +
          done(R"({"type":"freeze"})", 2000, 3) + done(R"({"type":"freeze"})", 2000, 4) +
          command(R"({"type":"show","verb":"reload","list":{}})", R"("outcome":"done")") +
          "{\"at_ns\":9000,\"event\":\"end\"}\n{\"at_ns\":9500,\"event\":\"note\"}\n",
      "a.jsonl");
  CHECK(recording.head.at("show") == "/tour.toml");
  REQUIRE(recording.changes.size() == 3);
  CHECK(recording.changes[0].effect == 1000ns);
  REQUIRE(recording.changes[0].commands.size() == 2);
  CHECK(recording.changes[0].commands[0].cue == "two");
  CHECK(recording.changes[0].commands[0].begins_again);
  CHECK(recording.changes[0].commands[0].line == 3);
  CHECK_FALSE(recording.changes[0].commands[1].cue);
  CHECK(recording.changes[2].effect == 500ns);  // when the list was loaded
  CHECK(recording.end == 8000ns);
  CHECK(recording.notes.empty());
}

TEST_CASE("what had no effect on the wall is not repeated", "[replay]") {
  using namespace recording_test;
  const Recording recording = recording_from_text(
      head + started + command(R"({"type":"next"})", R"("outcome":"refused","error":"last")") +
          done(R"({"type":"next"})", 2000, 3) +               // bounced
          done(R"({"type":"key","key":"enter"})", 2000, 3) +  // no such cue
          command(R"({"type":"key","key":"quit"})", R"("outcome":"done")") +
          command(R"({"type":"live","verb":"hold"})", R"("outcome":"done")") +
          command(R"({"type":"snapshot"})", R"("outcome":"done")") +
          command(R"({"type":"restart","role":"caster"})", R"("outcome":"done")") +
          "{\"at_ns\":9000,\"ev",
      "a.jsonl");
  CHECK(recording.changes.empty());
  CHECK(recording.end == 500ns);
  REQUIRE(recording.notes.size() == 2);
  CHECK(recording.notes[0] == "a.jsonl:10: the last line is not whole: it is left out");
  CHECK(recording.notes[1] ==
        "a.jsonl: commands \"snapshot\", \"live\" and \"restart\" are not repeated: 3");
}

TEST_CASE("a log that is wrong is refused with its line and field", "[replay]") {
  using namespace recording_test;
  struct Case {
    std::string text;
    const char* refusal;
  };
  const std::string begin = head + started;
  const Case cases[] = {
      {"", "a.jsonl:1: expected a show log, found an empty file"},
      {"x", "a.jsonl:1: expected one JSON object, found \"x\""},
      {"[1]\n", "a.jsonl:1: expected an object, found [1]"},
      {started, "a.jsonl:1: log: expected the first line of a show log, found none"},
      {"{\"log\":2}\n", "a.jsonl:1: log: expected 1, found 2"},
      {"{\"log\":-1}\n",
       "a.jsonl:1: log: expected a whole number from 0 to 2305843009213693952, found -1"},
      {head,
       "a.jsonl: expected the log of a show that has started, found no line with the event "
       "\"start\""},
      {begin + "\n" + begin, "a.jsonl:3: expected one JSON object, found \"\""},
      {begin + started, "a.jsonl:3: event: expected one line \"start\", found another one"},
      {head + "{\"event\":\"start\"}\n",
       "a.jsonl:2: at_ns: expected a whole number from 0 to 2305843009213693952, found none"},
      {head + "{\"at_ns\":1.5,\"event\":\"start\"}\n",
       "a.jsonl:2: at_ns: expected a whole number from 0 to 2305843009213693952, found 1.5"},
      {head + "{\"at_ns\":99999999999999999999,\"event\":\"start\"}\n",
       "a.jsonl:2: at_ns: expected a whole number from 0 to 2305843009213693952, found 1e+20"},
      {begin + "{\"at_ns\":5,\"event\":7}\n", "a.jsonl:3: event: expected a text, found 7"},
      {begin + command("7", "\"outcome\":\"done\""),
       "a.jsonl:3: request: expected an object, found 7"},
      {begin + command("{}", "\"outcome\":\"done\""),
       "a.jsonl:3: request.type: expected a verb, found none"},
      {begin + command("{\"type\":\"seek\"}", "\"outcome\":\"maybe\""),
       "a.jsonl:3: outcome: expected done or refused, found \"maybe\""},
      {begin + command("{\"type\":\"seek\"}", "\"outcome\":\"done\",\"version\":1"),
       "a.jsonl:3: effect_ns: expected a whole number from 0 to 2305843009213693952, found none"},
      {"{\"log\":1,\"show\":\"/tour.toml\",\"resumed\":true}\n" + started,
       "a.jsonl:1: resumed: expected the log of a show from its beginning, found that of a resumed "
       "one"},
      {begin + done("{\"type\":\"next\"}", 2000, 1, ",\"cue\":3"),
       "a.jsonl:3: cue: expected a text, found 3"},
      {begin + done("{\"type\":\"next\"}", 2000, 1, ",\"cue\":\"\""),
       "a.jsonl:3: cue: expected a text of 1 to 64 bytes, found \"\""},
      {begin + done("{\"type\":\"next\"}", 2000, 1, ",\"cue\":\"a\",\"begins_again\":1"),
       "a.jsonl:3: begins_again: expected true or false, found 1"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(log_refusal(one.text) == one.refusal);
  }
  CHECK_THAT(log_refusal(begin + std::string(100'000, '[') + "\n"),
             Catch::StartsWith("a.jsonl:3: expected one JSON object"));
}

TEST_CASE("what was commanded while panels gathered is there from the start on", "[replay]") {
  using namespace recording_test;
  const std::string list =
      command(R"({"type":"show","verb":"reload","list":{}})", R"("outcome":"done")");
  const Recording recording =
      recording_from_text(head + list + started + done("{\"type\":\"panic\"}", 900, 2) +
                              "{\"at_ns\":9000,\"event\":\"end\"}\n",
                          "a.jsonl");
  REQUIRE(recording.changes.size() == 2);
  CHECK(recording.changes[0].effect == 0ns);
  CHECK(recording.changes[1].effect == 0ns);
}
