#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "player/cues/show_file.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::cues;

namespace {

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(show_from_text("a.toml", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

/// What a show whose only cue has these keys is refused with, without the file and line 3.
std::string refusal_of_cue(const std::string& keys) {
  const std::string line = refusal_of("[[cue]]\nname = \"Jet\"\n" + keys);
  const std::string begin = "a.toml:3: cue \"Jet\".";
  CAPTURE(line);
  REQUIRE(line.starts_with(begin));
  return line.substr(begin.size());
}

}  // namespace

TEST_CASE("a wrong value of a cue is named with its line", "[cues]") {
  struct Case {
    const char* keys;
    const char* refusal;
  };
  const Case cases[] = {
      {"blakc = true",
       "blakc: expected a known key (the nearest is \"black\"), found an unknown one"},
      {"inptu = \"a\"",
       "inptu: expected a known key (the nearest is \"input\"), found an unknown one"},
      {"black = 1", "black: expected true or false, found 1"},
      {"volume = 2.5", "volume: expected a number in [0, 2], found 2.5"},
      {"number = 12.5", "number: expected a text such as \"12.5\", or an integer, found 12.5"},
      {"colour = \"gren\"",
       "colour: expected one of red, orange, yellow, green, cyan, blue, purple, grey (the nearest "
       "is "
       "green), found \"gren\""},
      {"transition = \"fade\"",
       "transition: expected \"cut\", \"fade 1.5\" or \"through_black 2\", with up to 60 seconds, "
       "found \"fade\""},
      {"transition = \"fade 61\"",
       "transition: expected \"cut\", \"fade 1.5\" or \"through_black 2\", with up to 60 seconds, "
       "found \"fade 61\""},
      {"transition = \"fade nan\"",
       "transition: expected \"cut\", \"fade 1.5\" or \"through_black 2\", with up to 60 seconds, "
       "found \"fade nan\""},
      {"follow = \"after 0\"",
       "follow: expected \"after 5\" (seconds), \"at end\" or \"at 20:15:00\", found \"after 0\""},
      {"follow = \"at 24:00\"",
       "follow: expected \"after 5\" (seconds), \"at end\" or \"at 20:15:00\", found \"at 24:00\""},
      {"follow = 5", "follow: expected a text, found 5"},
      {"compare = \"wipe\"",
       "compare: expected one of side_by_side, swipe, difference, off (the nearest is swipe), "
       "found "
       "\"wipe\""},
      {"compare = {}",
       "compare.mode: expected one of side_by_side, swipe, difference, off, found nothing"},
      {"compare = { mode = \"off\", line = 0.5 }",
       "compare.line: expected nothing beside mode = \"off\", found 0.5"},
      {"place = [0, 0, 0.6, 1.1]", "place[3]: expected a number in [0, 1], found 1.1"},
      {"place = [0.5, 0, 0.6, 1]",
       "place: expected [x, y, width, height] within [0, 0, 1, 1], found [0.5, 0, 0.6, 1]"},
      {"place_px = [0, 0, 0, 1]",
       "place_px: expected [x, y, width, height] with a size over 0, found [0, 0, 0, 1]"},
      {"loop = 0", "loop: expected an integer in [1, 1000000], found 0"},
      {"loop = \"twice\"",
       "loop: expected \"once\", \"forever\", \"ping_pong\", or a number of rounds from 1 to "
       "1000000, found \"twice\""},
      {"rounds = 3",
       "rounds: expected nothing, or loop = \"ping_pong\" beside it (loop = 3 plays 3 rounds), "
       "found "
       "3"},
      {"speed = 17",
       "speed: expected a number, or a text such as \"30000/1001\", from 0.125 to 16, negative for "
       "backwards, found 17"},
      {"speed = nan",
       "speed: expected a number, or a text such as \"30000/1001\", from 0.125 to 16, negative for "
       "backwards, found nan"},
      {"fps = -24",
       "fps: expected a number, or a text such as \"30000/1001\", from 0.001 to 1000, found -24"},
      {"out = -1", "out: expected an integer in [0, 281474976710655], found -1"},
      {"out = 4\nin = 5", "out: expected an integer in [5, 281474976710655], found 4"},
      {"start = 5\nout = 4", "start: expected a frame from \"in\" to \"out\", found 5"},
      {"start = 4\nin = 5", "start: expected a frame from \"in\" to \"out\", found 4"},
      {"view_px = [0, 0, 1, 0]",
       "view_px: expected [x, y, width, height] with a size over 0, found [0, 0, 1, 0]"},
      {"lit = \"yes\"", "lit: expected true or false, found \"yes\""},
      {"tf = [1]", "tf: expected a text or a number, as for `view`, found an array of 1 value"},
      {"missing = \"ignore\"",
       "missing: expected one of refuse, placeholder, skip, found \"ignore\""}};
  for (const Case& one : cases) CHECK(refusal_of_cue(one.keys) == one.refusal);
}

TEST_CASE("keys of a cue that exclude each other are named", "[cues]") {
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nplace = [0, 0, 1, 1]\nplace_px = [0, 0, 1, 1]\n") ==
        "a.toml:3: cue \"a\".place: expected nothing beside \"place_px\", found an array of 4 "
        "values");
  CHECK(
      refusal_of("[[cue]]\nname = \"a\"\npattern = \"grid\"\ninput = \"b\"\n") ==
      "a.toml:3: cue \"a\".pattern: expected nothing beside an input or the removal of the region "
      "\"main\", found \"grid\"");
  CHECK(
      refusal_of("[[cue]]\nname = \"a\"\n[[cue.region]]\nname = \"b\"\nremove = true\nfit = "
                 "\"cover\"\n") ==
      "a.toml:6: cue \"a\".region \"b\".fit: expected nothing beside \"remove\", found \"cover\"");
}

TEST_CASE("a name that is used twice is named", "[cues]") {
  CHECK(refusal_of("[[cue]]\nname = \"a\"\n[[cue]]\nname = \"b\"\n[[cue]]\nname = \"a\"\n") ==
        "a.toml:5: cue \"a\".name: expected a name or number that no other cue has, found \"a\" "
        "again, as in line 1");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nnumber = 2\n[[cue]]\nname = \"b\"\nnumber = \"2\"\n") ==
        "a.toml:4: cue \"b\".number: expected a name or number that no other cue has, found \"2\" "
        "again, as in line 1");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nnumber = 2\n[[cue]]\nname = \"2\"\n") ==
        "a.toml:1: cue \"a\".number: expected a name or number that no other cue has, found \"2\" "
        "again, as in line 4");
  CHECK(refusal_of("[[cue]]\nname = \"2\"\nnumber = 2\n") == "taken");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\n[[cue.region]]\nname = \"b\"\n[[cue.region]]\nname = "
                   "\"b\"\n") ==
        "a.toml:6: cue \"a\".region \"b\".name: expected each region once in a cue, found \"b\" "
        "again");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nfit = \"cover\"\n[[cue.region]]\ninput = \"b\"\n") ==
        "a.toml:4: cue \"a\".region[0].name: expected each region once in a cue, found \"main\" "
        "again");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\n[[cue.region]]\nname = \"compare\"\n") ==
        "a.toml:4: cue \"a\".region \"compare\".name: expected another name, because a comparison "
        "has this one, found \"compare\"");
  CHECK(
      refusal_of("[[section]]\nname = \"s\"\n[[section]]\nname = \"s\"\n[[cue]]\nname = \"a\"\n") ==
      "a.toml: section.name: expected each section once, found \"s\" again");
}

TEST_CASE("a name that does not exist is named with the nearest one", "[cues]") {
  CHECK(
      refusal_of("[[cue]]\nname = \"Intro\"\n[[cue]]\nname = \"b\"\ngoto = \"Intor\"\n") ==
      "a.toml:3: cue \"b\".goto: expected the name or number of a cue (the nearest is \"Intro\"), "
      "found \"Intor\"");
  CHECK(
      refusal_of("[[section]]\nname = \"doors\"\n[[cue]]\nname = \"a\"\nsection = \"dors\"\n") ==
      "a.toml:3: cue \"a\".section: expected the name of a [[section]] (the nearest is \"doors\"), "
      "found \"dors\"");
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nsection = \"dors\"\n") ==
        "a.toml:1: cue \"a\".section: expected the name of a [[section]], found \"dors\"");
  CHECK(refusal_of("[[section]]\nname = \"s\"\n[[cue]]\nname = \"a\"\nsection = "
                   "\"s\"\n[[cue]]\nname = \"b\"\nsection = \"s\"\n") ==
        "a.toml:6: cue \"b\".section: expected the first cue of a section alone to name it, found "
        "\"s\" again");
}

TEST_CASE("a show that is no show is named", "[cues]") {
  CHECK(refusal_of("") == "a.toml:1: cue: expected 1 to 10000 cues, written [[cue]], found 0");
  CHECK(refusal_of("[cue]\nname = \"a\"\n") ==
        "a.toml:1: cue: expected tables written [[cue]], found a table");
  CHECK(refusal_of("[[cue]]\nblack = true\n") ==
        "a.toml:1: cue[0].name: expected a text of 1 to 64 characters, found nothing");
  CHECK(refusal_of("[[cue]]\nname = \"" + std::string(65, 'x') + "\"\n")
            .starts_with("a.toml:2: cue"));
  CHECK(refusal_of("[sohw]\n") ==
        "a.toml:1: sohw: expected a known key (the nearest is \"show\"), found an unknown one");
  CHECK(refusal_of("[show]\nlate = \"fast\"\n[[cue]]\nname = \"a\"\n") ==
        "a.toml:2: show.late: expected one of drop, slow, lower, found \"fast\"");
  CHECK(refusal_of("[[section]]\nname = \"s\"\nrounds = 2\n") ==
        "a.toml:3: section \"s\".rounds: expected loop = true beside it, found 2");
  CHECK(refusal_of("[([s").starts_with("a.toml:1: expected valid TOML"));
  CHECK(refusal_of("[[cue]]\nname = \"a\xff\"\n").starts_with("a.toml:2: expected valid TOML"));
  CHECK(refusal_of("[[cue]]\nname = \"a\"\nnote = \"" + std::string(4097, 'x') + "\"\n") ==
        "a.toml:3: cue \"a\".note: expected a text of at most 4096 bytes, found one of 4097");
}

TEST_CASE("a show has at most 10,000 cues and 64 regions in one of them", "[cues]") {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "[[cue]]\nname = \"" + std::to_string(i) + "\"\n";
  CHECK(refusal_of(text) == "taken");
  CHECK(refusal_of(text + "[[cue]]\nname = \"one\"\n") ==
        "a.toml:1: cue: expected 1 to 10000 cues, written [[cue]], found 10001");
  text = "[[cue]]\nname = \"a\"\n";
  for (int i = 0; i < 65; ++i) text += "[[cue.region]]\nname = \"" + std::to_string(i) + "\"\n";
  CHECK(refusal_of(text) == "a.toml:3: cue \"a\".region: expected at most 64 regions, found 65");
}

TEST_CASE("a show file that cannot be read is named", "[cues]") {
  std::string folder = (std::filesystem::temp_directory_path() / "tilewall-show-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "show.toml";
  const auto refusal = [&] {
    try {
      static_cast<void>(read_show_file(file));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  CHECK(refusal().starts_with(file.string()));
  std::filesystem::create_symlink(file, file);
  CHECK(refusal().starts_with(file.string()));
  CHECK(refusal().find("ymbolic link") != std::string::npos);
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK(refusal().starts_with(file.string()));
  std::filesystem::remove(file);
  std::ofstream(file) << "[[cue]]\nname = \"a\"\n";
  CHECK(read_show_file(file).file == file);
  std::ofstream(file) << std::string((16 << 20) + 1, '\n');
  CHECK(refusal().starts_with(file.string()));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a note of a cue has up to 4096 bytes", "[cues][bad-input]") {
  const auto note_of = [](std::size_t bytes) {
    return refusal_of("[[cue]]\nname = \"a\"\npattern = \"card\"\nnote = \"" +
                      std::string(bytes, 'x') + "\"\n");
  };
  CHECK(note_of(4096) == "taken");
  CHECK(note_of(4097) ==
        "a.toml:4: cue \"a\".note: expected a text of at most 4096 bytes, found one of 4097");
}
