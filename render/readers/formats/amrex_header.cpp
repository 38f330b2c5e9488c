#include "render/readers/formats/amrex_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "sync/base/file.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_amr_text = std::size_t{256} << 20;
constexpr std::int64_t max_amr_components = 10'000;
constexpr std::int64_t max_amr_levels = 32;
constexpr std::int64_t max_amr_boxes = 10'000'000;

/// Reads words and lines of a text in order. Brackets and commas separate words like white space.
/// All functions throw InputError with `field` at the text's end or for another kind of word.
class AmrText {
 public:
  explicit AmrText(const std::filesystem::path& file)
      : file_(file.string()), text_(FileRoot::of_process().read_text(file, max_amr_text)) {}

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file_, field}; }

  std::string line(const std::string& field) {
    if (at_ >= text_.size()) place(field).refuse("a line", "the file's end");
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string found(trimmed(std::string_view(text_).substr(at_, end - at_)));
    at_ = end + 1;
    return found;
  }

  std::int64_t whole(const std::string& field, std::int64_t least, std::int64_t most) {
    const std::string text = word(field);
    const auto number = parse_whole(text);
    if (!number || *number < least || *number > most)
      place(field).refuse(fmt::format("a whole number in [{}, {}]", least, most), in_quotes(text));
    return *number;
  }

  double real(const std::string& field) {
    const std::string text = word(field);
    const auto number = parse_real(text);
    if (!number) place(field).refuse("a number", in_quotes(text));
    return *number;
  }

  std::string word(const std::string& field) {
    constexpr std::string_view between = " \t\r\n(),";
    const std::size_t first = text_.find_first_not_of(between, std::min(at_, text_.size()));
    if (first == std::string::npos) place(field).refuse("a word", "the file's end");
    const std::size_t end = std::min(text_.find_first_of(between, first), text_.size());
    at_ = end;
    return text_.substr(first, end - first);
  }

  void end_line() {
    at_ = std::min(text_.find('\n', std::min(at_, text_.size())), text_.size()) + 1;
  }

  AmrBox box(const std::string& field) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    AmrBox box = {};
    for (auto* corner : {&box.first, &box.last})
      for (std::int64_t& number : *corner) number = whole(field, -most, most);
    for (std::size_t i = 0; i < 3; ++i) {
      whole(field, 0, 0);  // 0: numbers belong to cell centres, not to faces or nodes
      if (box.last[i] < box.first[i])
        place(field).refuse("a box of one cell or more",
                            fmt::format("{} to {}", box.first[i], box.last[i]));
    }
    return box;
  }

 private:
  std::string file_;
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

AmrHeader read_amr_header(const std::filesystem::path& plotfile) {
  AmrText text(plotfile / "Header");
  AmrHeader header;
  text.line("version");
  const auto components = text.whole("components", 1, max_amr_components);
  text.end_line();
  for (std::int64_t i = 0; i < components; ++i) header.components.push_back(text.line("names"));
  const auto dimensions = text.whole("dimensions", 1, 3);
  if (dimensions != 3) text.place("dimensions").refuse("3", fmt::format("{}", dimensions));
  header.time = text.real("time");
  const auto levels = text.whole("finest level", 0, max_amr_levels - 1) + 1;
  for (double& at : header.low) at = text.real("prob_lo");
  for (int i = 0; i < 3; ++i) text.real("prob_hi");
  header.levels.resize(static_cast<std::size_t>(levels));
  text.end_line();
  // One ratio for each level but the coarsest, or one for each axis of it.
  const auto ratios = whole_numbers(
      [&] {
        std::string line = text.line("refinement");
        for (char& c : line)
          if (c == '(' || c == ')' || c == ',') c = ' ';
        return line;
      }(),
      text.place("refinement"));
  const auto steps = static_cast<std::size_t>(levels - 1);
  if (ratios.size() < steps)
    text.place("refinement")
        .refuse(fmt::format("{} numbers", steps), fmt::format("{}", ratios.size()));
  const bool each_axis = steps > 0 && ratios.size() >= 3 * steps;
  for (std::size_t i = 0; i < 3; ++i) {
    std::int64_t all = 1;
    for (std::size_t level = 1; level < header.levels.size(); ++level) {
      const std::int64_t ratio = ratios[each_axis ? (level - 1) * 3 + i : level - 1];
      all *= std::clamp<std::int64_t>(ratio, 1, 64);
      if (ratio < 1 || ratio > 64 || all > max_file_side)
        text.place("refinement").refuse("1 to 64", fmt::format("{}", ratio));
      header.levels[level].cells_per_coarse[i] = ratio;
    }
  }
  for (AmrLevel& level : header.levels) level.domain = text.box("domain");
  for (std::size_t i = 0; i < header.levels.size(); ++i) text.word("level steps");
  for (AmrLevel& level : header.levels)
    for (double& side : level.spacing)
      side = checked_spacing(text.real("cell size"), text.place("cell size"));
  text.word("coordinates");
  text.word("boundary");
  for (AmrLevel& level : header.levels) {
    text.whole("level", 0, levels - 1);
    const auto boxes = text.whole("boxes", 0, max_amr_boxes);
    text.real("time");
    text.word("step");
    for (std::int64_t i = 0; i < boxes * 6; ++i) text.real("box");
    text.end_line();
    level.path = text.line("path");
  }
  return header;
}

std::vector<AmrFab> read_amr_fabs(const std::filesystem::path& plotfile, const AmrLevel& level) {
  const std::filesystem::path cells = plotfile / (level.path + "_H");
  AmrText text(cells);
  text.word("version");
  text.word("how");
  text.word("components");
  text.word("ghost cells");
  const auto count = text.whole("boxes", 0, max_amr_boxes);
  text.word("boxes");
  std::vector<AmrFab> fabs;
  for (std::int64_t i = 0; i < count; ++i) fabs.push_back({text.box("box"), {}, 0});
  if (text.whole("FabOnDisk", 0, max_amr_boxes) != count)
    text.place("FabOnDisk").refuse(fmt::format("{}, as boxes", count), "another number");
  for (AmrFab& fab : fabs) {
    const std::string mark = text.word("FabOnDisk");
    if (mark != "FabOnDisk:") text.place("FabOnDisk").refuse("\"FabOnDisk:\"", in_quotes(mark));
    fab.file = cells.parent_path() / text.word("FabOnDisk");
    fab.offset = static_cast<std::uint64_t>(text.whole("FabOnDisk", 0, std::int64_t{1} << 60));
  }
  return fabs;
}

}  // namespace tilewall::render
