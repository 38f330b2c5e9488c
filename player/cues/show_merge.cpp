// Puts changed cues into the text of a show file, and leaves everything else as people wrote it.

#include <unordered_map>

#include "player/cues/show_file.hpp"
#include "sync/base/error.hpp"

namespace tilewall::cues {
namespace {

/// A text by its lines, each with its line end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// The text with the cues of `show` in place of those that it has.
class MergedText {
 public:
  MergedText(std::string_view text, const ShowFile& written, const ShowFile& show)
      : lines_(lines_of(text)), show_(show) {
    for (std::size_t i = 0; i < show.cues.size(); ++i) wanted_.emplace(show.cues[i].name, i);
    for (const CueEntry& cue : written.cues) known_.emplace(cue.name, &cue);
  }

  std::string merge(const ShowFile& written) {
    copy_up_to(static_cast<std::size_t>(written.cues.front().line) - 1);
    add_new_cues(0);
    for (const CueEntry& cue : written.cues) {
      copy_up_to(static_cast<std::size_t>(cue.line) - 1);
      const auto end = static_cast<std::size_t>(cue.end_line) - 1;
      const auto wanted = wanted_.find(cue.name);
      if (wanted == wanted_.end()) {
        at_ = end;
        while (at_ < lines_.size() && is_blank(lines_[at_])) ++at_;
        continue;
      }
      const CueEntry& now = show_.cues[wanted->second];
      if (now == cue) {
        copy_up_to(end);
      } else {
        text_ += to_text(now);
        at_ = end;
      }
      add_new_cues(wanted->second + 1);
    }
    copy_up_to(lines_.size());
    return std::move(text_);
  }

 private:
  void copy_up_to(std::size_t end) {
    for (; at_ < end && at_ < lines_.size(); ++at_) text_ += lines_[at_];
  }

  /// Adds the cues from `index` on up to one that the text has.
  void add_new_cues(std::size_t index) {
    for (; index < show_.cues.size() && !known_.contains(show_.cues[index].name); ++index) {
      if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
      const bool is_first = index == 0;
      text_ += (is_first ? "" : "\n") + to_text(show_.cues[index]) + (is_first ? "\n" : "");
    }
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;  // the next line to copy
  const ShowFile& show_;
  std::unordered_map<std::string_view, std::size_t> wanted_;     // index in show_ by name
  std::unordered_map<std::string_view, const CueEntry*> known_;  // cues of the text by name
  std::string text_;
};

}  // namespace

std::string merged_text(std::string_view text, const ShowFile& show) {
  const ShowFile written = show_from_text(show.file, text);
  std::string merged = MergedText(text, written, show).merge(written);
  try {
    if (show_from_text(show.file, merged).cues == show.cues) return merged;
  } catch (const InputError&) {  // the lines of cues overlap, or a section of theirs is missing
  }
  return to_text(show);
}

}  // namespace tilewall::cues
