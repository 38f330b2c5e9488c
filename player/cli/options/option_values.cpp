#include "player/cli/options/option_values.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "render/transfer/transfer_spec.hpp"
#include "sync/base/error.hpp"

namespace tilewall::cli {
namespace {

/// "drop, slow or lower"
std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

}  // namespace

CLI::Option* takes_one_of(CLI::Option* option, std::span<const std::string_view> words) {
  option->type_name(fmt::format("{{{}}}", fmt::join(words, ",")));
  return option->check([option, words](const std::string& text) {
    static_cast<void>(option_word_index(option->get_name(), text, words));
    return std::string();
  });
}

void refuse_option(const std::string& option, const std::string& expected,
                   const std::string& found) {
  throw InputError({option}, "", expected, found.empty() ? "nothing" : "\"" + found + "\"");
}

std::size_t option_word_index(const std::string& option, const std::string& text,
                              std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) refuse_option(option, alternatives(words), text);
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<double> parse_number_list(const std::string& text, double largest) {
  std::vector<double> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !(std::abs(value) <= largest)) return {};  // refuses NaN too
    found.push_back(value);
    if (stop == end) return found;
    if (*stop != ',') return {};
    at = stop + 1;
  }
  return {};
}

std::vector<double> option_numbers(const std::string& option, const std::string& text,
                                   std::size_t count, const char* expected) {
  std::vector<double> values = parse_number_list(text, render::max_transfer_value);
  if (values.size() != count) refuse_option(option, expected, text);
  return values;
}

double option_number(const std::string& option, const std::string& text, const char* expected) {
  return option_numbers(option, text, 1, expected).front();
}

double option_number_within(const std::string& option, const std::string& text, double least,
                            double most) {
  const std::string expected = fmt::format("a number from {:g} to {:g}", least, most);
  const double value = option_number(option, text, expected.c_str());
  if (!(value >= least && value <= most)) refuse_option(option, expected, text);
  return value;
}

}  // namespace tilewall::cli
