#include "player/cues/sidecar_import.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::cues;
namespace fs = std::filesystem;

namespace {

/// A .cues file in a folder of its own.
class CuesFile {
 public:
  explicit CuesFile(const std::string& text) {
    std::string folder = (fs::temp_directory_path() / "tilewall-cues-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    std::ofstream(file()) << text;
  }
  CuesFile(const CuesFile&) = delete;
  CuesFile& operator=(const CuesFile&) = delete;
  ~CuesFile() { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file() const { return folder_ / "show.cues"; }

  ShowFile imported() { return show_from_cues(file(), lost_); }
  /// The lost lines without the folder.
  [[nodiscard]] std::vector<std::string> lost() const {
    std::vector<std::string> lines;
    for (const std::string& line : lost_) lines.push_back(line.substr(folder_.string().size() + 1));
    return lines;
  }

 private:
  fs::path folder_;
  std::vector<std::string> lost_;
};

}  // namespace

TEST_CASE("cues of Sidecar become a show", "[cues]") {
  CuesFile cues(
      "BEGINCUE CueName=Opening LoadMovie=jet one.sm StartFrame=10 EndFrame=99 CurrentFrame=20 "
      "Rate=29.97 Loop=3 Play=1 FullScreen=1 Zoom=1 ENDCUE\n"
      "BEGINCUE CueName=Still CurrentFrame=5 Play=0 ENDCUE\n"
      "BEGINCUE LoadMovie=b.sm Loop=-1 PingPong=1 Backward=1 ENDCUE\n"
      "BEGINCUE CueName=Once Loop=0 Play=1 ENDCUE\n");
  const ShowFile show = cues.imported();
  CHECK(cues.lost().empty());
  CHECK(show.file == cues.file());
  CHECK(to_text(show) == R"([[cue]]
name = "Opening"
number = 1
input = "jet one.sm"
start = 20
in = 10
out = 99
loop = 3
fps = "30000/1001"

[[cue]]
name = "Still"
number = 2
input = "jet one.sm"
start = 5
hold = true

[[cue]]
name = "Cue 3"
number = 3
input = "b.sm"
loop = "ping_pong"
speed = -1

[[cue]]
name = "Once"
number = 4
input = "b.sm"
)");
  CHECK(show_from_text("a.toml", to_text(show)) == show);
}

TEST_CASE("what a show cannot keep of Sidecar's cues is named line by line", "[cues]") {
  CuesFile cues(
      "BEGINCUE\nCueName=a LoadMovie=a.sm Zoom=2.5 WindowX=7\nENDCUE\n"
      "BEGINCUE CueName=a LOD=1 ENDCUE\nBEGINCUE CueName=2 ENDCUE\n");
  const ShowFile show = cues.imported();
  REQUIRE(show.cues.size() == 3);
  CHECK(show.cues[1].name == "a (2)");
  CHECK(show.cues[1].number.empty());
  CHECK(show.cues[2].name == "2");
  CHECK(cues.lost() ==
        std::vector<std::string>{
            "show.cues:1: cue \"a\": WindowX=7 is left out: a wall has no windows",
            "show.cues:1: cue \"a\": Zoom=2.5 is left out: set view_px in pixels of the movie "
            "instead",
            "show.cues:4: cue \"a (2)\": its name was \"a\"",
            "show.cues:4: cue \"a (2)\": LOD=1 is left out: the wall chooses the level of detail "
            "itself"});
  CHECK(show_from_text("a.toml", to_text(show)) == show);
}

TEST_CASE("files of Sidecar that give no show are refused", "[cues]") {
  CHECK_THROWS_AS(CuesFile("").imported(), InputError);
  CHECK_THROWS_AS(CuesFile("BEGINCUE CueName=a ENDCUE\n").imported(), InputError);
  CHECK_THROWS_AS(CuesFile("BEGINCUE LoadMovie=a StartFrame=9 EndFrame=3 ENDCUE\n").imported(),
                  InputError);
  CHECK_THROWS_AS(CuesFile("BEGINCUE Wrong=1 ENDCUE").imported(), InputError);
  std::string many = "BEGINCUE LoadMovie=a ENDCUE\n";
  for (int i = 0; i < 10'000; ++i) many += "BEGINCUE ENDCUE\n";
  CHECK_THROWS_AS(CuesFile(many).imported(), InputError);
}

TEST_CASE("long and foreign names of Sidecar's cues give names of a show", "[cues]") {
  CuesFile cues("BEGINCUE CueName=" + std::string(63, 'x') +
                "\xc3\xa4y LoadMovie=m\xfc.sm ENDCUE\n");
  const ShowFile show = cues.imported();
  CHECK(show.cues[0].name == std::string(63, 'x'));
  CHECK(show.cues[0].regions[0].inputs == std::vector<std::string>{"m?.sm"});
  CHECK(cues.lost().size() == 2);
  CHECK(show_from_text("a.toml", to_text(show)) == show);
}
