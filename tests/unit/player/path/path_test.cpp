// Flight paths in files of our own, their faults, figures and drawing.

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <random>

#include "player/path/path_file.hpp"
#include "player/path/path_report.hpp"
#include "player/path/style_at.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/player/path/path_texts.hpp"

using namespace tilewall;
using namespace tilewall::path;
using test::TemporaryFolder;

namespace {

std::string toml_fault(const std::string& text) {
  const TemporaryFolder folder;
  return fault_in((folder / "path.toml").string(), text,
                  [](const std::string& file) { static_cast<void>(read_path_file(file)); });
}

bool is_same(const render::VolumeCamera& a, const render::VolumeCamera& b) {
  return length(a.eye - b.eye) < 1e-6 && length(a.look_at - b.look_at) < 1e-6 &&
         length(normalized(a.up) - normalized(b.up)) < 1e-6 &&
         std::abs(a.fov_rad - b.fov_rad) < 1e-9;
}

}  // namespace

TEST_CASE("a path survives its file, and keys take over what they leave out", "[path]") {
  const TemporaryFolder folder;
  const PathFile path = read_path_file(test::source_path("player/examples/flight.toml"));
  REQUIRE(path.keys.size() == 4);
  CHECK(path.name == "Around the web");
  CHECK(path.options.duration_s == 20.0);
  CHECK(path.options.ease_s == 1.5);
  CHECK(path.keys[3].flight.camera.fov_rad == Approx(30 * degree));
  CHECK(path.keys[3].flight.camera.up == Vec3d{0, 0, 1});
  CHECK(path.keys[2].flight.time_s == 12.0);
  CHECK(path.keys[2].flight.hold_s == 2.0);
  const auto copy = (folder / "copy.toml").string();
  std::ofstream(copy) << path_text(path);
  const PathFile again = read_path_file(copy);
  REQUIRE(again.keys.size() == path.keys.size());
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    CHECK(again.keys[i].name == path.keys[i].name);
    CHECK(again.keys[i].flight.time_s == path.keys[i].flight.time_s);
    CHECK(again.keys[i].flight.hold_s == path.keys[i].flight.hold_s);
    CHECK(is_same(again.keys[i].flight.camera, path.keys[i].flight.camera));
  }
}

TEST_CASE("a path names its volume from its own folder", "[path]") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& volume) {
    const auto file = (folder / "path.toml").string();
    std::ofstream(file) << "volume = " << volume << "\n" << first_key << second_key;
    return read_path_file(file).volume;
  };
  using Names = std::vector<std::string>;
  CHECK(read("\"a.nrrd\"") == Names{(folder / "a.nrrd").string()});
  CHECK(read("[\"a.nrrd\", \"/b.nrrd\"]") == Names{(folder / "a.nrrd").string(), "/b.nrrd"});
  CHECK(read("\"tilewall://host:4/a\"") == Names{"tilewall://host:4/a"});
  PathFile path = read_path_file((folder / "path.toml").string());
  path.volume = {"/a b\".nrrd", "/c.nrrd"};
  const auto copy = (folder / "copy.toml").string();
  std::ofstream(copy) << path_text(path);
  CHECK(read_path_file(copy).volume == path.volume);
}

TEST_CASE("keys are added, removed and retimed, and all other lines stay", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  PathKey key;
  key.name = "one";
  key.flight.camera.eye = {4, 0, 0};
  key.flight.camera.look_at = {};
  key.flight.camera.up = {0, 0, 1};
  CHECK(add_key(file, key, "/volumes/a.nrrd") == 1);
  CHECK(read_path_draft(file).volume == std::vector<std::string>{"/volumes/a.nrrd"});
  CHECK_THROWS_AS(read_path_file(file), InputError);  // one key is no path yet
  key.name.clear();
  key.flight.camera.eye = {0, 1.0 / 3, 4};
  key.flight.time_s = 2;
  CHECK(add_key(file, key, "") == 2);
  std::ofstream(file, std::ios::app) << "# a comment\n[[key]]  # the last\neye = [0, -4, 0]\n"
                                     << "look_at = [0, 0, 0]";  // without an end of the line
  key.name = "four";
  key.flight.time_s = 9;
  CHECK(add_key(file, key, "") == 4);
  const PathFile path = read_path_file(file);
  REQUIRE(path.keys.size() == 4);
  CHECK(length(path.keys[1].flight.camera.eye - Vec3d{0, 1.0 / 3, 4}) < 1e-9);
  CHECK(find_key(path, file, "four") == 3);
  CHECK(find_key(path, file, "2") == 1);
  CHECK_THROWS_WITH(find_key(path, file, "5"),
                    file + ": expected the name of a key, or a number from 1 to 4, found \"5\"");
  retime_key(file, 1, 3.5);
  retime_key(file, 2, 5.0);
  retime_key(file, 3, std::nullopt);
  remove_key(file, 0);
  const PathFile after = read_path_draft(file);
  REQUIRE(after.keys.size() == 3);
  CHECK_FALSE(after.keys[2].flight.time_s);
  CHECK(after.keys[1].flight.time_s == 5.0);
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(text.find("time_s = 3.5\n") != std::string::npos);
  CHECK(text.find("# a comment\n[[key]]  # the last\ntime_s = 5\n") != std::string::npos);
  CHECK(text.find("\"one\"") == std::string::npos);
  CHECK(text.find("\n\n\n") == std::string::npos);
  CHECK_THROWS_AS(remove_key(file, 3), InputError);
}

TEST_CASE("a series plays evenly between keys with timesteps, and stays in their holds", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  std::ofstream(file) << "duration_s = 10\nease_s = 0\n"
                      << first_key << "timestep = 0\n"
                      << "[[key]]\neye = [0, 4, 0]\nlook_at = [0, 0, 0]\ntime_s = 2\n"
                      << second_key << "time_s = 4\nhold_s = 2\ntimestep = 8\n"
                      << "[[key]]\neye = [0, 1, 4]\nlook_at = [0, 0, 0]\ntime_s = 8\n"
                      << "timestep = 0\n[[key]]\neye = [0, -4, 0]\nlook_at = [0, 0, 0]\n";
  const PathFile path = read_path_file(file);
  const render::FlightPath flight = flight_of(path, file);
  const auto at = [&](double time_s) { return last_whole(*timestep_at(path, flight, time_s)); };
  CHECK(at(0) == 0);
  CHECK(at(0.49) == 0);
  CHECK(at(0.5) == 1);
  CHECK(at(2) == 4);  // a key without a timestep
  CHECK(at(3.99) == 7);
  CHECK(at(4) == 8);
  CHECK(at(5.9) == 8);  // the camera stays
  CHECK(at(6.1) == 7);  // backwards
  CHECK(at(7) == 4);
  CHECK(at(8) == 0);
  CHECK(at(9.5) == 0);
  CHECK(*timestep_at(path, flight, 0.75) == Approx(1.5));
  CHECK(last_whole(2 - 1e-9) == 2);
  CHECK_FALSE(timestep_at({}, flight, 3));
}

TEST_CASE("a path's faults are told by line, key and field", "[path][bad-input]") {
  CHECK(toml_fault(first_key + second_key).empty());
  CHECK(toml_fault("") == "1: key: expected 2 to 10000 keys, found 0");
  CHECK(toml_fault(first_key) == "1: key: expected 2 to 10000 keys, found 1");
  CHECK(toml_fault(first_key + "[[key]]\nlook_at = [0, 0, 0]\n") ==
        "4: key[1].eye: expected three numbers, found nothing");
  CHECK(toml_fault(first_key + second_key + "lens = \"round\"\n") ==
        "8: key \"top\".lens: expected perspective or orthographic, found round");
  CHECK(toml_fault(first_key + "time_s = 3\n" + second_key) ==
        "4: key[0].time_s: expected 0 for the first key, found 3");
  CHECK(toml_fault(first_key + second_key + "time_s = 0\n") ==
        "8: key \"top\".time_s: expected more than the 0 s of the keys before it, found 0");
  CHECK(toml_fault("duration_s = 1\n" + first_key + "hold_s = 2\n" + second_key) ==
        "1: duration_s: expected more than the 2 s of the keys, found 1");
  CHECK(
      toml_fault(first_key + first_key) ==
      "4: key[1].time_s: expected a time, as its camera is that of the key before it, found none");
  CHECK(toml_fault(first_key + "up = [1, 0, 0]\n" + second_key) ==
        "4: key[0].up: expected a direction across the line of sight, found one along it");
  CHECK(toml_fault(first_key + "clip = [0, nan, 0, 1, 0, 1]\n" + second_key)
            .starts_with("4: key[0].clip[1]: expected a number in"));
  CHECK(toml_fault(first_key + "clip = [0, 1]\n" + second_key)
            .starts_with("4: key[0].clip: expected an array of 6"));
  CHECK(toml_fault(first_key + "tf = 3\n" + second_key) ==
        "4: key[0].tf: expected a text, found 3");
  CHECK(toml_fault(first_key + "lit = 1\n" + second_key).starts_with("4: key[0].lit: expected"));
  CHECK(toml_fault(first_key + "eye = [nan, 0, 0]\n" + second_key).find("expected") !=
        std::string::npos);
  CHECK(toml_fault(first_key + "titel = \"a\"\n").find("the nearest is \"title\"") !=
        std::string::npos);
  CHECK(toml_fault(first_key + "title = \"" + std::string(100'000, 'x') + "\"\n" + second_key) ==
        "4: key[0].title: expected at most 4096 bytes, found 100000");
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "[[key]]\neye = [4, " + std::to_string(i) + ", 0]\nlook_at = [0, 0, 0]\n";
  CHECK(toml_fault(many) == "1: key: expected 2 to 10000 keys, found 100000");
  CHECK(toml_fault("eas_s = 1\n").find("eas_s: expected a known key (the nearest is \"ease_s\")") !=
        std::string::npos);
}

TEST_CASE("a path has a logo, with lengths in shares or mm", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  std::ofstream(folder / "a.png") << "an image";
  std::ofstream(file) << "[logo]\nfile = \"a.png\"\nat = \"40mm, 25.5mm\"\n"
                      << first_key << second_key;
  CHECK_THROWS_AS(read_path_file(file), InputError);  // a blank
  std::ofstream(file) << "[logo]\nfile = \"a.png\"\nat = \"40mm,25.5mm\"\nwidth = 0.25\n"
                      << "across = true\n"
                      << first_key << second_key;
  const PathFile path = read_path_file(file);
  const auto copy = (folder / "copy.toml").string();
  std::ofstream(copy) << path_text(path);
  for (const PathFile& one : {path, read_path_file(copy)}) {
    REQUIRE(one.logo);
    CHECK(one.logo->file == (folder / "a.png").string());
    CHECK((one.logo->x == 40 && one.logo->y == 25.5 && one.logo->is_in_mm));
    CHECK((one.logo->width == 0.25 && !one.logo->width_is_in_mm && one.logo->is_across));
  }
  CHECK(path.logo->place == file + ":2: logo.file");
}

TEST_CASE("keys have fields of a style, by numbers, switches and texts", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  std::ofstream(folder / "own.toml") << "points = []\n";
  std::ofstream(file) << first_key
                      << "lit = true\nclip = [0, 0.5, 0, 1, 0, 1]\nrange = \"1%,99%\"\n"
                         "tf = \"own.toml#a\"\niso = 90.5\nbackground = \"#102030\"\n"
                         "plane = [[1, 0, 0, 2], [0, 1, 0, -3.5]]\ntitle = \"A \\\"b\\\"\"\n"
                      << second_key << "range = [20, 180]\ntf = \"magma\"\nlit = \"off\"\n"
                      << "step = \"auto\"\ntitle = \"\"\n";
  const PathFile path = read_path_file(file);
  using Words = std::vector<StyleWord>;
  CHECK(path.keys[0].style == Words{{"tf", (folder / "own.toml").string() + "#a"},
                                    {"range", "1%,99%"},
                                    {"lit", "on"},
                                    {"iso", "90.5"},
                                    {"clip", "0,0.5,0,1,0,1"},
                                    {"plane", "1,0,0,2"},
                                    {"plane", "0,1,0,-3.5"},
                                    {"background", "#102030"},
                                    {"title", "A \"b\""}});
  CHECK(
      path.keys[1].style ==
      Words{{"tf", "magma"}, {"range", "20,180"}, {"lit", "off"}, {"step", "auto"}, {"title", ""}});
  CHECK(path.keys[0].style[4].place == file + ":5: key[0].clip");
  const auto copy = (folder / "copy.toml").string();
  std::ofstream(copy) << path_text(path);
  const PathFile again = read_path_file(copy);
  CHECK(again.keys[0].style == path.keys[0].style);
  CHECK(again.keys[1].style == path.keys[1].style);
  CHECK(path_text(path).find("clip = [0, 0.5, 0, 1, 0, 1]\nplane = [[1, 0, 0, 2], ") !=
        std::string::npos);
}

namespace {

/// The second key's words, by field, after a first key with `removed` is gone.
std::map<std::string, std::string> words_after_removal(const TemporaryFolder& folder,
                                                       const std::string& removed,
                                                       const std::string& next) {
  const auto file = (folder / "path.toml").string();
  std::ofstream(file) << first_key << removed << second_key << next << first_key;
  remove_key(file, 0);
  const PathFile left = read_path_draft(file);
  REQUIRE(left.keys.size() == 2);
  CHECK(left.keys[1].style.empty());
  std::map<std::string, std::string> words;
  for (const StyleWord& word : left.keys[0].style) words[word.field] = word.value;
  return words;
}

}  // namespace

TEST_CASE("a key keeps its look when the one before it goes", "[path]") {
  using Words = std::map<std::string, std::string>;
  const TemporaryFolder folder;
  std::ofstream(folder / "own.toml") << "points = [{value = 0, colour = [0, 0, 0, 0]}]\n";
  std::ofstream(folder / "log.json")
      << R"([{"Name": "L", "UseLogScale": 1, "RGBPoints": [1, 0, 0, 0, 9, 1, 1, 1]}])";
  std::ofstream(folder / "lit.xml")
      << "<VolumeProperty selected=\"\" name=\"S\" interpolation=\"1\" shade=\"1\" "
         "diffuse=\"0.9\" ambient=\"0.2\" specular=\"0.3\" specularPower=\"1\" "
         "gradientOpacity=\"4 0 1 255 1\" scalarOpacity=\"4 0 0 9 1\" "
         "colorTransfer=\"8 0 0 0 0 9 1 1 1\"/>\n";
  const auto lit = (folder / "lit.xml").string();

  // An isosurface's value sets mode and shift, "auto" the shift alone.
  CHECK(words_after_removal(folder, "mode = \"maximum\"\niso = 4\niso_shift = 0.2\n",
                            "iso = 5\n") == Words{{"iso", "5"}});
  CHECK(words_after_removal(folder, "iso = 4\n", "iso = \"auto\"\n") ==
        Words{{"mode", "isosurface"}, {"iso", "auto"}});
  CHECK(words_after_removal(folder, "iso = 4\n", "mode = \"average\"\n") ==
        Words{{"mode", "average"}, {"iso", "4"}});
  // A preset sets all annotations and their letters.
  CHECK(words_after_removal(folder, "axes = true\ndate = \"May\"\nletters = 9\ntitle = \"T\"\n",
                            "annotate = \"paper\"\n") ==
        Words{{"annotate", "paper"}, {"title", "T"}});
  CHECK(words_after_removal(folder, "annotate = \"paper\"\n", "box = false\n") ==
        Words{{"annotate", "paper"}, {"box", "off"}});
  // A transfer function's file may set scale and light.
  CHECK(words_after_removal(folder, "scale = \"sqrt\"\n", "tf = \"log.json\"\n") ==
        Words{{"tf", (folder / "log.json").string()}});
  CHECK(words_after_removal(folder, "tf = \"log.json\"\n", "tf = \"magma\"\n") ==
        Words{{"tf", "magma"}, {"scale", "log"}});
  CHECK(words_after_removal(folder, "lit = false\nlight = [1, 0, 0]\n", "tf = \"lit.xml\"\n") ==
        Words{{"tf", lit}});
  CHECK(words_after_removal(folder, "tf = \"lit.xml\"\n", "tf = \"magma\"\nlit = false\n") ==
        Words{{"tf", "magma"}, {"lit", "off"}, {"light", "0.2,0.9,0.3"}});
  CHECK(words_after_removal(folder, "tf = \"lit.xml\"\nclip = [0, 0.5, 0, 1, 0, 1]\n", "") ==
        Words{{"tf", lit}, {"clip", "0,0.5,0,1,0,1"}});
  // The file's name is that from the path's folder.
  CHECK(read_text_file((folder / "path.toml").string(), 1 << 20).find("tf = \"lit.xml\"\n") !=
        std::string::npos);
}

TEST_CASE("a key takes over from the one that goes, and is moved whole", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  const std::string third = "[[key]]  # the third\neye = [0, -4, 0]\nlook_at = [0, 0, 0]\n";
  std::ofstream(file) << first_key
                      << "tf = \"magma\"\nlit = true\nwindow = 2\nfov_deg = 50\n# its end\n"
                      << second_key << "range = [0, 9]\nlit = false\n"
                      << third << "hold_s = 1";
  move_key(file, 2, 0);
  const PathFile moved = read_path_draft(file);
  CHECK(moved.keys[0].flight.hold_s == 1);
  CHECK(moved.keys[1].flight.camera.fov_rad == Approx(50 * degree));
  CHECK(moved.keys[2].name == "top");
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(text.starts_with("[[key]]  # the third\n"));
  CHECK(text.find("fov_deg = 50\n# its end\n[[key]]\nname = \"top\"") != std::string::npos);
  move_key(file, 0, 2);
  CHECK(read_path_draft(file).keys[2].flight.hold_s == 1);
  CHECK(read_path_draft(file).keys[1].name == "top");
  remove_key(file, 0);
  const PathFile left = read_path_draft(file);
  REQUIRE(left.keys.size() == 2);
  using Words = std::vector<StyleWord>;  // a range resets the window in any case
  CHECK(left.keys[0].style == Words{{"tf", "magma"}, {"range", "0,9"}, {"lit", "off"}});
  CHECK(left.keys[0].flight.camera.fov_rad == Approx(50 * degree));
  CHECK(left.keys[1].style.empty());
  CHECK_THROWS_AS(move_key(file, 0, 2), InputError);
  std::ofstream(file) << first_key << second_key << "time_s = 1\n" << third << "time_s = 2\n";
  CHECK_THROWS_WITH(move_key(file, 2, 1), file +
                                              ": key \"top\".time_s: expected more than the 2 s "
                                              "of the keys before it, found 1");
  CHECK(read_path_file(file).keys[1].name == "top");
}

namespace {

using StylePtr = std::shared_ptr<const scene::VolumeStyle>;

/// A style with random numbers, and sometimes other words.
StylePtr random_style(std::mt19937& random) {
  const auto number = [&](double least, double most) {
    return std::uniform_real_distribution(least, most)(random);
  };
  auto style = std::make_shared<scene::VolumeStyle>();
  style->opacity = number(0.1, 10);
  style->window = number(0.5, 2);
  style->level = number(0, 1);
  style->range = {{static_cast<float>(number(0, 5)), static_cast<float>(number(6, 9))}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    style->clip_min[axis] = number(0, 0.4);
    style->clip_max[axis] = number(0.6, 1);
  }
  style->mode = number(0, 1) < 0.5 ? render::CastMode::composite : render::CastMode::maximum;
  style->annotations.title = number(0, 1) < 0.5 ? "a" : "b";
  const auto point = [&](double at) {
    return render::TransferPoint{at, {static_cast<float>(number(0, 1)), 0, 0, 1}};
  };
  style->transfer.points = {point(0), point(1)};
  return style;
}

}  // namespace

TEST_CASE("styles on a flight meet every key, change evenly, and words at keys", "[path]") {
  const unsigned seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto number = [&](double least, double most) {
    return std::uniform_real_distribution(least, most)(random);
  };
  PathFile path;
  path.options.ease_s = number(0, 2);
  KeyStyles styles;
  for (int i = 0; i < 6; ++i) {
    PathKey key;
    key.flight.camera.eye = {number(-9, 9), number(-9, 9), number(-9, 9)};
    key.flight.camera.look_at = {number(-1, 1), number(-1, 1), number(-1, 1)};
    key.flight.camera.up = {0, 0, 1};
    if (number(0, 1) < 0.4) key.flight.hold_s = number(0.5, 2);
    path.keys.push_back(key);
    styles.push_back(i > 0 && number(0, 1) < 0.3 ? styles.back() : random_style(random));
  }
  const render::FlightPath flight = flight_of(path, "a");
  for (std::size_t i = 0; i < styles.size(); ++i) {
    CAPTURE(i);
    for (const double share : {0.0, 0.5, 1.0}) {
      const double at_s = std::lerp(flight.arrival_s(i), flight.departure_s(i), share);
      const StylePtr here = style_at(styles, flight, at_s);
      CHECK(here->mode == styles[i]->mode);
      CHECK(here->opacity == Approx(styles[i]->opacity).epsilon(1e-6));
      CHECK(here->clip_min[1] == Approx(styles[i]->clip_min[1]).margin(1e-6));
    }
    if (i + 1 == styles.size()) break;
    const scene::VolumeStyle& from = *styles[i];
    const scene::VolumeStyle& to = *styles[i + 1];
    const double share = number(0.01, 0.99);
    const StylePtr between =
        style_at(styles, flight, std::lerp(flight.departure_s(i), flight.arrival_s(i + 1), share));
    CHECK(between->mode == from.mode);
    CHECK(between->annotations == from.annotations);
    CHECK(between->level == Approx(std::lerp(from.level, to.level, share)));
    CHECK(between->opacity == Approx(from.opacity * std::pow(to.opacity / from.opacity, share)));
    CHECK(between->clip_max[2] == Approx(std::lerp(from.clip_max[2], to.clip_max[2], share)));
    CHECK(between->range->min == Approx(std::lerp(from.range->min, to.range->min, share)));
    CHECK(between->transfer.points[0].colour.r ==
          Approx(std::lerp(from.transfer.points[0].colour.r, to.transfer.points[0].colour.r, share))
              .margin(1e-6));
    if (styles[i] == styles[i + 1]) CHECK(between == styles[i]);
  }
  CHECK(style_at(styles, flight, -1) == styles.front());
  CHECK(style_at(styles, flight, flight.duration_s() + 1) == styles.back());
}

TEST_CASE("changes that would spoil the file are refused", "[path][bad-input]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  PathKey key;
  key.flight.camera.eye = {4, 0, 0};
  key.flight.camera.look_at = {};
  key.flight.camera.up = {0, 0, 1};
  key.flight.time_s = -1;
  CHECK_THROWS_AS(add_key(file, key, ""), InputError);
  CHECK_FALSE(std::filesystem::exists(file));
  key.flight.time_s.reset();
  CHECK(add_key(file, key, "") == 1);
  key.name = std::string(300, 'x');
  CHECK_THROWS_AS(add_key(file, key, ""), InputError);
  CHECK(read_path_draft(file).keys.size() == 1);
  const std::string list =
      "key = [{eye = [4, 0, 0], look_at = [0, 0, 0]}, {eye = [0, 4, 0], "
      "look_at = [0, 0, 0]}]\n";
  std::ofstream(file) << list;
  CHECK_THROWS_AS(remove_key(file, 0), InputError);
  key.name = "y";
  CHECK_THROWS_AS(add_key(file, key, ""), InputError);
  CHECK(read_path_draft(file).keys.size() == 2);
  std::ofstream(file) << "[[key]]\neye = [4, 0, 0]\nlook_at = [0, 0, 0]\ntime_s = 0  # begin\n";
  retime_key(file, 0, 2.0);
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(text.ends_with("time_s = 2 # begin\n"));
}

TEST_CASE("a report has the figures of a flight, and what lies inside of a volume", "[path]") {
  PathFile path;
  path.options = {4.0, 0.0};
  for (const double x : {-4.0, 4.0}) {
    PathKey key;
    key.flight.camera.eye = {x, 0, 0};
    key.flight.camera.look_at = {x, 2, 0};
    key.flight.camera.up = {0, 0, 1};
    path.keys.push_back(key);
  }
  path.keys[1].name = "a < b & c";
  const render::FlightPath flight = flight_of(path, "a");
  const render::WorldBox box;  // from -1 to 1
  const auto report = path_report(path, flight, box);
  CHECK(report.at("duration_s") == 4.0);
  CHECK(report.at("length").get<double>() == Approx(8));
  CHECK(report.at("max_speed").get<double>() == Approx(2));
  CHECK(report.at("max_turn_deg_s").get<double>() == Approx(0).margin(1e-6));
  CHECK(report.at("nearest").get<double>() == Approx(2));
  CHECK(report.at("inside_s").get<double>() == Approx(1).margin(0.02));
  CHECK(report.at("keys")[0].at("inside") == false);
  CHECK(report.at("keys")[0].at("looks_away") == true);  // it passes the box on the left
  CHECK(report.at("keys")[0].at("name") == "key 1");
  CHECK_FALSE(path_report(path, flight, std::nullopt).contains("inside_s"));
  CHECK(path_report_text(report).find("4.00 s past 2 keys; the eye's way is 8 long") !=
        std::string::npos);
  const std::string svg = draw_path(path, flight, box);
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}
