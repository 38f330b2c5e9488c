// What helper programs are told, names with numbers, and words that are nearly known.

#include "sync/base/arguments.hpp"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/numbered_names.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;

namespace {

Arguments arguments_of(std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  return {static_cast<int>(words.size()), words.data()};
}

struct ElfNote {
  std::string name;
  std::uint32_t type;
  std::string description;
};

void append(std::string& bytes, const auto& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// An ELF file with two segments: one that is loaded, and the notes.
std::string elf_with(const std::vector<ElfNote>& notes) {
  std::string packed;
  for (const ElfNote& note : notes) {
    Elf64_Nhdr head = {};
    head.n_namesz = static_cast<Elf64_Word>(note.name.size());
    head.n_descsz = static_cast<Elf64_Word>(note.description.size());
    head.n_type = note.type;
    append(packed, head);
    for (const std::string& part : {note.name, note.description}) {
      packed += part;
      packed.append((4 - part.size() % 4) % 4, '\0');
    }
  }
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_phoff = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = 2;
  Elf64_Phdr loaded = {};
  loaded.p_type = PT_LOAD;
  Elf64_Phdr noted = {};
  noted.p_type = PT_NOTE;
  noted.p_offset = sizeof head + 2 * sizeof noted;
  noted.p_filesz = packed.size();
  std::string file;
  append(file, head);
  append(file, loaded);
  append(file, noted);
  return file + packed;
}

}  // namespace

TEST_CASE("helper programs take pairs of names and values, and numbers up to a billion", "[base]") {
  const Arguments arguments =
      arguments_of({"--text", "--odd", "--least", "0", "--most", "1000000000"});
  CHECK(arguments.has("--text"));
  CHECK_FALSE(arguments.has("--odd"));
  CHECK(arguments.text("--text") == "--odd");
  CHECK(arguments.text_or("--text", "other") == "--odd");
  CHECK(arguments.text_or("--missing", "other") == "other");
  CHECK_THROWS_AS(arguments.text("--missing"), InputError);
  CHECK(arguments.number("--least") == 0);
  CHECK(arguments.number("--most") == 1'000'000'000);
  for (const char* wrong : {"", "-1", "1000000001", "5x", "x", "99999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(arguments_of({"--n", wrong}).number("--n"), InputError);
  }
  CHECK_THROWS_AS(arguments_of({"--n"}), InputError);
  CHECK_THROWS_AS(arguments_of({"n", "1"}), InputError);
  CHECK_THROWS_AS(arguments_of({"--a", "1", "--n"}), InputError);
  CHECK_FALSE(arguments_of({}).has("--n"));
}

TEST_CASE("only --version by itself asks for the version", "[base]") {
  const char* const words[] = {"program", "--version", "--version"};
  CHECK_FALSE(prints_version(1, words));
  CHECK_FALSE(prints_version(3, words));
  const char* const other[] = {"program", "version"};
  CHECK_FALSE(prints_version(2, other));
}

TEST_CASE("a program's build is the first six bytes of its GNU build id", "[base]") {
  const test::TemporaryFolder folder;
  const auto build = [&](const std::string& bytes) {
    write_file_atomically(folder / "program", bytes);
    return build_of(folder / "program");
  };
  const std::string gnu("GNU\0", 4);
  const std::string id = "\x12\xab\x34\xcd\x05\xf0rest of the id";
  CHECK(build(elf_with({{gnu, NT_GNU_BUILD_ID, id}})) == "12ab34cd05f0");
  // Names and descriptions are padded to four bytes, and other notes come first.
  CHECK(build(elf_with({{std::string("Linux\0", 6), NT_GNU_BUILD_ID, "five!"},
                        {gnu, NT_GNU_ABI_TAG, "abcd"},
                        {gnu, NT_GNU_BUILD_ID, "\x7f\x01"}})) == "7f01");
  CHECK(build(elf_with({{gnu, NT_GNU_ABI_TAG, "abcd"}})).empty());
  CHECK(build(elf_with({})).empty());
  const std::string whole = elf_with({{gnu, NT_GNU_BUILD_ID, "\x01\x02\x03\x04"}});
  CHECK(build(whole) == "01020304");
  const std::size_t notes_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  for (std::size_t length = 0; length <= notes_at; ++length) {
    CAPTURE(length);
    CHECK(build(whole.substr(0, length)).empty());
  }
  for (const std::size_t changed : {std::size_t{0}, std::size_t{3}, std::size_t{EI_CLASS}}) {
    std::string other = whole;
    other[changed] = static_cast<char>(other[changed] + 1);
    CHECK(build(other).empty());
  }
  std::string long_name = whole;  // a note that says that its name reaches beyond the notes
  long_name[notes_at] = 100;
  CHECK(build(long_name).empty());
}

TEST_CASE("a name with %d or %03d in it stands for numbered files", "[base]") {
  const auto plain = parse_numbered_pattern("folder/frame-%d.png");
  REQUIRE(plain);
  CHECK(plain->folder == "folder");
  CHECK(plain->prefix == "frame-");
  CHECK(plain->suffix == ".png");
  CHECK(plain->digits == 0);
  const auto padded = parse_numbered_pattern("a%03d");
  REQUIRE(padded);
  CHECK(padded->digits == 3);
  CHECK(parse_numbered_pattern("a%12d")->digits == 12);
  for (const char* other : {"a", "a%", "a%3", "a%s", "a%003d", "a%3x", "%d/a"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_numbered_pattern(other));
  }

  CHECK(number_in(*plain, "frame-0.png") == 0);
  CHECK(number_in(*plain, "frame-7.png") == 7);
  CHECK(number_in(*plain, "frame-120.png") == 120);
  CHECK(number_in(*padded, "a007") == 7);
  CHECK(number_in(*padded, "a000") == 0);
  CHECK(number_in(*padded, "a1000") == 1000);
  for (const char* other :
       {"frame-.png", "frame-07.png", "frame-00.png", "frame-x.png", "frame-7.jpg", "fram-7.png",
        "frame-7.pngx", "frame--7.png", "frame-99999999999999999999.png", "frame-png"}) {
    CAPTURE(other);
    CHECK_FALSE(number_in(*plain, other));
  }
  for (const char* other : {"a07", "a7", "a0007", "a0100"}) {
    CAPTURE(other);
    CHECK_FALSE(number_in(*padded, other));
  }
}

TEST_CASE("names are ordered by the values of their numbers", "[base]") {
  // Each name comes before all later ones.
  const std::string_view ordered[] = {"",
                                      "a",
                                      "a0",
                                      "a00b1",
                                      "a0b1",
                                      "a1",
                                      "a2",
                                      "a02b",
                                      "a2b",
                                      "a9",
                                      "a10",
                                      "a10x2",
                                      "a10x10",
                                      "a99999999999999999998",
                                      "a99999999999999999999",
                                      "b1",
                                      "b1a"};
  for (std::size_t i = 0; i < std::size(ordered); ++i)
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      CAPTURE(ordered[i], ordered[j]);
      CHECK(natural_less(ordered[i], ordered[j]) == (i < j));
    }
}

TEST_CASE("the distance of two words is the number of letters to change", "[base]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abcd", "acbd") == 1);  // two neighbours change places
  CHECK(edit_distance("abcd", "abd") == 1);
  CHECK(edit_distance("abd", "abcd") == 1);
  CHECK(edit_distance("flaw", "lawn") == 2);
  const std::string_view words[] = {"play", "plan", "wall"};
  CHECK(nearest_word("plau", words) == "play");  // the first of equals
  CHECK(nearest_word("wal", words) == "wall");
}

TEST_CASE("a third of a word's letters may be wrong", "[base]") {
  const std::string_view words[] = {"abcdefgh", "xy"};
  CHECK(near_word("abcdeXXX", words) == "abcdefgh");  // three of eight
  CHECK(near_word("abcdXXXX", words) == "");
  CHECK(near_word("xz", words) == "xy");
  CHECK(near_word("zz", words) == "");
  CHECK(near_word("ab", words) == "abcdefgh");  // its beginning
  CHECK(near_word("a", words) == "");           // too short to be one
  const std::string longest(64, 'q');
  const std::string_view long_words[] = {longest};
  CHECK(near_word(longest, long_words) == longest);
  CHECK(near_word(longest + "q", long_words) == "");
}
