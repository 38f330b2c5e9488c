// The fields of clients' requests: which values they take, and what is said of others.

#include "player/director/connections/request_fields.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {

nlohmann::json request_with(const std::string& value) {
  return nlohmann::json::parse(R"({"type": "verb", "field": )" + value + "}");
}

/// The line of the refusal of a request's field; "" where it is taken.
template <typename Read>
std::string refusal_of(const std::string& value, Read&& read) {
  const nlohmann::json request = request_with(value);
  RequestFields fields(request);
  try {
    static_cast<void>(read(fields));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a request is an object with a type, and all of its fields are known", "[director]") {
  const nlohmann::json request = request_with("1");
  RequestFields fields(request);
  CHECK(fields.verb() == "verb");
  CHECK_THROWS_AS(fields.check_all_known(), InputError);
  CHECK(fields.has("field"));
  CHECK_FALSE(fields.has("other"));
  CHECK_NOTHROW(fields.check_all_known());
  for (const char* wrong : {"[]", "3", "{}", R"({"type": 3})"}) {
    const nlohmann::json other = nlohmann::json::parse(wrong);
    CHECK_THROWS_AS(RequestFields(other), InputError);
  }
}

TEST_CASE("who asks has a name of 1 to 64 bytes", "[director]") {
  const auto is_taken = [](const nlohmann::json& person) {
    const nlohmann::json request = {{"type", "verb"}, {"person", person}};
    try {
      static_cast<void>(RequestFields(request));
      return true;
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("verb: person: expected a name of 1 to 64 bytes"));
      return false;
    }
  };
  CHECK(is_taken("A"));
  CHECK(is_taken(std::string(64, 'a')));
  CHECK_FALSE(is_taken(std::string(65, 'a')));
  CHECK_FALSE(is_taken(""));
  CHECK_FALSE(is_taken(7));
}

TEST_CASE("a refusal names a verb and its field, and a name of both once", "[director]") {
  const auto number = [](RequestFields& fields) { return fields.number("field"); };
  CHECK_THAT(refusal_of("null", number), Catch::StartsWith("verb: field: expected "));
  const nlohmann::json request = {{"type", "speed"}, {"speed", "nan"}};
  RequestFields fields(request);
  CHECK_THROWS_WITH(fields.rate("speed"), Catch::StartsWith("speed: expected "));
}

TEST_CASE("numbers of requests are finite, whole ones have 64 bits", "[director]") {
  const auto number = [](RequestFields& fields) { return fields.number("field"); };
  for (const char* good : {"0", "-1.5", "1e300"}) CHECK(refusal_of(good, number).empty());
  for (const char* bad : {"\"1\"", "null", "true", "[1]"}) {
    CAPTURE(bad);
    CHECK_THAT(refusal_of(bad, number), Catch::Contains("a number"));
  }
  const auto whole = [](RequestFields& fields) { return fields.whole("field"); };
  for (const char* good : {"0", "-9223372036854775808", "9223372036854775807"})
    CHECK(refusal_of(good, whole).empty());
  for (const char* bad : {"1.0", "9223372036854775808", "\"1\"", "null"}) {
    CAPTURE(bad);
    CHECK_THAT(refusal_of(bad, whole), Catch::Contains("a whole number"));
  }
  const nlohmann::json request = request_with("7");
  RequestFields fields(request);
  CHECK(fields.number("field") == 7);
  CHECK(fields.number_or("field", 1) == 7);
  CHECK(fields.number_or("other", 1) == 1);
  CHECK(fields.whole("field") == 7);
  CHECK(fields.whole_if("field") == std::int64_t{7});
  CHECK_FALSE(fields.whole_if("other"));
  CHECK_THROWS_AS(fields.number("other"), InputError);
}

TEST_CASE("a list of numbers has as many as it must, all finite", "[director]") {
  const auto three = [](RequestFields& fields) { return fields.numbers("field", 3); };
  CHECK(refusal_of("[1, 2.5, -3]", three).empty());
  for (const char* bad : {"[1, 2]", "[1, 2, 3, 4]", "[1, 2, \"3\"]", "[1, 2, null]", "3", "{}"}) {
    CAPTURE(bad);
    CHECK_THAT(refusal_of(bad, three), Catch::Contains("3 numbers"));
  }
  const nlohmann::json request = request_with("[1, 2, 3, 4]");
  RequestFields fields(request);
  CHECK(fields.rect("field") == RectF{1, 2, 3, 4});
  CHECK(fields.numbers("field", 4) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("a glide lasts up to a minute", "[director]") {
  const auto glide = [](const std::string& seconds) {
    const nlohmann::json request =
        nlohmann::json::parse(R"({"type": "verb", "glide_s": )" + seconds + "}");
    return RequestFields(request).glide();
  };
  CHECK(glide("0") == Nanos(0));
  CHECK(glide("0.25") == Nanos(250'000'000));
  CHECK(glide("60") == Nanos(60'000'000'000));
  CHECK_THROWS_WITH(glide("60.1"), Catch::Contains("0 to 60"));
  CHECK_THROWS_WITH(glide("-0.1"), Catch::Contains("0 to 60"));
  const nlohmann::json none = {{"type", "verb"}};
  CHECK(RequestFields(none).glide(Nanos(500'000'000)) == Nanos(500'000'000));
}

TEST_CASE("rates are numbers or fractions, and flags are true or false", "[director]") {
  const auto rate = [](const std::string& value) {
    const nlohmann::json request = request_with(value);
    return RequestFields(request).rate("field");
  };
  CHECK(rate("2") == Rational{2, 1});
  CHECK(rate("0.5") == Rational{1, 2});
  CHECK(rate("\"1/3\"") == Rational{1, 3});
  CHECK_THROWS_WITH(rate("\"x\""), Catch::Contains("a number or a fraction"));
  CHECK_THROWS_AS(rate("[1]"), InputError);
  const auto flag = [](RequestFields& fields) { return fields.flag("field"); };
  CHECK(refusal_of("true", flag).empty());
  CHECK_THAT(refusal_of("1", flag), Catch::Contains("true or false"));
  const auto text = [](RequestFields& fields) { return fields.text("field"); };
  CHECK(refusal_of("\"words\"", text).empty());
  CHECK_THAT(refusal_of("1", text), Catch::Contains("text"));
  const nlohmann::json request = request_with("\"words\"");
  RequestFields fields(request);
  CHECK(fields.text_or("field", "other") == "words");
  CHECK(fields.text_or("missing", "other") == "other");
}
