// The comparison of two reports, and reports that are none.
#include "player/cli/present/report_comparison.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using Json = nlohmann::ordered_json;

namespace {

CueFigures shown_cue(const std::string& name) {
  CueFigures cue;
  cue.cue = name;
  cue.armed_state = "armed";
  cue.armed_s = 0.25;
  cue.skew_p99_us = 40;
  cue.memory_bytes = 500'000'000;
  return cue;
}

Json entry_json() {
  return Json::parse(R"({"cue": "one", "armed": {"state": "armed", "after_s": 0.5, "missing":
    [{"panel": "c0r0", "missing": ["a", "b"]}, {"panel": "c1r0", "missing": []}]},
    "frames_scheduled": 24, "frames_shown_by_any": 23, "frames_late": 3, "late": [{"panel": "c0r0", "cause": "decode",
    "frames": 2}, {"panel": null, "cause": "swap", "frames": 1}], "skew_us": {"p50": 1, "p99": 2.5,
    "max": 3}, "memory_bytes": 77, "inputs_missing": [{"region": "main", "why": "gone"}]})");
}

/// The refusal of a file with this text; "" where it is none.
std::string comparison_refusal(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "r.json") << text;
  try {
    static_cast<void>(read_cue_figures(folder / "r.json"));
  } catch (const InputError& error) {
    const std::string line = error.what();
    const std::string path = (folder / "r.json").string();
    CHECK(line.starts_with(path + ": "));
    return line.substr(std::min(line.size(), path.size() + 2));
  }
  return "";
}

/// The same for a report with one entry, in which one value is replaced.
std::string refusal_with(const char* pointer, const Json& value) {
  Json report = {{"cues", {entry_json()}}};
  report["cues"][0][Json::json_pointer(pointer)] = value;
  return comparison_refusal(report.dump());
}

}  // namespace

TEST_CASE("the figures of a cue are read from a report", "[present]") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "r.json") << Json({{"cues", {entry_json()}}, {"other", 1}}).dump();
  const auto cues = read_cue_figures(folder / "r.json");
  REQUIRE(cues.size() == 1);
  const CueFigures& cue = cues.front();
  CHECK(cue.cue == "one");
  CHECK(cue.armed_s == 0.5);
  CHECK_FALSE(cue.is_armed());  // two panels lacked something
  REQUIRE(cue.panels_missing.size() == 2);
  CHECK(cue.panels_missing[0].why == "a; b");
  CHECK(cue.panels_missing[1].why == "no answer");
  CHECK(cue.frames_shown_by_any == 23);
  CHECK(cue.frames_late == 3);
  CHECK(cue.late.at(1).panel == "");
  CHECK(cue.skew_p99_us == 2.5);
  CHECK(cue.memory_bytes == 77);
  CHECK(cue.inputs_missing.at(0).what == "main");
}

TEST_CASE("figures that are not known stay unknown in a comparison", "[present]") {
  CueFigures unknown = shown_cue("one");
  unknown.armed_s.reset();
  unknown.skew_p99_us.reset();
  unknown.memory_bytes.reset();
  const Json comparison = compared_cues({unknown}, {shown_cue("one")});
  for (const char* const key : {"armed_s", "skew_p99_us", "memory_bytes"}) {
    const Json& figure = comparison.at("cues")[0].at(key);
    CHECK(figure.at("before").is_null());
    CHECK_FALSE(figure.at("after").is_null());
    CHECK(figure.at("difference").is_null());
  }
  CHECK_FALSE(comparison.at("is_worse").get<bool>());
  CHECK(comparison_text(comparison, "a", "b").find("- -> 0.25 s  ") != std::string::npos);
  CHECK(comparison_text(compared_cues({unknown}, {unknown}), "a", "b").find("->  ") ==
        std::string::npos);
}

TEST_CASE("a comparison has both figures and their difference, cue by cue", "[present]") {
  CueFigures before = shown_cue("one");
  before.frames_late = 5;
  before.late = {{"c0r0", "decode", 3}, {"c1r0", "decode", 2}};
  CueFigures after = shown_cue("one");
  after.frames_late = 2;
  after.late = {{"c0r0", "swap", 2}};
  after.armed_s = 0.75;
  after.memory_bytes = 400'000'000;
  const Json comparison =
      compared_cues({shown_cue("gone"), before}, {after, shown_cue("new"), shown_cue("newer")});
  REQUIRE(comparison.at("cues").size() == 4);
  CHECK(comparison.at("cues")[0] == Json({{"cue", "gone"}, {"in", "before"}}));
  CHECK(comparison.at("cues")[3] == Json({{"cue", "newer"}, {"in", "after"}}));
  const Json& one = comparison.at("cues")[1];
  CHECK(one.at("armed_s").at("difference") == 0.5);
  CHECK(one.at("frames_late") == Json({{"before", 5}, {"after", 2}, {"difference", -3}}));
  CHECK(one.at("late")[0] ==
        Json({{"cause", "decode"}, {"before", 5}, {"after", 0}, {"difference", -5}}));
  CHECK(one.at("late")[1].at("difference") == 2);
  CHECK(one.at("memory_bytes").at("difference") == -100'000'000);
  CHECK_FALSE(comparison.at("is_worse").get<bool>());
  CHECK(comparison_text(comparison, "a.json", "b.json") ==
        "cue             armed after  late frames          skew p99                memory\n"
        "one  0.25 -> 0.75 s (+0.50)  5 -> 2 (-3)  40 -> 40 us (+0)  500 -> 400 MB (-100)\n"
        "    late by decode: 5 -> 0 (-5)\n"
        "    late by swap: 0 -> 2 (+2)\n"
        "only in a.json: gone\n"
        "only in b.json: new, newer\n");
}

TEST_CASE("worse is what an audience would see", "[present]") {
  const CueFigures good = shown_cue("one");
  const auto is_worse = [&](const CueFigures& before, const CueFigures& after) {
    return compared_cues({before}, {after}).at("is_worse").get<bool>();
  };
  CHECK_FALSE(is_worse(good, good));
  CueFigures late = good;
  late.frames_late = 1;
  CHECK(is_worse(good, late));
  CHECK_FALSE(is_worse(late, late));
  CHECK_FALSE(is_worse(late, good));
  CueFigures missing = good;
  missing.inputs_missing = {{"main", "gone"}};
  CHECK(is_worse(good, missing));
  CHECK_FALSE(is_worse(missing, missing));
  CueFigures unarmed = good;
  unarmed.armed_state = "arming";
  CHECK(is_worse(good, unarmed));
  CHECK_FALSE(is_worse(unarmed, good));
  CueFigures slow = good;
  slow.armed_s = 3;
  slow.skew_p99_us = 900;
  slow.memory_bytes = 4'000'000'000;
  CHECK_FALSE(is_worse(good, slow));
}

TEST_CASE("a cue that was shown several times counts once", "[present]") {
  CueFigures again = shown_cue("one");
  again.frames_late = 4;
  again.armed_s = 0.5;
  again.armed_state = "amber";
  const Json comparison = compared_cues({shown_cue("one"), again, again}, {shown_cue("one")});
  REQUIRE(comparison.at("cues").size() == 1);
  CHECK(comparison.at("cues")[0].at("frames_late").at("before") == 8);
  CHECK(comparison.at("cues")[0].at("armed_s").at("before") == 0.5);
}

TEST_CASE("what is no report of a presentation is refused in one line", "[present]") {
  CHECK(comparison_refusal("") == "expected JSON, as --report writes it, found other text");
  CHECK(comparison_refusal("{") == "expected JSON, as --report writes it, found other text");
  CHECK(comparison_refusal(std::string(100'000, '[')) ==
        "expected JSON, as --report writes it, found other text");
  CHECK(comparison_refusal("7").starts_with("cues: expected those of a presentation's report"));
  CHECK(comparison_refusal("{}") ==
        "cues: expected those of a presentation's report (tilewall present --report), found none");
  CHECK(comparison_refusal(R"({"cues": 5})") == "cues: expected a list, found 5");
  CHECK(comparison_refusal(R"({"cues": [5]})") == "cues[0]: expected an object, found 5");
  CHECK(comparison_refusal(R"({"cues": [{}]})") ==
        "cues[0].cue: expected a value, as a presentation's report has it, found nothing");
  CHECK(refusal_with("/cue", 5) == "cues[0].cue: expected a text, found 5");
  CHECK(refusal_with("/armed/after_s", "soon") ==
        "cues[0].armed.after_s: expected a number, found \"soon\"");
  CHECK(refusal_with("/frames_late", -1) ==
        "cues[0].frames_late: expected a whole number, 0 to 10^15, found -1");
  CHECK(refusal_with("/frames_late", 1.5) != "");
  CHECK(refusal_with("/frames_late", 18'000'000'000'000'000'000U) != "");
  CHECK(refusal_with("/late", "none") != "");
  CHECK(refusal_with("/late/0/panel", 1) != "");
  CHECK(refusal_with("/skew_us", 5) != "");
  CHECK(refusal_with("/memory_bytes", "much") != "");
  CHECK(refusal_with("/inputs_missing/0", "main") != "");
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(read_cue_figures(folder / "none.json"), InputError);
}
