// Transfer functions out of files: ParaView's, Slicer's, tables, our own; and what is refused.
#include "render/transfer/files/transfer_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "render/transfer/named_transfers.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall {

using namespace render;
namespace {

namespace fs = std::filesystem;

/// A folder of files that are read by their names.
class Files {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  TransferSpec read(const std::string& name, const std::string& text) const {
    return read_transfer_file(write(name, text));
  }
  /// The line it is refused with, without the folder; "" where it is taken.
  std::string refusal(const std::string& name, const std::string& text,
                      const std::string& choice = "") const {
    try {
      static_cast<void>(read_transfer_file(write(name, text) + choice));
    } catch (const InputError& error) {
      const std::string line = error.what();
      const std::string folder = folder_.path().string() + "/";
      return line.starts_with(folder) ? line.substr(folder.size()) : line;
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
};

TransferFunction over(const TransferSpec& spec, ValueRange range) {
  return make_transfer_function(spec, range, 1);
}

bool near(const Rgba& a, const Rgba& b, float margin) {
  return std::abs(a.r - b.r) <= margin && std::abs(a.g - b.g) <= margin &&
         std::abs(a.b - b.b) <= margin && std::abs(a.a - b.a) <= margin;
}

constexpr const char* diverging_map = R"([{"ColorSpace":"RGB","Name":"plain",
  "RGBPoints":[10,0,0,0, 20,1,1,1],
  "Points":[10,0,0.25,0, 15,1,0.5,1, 20,0.5,0.5,0], "ScalarOpacityUnitDistance":0.25},
 {"ColorSpace":"Diverging","Name":"warm","RGBPoints":[0,0.23,0.3,0.75,1,0.7,0.02,0.15]},
 {"IndexedColors":[1,0,0,0,1,0],"Name":"two"},
 {"ColorSpace":"Step","Name":"steps","RGBPoints":[-1,0,0,0, 0,1,0,0, 1,0,1,0]}])";

TEST_CASE("ParaView's maps have their points, curves, steps and names", "[render][transfer]") {
  const Files files;
  const std::string file = files.write("maps.json", diverging_map);
  CHECK(files.refusal("maps.json", diverging_map) ==
        "maps.json: expected FILE#NAME, as the file holds 4 functions: \"plain\", \"warm\", "
        "\"two\", \"steps\", found no name");
  const TransferSpec plain = read_transfer_file(file + "#plain");
  CHECK(plain.name == "plain");
  CHECK(plain.scale == TransferScale::values);
  CHECK(plain.unit == 0.25);
  const TransferFunction f = over(plain, {0, 1});
  CHECK(f.at(11.25).a == Approx(0.5));  // the midpoint, at a quarter of the way
  CHECK(f.at(13.125).a == Approx(0.75));
  CHECK(f.at(17.4).a == 1);  // then a step
  CHECK(f.at(17.6).a == 0.5F);
  CHECK(f.at(17.6).r == Approx(0.76));

  const TransferSpec warm = read_transfer_file(file + "#WARM");
  CHECK(warm.scale == TransferScale::shares);
  CHECK(over(warm, {0, 100}).at(50).r == Approx(0.865).margin(0.002));
  CHECK(over(warm, {0, 100}).at(50).b == Approx(0.865).margin(0.002));

  const TransferFunction two = over(read_transfer_file(file + "#two"), {0, 100});
  CHECK(two.at(49.9).r == 1);
  CHECK(two.at(50.1).g == 1);
  const TransferFunction steps = over(read_transfer_file(file + "#steps"), {0, 100});
  CHECK(steps.at(49).r == 1);
  CHECK(steps.at(51).g == 1);
  CHECK(files.refusal("maps.json", diverging_map, "#war") ==
        "maps.json: expected one of \"plain\", \"warm\", \"two\", \"steps\" (the nearest is "
        "\"warm\"), found \"war\"");
}

TEST_CASE("a sharp opacity of ParaView's is the curve that VTK draws", "[render][transfer]") {
  const Files files;
  const TransferFunction f = over(
      files.read("f.json", R"({"RGBPoints":[0,0,0,0,2,1,1,1],"Points":[0,0,0.5,0.5,2,1,0.5,0]})"),
      {0, 1});
  // vtkPiecewiseFunction: time bent by the power 1 + 10 sharpness, slopes of 1 - sharpness.
  for (const double part : {0.2, 0.4, 0.5, 0.55, 0.7}) {
    const double s = part < 0.5 ? 0.5 * std::pow(2 * part, 6) : 1 - 0.5 * std::pow(2 - 2 * part, 6);
    const double curve = -2 * s * s * s + 3 * s * s + 0.5 * (2 * s * s * s - 3 * s * s + s);
    CAPTURE(part);
    CHECK(f.at(2 * part).a == Approx(curve).margin(0.003));
  }
}

TEST_CASE("curves of many points have as many pieces as a function may have",
          "[render][transfer]") {
  const Files files;
  const auto points = [](int count) {
    std::string colours;
    std::string opacities;
    for (int i = 0; i < count; ++i) {
      const char* const comma = i > 0 ? "," : "";
      colours += fmt::format("{}{},{},0.2,{}", comma, i, i % 2, 1 - i % 2);
      opacities += fmt::format("{}{},{},0.5,0.5", comma, i + 0.3, i % 2);
    }
    return fmt::format(R"({{"ColorSpace":"Lab","RGBPoints":[{}],"Points":[{}]}})", colours,
                       opacities);
  };
  for (const int count : {2, 32, 33, 64, 65, 1000}) {
    CAPTURE(count);
    CHECK(files.refusal("many.json", points(count)) == "");
  }
}

TEST_CASE("Slicer's presets have values, lights and a unit of one millimetre",
          "[render][transfer]") {
  const Files files;
  const std::string file = files.write("presets.xml", R"(<?xml version="1.0"?>
<MRML><VolumeProperty name="a" scalarOpacity="4 -10 0 30 0.5" colorTransfer="8 -10 0 0 0 10 1 0.5 0 "
  shade="1" ambient="0.1" diffuse="0.9" specular="0.25" gradientOpacity="4 0 1 255 1"/>
<VolumeProperty name="b" scalarOpacity="4 0 0 1 1" colorTransfer="8 0 0 0 0 1 1 1 1"
  gradientOpacity="4 0 0 255 1"/></MRML>)");
  CHECK_THROWS_WITH(read_transfer_file(file), Catch::Contains("2 functions: \"a\", \"b\""));
  const TransferSpec a = read_transfer_file(file + "#a");
  CHECK(a.name == "a");
  CHECK(a.scale == TransferScale::values);
  CHECK(a.unit == 1.0);
  CHECK(a.look == TransferLook{Shading::headlight, {0.1F, 0.9F, 0.25F}});
  CHECK(a.notes.empty());
  CHECK(near(over(a, {0, 1}).at(0), {0.5F, 0.25F, 0, 0.125F}, 1e-6F));
  CHECK(near(over(a, {0, 1}).at(20), {1, 0.5F, 0, 0.375F}, 1e-6F));
  const TransferSpec b = read_transfer_file(file + "#b");
  CHECK(b.look->shading == Shading::none);
  CHECK(b.notes == std::vector<std::string>{"gradientOpacity: not used"});
}

TEST_CASE("tables of colours are read with their rows in 0 to 1 or 0 to 255",
          "[render][transfer]") {
  const Files files;
  const TransferSpec csv = files.read("m.csv", "r,g,b\r\n0,0.5,1\r\n1.0,0.5,0\r\n");
  CHECK(csv.name == "m");
  CHECK(near(over(csv, {0, 10}).at(10), {1, 0.5F, 0, 0.8F}, 1e-6F));
  CHECK(over(csv, {0, 10}).at(1).a == 0);
  const TransferSpec bytes = files.read("m", "# made by hand\n0 0 0\n\n 255\t51 0\n");
  CHECK(near(over(bytes, {0, 10}).at(10), {1, 0.2F, 0, 0.8F}, 1e-6F));
}

TEST_CASE("our own transfer functions have points, maps and lists of opacity",
          "[render][transfer]") {
  const Files files;
  const TransferSpec points = files.read("f.toml", R"(unit = 2.5
points = [{at = 0.25, color = "#ff8000", opacity = 0}, {at = 1, color = [0, 0.5, 1], opacity = 0.5}])");
  CHECK(points.scale == TransferScale::shares);
  CHECK(points.unit == 2.5);
  CHECK(near(over(points, {0, 8}).at(2), {1, 128 / 255.0F, 0, 0}, 1e-6F));
  CHECK(near(over(points, {0, 8}).at(8), {0, 0.5F, 1, 0.5F}, 1e-6F));
  const TransferSpec map = files.read("f.toml", R"(name = "fog"
range = [-100, 300]
colors = "gray"
opacity = [[0, 0.0], [100, 0.25], [500, 0.25]])");
  CHECK(map.name == "fog");
  CHECK(map.scale == TransferScale::values);
  CHECK(near(over(map, {0, 8}).at(100), {0.5F, 0.5F, 0.5F, 0.25F}, 1e-6F));
  files.write("beside.csv", "0 0 0\n1 0 0\n");
  const TransferSpec beside = files.read("f.toml", "colors = 'beside.csv'");
  CHECK(near(over(beside, {0, 1}).at(1), {1, 0, 0, 0.8F}, 1e-6F));
  const TransferSpec plain = files.read("f.toml", "opacity = [[0, 0], [1, 1]]");
  CHECK(near(over(plain, {0, 1}).at(1), {0xfd / 255.0F, 0xe7 / 255.0F, 0x25 / 255.0F, 1}, 1e-6F));
}

TEST_CASE("a function that was saved as TOML comes back", "[render][transfer]") {
  const Files files;
  const std::string maps = files.write("maps.json", diverging_map);
  for (const TransferSpec& spec :
       {named_transfer("turbo_r").value(), read_transfer_file(maps + "#plain"),
        read_transfer_file(maps + "#steps")}) {
    CAPTURE(spec.name);
    const TransferSpec saved = files.read("saved.toml", transfer_toml_text(spec));
    CHECK(saved.name == spec.name);
    CHECK(saved.scale == spec.scale);
    CHECK(saved.unit == spec.unit);
    CHECK(saved.has_default_opacity == spec.has_default_opacity);
    const double first = spec.points.front().value;
    const double last = spec.points.back().value;
    for (int i = 0; i <= 64; ++i) {
      const double value = first + (last - first) * i / 64;
      CHECK(near(over(saved, {0, 1}).at(value), over(spec, {0, 1}).at(value), 1e-6F));
    }
  }
}

TEST_CASE("a name stands for a transfer function without a file", "[render][transfer]") {
  CHECK(read_transfer("inferno") == named_transfer("inferno"));
  CHECK_THROWS_WITH(read_transfer("infernal"),
                    Catch::StartsWith("infernal: expected default, gray, viridis, ") &&
                        Catch::EndsWith(", vik, or a file, found neither"));
  for (const std::string_view name : transfer_names()) {
    CAPTURE(name);
    const TransferFunction forth = over(named_transfer(name).value(), {0, 1});
    const TransferFunction back = over(read_transfer(std::string(name) + "_r"), {0, 1});
    for (const double share : {0.0, 0.17, 0.5, 0.93, 1.0}) {
      CHECK(forth.at(share).g == Approx(back.at(1 - share).g).margin(1e-5));
      CHECK(forth.at(share).a == Approx(back.at(share).a).margin(1e-6));  // not reversed
    }
  }
  CHECK(read_transfer("Turbo_R").name == "turbo_r");
  CHECK(read_transfer("VIRIDIS") == named_transfer("viridis"));
  CHECK(near(over(read_transfer("jet"), {0, 1}).at(0.5), {0.5F, 1, 0.5F, 0.8F * 4 / 9}, 1e-5F));
}

TEST_CASE("ImageJ's and MRIcron's lookup tables are read, in bytes and as text",
          "[render][transfer]") {
  const Files files;
  std::string bytes(768, '\0');
  for (std::size_t i = 0; i < 256; ++i) {
    bytes[i] = static_cast<char>(i);              // reds rise
    bytes[256 + i] = static_cast<char>(255 - i);  // greens fall
    bytes[512 + i] = '\x33';
  }
  const auto is_ramp = [](const TransferSpec& spec) {
    const TransferFunction f = over(spec, {0, 255});
    for (const float i : {0.0F, 51.0F, 200.0F, 255.0F}) {
      const Rgba shown = f.at(static_cast<double>(i));
      if (!near(shown, {i / 255, 1 - i / 255, 0.2F, shown.a}, 1e-5F)) return false;
    }
    return spec.points.size() >= 256;
  };
  CHECK(is_ramp(files.read("a.lut", bytes)));
  std::string icol = "ICOL";
  icol.resize(32);
  CHECK(is_ramp(files.read("b.lut", icol + bytes)));
  std::string rows = "Index\tRed\tGreen\tBlue\n";
  std::string plain;
  for (int i = 0; i < 256; ++i) {
    rows += fmt::format("{0}\t{0}\t{1}\t51\n", i, 255 - i);
    plain += fmt::format("{0} {1} 51\r\n", i, 255 - i);
  }
  CHECK(is_ramp(files.read("c.lut", rows)));
  CHECK(is_ramp(files.read("d.lut", plain)));
  CHECK(files.read("a.lut", bytes).name == "a");
  CHECK(files.refusal("e.lut", bytes + "xy") ==
        "e.lut: expected a table of 768 bytes (or 800 from \"ICOL\" on), or of text, found 770 "
        "bytes");
  CHECK(files.refusal("e.lut", "0 0 0\n1 2\n") ==
        "e.lut:2: expected red green blue, or index red green blue, found \"1 2\"");
  CHECK(files.refusal("e.lut", "0 0 0\n1 2 256\n") ==
        "e.lut:2: expected numbers from 0 to 255, found \"256\"");
  CHECK(files.refusal("e.lut", "0 0 0\n") == "e.lut: expected 2 to 4095 colours, found 1");
}

TEST_CASE("a table has 4095 colours at most, as the usual opacity adds a point",
          "[render][transfer]") {
  const Files files;
  const auto table = [](int count) {
    std::string rows;
    for (int i = 0; i < count; ++i) rows += fmt::format("{} 0 0\n", i % 256);
    return rows;
  };
  CHECK(files.refusal("a.lut", table(4095)) == "");
  CHECK(files.refusal("a.lut", table(4096)) == "a.lut: expected 2 to 4095 colours, found 4096");
  CHECK(files.refusal("a.csv", table(4095)) == "");
  CHECK(files.refusal("a.csv", table(4096)) ==
        "a.csv:4096: expected at most 4095 colours, found another one");
}

TEST_CASE("Slicer's tables of labels colour whole numbers, and nothing between those left out",
          "[render][transfer]") {
  const Files files;
  const TransferSpec spec = files.read("labels.txt", R"(# Color table file
0 Background 0 0 0 0
1 tissue 128 174 128 255
2 bone 241 214 145 51
9 other_tissue 255 0 0 255
)");
  CHECK(spec.scale == TransferScale::values);
  const TransferFunction f = over(spec, {0, 1});
  CHECK(f.at(0.2).a == 0);
  CHECK(near(f.at(1.3), {128 / 255.0F, 174 / 255.0F, 128 / 255.0F, 1}, 1e-5F));
  CHECK(f.at(2.2).a == Approx(0.2));
  CHECK(f.at(5).a == 0);
  CHECK(near(f.at(9), {1, 0, 0, 1}, 1e-5F));
  CHECK(files.refusal("l.txt", "1 a 0 0 0 0\n1 b 0 0 0 0\n") ==
        "l.txt:2: expected labels that rise, to 16777216 at most, found 1");
  CHECK(files.refusal("l.txt", "1 a 0 0 0 0\n2 0 0 0\n") ==
        "l.txt:2: expected label name red green blue opacity, found \"2 0 0 0\"");
}

TEST_CASE("ParaView's logarithmic maps run on the scale of logarithms", "[render][transfer]") {
  const Files files;
  const TransferSpec spec = files.read("f.json", R"({"UseLogScale":1,
    "RGBPoints":[0.01,0,0,0, 1000,1,1,1], "Points":[0.01,0,0.5,0, 1000,1,0.5,0]})");
  CHECK(spec.by_log);
  CHECK(spec.notes.empty());
  const ValueCurve by_log{CurveKind::log, 1};
  const TransferFunction f = make_transfer_function(spec, {0, 1}, 1, by_log);
  CHECK(f.at(0.1).r == Approx(0.2));
  CHECK(f.at(100).a == Approx(0.8));
  const TransferSpec preset =
      files.read("p.json", R"({"UseLogScale":1,"RGBPoints":[0,0,0,0, 1,1,1,1]})");
  CHECK(make_transfer_function(preset, {1, 10000}, 1, by_log).at(100).r == Approx(0.5));
  CHECK(files.refusal("e.json", R"({"UseLogScale":1,"RGBPoints":[0,0,0,0, 1000,1,1,1]})") ==
        "e.json: RGBPoints: expected values above 0, because of UseLogScale, found 0");
}

TEST_CASE("files that are no transfer functions are refused with one line", "[render][transfer]") {
  const Files files;
  struct Case {
    std::string name;
    std::string text;
    std::string line;
  };
  const Case cases[] = {
      {"e.json", "", "e.json: expected a transfer function, found an empty file"},
      {"e", "junk",
       "e: expected a ParaView colour map (.json), Slicer presets (.xml), a table of colours "
       "(.csv, .txt, .lut) or a transfer function (.toml), found none of them"},
      {"e.json", "[]", "e.json: expected a colour map, or an array of them, found an array of 0"},
      {"e.json", "[\n{\"a\":nan}]", "e.json:2: expected valid JSON, found something else"},
      {"e.json", "[1]", "e.json: [0]: expected an object, found 1"},
      {"e.json", "{\"Name\":\"x\"}",
       "e.json: RGBPoints: expected RGBPoints or IndexedColors, found neither"},
      {"e.json", "[{\"RGBPoints\":[]}]",
       "e.json: [0].RGBPoints: expected 2 to 4096 groups of 4 numbers, found an array of 0"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1]}",
       "e.json: RGBPoints: expected 2 to 4096 groups of 4 numbers, found an array of 4"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,1]}",
       "e.json: RGBPoints: expected 2 to 4096 groups of 4 numbers, found an array of 7"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,\"x\",1]}",
       "e.json: RGBPoints[6]: expected a number, found \"x\""},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,2,1]}",
       "e.json: RGBPoints[6]: expected a number in [0, 1], found 2"},
      {"e.json", "{\"RGBPoints\":[1,1,1,1,0,1,1,1]}",
       "e.json: RGBPoints: expected values that rise, found 0 after 1"},
      {"e.json", "{\"RGBPoints\":[1,1,1,1,1,1,1,1]}",
       "e.json: RGBPoints: expected at least two points, at values that differ, found 2"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1e300,1,1,1]}",
       "e.json: RGBPoints: expected values in [-1e+30, 1e+30], found 1e+300"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1e999,1,1,1]}",
       "e.json: expected JSON of a colour map, found a number out of range"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,1,1],\"Points\":[0,0,0.5,0,1,1.5,0.5,0]}",
       "e.json: Points[5]: expected a number in [0, 1], found 1.5"},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,1,1],\"ColorSpace\":\"Labb\"}",
       "e.json: ColorSpace: expected RGB, HSV, Lab, CIELAB, Lab/CIEDE2000, Diverging or Step, "
       "found \"Labb\""},
      {"e.json", "{\"RGBPoints\":[0,1,1,1,1,1,1,1],\"ScalarOpacityUnitDistance\":0}",
       "e.json: unit: expected a length above 0, found 0"},
      {"e.json", std::string(1 << 20, '['),
       "e.json: expected JSON of a colour map, found nesting without end"},
      {"e.xml", "<MRML/>", "e.xml: expected a <VolumeProperty> element, found none"},
      {"e.xml", "<MRML>\n<a></MRML>", "e.xml:2: expected valid XML, found mismatched tag"},
      {"e.xml", "<!DOCTYPE a [<!ENTITY b SYSTEM \"/etc/passwd\">]><a>&b;</a>",
       "e.xml:1: expected presets without a document type, found a <!DOCTYPE>"},
      {"e.xml", "<VolumeProperty name='a'/>",
       "e.xml:1: colorTransfer: expected a count of 2 to 4096 times 4, and as many numbers, found "
       "nothing"},
      {"e.xml", "<VolumeProperty colorTransfer='8 0 1 1 1 1 1 1'/>",
       "e.xml:1: colorTransfer: expected a count of 2 to 4096 times 4, and as many numbers, found "
       "\"8 0 1 1 1 1 1 1\""},
      {"e.xml", "<VolumeProperty colorTransfer='8 0 1 1 1 nan 1 1 1'/>",
       "e.xml:1: colorTransfer: expected values in [-1e+30, 1e+30], found nan"},
      {"e.xml",
       "<VolumeProperty colorTransfer='8 0 1 1 1 1 1 1 1' scalarOpacity='4 0 0 1 1' shade='7'/>",
       "e.xml:1: shade: expected 0 or 1, found \"7\""},
      {"e.csv", "r,g,b\n", "e.csv: expected a table of at least two colours, found 0"},
      {"e.csv", "0 0 0\n", "e.csv: expected a table of at least two colours, found 1"},
      {"e.csv", "0,0,0\n1,1\n",
       "e.csv:2: expected three numbers, red, green and blue, found \"1,1\""},
      {"e.csv", "0,0,0\n1,nan,1\n", "e.csv:2: expected numbers in [0, 1], found nan"},
      {"e.csv", "0,0,0\n1,256,1\n", "e.csv:2: expected numbers in [0, 255], found 256"},
      {"e.csv", "0,0,0\n-1,1,1\n", "e.csv:2: expected numbers in [0, 1], found -1"},
      {"e.toml", "name = 'x'\n",
       "e.toml: points: expected points, or colors = \"...\", or opacity = [...], found none of "
       "them"},
      {"e.toml", "points = []",
       "e.toml: points: expected points, or colors = \"...\", or opacity = [...], found none of "
       "them"},
      {"e.toml", "points = [{color='#ffffff'}]",
       "e.toml:1: points[0].at: expected the value that the point stands at, found nothing"},
      {"e.toml", "points = [{at=0.5, color='#ffffff'}]",
       "e.toml:1: points: expected at least two points, at values that differ, found 1"},
      {"e.toml", "points = [{at=0.5, color='#ffffff'}, {at=0.4, color='#ffffff'}]",
       "e.toml:1: points: expected values that rise, found 0.4 after 0.5"},
      {"e.toml", "points = [{at=2, color='#ffffff'}]",
       "e.toml:1: points[0].at: expected a number in [0, 1], found 2"},
      {"e.toml", "points = [{at=1, color='white'}]",
       "e.toml:1: points[0].color: expected \"#rrggbb\" or [red, green, blue] in [0, 1], found "
       "\"white\""},
      {"e.toml", "points = [{at=1, opacity=-0.5}]",
       "e.toml:1: points[0].opacity: expected a number in [0, 1], found -0.5"},
      {"e.toml", "\nrange = [2, 1]",
       "e.toml:2: range: expected the least value and a greater one, found [2, 1]"},
      {"e.toml", "opacity = [[0, 0], [1]]",
       "e.toml:1: opacity[1]: expected an array of 2 numbers, each a number in [0, 1], found an "
       "array of 1 value"},
      {"e.toml", "opacity = 3",
       "e.toml:1: opacity: expected an array of 1 to 4096 arrays of 2 numbers, each a number in "
       "[0, "
       "1], found 3"},
      {"e.toml", "colours = 'viridis'",
       "e.toml:1: colours: expected a known key (the nearest is \"colors\"), found an unknown one"},
      {"e.toml", "colors = 'e.TOML'",
       "e.toml:1: colors: expected a colour map's name or file, not another .toml, found "
       "\"e.TOML\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text.substr(0, 100));
    CHECK(files.refusal(c.name, c.text) == c.line);
  }
  CHECK(files.refusal("e.csv", "0 0 0\n1 1 1\n", "#a") ==
        "e.csv: expected no name, as such a file holds one function, found \"#a\"");
  for (const char* name : {"big.json", "big.xml", "big.txt", "big.toml", "big"}) {
    CAPTURE(name);
    CHECK_FALSE(files.refusal(name, std::string(10 << 20, '<')).empty());
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  CHECK(files.refusal("e.xml", deep) == "e.xml:1: expected at most 16 nested elements, found more");
}

TEST_CASE("every map of ParaView's own list is read", "[render][transfer]") {
  const fs::path folder = test::shared_data("colormaps/paraview");
  if (folder.empty()) return;
  const fs::path file = folder / "ColorMaps.json";
  CHECK(read_transfer_file(file.string() + "#KAAMS").name == "KAAMS");
  std::ifstream in(file);
  const nlohmann::json maps = nlohmann::json::parse(in);
  const Files files;
  for (const nlohmann::json& map : maps) {
    const std::string name = map.at("Name").get<std::string>();
    CAPTURE(name);
    const TransferSpec spec = files.read("map.json", map.dump());
    CHECK(spec.name == name);
    CHECK(spec.scale == TransferScale::shares);
    if (!map.contains("RGBPoints")) continue;
    // Its own points keep their colours.
    const std::vector<double> points = map.at("RGBPoints").get<std::vector<double>>();
    const TransferFunction f =
        over(spec, {static_cast<float>(points[0]), static_cast<float>(points[points.size() - 4])});
    const Rgba first = f.at(points[0]);
    CHECK(first.r == Approx(points[1]).margin(0.003));
    const Rgba last = f.at(points[points.size() - 4]);
    CHECK(last.b == Approx(points.back()).margin(0.003));
    if (points.size() != 4 * 256) continue;
    for (std::size_t i = 4; i < points.size(); i += 4) {  // and the tables have nothing between
      const Rgba between = f.at((points[i] + points[i - 4]) / 2);
      CHECK(std::abs(static_cast<double>(between.r) - points[i + 1]) < 0.03);
    }
  }
}

TEST_CASE("every Slicer preset and every table is read", "[render][transfer]") {
  const fs::path slicer = test::shared_data("transfer-functions/slicer");
  const fs::path maps = test::shared_data("colormaps");
  if (slicer.empty() || maps.empty()) return;
  const std::string presets = (slicer / "presets.xml").string();
  CHECK_THROWS_WITH(read_transfer_file(presets), Catch::Contains("\"CT-AAA\", "));
  for (const char* name : {"CT-Bone", "CT-X-ray", "MR-Default", "DTI-FA-Brain", "uCT-Bone-8bit"}) {
    const TransferSpec spec = read_transfer_file(presets + "#" + name);
    CHECK(spec.name == name);
    CHECK(spec.scale == TransferScale::values);
  }
  const TransferFunction bone = over(read_transfer_file(presets + "#ct-bone"), {0, 1});
  CHECK(near(bone.at(641.385), {0.905882F, 0.815686F, 0.552941F, 0.715686F}, 1e-5F));
  for (const char* kind : {"matplotlib", "cmocean", "crameri"})
    for (const auto& entry : fs::directory_iterator(maps / kind)) {
      if (entry.path().extension() == ".md") continue;
      CAPTURE(entry.path().string());
      CHECK(read_transfer_file(entry.path().string()).points.size() >= 256);
    }
  // The names' own maps beside them.
  for (const char* name : {"viridis", "plasma", "inferno", "magma", "coolwarm", "gray", "turbo",
                           "cividis", "thermal", "balance", "phase", "batlow", "vik", "romaO"}) {
    CAPTURE(name);
    fs::path beside;
    for (const char* form : {"matplotlib/{}.csv", "cmocean/{}-rgb.txt", "crameri/{}.txt"})
      if (const fs::path file = maps / fmt::format(fmt::runtime(form), name);
          beside.empty() && fs::exists(file))
        beside = file;
    const TransferFunction table = over(read_transfer_file(beside.string()), {0, 255});
    const TransferFunction named = over(named_transfer(name).value(), {0, 255});
    // matplotlib's coolwarm is straight lines between 33 roundings of the formula.
    const float margin = name == std::string("coolwarm") ? 0.025F : 0.012F;
    for (int i = 0; i < 256; ++i) CHECK(near(named.at(i), table.at(i), margin));
  }
}

}  // namespace
}  // namespace tilewall
