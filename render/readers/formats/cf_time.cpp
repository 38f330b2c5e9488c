#include "render/readers/formats/cf_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "render/readers/formats/text_fields.hpp"

namespace tilewall::render {
namespace {

constexpr std::int64_t day_s = 86400;
constexpr std::int64_t most_years = 1'000'000;
constexpr double most_seconds = 366.0 * day_s * most_years;

struct CfDate {
  std::int64_t year = 0;
  int month = 1;
  int day = 1;
};

constexpr std::int64_t floor_of(std::int64_t number, std::int64_t by) noexcept {
  return number / by - (number % by < 0 ? 1 : 0);
}

// Days before March 1st of the year 0 are negative. Years begin in March, so that the day that some
// years lack is the last one. Source: "chrono-Compatible Low-Level Date Algorithms" (H. Hinnant).
constexpr std::int64_t march_day(int month, int day) noexcept {
  return (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
}

constexpr std::int64_t gregorian_day(const CfDate& date) noexcept {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_of(year, 400);
  const std::int64_t in_era = year - era * 400;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + march_day(date.month, date.day);
}

constexpr std::int64_t julian_day_alone(const CfDate& date) noexcept {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  return year * 365 + floor_of(year, 4) + march_day(date.month, date.day);
}

// The day after 1582-10-04 of the Julian calendar is 1582-10-15 of the Gregorian one.
constexpr std::int64_t reform_day = gregorian_day({1582, 10, 15});
constexpr std::int64_t julian_shift = reform_day - julian_day_alone({1582, 10, 5});

constexpr std::int64_t julian_day(const CfDate& date) noexcept {
  return julian_day_alone(date) + julian_shift;
}

constexpr std::array<int, 12> month_days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

/// Days of a calendar all of whose years are alike.
std::int64_t fixed_day(const CfDate& date, int year_days) noexcept {
  std::int64_t day = date.year * year_days + date.day - 1;
  for (int month = 1; month < date.month; ++month) {
    if (year_days == 360)
      day += 30;
    else
      day += month_days[static_cast<std::size_t>(month) - 1] + (month == 2 ? year_days - 365 : 0);
  }
  return day;
}

/// Number of the date's day. Dates of one calendar that follow each other have numbers that do.
std::int64_t day_of(const CfDate& date, CfCalendar calendar) noexcept {
  switch (calendar) {
    case CfCalendar::proleptic_gregorian:
      return gregorian_day(date);
    case CfCalendar::julian:
      return julian_day(date);
    case CfCalendar::noleap:
      return fixed_day(date, 365);
    case CfCalendar::all_leap:
      return fixed_day(date, 366);
    case CfCalendar::days_360:
      return fixed_day(date, 360);
    case CfCalendar::standard:
      break;
  }
  const std::int64_t gregorian = gregorian_day(date);
  return gregorian >= reform_day ? gregorian : julian_day(date);
}

CfDate next_month(const CfDate& date) noexcept {
  return date.month < 12 ? CfDate{date.year, date.month + 1, 1} : CfDate{date.year + 1, 1, 1};
}

/// The year of a day, or an earlier one. It is off by two, and by one more in 40,000 years of the
/// Julian calendar, as years have 365.2425 days in the mean here.
std::int64_t year_before(std::int64_t day, CfCalendar calendar) noexcept {
  switch (calendar) {
    case CfCalendar::noleap:
      return floor_of(day, 365);
    case CfCalendar::all_leap:
      return floor_of(day, 366);
    case CfCalendar::days_360:
      return floor_of(day, 360);
    default:
      break;
  }
  const auto year = static_cast<std::int64_t>(std::floor(static_cast<double>(day) / 365.2425));
  return year - 3 - std::abs(year) / 40'000;
}

CfDate date_of(std::int64_t day, CfCalendar calendar) noexcept {
  CfDate date{year_before(day, calendar), 1, 1};
  while (day_of({date.year + 1, 1, 1}, calendar) <= day) ++date.year;
  while (date.month < 12 && day_of(next_month(date), calendar) <= day) ++date.month;
  date.day = static_cast<int>(day - day_of(date, calendar)) + 1;
  // In October 1582 ten days are missing.
  if (calendar == CfCalendar::standard && date.year == 1582 && date.month == 10 &&
      day >= reform_day)
    date.day += 10;
  return date;
}

struct CfUnit {
  double seconds = 0;
  double months = 0;
};

std::optional<CfUnit> unit_of(std::string_view word) {
  static constexpr std::pair<std::string_view, CfUnit> units[] = {{"day", {day_s, 0}},
                                                                  {"d", {day_s, 0}},
                                                                  {"hour", {3600, 0}},
                                                                  {"hr", {3600, 0}},
                                                                  {"h", {3600, 0}},
                                                                  {"minute", {60, 0}},
                                                                  {"min", {60, 0}},
                                                                  {"second", {1, 0}},
                                                                  {"sec", {1, 0}},
                                                                  {"s", {1, 0}},
                                                                  {"millisecond", {1e-3, 0}},
                                                                  {"msec", {1e-3, 0}},
                                                                  {"ms", {1e-3, 0}},
                                                                  {"microsecond", {1e-6, 0}},
                                                                  {"month", {0, 1}},
                                                                  {"year", {0, 12}},
                                                                  {"common_year", {365 * day_s, 0}},
                                                                  {"week", {7 * day_s, 0}}};
  for (const auto& [name, unit] : units)
    if (word == name || (word.size() > 1 && word == std::string(name) + "s")) return unit;
  return std::nullopt;
}

/// "1901-6-1", "1901-06" or "-100-1-1".
std::optional<CfDate> date_in(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto parts = split(text, "-");
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  std::array<std::int64_t, 3> numbers = {0, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_whole(parts[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  if (numbers[0] > most_years || numbers[1] < 1 || numbers[1] > 12 || numbers[2] < 1 ||
      numbers[2] > 31)
    return std::nullopt;
  return CfDate{negative ? -numbers[0] : numbers[0], static_cast<int>(numbers[1]),
                static_cast<int>(numbers[2])};
}

/// Seconds of "12:30:00", "12:30" or "12".
std::optional<double> clock_seconds(std::string_view text) {
  const auto parts = split(text, ":");
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  double seconds = 0, unit = 3600;
  for (const std::string& part : parts) {
    const auto number = parse_real(part);
    if (!number || !(*number >= 0 && *number < 100)) return std::nullopt;
    seconds += unit * *number;
    unit /= 60;
  }
  return seconds;
}

/// Seconds of a time of day with its zone: "00:00:00 +1:00", "00:00z", "6:00 utc".
std::optional<double> time_in(std::string text) {
  for (const std::string_view zone : {"utc", "gmt", "z"})
    if (text.ends_with(zone)) text.resize(text.size() - zone.size());
  const std::size_t sign = text.find_first_of("+-");
  double seconds = 0;
  if (const std::string_view clock = trimmed(std::string_view(text).substr(0, sign));
      !clock.empty()) {
    const auto here = clock_seconds(clock);
    if (!here) return std::nullopt;
    seconds = *here;
  }
  if (sign == std::string::npos) return seconds;
  const auto zone = clock_seconds(trimmed(std::string_view(text).substr(sign + 1)));
  if (!zone) return std::nullopt;
  return text[sign] == '+' ? seconds - *zone : seconds + *zone;
}

}  // namespace

std::optional<CfCalendar> cf_calendar(std::string_view word) {
  static constexpr std::pair<std::string_view, CfCalendar> words[] = {
      {"", CfCalendar::standard},          {"standard", CfCalendar::standard},
      {"gregorian", CfCalendar::standard}, {"proleptic_gregorian", CfCalendar::proleptic_gregorian},
      {"julian", CfCalendar::julian},      {"noleap", CfCalendar::noleap},
      {"365_day", CfCalendar::noleap},     {"all_leap", CfCalendar::all_leap},
      {"366_day", CfCalendar::all_leap},   {"360_day", CfCalendar::days_360}};
  const std::string lower = lower_case(trimmed(word));
  for (const auto& [name, calendar] : words)
    if (lower == name) return calendar;
  return std::nullopt;
}

std::optional<CfTime> CfTime::parse(std::string_view units, CfCalendar calendar) {
  constexpr std::string_view since = " since ";
  const std::string text = lower_case(units);
  const std::size_t at = text.find(since);
  if (at == std::string::npos) return std::nullopt;
  const auto unit = unit_of(trimmed(std::string_view(text).substr(0, at)));
  const std::string_view rest = trimmed(std::string_view(text).substr(at + since.size()));
  const std::size_t end = std::min(rest.find_first_of(" t"), rest.size());
  const auto date = date_in(rest.substr(0, end));
  const auto second = time_in(std::string(trimmed(rest.substr(std::min(end + 1, rest.size())))));
  if (!unit || !date || !second) return std::nullopt;
  CfTime time;
  time.calendar_ = calendar;
  time.unit_s_ = unit->seconds;
  time.months_ = unit->months;
  time.day_ = day_of(*date, calendar);
  time.second_ = *second;
  return time;
}

std::string CfTime::label(double time) const {
  double seconds = second_ + time * unit_s_;
  std::int64_t from = day_;
  if (unit_s_ == 0) {
    const double months = time * months_;
    if (!(std::abs(months) < 12.0 * most_years)) return "";
    // Whole months are counted in the calendar; of the rest, the month that has begun is a part.
    CfDate date = date_of(day_, calendar_);
    const std::int64_t whole = date.month - 1 + static_cast<std::int64_t>(std::floor(months));
    date.year += floor_of(whole, 12);
    date.month = static_cast<int>(whole - 12 * floor_of(whole, 12)) + 1;
    from = day_of(date, calendar_);
    const std::int64_t first = day_of({date.year, date.month, 1}, calendar_);
    seconds += (months - std::floor(months)) * static_cast<double>(day_s) *
               static_cast<double>(day_of(next_month(date), calendar_) - first);
  }
  if (!(std::abs(seconds) < most_seconds)) return "";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const CfDate date = date_of(from + floor_of(whole, day_s), calendar_);
  const std::int64_t second = whole - day_s * floor_of(whole, day_s);
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", date.year, date.month, date.day,
                                 second / 3600, second / 60 % 60);
  if (second % 60 != 0) text += fmt::format(":{:02}", second % 60);
  return text;
}

}  // namespace tilewall::render
