#include "player/volume/caster/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tilewall::volume {
namespace {

constexpr int most_plain_exponent = 4;    // 99999 has no factor
constexpr int least_plain_exponent = -3;  // nor has 0.001
constexpr double least_for_two = 1.5;     // ticks that have room; two are shown then
constexpr double most_steps = 1e15;       // below 2^53
constexpr double roundings = 1e-9;        // of a step: what sums of steps are off by

std::string superscript(int number) {
  constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number))
    text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  return text;
}

int exponent_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) + roundings));
}

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

/// The next smaller round step.
double finer(double step) {
  const double leading = step / power_of_ten(exponent_of(step));
  return step / (leading > 4 ? 2.5 : 2);
}

/// The number of a step's multiples in a range.
double multiples_in(double least, double greatest, double step) {
  return std::floor(greatest / step + roundings) - std::ceil(least / step - roundings) + 1;
}

/// Multiples of a round step.
AxisTicks even_ticks(double least, double greatest, double most) {
  AxisTicks ticks;
  double step = round_below((greatest - least) / std::max(most, 1.0));
  if (!(step > 0)) return ticks;
  const double wanted = (greatest - least) / std::max(most, 1.0);
  if (step < wanted * (1 - roundings)) {  // the next round one
    const double leading = step / power_of_ten(exponent_of(step));
    step *= leading < 1.5 ? 2 : leading < 3 ? 2.5 : 2;
  }
  // A single number tells no scale.
  if (most > least_for_two && multiples_in(least, greatest, step) < 2) step = finer(step);
  const double largest = std::max(std::abs(least), std::abs(greatest));
  const int exponent = exponent_of(largest);
  const bool is_plain = exponent <= most_plain_exponent && exponent >= least_plain_exponent;
  const double factor = is_plain ? 1 : power_of_ten(exponent);
  if (!is_plain) ticks.factor = "10" + superscript(exponent);
  const int decimals = std::clamp(-exponent_of(step / factor), 0, 12);
  const double first = std::ceil(least / step - roundings);
  const double last = std::floor(greatest / step + roundings);
  // Steps so small beside the values have no numbers of their own, and adding 1 changes nothing.
  if (std::max(std::abs(first), std::abs(last)) > most_steps) return ticks;
  const auto end = static_cast<std::int64_t>(last);
  for (auto i = static_cast<std::int64_t>(first); i <= end; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks.ticks.push_back({std::clamp(value, least, greatest),
                           with_minus(fmt::format("{:.{}f}", value / factor, decimals))});
  }
  return ticks;
}

/// "100" where all powers are short, else "10²".
std::string power_text(int exponent, bool is_plain) {
  if (!is_plain) return "10" + superscript(exponent);
  return exponent < 0 ? fmt::format("{:.{}f}", power_of_ten(exponent), -exponent)
                      : fmt::format("{:.0f}", power_of_ten(exponent));
}

bool is_short(int exponent) { return exponent >= -2 && exponent <= 3; }

AxisTicks decade_ticks(double least, double greatest, double most) {
  const auto first = static_cast<int>(std::ceil(std::log10(least) - roundings));
  const auto last = static_cast<int>(std::floor(std::log10(greatest) + roundings));
  if (last - first < 1) return even_ticks(least, greatest, most);  // less than two decades
  const int every =
      std::max(1, static_cast<int>(std::ceil((last - first + 1) / std::max(most, 2.0))));
  const bool is_plain = is_short(first) && is_short(last);
  AxisTicks ticks;
  // Counted from 1, so that other ranges have the same decades.
  for (int exponent = first; exponent <= last; ++exponent)
    if (exponent % every == 0)
      ticks.ticks.push_back({power_of_ten(exponent), power_text(exponent, is_plain)});
  return ticks;
}

/// Zero, and powers of ten to both sides of it from the threshold on.
AxisTicks symlog_ticks(const render::ValueCurve& curve, double least, double greatest,
                       double most) {
  const double largest = std::max(std::abs(least), std::abs(greatest));
  const auto first = static_cast<int>(std::ceil(std::log10(curve.threshold) - roundings));
  const auto last = static_cast<int>(std::floor(std::log10(largest) + roundings));
  if (last < first) return even_ticks(least, greatest, most);
  const int sides = least < 0 && greatest > 0 ? 2 : 1;
  const int every = std::max(
      1, static_cast<int>(std::ceil(sides * (last - first + 1) / std::max(most - 1, 1.0))));
  const bool is_plain = is_short(first) && is_short(last);
  AxisTicks ticks;
  const auto add = [&](double value, const std::string& text) {
    if (value >= least && value <= greatest) ticks.ticks.push_back({value, text});
  };
  // The greatest decade always has its tick.
  for (int exponent = last; exponent >= first; --exponent)
    if ((last - exponent) % every == 0)
      add(-power_of_ten(exponent), "−" + power_text(exponent, is_plain));
  add(0, "0");
  for (int exponent = first; exponent <= last; ++exponent)
    if ((last - exponent) % every == 0) add(power_of_ten(exponent), power_text(exponent, is_plain));
  return ticks;
}

/// Leaves out ticks that lie too close on the scale, from the greatest value down, but never 0.
void thin_out(AxisTicks& ticks, const render::ValueCurve& curve, double span, double most) {
  const double least_gap = span / std::max(most, 1.0) * 0.8;
  std::vector<AxisTick> kept;
  for (auto tick = ticks.ticks.rbegin(); tick != ticks.ticks.rend(); ++tick) {
    const bool is_close =
        !kept.empty() &&
        curve.place_of(kept.back().value) - curve.place_of(tick->value) < least_gap;
    if (is_close && tick->value != 0) continue;
    if (is_close) kept.pop_back();
    kept.push_back(*tick);
  }
  std::reverse(kept.begin(), kept.end());
  ticks.ticks = std::move(kept);
}

}  // namespace

AxisTicks bar_ticks(const render::ValueCurve& curve, double least, double greatest, double most) {
  if (!(least < greatest)) return {{{least, with_minus(fmt::format("{:.4g}", least))}}, ""};
  AxisTicks ticks;
  switch (curve.kind) {
    case render::CurveKind::linear:
      return even_ticks(least, greatest, most);
    case render::CurveKind::log:
      ticks = decade_ticks(least, greatest, most);
      break;
    case render::CurveKind::symlog:
      ticks = symlog_ticks(curve, least, greatest, most);
      break;
    case render::CurveKind::sqrt:
      ticks = even_ticks(least, greatest, most);
      break;
  }
  thin_out(ticks, curve, curve.place_of(greatest) - curve.place_of(least), most);
  return ticks;
}

double round_below(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 0;
  const double power = power_of_ten(exponent_of(value));
  const double leading = value / power * (1 + roundings);
  return power * (leading >= 5 ? 5 : leading >= 2 ? 2 : 1);
}

std::string unit_text(const std::string& unit) {
  constexpr std::pair<std::string_view, std::string_view> angles[] = {
      {"degrees", "°"},      {"degree", "°"},         {"degrees_east", "°E"},
      {"degree_east", "°E"}, {"degrees_north", "°N"}, {"degree_north", "°N"}};
  for (const auto& [name, sign] : angles)
    if (unit == name) return std::string(sign);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string text;
  for (std::size_t i = 0; i < unit.size();) {
    std::size_t number = i;
    if (unit.compare(i, 2, "**") == 0)
      number += 2;
    else if (unit[i] == '^')
      ++number;
    const bool is_marked = number > i;
    std::size_t digits = number;
    if (digits < unit.size() && unit[digits] == '-') ++digits;
    std::size_t end = digits;
    while (end < unit.size() && is_digit(unit[end])) ++end;
    // A letter's own number, "m-3" or "m2", counts where the word ends with it.
    const bool ends_word = end == unit.size() || !is_letter(unit[end]);
    const bool is_power = end > digits && end - digits <= 2 &&
                          (is_marked || (i > 0 && is_letter(unit[i - 1]) && ends_word));
    if (is_power) {
      text += superscript(std::stoi(unit.substr(number, end - number)));
      i = end;
    } else {
      text += unit[i++];
    }
  }
  return text;
}

std::string bracketed(const std::string& factor, const std::string& unit) {
  if (factor.empty() && unit.empty()) return "";
  const std::string gap = factor.empty() || unit.empty() ? "" : " ";
  return "[" + factor + gap + unit_text(unit) + "]";
}

}  // namespace tilewall::volume
