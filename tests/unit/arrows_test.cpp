// The table of arrows, tests/arrows.txt, against every #include and every linked library of the
// tree.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = TILEWALL_SOURCE_DIR;
const std::vector<std::string> tops = {"sync", "wallconfigs", "net", "render", "player"};

using Folders = std::set<std::string>;

/// What each folder may include, itself among it.
using Arrows = std::map<std::string, Folders>;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool is_below(const std::string& folder, const std::string& top) {
  return folder == top || folder.starts_with(top + "/");
}

/// The folders that a word of the table stands for.
Folders folders_of(const std::string& word, const Arrows& above) {
  if (!word.ends_with("/*")) return above.contains(word) ? Folders{word} : Folders{};
  Folders folders;
  for (const auto& [folder, _] : above)
    if (is_below(folder, word.substr(0, word.size() - 2))) folders.insert(folder);
  return folders;
}

/// A word that names no line above it fails the test: the order of lines excludes circles.
Arrows read_arrows(const std::string& table) {
  Arrows arrows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line.front() == '#' || colon == std::string::npos) continue;
    const std::string folder = line.substr(0, colon);
    Folders allowed = {folder};
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      const Folders named = folders_of(word, arrows);
      INFO(folder << " names " << word << ", which has no line above");
      CHECK_FALSE(named.empty());
      allowed.insert(named.begin(), named.end());
    }
    arrows[folder] = allowed;
  }
  return arrows;
}

std::vector<fs::path> files_below(const std::string& top) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / top))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), root));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> all_files() {
  std::vector<fs::path> files;
  for (const std::string& top : tops)
    for (const fs::path& file : files_below(top)) files.push_back(file);
  return files;
}

std::vector<std::string> found_in(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// The includes of `text` that an arrow is missing for.
std::vector<std::string> wrong_includes(const std::string& folder, const std::string& text,
                                        const Arrows& arrows) {
  static const std::regex include(R"re(#include "([^"]+/[^"/]+)")re");
  std::vector<std::string> wrong;
  for (const std::string& header : found_in(text, include)) {
    const std::string to = fs::path(header).parent_path().string();
    const bool is_ours =
        std::ranges::any_of(tops, [&](const std::string& top) { return is_below(to, top); });
    const auto line = arrows.find(folder);
    if (is_ours && (line == arrows.end() || !line->second.contains(to))) wrong.push_back(header);
  }
  return wrong;
}

/// Which folder's CMakeLists.txt makes each library.
std::map<std::string, std::string> library_folders() {
  static const std::regex alias(R"(add_library\((tilewall::\w+) ALIAS)");
  std::map<std::string, std::string> folders;
  for (const fs::path& file : all_files()) {
    if (file.filename() != "CMakeLists.txt") continue;
    for (const std::string& library : found_in(text_of(root / file), alias))
      folders[library] = file.parent_path().string();
  }
  return folders;
}

/// The namespace of a file by its folder: the top folder's name, or that of the folder below
/// `player`. What every room speaks of (errors, instants, pixels) stands in `tilewall` itself.
std::string namespace_of(const fs::path& file) {
  static const std::set<std::string> common = {"global_time", "geometry", "image_view"};
  std::vector<std::string> folders;
  for (const fs::path& part : file.parent_path()) folders.push_back(part.string());
  const std::string stem = file.stem().string();
  if (is_below(file.parent_path().string(), "sync/base") ||
      (folders.size() == 1 && common.contains(stem)))
    return "tilewall";
  if (folders.front() == "player") return "tilewall::" + folders.at(1);
  return "tilewall::" + (folders.front() == "wallconfigs" ? "wall" : folders.front());
}

/// The namespaces that `text` opens at the start of a line, in order.
std::vector<std::string> spaces_of(const std::string& text) {
  static const std::regex opening(R"((?:^|\n)namespace (tilewall[\w:]*) \{)");
  return found_in(text, opening);
}

}  // namespace

TEST_CASE("every include follows an arrow of the table", "[arrows]") {
  const Arrows arrows = read_arrows(text_of(root / "tests/arrows.txt"));
  REQUIRE(arrows.size() > 20);
  std::size_t files = 0;
  for (const fs::path& file : all_files()) {
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    ++files;
    const std::string folder = file.parent_path().string();
    INFO(file.string());
    CHECK(wrong_includes(folder, text_of(root / file), arrows) == std::vector<std::string>{});
  }
  CHECK(files > 500);
}

TEST_CASE("every folder links what its arrows lead to", "[arrows]") {
  static const std::regex call(R"(target_link_libraries\(([^)]*)\))");
  static const std::regex name(R"((tilewall::\w+))");
  const Arrows arrows = read_arrows(text_of(root / "tests/arrows.txt"));
  const std::map<std::string, std::string> folders = library_folders();
  REQUIRE(folders.size() > 20);
  for (const fs::path& file : all_files()) {
    if (file.filename() != "CMakeLists.txt") continue;
    const std::string folder = file.parent_path().string();
    for (const std::string& links : found_in(text_of(root / file), call))
      for (const std::string& library : found_in(links, name)) {
        const auto made = folders.find(library);
        if (made == folders.end() || is_below(folder, made->second)) continue;
        INFO(file.string() << " links " << library);
        // One library may hold several folders: net has net/clock and net/control.
        CHECK(std::ranges::any_of(
            arrows.at(folder), [&](const std::string& to) { return is_below(to, made->second); }));
      }
  }
}

TEST_CASE("each file stands in the namespace of its room", "[arrows]") {
  std::size_t files = 0;
  for (const fs::path& file : all_files()) {
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    const std::string text = text_of(root / file);
    const std::string room = namespace_of(file);
    const std::vector<std::string> spaces = spaces_of(text);
    if (spaces.empty()) continue;  // a program's main(), or macros alone
    ++files;
    INFO(file.string() << ": expected namespace " << room);
    // Forward declarations stand in the namespaces of their own rooms, before the file's.
    CHECK((spaces.back() == room || spaces.back().starts_with(room + "::")));
  }
  CHECK(files > 500);
  CHECK(namespace_of("player/movie/frames/scaler.cpp") == "tilewall::movie");
  CHECK(namespace_of("wallconfigs/toml/toml_text.hpp") == "tilewall::wall");
  CHECK(namespace_of("wallconfigs/geometry.hpp") == "tilewall");
  CHECK(namespace_of("sync/base/error.hpp") == "tilewall");
  CHECK(spaces_of("namespace tilewall::net {\nclass A;\n}\nnamespace tilewall::movie {\n") ==
        std::vector<std::string>{"tilewall::net", "tilewall::movie"});
}

TEST_CASE("a missing arrow, a circle and an unknown folder are noticed", "[arrows]") {
  const Arrows arrows = read_arrows("low:\nlow/leaf: low\nhigh: low/*\n");
  CHECK(arrows.at("high") == Folders{"high", "low", "low/leaf"});
  const Arrows rooms = read_arrows("sync:\nnet: sync\n");
  CHECK(wrong_includes("net", "#include \"sync/a.hpp\"\n#include \"net/b.hpp\"\n", rooms).empty());
  const std::vector<std::string> upwards = {"net/b.hpp"};
  CHECK(wrong_includes("sync", "#include \"net/b.hpp\"\n", rooms) == upwards);
  const std::vector<std::string> unknown = {"render/c.hpp"};
  CHECK(wrong_includes("net", "#include \"render/c.hpp\"\n", rooms) == unknown);
  CHECK(folders_of("high", rooms).empty());
}
