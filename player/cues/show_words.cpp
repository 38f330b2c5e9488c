#include "player/cues/show_words.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tilewall::cues {
namespace {

/// All of the text as a number within (0, most].
std::optional<double> seconds_from(std::string_view text, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (!(value > 0 && value <= most)) return {};
  return value;
}

/// What follows `word` and a blank; empty where the text does not begin so.
std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
  if (!text.starts_with(word) || !text.substr(word.size()).starts_with(' ')) return {};
  return text.substr(word.size() + 1);
}

/// "20:15" or "20:15:00" in seconds after midnight.
std::optional<double> clock_from(std::string_view text) {
  constexpr int limits[] = {24, 60, 60};
  constexpr std::size_t short_length = 5;
  constexpr std::size_t long_length = 8;
  if (text.size() != short_length && text.size() != long_length) return {};
  int seconds = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    int value = 0;
    const std::size_t at = 3 * part;
    if (at < text.size()) {
      const char tens = text[at];
      const char ones = text[at + 1];
      if (tens < '0' || tens > '9' || ones < '0' || ones > '9') return {};
      if (part > 0 && text[at - 1] != ':') return {};
      value = 10 * (tens - '0') + (ones - '0');
    }
    if (value >= limits[part]) return {};
    seconds = 60 * seconds + value;
  }
  return seconds;
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

std::string to_text(const Transition& transition) {
  switch (transition.kind) {
    case Transition::Kind::cut:
      return "cut";
    case Transition::Kind::fade:
      return "fade " + number_text(transition.seconds);
    case Transition::Kind::through_black:
      break;
  }
  return "through_black " + number_text(transition.seconds);
}

std::optional<Transition> transition_from(std::string_view text) {
  if (text == "cut") return Transition{};
  for (const auto kind : {Transition::Kind::fade, Transition::Kind::through_black}) {
    const auto rest = behind(text, kind == Transition::Kind::fade ? "fade" : "through_black");
    const auto seconds = rest ? seconds_from(*rest, longest_fade_s) : std::nullopt;
    if (seconds) return Transition{kind, *seconds};
  }
  return {};
}

std::string to_text(const Follow& follow) {
  if (follow.kind == Follow::Kind::at_end) return "at end";
  if (follow.kind == Follow::Kind::after) return "after " + number_text(follow.seconds);
  const int seconds = static_cast<int>(follow.seconds);
  return fmt::format("at {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::optional<Follow> follow_from(std::string_view text) {
  if (text == "at end") return Follow{Follow::Kind::at_end, 0};
  if (const auto rest = behind(text, "after")) {
    const auto seconds = seconds_from(*rest, longest_s);
    if (seconds) return Follow{Follow::Kind::after, *seconds};
  } else if (const auto clock = behind(text, "at")) {
    const auto seconds = clock_from(*clock);
    if (seconds) return Follow{Follow::Kind::at_clock, *seconds};
  }
  return {};
}

}  // namespace tilewall::cues
