// What wall files that are wrong get: one line that says what is wrong, and nothing worse.

#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <optional>

#include "sync/base/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/drawing.hpp"

using namespace tilewall;
using namespace tilewall::wall;
namespace fs = std::filesystem;

namespace {

/// The message that reading gives, or empty where the file is read. Whatever reads can be used.
std::optional<std::string> message_of(const fs::path& file) {
  try {
    const Wall wall = load_wall(file);
    CHECK_FALSE(draw_wall(wall, wall.default_bezel_mode()).empty());
    (void)advice_on(wall);
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

void check_read_or_refused_in_one_line(const fs::path& file) {
  const auto message = message_of(file);
  if (!message) return;
  CAPTURE(*message);
  CHECK(message->find('\n') == std::string::npos);
  CHECK(message->rfind(file.string(), 0) == 0);
  CHECK(message->size() < file.string().size() + 600);
}

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::string contents(const fs::path& file) { return read_text_file(file, 1U << 20); }

}  // namespace

TEST_CASE("every broken wall file gets exactly the line that it expects", "[wall][bad-input]") {
  const std::string marker = "# expect";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(test::source_path("tests/data/walls/bad"))) {
    const fs::path& file = entry.path();
    CAPTURE(file.filename());
    const std::string line = first_line(file);
    REQUIRE(line.rfind(marker, 0) == 0);
    const auto message = message_of(file);
    REQUIRE(message);
    CHECK(*message == file.string() + line.substr(marker.size()));
    ++files;
  }
  CHECK(files >= 74);
}

TEST_CASE("what is no file of a sane size is refused", "[wall][bad-input]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_wall(folder / "none.toml"),
                    Catch::Contains("none.toml: expected a readable file"));
  CHECK_THROWS_WITH(load_wall(folder.path()),
                    Catch::EndsWith(": expected a wall file (TOML with columns and rows), found a "
                                    "folder"));
  write_file_atomically(folder / "huge.toml", std::string((1U << 20) + 1, '#'));
  CHECK_THROWS_WITH(load_wall(folder / "huge.toml"), Catch::Contains("at most 1048576 bytes"));
  write_file_atomically(folder / "empty.toml", "");
  CHECK_THROWS_WITH(load_wall(folder / "empty.toml"),
                    Catch::Contains("columns: expected an integer"));
}

TEST_CASE("a file of another kind is refused as no wall file", "[wall][bad-input]") {
  const TemporaryFolder folder;
  const auto refused_as = [&](const std::string& text, const std::string& found) {
    write_file_atomically(folder / "other", text);
    CHECK_THROWS_WITH(load_wall(folder / "other"),
                      (folder / "other").string() +
                          ": expected a wall file (TOML with columns and rows), found " + found);
  };
  refused_as(std::string("\0\0\0 ftypisom columns", 20), "binary data");
  refused_as("# a page\n\nrows of panels\n", "a file of another kind");
  refused_as("{\n  \"version\": 6\n}\n", "a file of another kind");
  refused_as("title = \"movie\"\nframes = 12\n", "a file of another kind");
  const auto wall_with_a_slip = folder / "slip";
  write_file_atomically(wall_with_a_slip, "columns == 2\nrows = 1\n");
  CHECK_THROWS_WITH(load_wall(wall_with_a_slip), Catch::Contains("slip:1: expected valid TOML"));
}

TEST_CASE("nesting of any kind and depth ends in a line, not in a crash", "[wall][bad-input]") {
  const auto repeated = [](const std::string& part, std::size_t times) {
    std::string text;
    while (times-- > 0) text += part;
    return text;
  };
  const TemporaryFolder folder;
  for (const std::string& text :
       {"[" + repeated("a.", 400000) + "a]", repeated("a.", 400000) + "a = 1",
        repeated("'a'.", 200000) + "a = 1", "a = " + repeated("[", 500000),
        "a = " + repeated("{a=", 250000), "a = [" + repeated("{a.b.c.d = [", 80000),
        repeated("[[a]]\n", 150000), repeated("[a.b.c.d.e.f.g.h]\n", 2),
        "a = \"\"\"" + repeated("a.", 400000)}) {
    write_file_atomically(folder / "deep.toml", text);
    const auto message = message_of(folder / "deep.toml");
    REQUIRE(message);
    CHECK(message->find('\n') == std::string::npos);
  }
}

TEST_CASE("wall files cut short anywhere are read or refused", "[wall][bad-input]") {
  const TemporaryFolder folder;
  const std::string whole = contents(shipped_wall_file("mixed.toml"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    write_file_atomically(folder / "cut.toml", whole.substr(0, length));
    check_read_or_refused_in_one_line(folder / "cut.toml");
  }
}

TEST_CASE("wall files with changed bytes are read or refused", "[wall][bad-input]") {
  const TemporaryFolder folder;
  for (const char* name : {"mixed.toml", "5x2.toml", "5x3.toml"}) {
    const std::string whole = contents(shipped_wall_file(name));
    std::uint32_t state = 12345;
    const auto next = [&state] {
      state = state * 1664525 + 1013904223;  // Numerical Recipes
      return state >> 8;
    };
    for (int round = 0; round < 1500; ++round) {
      std::string changed = whole;
      for (int change = 0; change <= round % 4; ++change) {
        char& byte = changed[next() % changed.size()];
        // Half of the changes keep to characters that walls are made of, to get past the syntax.
        constexpr std::string_view likely = "0123456789-.eE=[]{}\"_ \n,panelrowscolumn";
        byte = next() % 2 == 0 ? static_cast<char>(next() & 0xff) : likely[next() % likely.size()];
      }
      CAPTURE(name, round);
      write_file_atomically(folder / "changed.toml", changed);
      check_read_or_refused_in_one_line(folder / "changed.toml");
    }
  }
}

TEST_CASE("extreme but valid figures give a wall that can be drawn", "[wall][bad-input]") {
  const TemporaryFolder folder;
  for (const char* text :
       {"columns = 1\nrows = 1\n[panels]\nsize_px = [1, 1]\nsize_mm = [1e-300, 1e5]\n",
        "columns = 1\nrows = 1\n[panels]\nsize_px = [16384, 1]\nsize_mm = [1e5, 1e-9]\n",
        "columns = 2\nrows = 1\n[panels]\nsize_px = [1, 1]\nsize_mm = [1e5, 1e5]\n[[panel]]\n"
        "name = \"c1r0\"\nposition_mm = [-1e5, -1e5]\n",
        "columns = 2\nrows = 1\n[panels]\nsize_px = [1, 1]\nsize_mm = [1e-6, 1e-6]\nbezel_mm = "
        "1e5\n",
        "columns = 1\nrows = 1\n[panels]\nsize_px = [9, 9]\ndiagonal_inches = 1e-12\n",
        "columns = 3\nrows = 1\n[panels]\nsize_px = [9, 9]\n[arc]\nincrement_deg = 1e-9\n",
        "columns = 1024\nrows = 1\n[panels]\nsize_px = [900, 9]\n[overlap]\nhorizontal_px = "
        "899\n"}) {
    CAPTURE(text);
    write_file_atomically(folder / "extreme.toml", text);
    check_read_or_refused_in_one_line(folder / "extreme.toml");
  }
}

TEST_CASE("the TOML corpora are read or refused", "[wall][bad-input]") {
  for (const char* name : {"toml-invalid", "toml-valid"}) {
    const fs::path folder = test::shared_data(fs::path("corrupt") / name);
    if (folder.empty()) continue;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      CAPTURE(entry.path());
      check_read_or_refused_in_one_line(entry.path());
      ++files;
    }
    std::cout << name << ": " << files << " files\n";
    CHECK(files > 0);
  }
}
