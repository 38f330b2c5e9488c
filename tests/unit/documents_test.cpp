// The pages of the tree against the tree: every file, folder and link that they name exists, and
// README.md stays short.

#include <fnmatch.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = TILEWALL_SOURCE_DIR;
const std::vector<std::string> tops = {".ci",  "net",   "player",     "render",
                                       "sync", "tests", "wallconfigs"};

using Words = std::vector<std::string>;

/// All files and folders of the tree, with paths from its root. Build folders and what npm installs
/// are no part of it.
const std::set<std::string>& tree() {
  static const std::set<std::string> paths = [] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.is_regular_file()) found.insert(entry.path().filename().string());
    for (const std::string& top : tops) {
      found.insert(top);
      for (auto entry = fs::recursive_directory_iterator(root / top); entry != fs::end(entry);
           ++entry) {
        if (entry->path().filename() == "node_modules")
          entry.disable_recursion_pending();
        else
          found.insert(fs::relative(entry->path(), root).string());
      }
    }
    return found;
  }();
  return paths;
}

bool is_in_tree(const std::string& path) {
  if (path.find('*') == std::string::npos) return tree().contains(path);
  return std::ranges::any_of(tree(), [&](const std::string& one) {
    return ::fnmatch(path.c_str(), one.c_str(), FNM_PATHNAME) == 0;
  });
}

/// A page may leave out a source's extension: `draw_memory` is draw_memory.hpp.
bool is_named_in_tree(const fs::path& path) {
  std::string name = path.lexically_normal().string();
  if (name.ends_with('/')) name.pop_back();
  constexpr const char* extensions[] = {"", ".hpp", ".cpp"};
  return std::ranges::any_of(extensions,
                             [&](const char* extension) { return is_in_tree(name + extension); });
}

/// The folder of a page and those above it, up to the root: paths in a page start at any of them.
std::vector<fs::path> bases_of(const fs::path& page) {
  std::vector<fs::path> bases = {page.parent_path()};
  while (!bases.back().empty()) bases.push_back(bases.back().parent_path());
  return bases;
}

/// The name of a file in any folder.
bool is_file_name_in_tree(const std::string& name) {
  return std::ranges::any_of(
      tree(), [&](const std::string& path) { return fs::path(path).filename() == name; });
}

bool is_source_name(const std::string& word) {
  constexpr const char* extensions[] = {".hpp", ".cpp", ".comp", ".cmake", ".md"};
  return std::ranges::any_of(extensions,
                             [&](const char* extension) { return word.ends_with(extension); });
}

/// Whether a word in backquotes looks like a path and stands for nothing in the tree.
bool is_missing(const std::string& word, const fs::path& page) {
  static const std::regex path_like(R"([A-Za-z0-9_.*-][A-Za-z0-9_./*-]*)");
  static const std::regex example_word(R"(.*(NAME|FILE|PRESET).*)");
  if (!std::regex_match(word, path_like) || std::regex_match(word, example_word)) return false;
  const std::vector<fs::path> bases = bases_of(page);
  const auto exists = [&](const fs::path& base) { return is_named_in_tree(base / word); };
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos)
    return is_source_name(word) && word.find('*') == std::string::npos &&
           !is_file_name_in_tree(word);
  const std::string first = word.substr(0, slash);
  const bool is_ours = std::ranges::any_of(bases, [&](const fs::path& base) {
    return tree().contains((base / first).lexically_normal().string());
  });
  return (is_ours || first == ".." || is_source_name(word)) && std::ranges::none_of(bases, exists);
}

Words words_in_backquotes(const std::string& text) {
  static const std::regex quoted("`([^`]+)`");
  Words words;
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it)
    words.push_back((*it)[1]);
  return words;
}

struct Link {
  std::string path;    ///< from the page's folder; empty: the page itself
  std::string anchor;  ///< Anchor of a heading; empty: none
};

/// Links to places of the tree.
std::vector<Link> links_in(const std::string& text) {
  static const std::regex link(R"(\]\(([^)#]*)#?([^)]*)\))");
  std::vector<Link> links;
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
    if (!(*it)[1].str().starts_with("http")) links.push_back({(*it)[1], (*it)[2]});
  return links;
}

/// The anchors of a page's headings: lower case, hyphens for spaces, no other punctuation.
std::set<std::string> anchors_in(const std::string& text) {
  std::set<std::string> anchors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(std::min(line.size(), line.find(' ') + 1)))
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        anchor += '-';
    anchors.insert(anchor);
  }
  return anchors;
}

std::string text_of(const fs::path& page) {
  std::ifstream stream(root / page);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool leads_somewhere(const Link& link, const fs::path& page, const std::string& text) {
  if (link.path.empty()) return anchors_in(text).contains(link.anchor);
  const fs::path target = (page.parent_path() / link.path).lexically_normal();
  if (!is_named_in_tree(target)) return false;
  return link.anchor.empty() || anchors_in(text_of(target)).contains(link.anchor);
}

/// A row of a table that lists files or folders names each of them, mostly without extension.
Words missing_in_row(const std::string& row, const fs::path& page) {
  static const std::regex name(R"([A-Za-z0-9_./*-]+)");
  Words missing;
  for (const std::string& word : words_in_backquotes(row.substr(0, row.find('|', 1))))
    if (std::regex_match(word, name) &&
        std::ranges::none_of(bases_of(page),
                             [&](const fs::path& base) { return is_named_in_tree(base / word); }))
      missing.push_back(word);
  return missing;
}

/// What a page names that is not in the tree. Examples between ``` are left out.
Words missing_in(const std::string& text, const fs::path& page) {
  static const std::regex list_head(R"(\| *(file|files|folder|folder or file|room) *\|.*)");
  Words missing;
  bool is_example = false;
  bool is_list = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) is_example = !is_example;
    if (is_example) continue;
    is_list = line.starts_with('|') && (is_list || std::regex_match(line, list_head));
    for (const std::string& word : words_in_backquotes(line))
      if (is_missing(word, page)) missing.push_back(word);
    for (const Link& link : links_in(line))
      if (!leads_somewhere(link, page, text)) missing.push_back(link.path + '#' + link.anchor);
    if (is_list)
      for (const std::string& word : missing_in_row(line, page)) missing.push_back(word);
  }
  return missing;
}

/// Columns that a line takes: bytes, without those that continue a UTF-8 character.
std::ptrdiff_t width_of(const std::string& line) {
  return std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

}  // namespace

TEST_CASE("every file, folder and link that a page names exists", "[documents]") {
  std::size_t pages = 0;
  for (const std::string& page : tree()) {
    if (!page.ends_with(".md")) continue;
    ++pages;
    INFO(page);
    CHECK(missing_in(text_of(page), page) == Words{});
  }
  CHECK(pages >= 30);
}

TEST_CASE("every type that ARCHITECTURE.md names exists", "[documents]") {
  static const std::regex type_like("[A-Z][A-Za-z]*[a-z][A-Za-z]*");
  std::set<std::string> types;
  std::istringstream lines(text_of("ARCHITECTURE.md"));
  for (std::string line; std::getline(lines, line);)
    for (const std::string& word : words_in_backquotes(line))
      if (std::regex_match(word, type_like)) types.insert(word);
  CHECK(types.size() > 30);
  static const std::regex declared(R"((?:class|struct) (\w+))");
  for (const std::string& path : tree()) {
    if (path.starts_with("tests/") || !(path.ends_with(".hpp") || path.ends_with(".cpp"))) continue;
    const std::string text = text_of(path);
    for (std::sregex_iterator it(text.begin(), text.end(), declared), end; it != end; ++it)
      types.erase((*it)[1]);
  }
  CHECK(types == std::set<std::string>{});
}

TEST_CASE("README.md has at most 120 lines of at most 120 characters", "[documents]") {
  std::istringstream lines(text_of("README.md"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    CAPTURE(line);
    CHECK(width_of(line) <= 120);
  }
  CHECK(count > 20);
  CHECK(count <= 120);
}

TEST_CASE("a page that names what is not there is noticed", "[documents]") {
  const fs::path page = "net/README.md";
  CHECK(missing_in("`net/socket.hpp`, `socket.hpp`, `clock/clock_wire`, `sync/*`", page).empty());
  CHECK(missing_in("`tilewall play`, `1/2`, `P/bin`, `wall.toml`, `net/NAME.cpp`", page).empty());
  CHECK(missing_in("```\n`net/nothing.hpp`\n```\n", page).empty());
  CHECK(missing_in("`net/nothing.hpp`", page) == Words{"net/nothing.hpp"});
  CHECK(missing_in("`nothing.hpp`", page) == Words{"nothing.hpp"});
  CHECK(missing_in("`clock/nothing`", page) == Words{"clock/nothing"});
  CHECK(missing_in("`net/nothing_*`", page) == Words{"net/nothing_*"});
  CHECK(missing_in("[sync](../sync/README.md), [see](https://a.org/b#c)", page).empty());
  CHECK(missing_in("[sync](../sync/NOTHING.md)", page) == Words{"../sync/NOTHING.md#"});
  CHECK(missing_in("[sync](../sync/README.md#no)", page) == Words{"../sync/README.md#no"});
  CHECK(missing_in("## A b's `C`\n[here](#a-bs-c), [no](#a-b)", page) == Words{"#a-b"});
  CHECK(missing_in("| file | what |\n| --- | --- |\n| `control` | `nothing` |\n", page).empty());
  CHECK(missing_in("| file | what |\n| --- | --- |\n| `nothing` | |\n", page) == Words{"nothing"});
  CHECK(missing_in("| word | what |\n| --- | --- |\n| `nothing` | |\n", page).empty());
}
