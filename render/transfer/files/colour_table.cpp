// Reads tables of colours in the form of matplotlib, cmocean and Crameri's maps: a colour per line,
// evenly spaced.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "render/transfer/files/formats.hpp"
#include "render/transfer/transfer_curves.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::render {
namespace {

constexpr std::string_view between_columns = " \t,;\r";

struct Row {
  double channels[3] = {};
  int line = 0;
};

/// Three numbers of a line; empty where it has others.
std::optional<Row> row_of(std::string_view line) {
  Row row;
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto skip = [&] {
    while (at != end && between_columns.find(*at) != std::string_view::npos) ++at;
  };
  for (double& channel : row.channels) {
    skip();
    const auto [after, error] = std::from_chars(at, end, channel);
    if (error != std::errc() || (after != end && between_columns.find(*after) == std::string::npos))
      return std::nullopt;
    at = after;
  }
  skip();
  if (at != end) return std::nullopt;
  return row;
}

/// Whether a line has names of columns, such as "r,g,b": no digit, and words.
bool is_header(std::string_view line) {
  return line.find_first_of("0123456789") == std::string_view::npos && line.size() <= 64 &&
         line.find_first_not_of(" \t,;\r\"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
             std::string_view::npos;
}

std::vector<Row> rows_of(const TransferFile& file) {
  std::vector<Row> rows;
  std::string_view rest = file.bytes;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    auto row = row_of(line);
    if (!row && rows.empty() && is_header(line)) continue;
    if (!row)
      throw InputError({file.path, number}, "", "three numbers, red, green and blue",
                       fmt::format("\"{}\"", escaped_text(line)));
    if (rows.size() == most_table_colours)
      throw InputError({file.path, number}, "",
                       fmt::format("at most {} colours", most_table_colours), "another one");
    row->line = number;
    rows.push_back(*row);
  }
  return rows;
}

/// The number that stands for 1: 255 where any number is above 1, as in tables of whole numbers.
double full_of(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const double channel : row.channels)
      if (channel > 1 + 1e-6) return 255;
  return 1;
}

}  // namespace

TransferSpec read_colour_table(const TransferFile& file) {
  if (is_label_table(file)) return read_label_table(file);
  const std::vector<Row> rows = rows_of(file);
  if (rows.size() < 2)
    throw InputError({file.path}, "", "a table of at least two colours",
                     fmt::format("{}", rows.size()));
  const double full = full_of(rows);
  std::vector<TransferPoint> colours;
  for (const Row& row : rows) {
    const auto channel = [&](std::size_t i) {
      const double value = row.channels[i];
      if (!(value >= -1e-6 && value <= full + 1e-6))
        throw InputError({file.path, row.line}, "", fmt::format("numbers in [0, {}]", full),
                         fmt::format("{}", value));
      return static_cast<float>(std::clamp(value / full, 0.0, 1.0));
    };
    colours.push_back({static_cast<double>(colours.size()) / static_cast<double>(rows.size() - 1),
                       {channel(0), channel(1), channel(2), 1}});
  }
  TransferSpec spec;
  spec.points = joined(colours, default_opacity(0, 1));
  spec.has_default_opacity = true;
  return spec;
}

}  // namespace tilewall::render
