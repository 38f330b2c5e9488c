// The JSON forms of requests and answers, and what is refused of them.

#include <catch2/catch.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "player/survey/survey_answer.hpp"
#include "player/survey/survey_request.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::survey;
using Json = nlohmann::json;

namespace {

SurveyRequest full_request() {
  SurveyRequest request;
  request.version = "tilewall 1.2.3";
  request.files = {{"/m/a.mp4", "cue 7", {}, {1, 12, -5, "0123456789abcdef"}, true},
                   {"/stills", "", {"a.png", "", "b.png"}, {2, 99, 1'000'000'007, {}}, false}};
  request.displays = {{":0.1", "left"}, {"", ""}};
  request.servers = {{"tilewall://10.0.0.1:7642", "cue 8"}};
  request.memory_bytes = std::uint64_t{1} << 40;
  request.clock = {"10.0.0.1:7641,10.0.0.2:7641", 250.5};
  request.logs = {"/run/user/1000", 4096};
  MediaSubject media;
  media.kind = MediaKind::images;
  media.path = "/stills";
  media.label = "cue 9";
  media.names = {"a.png", "", "b.png"};
  media.first_frame = 1;
  media.end_frame = 3;
  media.fps = {30000, 1001};
  media.frame_bytes = 17;
  media.views = {{{{0.5, 1, 640, 480}, {-10, 0, 1280, 960}}, {1280, 1024}}};
  media.time = std::chrono::milliseconds(250);
  request.media = {media};
  request.omitted = {
      {CheckKind::display, "", "", Light::not_measured, "", "", "the show has no windows"}};
  request.limit = std::chrono::milliseconds(12'345);
  request.check_limit = std::chrono::milliseconds(777);
  return request;
}

/// The line with which the request is refused after `change`.
template <typename Change>
std::string refusal(Change change) {
  Json json = to_json(full_request());
  change(json);
  try {
    static_cast<void>(request_from_json(json));
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was taken";
}

}  // namespace

TEST_CASE("a request reads back as it was", "[survey]") {
  CHECK(request_from_json(Json::parse(to_json(full_request()).dump())) == full_request());
  CHECK(request_from_json(to_json(SurveyRequest{})) == SurveyRequest{});
}

TEST_CASE("a wrong request is refused by the name of the field", "[survey]") {
  CHECK(refusal([](Json& json) { json = Json::array(); }) ==
        "message: survey: expected a value of its type, found none");
  CHECK(refusal([](Json& json) { json["survey"] = 2; }) ==
        "message: survey: expected a whole number from 1 to 1, found 2");
  CHECK(refusal([](Json& json) { json["files"][0]["path"] = "a.mp4"; }) ==
        "message: path: expected an absolute path, found another value");
  CHECK(refusal([](Json& json) { json["files"][0]["path"] = std::string(5000, '/'); }) ==
        "message: path: expected a text of at most 4096 bytes, found another value");
  CHECK(refusal([](Json& json) { json["files"][0].erase("size_bytes"); }) ==
        "message: size_bytes: expected a value of its type, found none");
  CHECK(refusal([](Json& json) { json["files"][0]["size_bytes"] = -1; }) ==
        "message: size_bytes: expected a value of its type, found -1");
  CHECK(refusal([](Json& json) { json["files"][0]["hash"] = "0123456789ABCDEF"; }) ==
        "message: hash: expected 16 hexadecimal digits, found another value");
  CHECK(refusal([](Json& json) { json["files"] = 3; }) ==
        "message: files: expected a list within its limit, found another value");
  CHECK(refusal([](Json& json) { json["displays"] = Json(std::vector<int>(100'001)); }) ==
        "message: displays: expected a list within its limit, found another value");
  CHECK(refusal([](Json& json) { json["limit_ms"] = 0; }) ==
        "message: limit_ms: expected a whole number from 1 to 86400000, found 0");
  CHECK(refusal([](Json& json) { json["media"][0]["kind"] = "film"; }) ==
        "message: kind: expected wall_movie, images, movie, file, found \"film\"");
  CHECK(refusal([](Json& json) { json["media"][0]["end_frame"] = 1; }) ==
        "message: end_frame: expected a whole number from 2 to 281474976710657, found 1");
  CHECK(refusal([](Json& json) { json["media"][0]["end_frame"] = 4; }) ==
        "message: names: expected a file for each frame, found another value");
  CHECK(refusal([](Json& json) {
          json["media"][0]["fps"] = {24, 0};
        }) == "message: fps: expected a rate as two numbers, found another value");
  CHECK(refusal([](Json& json) { json["media"][0]["time_ms"] = 700'000; }) ==
        "message: time_ms: expected a whole number from 1 to 600000, found 700000");
  CHECK(refusal([](Json& json) {
          json["media"][0]["views"][0]["movie_px"] = {0, 0, 1};
        }) == "message: movie_px: expected four numbers, found another value");
  CHECK(refusal([](Json& json) {
          json["media"][0]["views"][0]["movie_px"] = {0, 0, 0, 1};
        }) == "message: movie_px: expected a view of some pixels, found another value");
  CHECK(refusal([](Json& json) {
          json["media"][0]["views"][0]["size_px"] = {0, 1};
        }) == "message: size_px: expected width and height of a panel, found another value");
  CHECK(refusal([](Json& json) { json["omitted"][0]["light"] = "blue"; }) ==
        "message: light: expected green, amber, red, not_measured, found \"blue\"");
}

TEST_CASE("an answer reads back as it was, each kind of check and each light", "[survey]") {
  SurveyAnswer answer{"h1", "tilewall 1.2.3", {}};
  for (std::size_t kind = 0; kind < std::size(check_kind_names); ++kind) {
    SurveyCheck check{static_cast<CheckKind>(kind),
                      "subject",
                      "label",
                      static_cast<Light>(kind % std::size(light_names)),
                      "expected",
                      "found",
                      "text"};
    check.subject += std::to_string(kind);
    if (kind % 2 == 0) check.rate_ratio = 0.25 * static_cast<double>(kind);
    if (kind % 3 == 0) check.label.clear();
    answer.checks.push_back(check);
  }
  CHECK(answer_from_json(Json::parse(to_json(answer).dump())) == answer);
  CHECK(answer_from_json(Json(to_json(SurveyAnswer{}))) == SurveyAnswer{});
}

TEST_CASE("the JSON form of an answer is the documented one", "[survey]") {
  const SurveyAnswer answer = answer_from_json(Json::parse(R"({
    "survey": 1, "host": "h1", "version": "tilewall 1.2.3", "checks": [
      {"kind": "decode", "subject": "/m/a.mp4", "label": "cue 1", "light": "amber",
       "expected": "24 fps", "found": "30 fps", "text": "scarce", "rate_ratio": 1.25},
      {"kind": "host", "subject": "", "light": "not_measured", "expected": "", "found": "",
       "text": ""}]})"));
  CHECK(answer == SurveyAnswer{"h1",
                               "tilewall 1.2.3",
                               {{CheckKind::decode, "/m/a.mp4", "cue 1", Light::amber, "24 fps",
                                 "30 fps", "scarce", 1.25},
                                {}}});
}

TEST_CASE("a wrong answer is refused by the name of the field", "[survey]") {
  const auto refusal = [](const auto& change) -> std::string {
    Json json = Json(to_json(SurveyAnswer{"h1", "tilewall 1.2.3", {SurveyCheck{}}}));
    change(json);
    try {
      static_cast<void>(answer_from_json(json));
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was taken";
  };
  for (const char* const field : {"survey", "host", "version", "checks"})
    CHECK(refusal([&](Json& json) { json.erase(field); }) ==
          std::string("message: ") + field + ": expected a value of its type, found none");
  for (const char* const field : {"kind", "subject", "light", "expected", "found", "text"})
    CHECK(refusal([&](Json& json) { json["checks"][0].erase(field); }) ==
          std::string("message: ") + field + ": expected a value of its type, found none");
  CHECK(refusal([](Json& json) { json["survey"] = 2; }) ==
        "message: survey: expected a whole number from 1 to 1, found 2");
  CHECK(refusal([](Json& json) { json["survey"] = 0; }) ==
        "message: survey: expected a whole number from 1 to 1, found 0");
  CHECK(refusal([](Json& json) { json["checks"] = 3; }) ==
        "message: checks: expected a list of checks, found another value");
  CHECK(refusal([](Json& json) { json["checks"][0]["rate_ratio"] = "fast"; }) ==
        "message: rate_ratio: expected a value of its type, found \"fast\"");
  CHECK(refusal([](Json& json) { json["checks"][0]["kind"] = "disk"; }) ==
        "message: kind: expected host, version, memory, logs, clock, display, server, file, read, "
        "decode, found \"disk\"");
}

TEST_CASE("an answer is found among a launcher's lines", "[survey]") {
  const SurveyAnswer answer{
      "h1",
      "tilewall 1.2.3",
      {{CheckKind::file, "/m/a\xff.mp4", "cue 1", Light::amber, "1 kB", "2 kB", "changed"},
       {CheckKind::read, "/m", "", Light::red, "", "", "slow", 0.25}}};
  const SurveyAnswer found =
      answer_in("Welcome to h1\n{\"other\":1}\n" + answer_line(answer) + "bye\n");
  REQUIRE(found.checks.size() == 2);
  CHECK(found.checks[0].subject == "/m/a\xef\xbf\xbd.mp4");  // no UTF-8: replaced
  CHECK(found.checks[1] == answer.checks[1]);
  CHECK(found.host == "h1");
  CHECK_THROWS_WITH(answer_in("Welcome\n"),
                    "survey: expected a line with the answer, found others");
  CHECK_THROWS_WITH(answer_in(""), "survey: expected a line with the answer, found nothing");
  CHECK_THROWS_AS(answer_in("{\"survey\":1,\"host\":\"h1\"}"), InputError);
  CHECK_THROWS_AS(answer_in("{\"survey\":1,\"host\":"), InputError);
}

TEST_CASE("a long text of an answer is cut", "[survey]") {
  SurveyCheck check;
  check.text = std::string(longest_check_text + 1, 'x');
  CHECK(check_from_json(Json(to_json(check))).text.size() == longest_check_text);
  check.text = std::string(longest_check_text, 'x');
  CHECK(check_from_json(Json(to_json(check))) == check);
}
