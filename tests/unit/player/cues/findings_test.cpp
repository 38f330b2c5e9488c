#include <catch2/catch.hpp>

#include "player/cues/show_file.hpp"
#include "tests/unit/player/cues/random_show.hpp"

using namespace tilewall::cues;

namespace {

/// A show whose first cue, "a", has an input, and then these lines.
std::vector<Finding> findings_in(const std::string& behind) {
  return findings_of(
      show_from_text("a.toml", "[[cue]]\nname = \"a\"\ninput = \"a.mp4\"\n" + behind));
}

/// The only finding, as "error 4 b: text" or "advice 4 b: text"; "none", or their number.
std::string only_finding(const std::vector<Finding>& findings) {
  if (findings.empty()) return "none";
  if (findings.size() > 1) return std::to_string(findings.size()) + " findings";
  const Finding& one = findings.front();
  return std::string(one.is_error ? "error " : "advice ") + std::to_string(one.line) + " " +
         one.cue + ": " + one.text;
}

}  // namespace

TEST_CASE("a show without surprises has no findings", "[cues]") {
  CHECK(only_finding(findings_in("follow = \"at end\"\n[[cue]]\nname = \"b\"\nblack = true\n")) ==
        "none");
}

TEST_CASE("cues that nothing leads to are found", "[cues]") {
  const std::string cues =
      "goto = \"d\"\n[[cue]]\nname = \"b\"\n[[cue]]\nname = \"c\"\n[[cue]]\nname = "
      "\"d\"\n";
  CHECK(only_finding(findings_in(cues)) ==
        "advice 5 b: no cue leads to this one and the 1 behind it: only an operator's goto does");
  CHECK(only_finding(findings_in(cues + "goto = \"b\"\n")) == "none");
  CHECK(only_finding(findings_of(show_from_text(
            "a.toml",
            "[[section]]\nname = \"s\"\nloop = true\n[[section]]\nname = \"t\"\n[[cue]]\nname = "
            "\"a\"\nsection = \"s\"\ninput = \"x\"\n[[cue]]\nname = \"b\"\nsection = \"t\"\n"))) ==
        "none");
}

TEST_CASE("follows without an end are found", "[cues]") {
  const std::string text =
      "follow = \"after 1\"\n[[cue]]\nname = \"b\"\nfollow = \"at end\"\ngoto = \"a\"\n";
  CHECK(only_finding(findings_in(text)) ==
        "error 1 a: the cues from this one on follow each other for ever: put them into a "
        "[[section]] with loop = true, or take a follow away");
  CHECK(only_finding(findings_in("goto = \"a\"\nfollow = \"after 1\"\n")).starts_with("error 1 a"));
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\nfollow = \"at end\"\ngoto = \"a\"\n")) ==
        "none");
  CHECK(
      only_finding(findings_of(show_from_text(
          "a.toml",
          "[[section]]\nname = \"s\"\nloop = true\n[[cue]]\nname = \"a\"\nsection = \"s\"\ninput = "
          "\"x\"\nfollow = \"after 1\"\n[[cue]]\nname = \"b\"\nfollow = \"after 1\"\n"))) ==
      "none");
}

TEST_CASE("circles through a looping section or a time of day are meant", "[cues]") {
  const auto circle = [](const std::string& section, const std::string& follow) {
    return only_finding(findings_of(
        show_from_text("a.toml", "[[section]]\nname = \"s\"\n" + section +
                                     "[[cue]]\nname = \"a\"\ninput = \"x\"\nfollow = \"after 1\"\n"
                                     "[[cue]]\nname = \"b\"\nsection = \"s\"\nfollow = " +
                                     follow + "\ngoto = \"a\"\n")));
  };
  CHECK(circle("", "\"after 1\"").starts_with("error 3 a: "));
  CHECK(circle("loop = true\n", "\"after 1\"") == "none");
  CHECK(circle("", "\"at 09:00\"") == "none");
}

TEST_CASE("a section that loops for ever leads to no cue behind it, one of some rounds does",
          "[cues]") {
  const auto found_with = [](const std::string& loop) {
    return only_finding(findings_of(show_from_text(
        "a.toml", "[[section]]\nname = \"s\"\n" + loop +
                      "[[section]]\nname = \"t\"\n[[cue]]\nname = \"a\"\nsection = \"s\"\ninput = "
                      "\"x\"\nfollow = \"after 1\"\n[[cue]]\nname = \"b\"\nsection = \"t\"\n"
                      "follow = \"after 1\"\ngoto = \"a\"\n")));
  };
  CHECK(found_with("loop = true\n") == "none");
  CHECK(
      found_with("loop = true\nrounds = 2\n").starts_with("error 7 a: the cues from this one on"));
}

TEST_CASE("follows that do nothing are found", "[cues]") {
  CHECK(only_finding(findings_in("follow = \"after 1\"\n")) ==
        "advice 1 a: no cue is behind this one, so its follow does nothing");
  CHECK(only_finding(findings_in("loop = \"forever\"\n[[cue]]\nname = \"b\"\nfollow = \"at "
                                 "end\"\n[[cue]]\nname = \"c\"\n")) ==
        "advice 5 b: follow = \"at end\" waits for region \"main\", which never ends");
  CHECK(only_finding(findings_in("loop = \"forever\"\n[[cue]]\nname = \"b\"\nfollow = \"at end\"\n"
                                 "input = \"b.mp4\"\n[[cue]]\nname = \"c\"\n")) == "none");
}

TEST_CASE("regions that are not on the wall are found", "[cues]") {
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\n[[cue.region]]\nname = \"x\"\nfit = "
                                 "\"cover\"\n")) ==
        "error 6 b: region \"x\" is not on the wall yet: give it an input");
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\n[[cue.region]]\nname = \"x\"\nremove = "
                                 "true\n")) ==
        "error 6 b: region \"x\" is removed, but not on the wall");
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\n[[cue.region]]\nremove = true\n")) ==
        "error 4 b: no region is left on the wall: use black = true");
  CHECK(only_finding(
            findings_of(show_from_text("a.toml", "[[cue]]\nname = \"a\"\nblack = true\n"))) ==
        "error 1 a: the first cue has no region: give it an input, or pattern = \"black\"");
  std::string many;
  for (int i = 0; i < 64; ++i)
    many += "[[cue.region]]\nname = \"" + std::to_string(i) + "\"\ninput = \"x\"\n";
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\n" + many)) ==
        "error 4 b: 65 regions are on the wall, at most 64 can be");
}

TEST_CASE("of cues with too many regions or none, the first one is found", "[cues]") {
  const std::string bare = "[[cue]]\nname = \"c\"\n[[cue]]\nname = \"d\"\n";
  CHECK(
      only_finding(findings_in("[[cue]]\nname = \"b\"\n[[cue.region]]\nremove = true\n" + bare)) ==
      "error 4 b: no region is left on the wall: use black = true");
  std::string many;
  for (int i = 0; i < 64; ++i)
    many += "[[cue.region]]\nname = \"" + std::to_string(i) + "\"\ninput = \"x\"\n";
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\n" + many + bare)) ==
        "error 4 b: 65 regions are on the wall, at most 64 can be");
  const std::string again =
      "[[cue]]\nname = \"e\"\ninput = \"y\"\n[[cue]]\nname = \"f\"\n"
      "[[cue.region]]\nremove = true\n";
  CHECK(findings_in("[[cue]]\nname = \"b\"\n[[cue.region]]\nremove = true\n" + again).size() == 2);
}

TEST_CASE("comparisons, sections and options that fit nothing are found", "[cues]") {
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\ncompare = \"swipe\"\n")) ==
        "error 4 b: compare needs an input, because no comparison is shown");
  CHECK(only_finding(findings_in("[[section]]\nname = \"s\"\n")) ==
        "advice 0 : section \"s\": no cue begins it");
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\ntf = \"viridis\"\n")) ==
        "advice 4 b: region \"main\": tf is for volumes, and \"a.mp4\" is none");
  CHECK(only_finding(findings_in("[[cue]]\nname = \"b\"\ninput = \"b.nc\"\ntf = \"viridis\"\n")) ==
        "none");
}

TEST_CASE("findings are made of any show", "[cues]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const ShowFile show = RandomShow(seed).make(20);
    int line = 0;
    for (const Finding& finding : findings_of(show_from_text("a.toml", to_text(show)))) {
      CHECK(finding.line >= line);
      CHECK_FALSE(finding.text.empty());
      line = finding.line;
    }
  }
}
