// Times by the CF conventions (cfconventions.org, 4.4): numbers of units since a date, in one of
// several calendars.
//
// Threads: values and free functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewall::render {

enum class CfCalendar : std::uint8_t {
  standard,  ///< Julian up to 1582-10-04, then Gregorian from 1582-10-15
  proleptic_gregorian,
  julian,
  noleap,    ///< 365 days in every year
  all_leap,  ///< 366 days in every year
  days_360   ///< 30 days in every month
};

/// The calendar of an attribute `calendar`; "" is the standard one. Empty for unknown words.
[[nodiscard]] std::optional<CfCalendar> cf_calendar(std::string_view word);

class CfTime {
 public:
  /// Parses units such as "days since 1901-01-01 00:00". Empty for other text, and for a date that
  /// no calendar has.
  [[nodiscard]] static std::optional<CfTime> parse(std::string_view units, CfCalendar calendar);

  /// The date and time of a number in these units, rounded to seconds: "1901-06-01 00:00", with
  /// seconds if they are not 0. "" for a number that is not finite or beyond a million years.
  [[nodiscard]] std::string label(double time) const;

 private:
  CfCalendar calendar_ = CfCalendar::standard;
  double unit_s_ = 0;     // length of a unit; 0: it is counted in months
  double months_ = 0;     // months in a unit, if unit_s_ is 0
  std::int64_t day_ = 0;  // the date, counted in days by the calendar
  double second_ = 0;     // within that day; negative or above 86400 in other time zones
};

}  // namespace tilewall::render
