// Reads ImageJ's and MRIcron's lookup tables (.lut) and Slicer's colour tables of labels (.txt,
// .ctbl).
//
// A .lut of bytes has 256 reds, then 256 greens, then 256 blues; NIH Image wrote 32 bytes before
// them, which begin with "ICOL". As text it has a colour a line: "red green blue" or "index red
// green blue", after an optional line of words. A line of Slicer's table is "label name red green
// blue opacity", in 0 to 255.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "render/transfer/files/formats.hpp"
#include "render/transfer/transfer_curves.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t lut_colours = 256;
constexpr std::size_t icol_bytes = 32;
constexpr std::string_view blanks = " \t,;\r";
constexpr double most_label = 1 << 24;

/// A line that has words, from 1 on.
struct TableLine {
  int number = 0;
  std::string_view text;
  std::vector<std::string_view> words;
};

std::vector<TableLine> lines_of_table(std::string_view rest) {
  std::vector<TableLine> lines;
  for (int number = 1; !rest.empty(); ++number) {
    TableLine line{number, rest.substr(0, rest.find('\n')), {}};
    rest.remove_prefix(std::min(line.text.size() + 1, rest.size()));
    for (std::size_t at = 0; (at = line.text.find_first_not_of(blanks, at)) != line.text.npos;) {
      const std::size_t end = std::min(line.text.find_first_of(blanks, at), line.text.size());
      line.words.push_back(line.text.substr(at, end - at));
      at = end;
    }
    const bool is_comment =
        !line.words.empty() && (line.words[0][0] == '#' || line.words[0][0] == '*');
    if (!line.words.empty() && !is_comment) lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<double> number_of(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// The word as a share of 255.
float level_of(const TransferFile& file, const TableLine& line, std::size_t word) {
  const auto value = number_of(line.words[word]);
  if (!value || !(*value >= 0 && *value <= 255))
    throw InputError({file.path, line.number}, "", "numbers from 0 to 255",
                     fmt::format("\"{}\"", escaped_text(line.words[word])));
  return static_cast<float>(*value / 255);
}

TransferSpec over_shares(const std::vector<Rgba>& colours) {
  std::vector<TransferPoint> points;
  points.reserve(colours.size());
  for (const Rgba& colour : colours)
    points.push_back(
        {static_cast<double>(points.size()) / static_cast<double>(colours.size() - 1), colour});
  TransferSpec spec;
  spec.points = joined(points, default_opacity(0, 1));
  spec.has_default_opacity = true;
  return spec;
}

TransferSpec of_bytes(std::string_view bytes) {
  const auto level = [&](std::size_t i) {
    return static_cast<float>(static_cast<unsigned char>(bytes[i])) / 255;
  };
  std::vector<Rgba> colours;
  for (std::size_t i = 0; i < lut_colours; ++i)
    colours.push_back({level(i), level(i + lut_colours), level(i + 2 * lut_colours), 1});
  return over_shares(colours);
}

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

TransferSpec of_text(const TransferFile& file) {
  std::vector<TableLine> lines = lines_of_table(file.bytes);
  if (!lines.empty() && !number_of(lines[0].words[0])) lines.erase(lines.begin());
  if (lines.size() < 2 || lines.size() > most_table_colours)
    throw InputError({file.path}, "", fmt::format("2 to {} colours", most_table_colours),
                     fmt::format("{}", lines.size()));
  std::vector<Rgba> colours;
  for (const TableLine& line : lines) {
    const std::size_t count = line.words.size();
    if (count != 3 && count != 4)
      throw InputError({file.path, line.number}, "", "red green blue, or index red green blue",
                       fmt::format("\"{}\"", escaped_text(line.text)));
    const std::size_t first = count - 3;
    colours.push_back({level_of(file, line, first), level_of(file, line, first + 1),
                       level_of(file, line, first + 2), 1});
  }
  return over_shares(colours);
}

}  // namespace

TransferSpec read_lut(const TransferFile& file) {
  constexpr std::size_t plain = 3 * lut_colours;
  const std::string_view bytes = file.bytes;
  if (bytes.size() == plain) return of_bytes(bytes);
  if (bytes.size() == plain + icol_bytes && bytes.starts_with("ICOL"))
    return of_bytes(bytes.substr(icol_bytes));
  if (is_text(bytes)) return of_text(file);
  throw InputError({file.path}, "",
                   fmt::format("a table of {} bytes (or {} from \"ICOL\" on), or of text", plain,
                               plain + icol_bytes),
                   fmt::format("{} bytes", bytes.size()));
}

bool is_label_table(const TransferFile& file) {
  const std::vector<TableLine> lines = lines_of_table(file.bytes);
  return !lines.empty() && lines[0].words.size() == 6 && number_of(lines[0].words[0]);
}

TransferSpec read_label_table(const TransferFile& file) {
  TransferSpec spec;
  spec.scale = TransferScale::values;
  double before = -most_label;
  for (const TableLine& line : lines_of_table(file.bytes)) {
    const auto label = number_of(line.words[0]);
    if (line.words.size() != 6 || !label)
      throw InputError({file.path, line.number}, "", "label name red green blue opacity",
                       fmt::format("\"{}\"", escaped_text(line.text)));
    if (!(*label > before && *label <= most_label))
      throw InputError({file.path, line.number}, "", "labels that rise, to 16777216 at most",
                       fmt::format("{}", *label));
    const Rgba colour = {level_of(file, line, 2), level_of(file, line, 3), level_of(file, line, 4),
                         level_of(file, line, 5)};
    // Labels that the table leaves out show nothing.
    const bool follows = !spec.points.empty() && *label == before + 1;
    if (!spec.points.empty() && !follows) {
      spec.points.push_back({before + 0.5, {0, 0, 0, 0}});
      spec.points.push_back({*label - 0.5, {0, 0, 0, 0}});
    }
    spec.points.push_back({*label - 0.5, colour});
    spec.points.push_back({*label + 0.5, colour});
    before = *label;
  }
  return spec;
}

}  // namespace tilewall::render
