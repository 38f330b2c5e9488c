// SHOW_FILE.md against the reader of show files.

#include <catch2/catch.hpp>

#include "player/cues/region_reader.hpp"
#include "player/cues/show_file.hpp"
#include "player/cues/show_words.hpp"
#include "sync/base/file.hpp"

using namespace tilewall;
using namespace tilewall::cues;

namespace {

std::string page() {
  return read_text_file(std::string(TILEWALL_SOURCE_DIR) + "/player/cues/SHOW_FILE.md", 1 << 20);
}

}  // namespace

TEST_CASE("the example of SHOW_FILE.md is a show without surprises", "[cues]") {
  const std::string text = page();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const std::string example = text.substr(begin, text.find("```\n", begin) - begin);
  const ShowFile show = show_from_text("example.toml", example);
  CHECK(show.cues.size() == 5);
  for (const Finding& finding : findings_of(show)) FAIL_CHECK(finding.text);
  CHECK(show_from_text("canonical.toml", to_text(show)) == show);
}

TEST_CASE("SHOW_FILE.md names every key of regions, and every colour", "[cues]") {
  const std::string text = page();
  for (const std::string_view key : region_keys()) {
    CAPTURE(key);
    CHECK(text.find("`" + std::string(key) + "`") != std::string::npos);
  }
  for (const std::string_view colour : cue_colours)
    CHECK(text.find("`\"" + std::string(colour) + "\"`") != std::string::npos);
}
