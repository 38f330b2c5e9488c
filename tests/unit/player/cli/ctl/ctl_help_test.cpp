// What `tilewall ctl VERB --help` tells of the fields that a verb takes.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/scene/style_adjustment.hpp"
#include "player/scene/volume_style.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;

namespace {

std::string help_of(const std::string& verb) {
  CAPTURE(verb);
  const ProgramResult result = run_program({test::program_path("tilewall"), "ctl", verb, "--help"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("Examples: tilewall ctl " + verb));
  return result.out;
}

}  // namespace

TEST_CASE("ctl style, adjust and camera list every field that they take", "[ctl]") {
  const std::string style = help_of("style");
  CAPTURE(style);
  for (const char* field : {"tf", "range", "mode", "lit", "iso", "step", "opacity", "window",
                            "level", "clip", "plane", "background", "axes", "bar", "label"})
    CHECK_THAT(style, Catch::Contains("\n  " + std::string(field) + "="));
  for (const char* words : {"1/1024 to 1024", "-16 to 16", "0.0625 to 16", "viridis", "MIN,MAX"})
    CHECK_THAT(style, Catch::Contains(words));
  const std::string adjust = help_of("adjust");
  for (const StyleAdjustmentWords& words : style_adjustments())
    CHECK_THAT(adjust, Catch::Contains("\n  " + std::string(words.name) + " "));
  const std::string camera = help_of("camera");
  const nlohmann::json fields = to_json(VolumeCamera{});
  for (const auto& [field, value] : fields.items())
    CHECK_THAT(camera, Catch::Contains("\n  " + field + " = "));
  for (const std::string& help : {style, adjust, camera})
    for (std::size_t begin = help.find("\n\nPos"), end = 0; begin < help.size(); begin = end) {
      end = std::min(help.find('\n', begin + 1), help.size());
      CHECK(end - begin <= 110);
    }
}
