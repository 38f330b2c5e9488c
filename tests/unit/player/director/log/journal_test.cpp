// The journal's lines, what is left of a damaged text, and the file that follows the memory.

#include "player/director/log/journal.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/json_text.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/kept_journal.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;
using test::KeptJournal;
using Json = nlohmann::json;

TEST_CASE("an entry is one line of JSON, which gives the entry back", "[journal]") {
  const JournalEntry entry{at_ms(5), "time", {{"delay_ns", 7}, {"text", "two\nlines"}}};
  const std::string line = to_line(entry);
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(Json::parse(line).at("kind") == "time");
  const auto read = entry_from_line(line.substr(0, line.size() - 1));
  REQUIRE(read);
  CHECK(read->at == entry.at);
  CHECK(read->kind == entry.kind);
  CHECK(read->data == entry.data);
}

TEST_CASE("a line with one changed character is no entry", "[journal]") {
  std::string line = to_line({at_ms(5), "time", {{"delay_ns", 7}}});
  line.pop_back();
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] = damaged[i] == '7' ? '8' : '7';
    CAPTURE(damaged);
    CHECK_FALSE(entry_from_line(damaged));
  }
}

TEST_CASE("an entry whose values are nested too deeply is none", "[journal]") {
  const auto nested = [](std::size_t depth) {
    return line_of_body(R"("at_ns":1,"kind":"a","data":)" + std::string(depth, '[') +
                        std::string(depth, ']') + "}");
  };
  CHECK(entry_from_line(nested(deepest_json - 1)));
  CHECK_FALSE(entry_from_line(nested(deepest_json)));
  CHECK_FALSE(entry_from_line(nested(1'000'000)));
}

TEST_CASE("a director that dies while it writes leaves the text as it was", "[journal]") {
  const KeptJournal kept;
  JournalMemory memory(kept.memory.get());
  memory.append("one\n");
  memory.replace("two\n");
  memory.append("three\n");
  const std::string text = "two\nthree\n";
  const std::string next = "a text that the director adds or puts in place of the old one\n";
  for (std::size_t written = 0; written <= next.size(); ++written) {
    // What is written first, behind the old text.
    REQUIRE(::pwrite(kept.memory.get(), next.data(), written,
                     static_cast<off_t>(memory.range().end)) == static_cast<ssize_t>(written));
    REQUIRE(kept.text() == text);
  }
  JournalMemory(kept.memory.get()).append("four\n");
  CHECK(kept.text() == text + "four\n");
  JournalMemory(kept.memory.get()).replace(next);
  CHECK(kept.text() == next);
}

TEST_CASE("a memory without a range has no text, and takes one", "[journal]") {
  const UniqueFd fd(::memfd_create("empty", MFD_CLOEXEC));
  JournalMemory memory(fd.get());
  CHECK(memory.text(memory.range()).empty());
  memory.append("one\n");
  memory.append("two\n");
  CHECK(memory.text(memory.range()) == "one\ntwo\n");
}

TEST_CASE("a torn last line does not count, a damaged one in the middle is left out", "[journal]") {
  const std::string one = to_line({at_ms(1), "time", {{"delay_ns", 1}}});
  const std::string two = to_line({at_ms(2), "time", {{"delay_ns", 2}}});
  const JournalText torn = read_journal(one + two.substr(0, two.size() / 2));
  CHECK(torn.entries.size() == 1);
  CHECK(torn.damaged_lines == 0);
  const JournalText noisy = read_journal(one + std::string(1 << 20, '\xfe') + "\n" + two);
  REQUIRE(noisy.entries.size() == 2);
  CHECK(noisy.entries[1].at == at_ms(2));
  CHECK(noisy.damaged_lines == 1);
}

TEST_CASE("the file follows the memory, also after another hand has changed it", "[journal]") {
  KeptJournal kept;
  JournalMemory memory(kept.memory.get());
  JournalCopy copy(kept.memory.get(), kept.file);
  const auto follows = [&] {
    copy.copy_soon();
    return test::eventually([&] { return kept.file_text() == kept.text(); });
  };
  memory.append("one\n");
  CHECK(follows());
  memory.append("two\n");
  CHECK(follows());
  std::ofstream(kept.file) << "noise";
  memory.append("three\n");
  CHECK(follows());
  memory.replace("four\n");
  CHECK(follows());
  CHECK(kept.file_text() == "four\n");
  CHECK(copy.trouble().empty());
}

TEST_CASE("what a writer that was killed has left beside the file is no obstacle", "[journal]") {
  const KeptJournal kept;
  const std::string unfinished = kept.file.string() + ".tmp";
  std::ofstream(kept.file) << "old\n";
  std::ofstream(unfinished) << "a longer text than the new one, which is not who";
  JournalMemory(kept.memory.get()).append("new\n");
  const JournalCopy copy(kept.memory.get(), kept.file);
  CHECK(test::eventually([&] { return kept.file_text() == "new\n"; }));
  CHECK_FALSE(std::filesystem::exists(unfinished));
}

TEST_CASE("a file that cannot be written is reported, and written once it can be", "[journal]") {
  KeptJournal kept;
  std::filesystem::create_directory(kept.file);
  JournalMemory memory(kept.memory.get());
  memory.append("one\n");
  JournalCopy copy(kept.memory.get(), kept.file);
  CHECK(test::eventually([&] { return !copy.trouble().empty(); }));
  std::filesystem::remove(kept.file);
  CHECK(test::eventually([&] { return kept.file_text() == "one\n"; }));
  CHECK(test::eventually([&] { return copy.trouble().empty(); }));
}

TEST_CASE("a disk that is full keeps the entries that it had, and takes further ones later",
          "[journal]") {
  KeptJournal kept;
  JournalMemory memory(kept.memory.get());
  memory.append("one\n");
  JournalCopy copy(kept.memory.get(), kept.file);
  REQUIRE(test::eventually([&] { return kept.file_text() == "one\n"; }));
  memory.append("two\n");
  {
    const test::FileSizeLimit limit(6);  // there is room for half of the line
    copy.copy_soon();
    CHECK(test::eventually([&] { return !copy.trouble().empty(); }));
    CHECK(kept.file_text() == "one\n");
    CHECK_FALSE(std::filesystem::exists(kept.file.string() + ".tmp"));
  }
  CHECK(test::eventually([&] { return kept.file_text() == "one\ntwo\n"; }));
  CHECK(test::eventually([&] { return copy.trouble().empty(); }));
}
