#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <string>

#include "player/cli/ctl/words.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

/// UTC as 2026-11-24T12:00:00.123456Z.
std::string utc_text(std::int64_t since_1970_ns) {
  namespace chrono = std::chrono;
  const auto us = chrono::floor<chrono::microseconds>(chrono::nanoseconds(since_1970_ns));
  const auto days = chrono::floor<chrono::days>(us);
  const chrono::year_month_day date{chrono::sys_days(days)};
  const chrono::hh_mm_ss time(us - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace

std::string logs_text(const Json& logs) {
  const std::int64_t utc_minus_global_ns =
      logs.at("utc_ns").get<std::int64_t>() - logs.at("now_ns").get<std::int64_t>();
  std::string text;
  for (const Json& line : logs.at("lines"))
    text += fmt::format("{} {} {}: {}\n",
                        utc_text(line.at("at_ns").get<std::int64_t>() + utc_minus_global_ns),
                        line.at("host").get<std::string>(), line.at("role").get<std::string>(),
                        line.at("text").get<std::string>());
  return text;
}

Json lines_since(const Json& before, const Json& now) {
  using Line = std::array<std::string, 3>;
  const auto line_of = [](const Json& line) {
    return Line{line.at("host").get<std::string>(), line.at("role").get<std::string>(),
                line.at("text").get<std::string>()};
  };
  std::map<Line, int> known;
  for (const Json& line : before) ++known[line_of(line)];
  Json added = Json::array();
  for (const Json& line : now)
    if (--known[line_of(line)] < 0) added.push_back(line);
  return added;
}

}  // namespace tilewall::cli
