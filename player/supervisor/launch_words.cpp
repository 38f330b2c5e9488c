#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "player/supervisor/launch.hpp"
#include "sync/base/file.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::size_t max_summary_bytes = 300;
constexpr std::size_t least_dashes = 20;

/// A message of mpirun or of a shell that `meaning` replaces.
struct KnownMessage {
  std::string_view first;   ///< `first` and `second` stand in the same line or paragraph
  std::string_view second;  ///< "" = `first` is enough
  const char* meaning;
};

constexpr std::array<KnownMessage, 7> known_messages = {{
    {"orted", "not found",
     "a host has no orted, which is a part of Open MPI: install Open MPI there (Debian: "
     "openmpi-bin), or give mpirun by its full path where the hosts have it elsewhere"},
    {"orted", "No such file",
     "a host has no orted, which is a part of Open MPI: install Open MPI there (Debian: "
     "openmpi-bin), or give mpirun by its full path where the hosts have it elsewhere"},
    {"unable to reliably start one or more daemons", "",
     "mpirun could not start its daemon on a host, or the daemon could not connect back: the hosts "
     "need the same Open MPI, and their firewalls must let each other's connections pass"},
    {"daemon has unexpectedly failed", "",
     "mpirun's daemon on a host ended before it could connect back: the hosts need the same Open "
     "MPI, and their firewalls must let each other's connections pass"},
    {"not enough slots", "",
     "the launcher allows fewer processes on a host than it has panels: add --oversubscribe to "
     "--launcher"},
    {"limit on number of pipes", "",
     "mpirun on a host may open too few files for its panels: raise the limit there (ulimit -n)"},
    {"plm_rsh_agent", "could not be found",
     "mpirun does not find the remote shell of plm_rsh_agent"},
}};

/// Beginnings of paragraphs that are useless if there is another one.
constexpr std::array<std::string_view, 3> vague_messages = {
    {"Primary job", "WARNING", "Type 'mpirun"}};

bool is_rule(const std::string& line) {
  return line.size() >= least_dashes && line.find_first_not_of('-') == std::string::npos;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

struct Printed {
  std::vector<std::string> lines;       ///< outside the dashes, not blank
  std::vector<std::string> paragraphs;  ///< the first one of each message between dashes
};

std::string trimmed(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

Printed parts_of(const std::string& text) {
  Printed printed;
  std::istringstream stream(text);
  bool inside = false;
  bool paragraph_over = false;
  for (std::string line; std::getline(stream, line);) {
    if (is_rule(line)) {
      inside = !inside;
      paragraph_over = false;
      if (inside) printed.paragraphs.emplace_back();
    } else if (!inside) {
      if (!is_blank(line)) printed.lines.push_back(trimmed(line));
    } else if (is_blank(line)) {
      // A paragraph that ends with a colon belongs to the lines after the gap.
      const std::string& so_far = printed.paragraphs.back();
      paragraph_over = !so_far.empty() && so_far.back() != ':';
    } else if (!paragraph_over) {
      std::string& paragraph = printed.paragraphs.back();
      paragraph += (paragraph.empty() ? "" : " ") + trimmed(line);
    }
  }
  return printed;
}

const char* meaning_of(const std::string& part) {
  for (const KnownMessage& known : known_messages)
    if (part.find(known.first) != std::string::npos && part.find(known.second) != std::string::npos)
      return known.meaning;
  return nullptr;
}

bool is_vague(const std::string& part) {
  return std::ranges::any_of(vague_messages,
                             [&](std::string_view begin) { return part.starts_with(begin); });
}

/// Whether a line is about mpirun's own code: "[host:1234] ...".
bool is_internal(const std::string& line) { return line.starts_with("["); }

std::string shortened(std::string text) {
  if (text.size() <= max_summary_bytes) return text;
  const auto sentence = text.rfind(". ", max_summary_bytes);
  if (sentence != std::string::npos && sentence > max_summary_bytes / 3)
    return text.substr(0, sentence + 1);
  return text.substr(0, max_summary_bytes - 3) + "...";
}

}  // namespace

std::string launch_summary(const std::string& text) {
  const Printed printed = parts_of(text);
  const auto telling = [](const std::string& part) {
    return !part.empty() && !is_vague(part) && !is_internal(part);
  };
  // Lines come first: the remote shell and our own programs know the cause, while mpirun guesses.
  for (const std::vector<std::string>& parts : {printed.lines, printed.paragraphs})
    if (const auto found = std::ranges::find_if(parts, telling); found != parts.end()) {
      const char* const meaning = meaning_of(*found);
      return shortened(meaning != nullptr ? meaning : *found);
    }
  for (const std::vector<std::string>& parts : {printed.paragraphs, printed.lines})
    for (const std::string& part : parts)
      if (!part.empty()) return shortened(part);
  return "";
}

std::string known_launch_trouble(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const char* const meaning = meaning_of(line)) return meaning;
  return "";
}

std::string line_to_quote(const std::string& log, const std::string& error) {
  const std::string line = last_line_beginning(log, "tilewall");
  // In "tilewall-keeper: panel 0 on h1: tilewall-panel: CAUSE", the error may have the text after
  // any of the colons.
  if (line.find(": ") == std::string::npos) return "";
  for (auto colon = line.find(": "); colon != std::string::npos; colon = line.find(": ", colon + 1))
    if (error.find(line.substr(colon + 2)) != std::string::npos) return "";
  return shortened(line);
}

}  // namespace tilewall::supervisor
