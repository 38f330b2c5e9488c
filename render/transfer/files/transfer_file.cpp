#include "render/transfer/files/transfer_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "render/transfer/files/formats.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_listed_bytes = 2000;
constexpr std::size_t max_compared_names = 1000;
constexpr double forgiven = 1e-6;

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Splits "file#name" where "file" exists and "file#name" does not.
TransferFile split(const std::string& text) {
  if (!is_there(text))
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1))
      if (at > 0 && is_there(text.substr(0, at)))
        return {text.substr(0, at), "", text.substr(at + 1)};
  return {text, "", std::nullopt};
}

using Reader = TransferSpec (*)(const TransferFile&);

Reader reader_of(const TransferFile& file) {
  const std::string end = lower_case(std::filesystem::path(file.path).extension().string());
  if (end == ".json") return read_paraview_json;
  if (end == ".xml") return read_slicer_xml;
  if (end == ".toml") return read_transfer_toml;
  if (end == ".lut") return read_lut;
  if (end == ".csv" || end == ".txt" || end == ".ctbl") return read_colour_table;
  const std::size_t first = file.bytes.find_first_not_of(" \t\r\n");
  const char begin = first == std::string::npos ? '\0' : file.bytes[first];
  if (begin == '{' || begin == '[') return read_paraview_json;
  if (begin == '<') return read_slicer_xml;
  if ((begin >= '0' && begin <= '9') || begin == '.' || begin == '#') return read_colour_table;
  throw InputError({file.path}, "",
                   "a ParaView colour map (.json), Slicer presets (.xml), a table of colours "
                   "(.csv, .txt, .lut) or a transfer function (.toml)",
                   "none of them");
}

std::string listed(std::span<const std::string> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (list.size() > max_listed_bytes) return list + fmt::format(" and {} more", names.size() - i);
    list += fmt::format("{}\"{}\"", i > 0 ? ", " : "", escaped_text(names[i]));
  }
  return list;
}

/// A file's name as UTF-8 for messages; names of files may be other bytes.
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name)
    if (static_cast<unsigned char>(c) >= 0x80) c = '_';
  return transfer_name(name);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::size_t chosen(const TransferFile& file, std::span<const std::string> names) {
  if (!file.choice) {
    if (names.size() == 1) return 0;
    throw InputError(
        {file.path}, "",
        fmt::format("FILE#NAME, as the file holds {} functions: {}", names.size(), listed(names)),
        "no name");
  }
  const auto exact = std::find(names.begin(), names.end(), *file.choice);
  if (exact != names.end()) return static_cast<std::size_t>(exact - names.begin());
  const std::string wanted = lower_case(*file.choice);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (lower_case(names[i]) == wanted) return i;
  std::vector<std::string_view> words;
  for (const std::string& name : names.first(std::min(names.size(), max_compared_names)))
    words.push_back(std::string_view(name).substr(0, max_transfer_name_bytes));
  throw InputError({file.path}, "",
                   fmt::format("one of {} (the nearest is \"{}\")", listed(names),
                               escaped_text(nearest_word(wanted.substr(0, 64), words))),
                   fmt::format("\"{}\"", escaped_text(*file.choice)));
}

void check_rising(const InputPlace& place, std::string_view field,
                  std::span<const TransferPoint> line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!(std::abs(line[i].value) <= max_transfer_value))
      throw InputError(place, field,
                       fmt::format("values in [{}, {}]", -max_transfer_value, max_transfer_value),
                       fmt::format("{}", line[i].value));
    if (i > 0 && line[i].value < line[i - 1].value)
      throw InputError(place, field, "values that rise",
                       fmt::format("{} after {}", line[i].value, line[i - 1].value));
  }
  if (line.size() < 2 || line.front().value == line.back().value)
    throw InputError(place, field, "at least two points, at values that differ",
                     fmt::format("{}", line.size()));
}

float checked_channel(const InputPlace& place, std::string_view field, double value) {
  if (!(value >= -forgiven && value <= 1 + forgiven))
    throw InputError(place, field, "a number in [0, 1]", fmt::format("{}", value));
  return static_cast<float>(std::clamp(value, 0.0, 1.0));
}

std::string transfer_name(std::string_view text) {
  const std::string name = escaped_text(text, max_transfer_name_bytes);
  return name.size() > max_transfer_name_bytes ? escaped_text(text, max_transfer_name_bytes - 8)
                                               : name;
}

TransferSpec read_transfer_file(const std::string& text) {
  TransferFile file = split(text);
  file.bytes = read_text_file(file.path, max_transfer_file_bytes);
  if (file.bytes.empty()) throw InputError({file.path}, "", "a transfer function", "an empty file");
  const Reader reader = reader_of(file);
  if (file.choice &&
      (reader == read_colour_table || reader == read_lut || reader == read_transfer_toml))
    throw InputError({file.path}, "", "no name, as such a file holds one function",
                     fmt::format("\"#{}\"", escaped_text(*file.choice)));
  TransferSpec spec = reader(file);
  if (spec.name.empty()) spec.name = name_of_file(file.path);
  check_transfer_spec(spec, {file.path});
  return spec;
}

TransferSpec read_transfer(const std::string& name_or_file) {
  if (auto named = named_transfer(name_or_file)) return *std::move(named);
  if (name_or_file.find_first_of("/.#") == std::string::npos && !is_there(name_or_file)) {
    std::string names;
    for (const std::string_view name : transfer_names()) names += fmt::format("{}, ", name);
    throw InputError({escaped_text(name_or_file)}, "", names + "or a file", "neither");
  }
  return read_transfer_file(name_or_file);
}

}  // namespace tilewall::render
