#include "player/cli/option_values.hpp"

#include <fmt/format.h>

#include "player/cli/number_list.hpp"
#include "render/transfer/transfer_spec.hpp"
#include "sync/base/error.hpp"

namespace tilewall {

void refuse_option(const std::string& option, const std::string& expected,
                   const std::string& found) {
  throw InputError({option}, "", expected, found.empty() ? "nothing" : "\"" + found + "\"");
}

std::vector<double> option_numbers(const std::string& option, const std::string& text,
                                   std::size_t count, const char* expected) {
  std::vector<double> values = parse_number_list(text, max_transfer_value);
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

}  // namespace tilewall
