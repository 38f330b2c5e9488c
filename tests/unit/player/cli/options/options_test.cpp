// The values of options that several commands have: what is taken, up to which bounds, and what a
// volume's options make of its scene.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/options/volume_fields.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::movie;
using namespace tilewall::render;
using Json = nlohmann::json;

namespace {

/// A raw volume of bytes, all of them 0, described by a TOML file. Returns that file's name.
std::string raw_volume(const test::TemporaryFolder& folder, VolumeSize size,
                       const std::string& more) {
  write_file_atomically(folder / "volume.toml",
                        "size = [" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
                            std::to_string(size.z) + "]\ntype = \"u8\"\n" + more);
  write_file_atomically(folder / "volume.raw", std::string(size.voxels(), '\0'));
  return (folder / "volume.toml").string();
}

bool is_close(const Vec3d& a, const Vec3d& b) { return length(a - b) < 1e-9; }

/// A change of a style by one field.
Json changed_by(const std::string& name, const std::string& value) {
  Json change = Json::object();
  add_style_change(change, name, value, "--" + name);
  return change;
}

/// A volume in a box of sides of 20 about the origin.
scene::SourceSpec box_of_20() {
  scene::SourceSpec spec;
  spec.kind = scene::SourceKind::volume;
  spec.frames = 1;
  spec.box = {{0, 0, 0}, {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}};
  return spec;
}

constexpr VolumeFrame square_frame{{0, 0, 1000, 1000}, std::nullopt};

}  // namespace

TEST_CASE("lists of numbers are finite, within a bound, and without anything else", "[cli]") {
  using Numbers = std::vector<double>;
  CHECK(parse_number_list("1,2.5,-3") == Numbers{1, 2.5, -3});
  CHECK(parse_number_list("7") == Numbers{7});
  CHECK(parse_number_list("1000000,-1000000") == Numbers{1e6, -1e6});
  CHECK(parse_number_list("5,-5", 5) == Numbers{5, -5});
  for (const char* wrong : {"", ",", "1,", ",1", "1,,2", "1 2", "1;2", "x", "1x", "nan", "inf",
                            "1000001", "-1000001", "1, 2"}) {
    CAPTURE(wrong);
    CHECK(parse_number_list(wrong).empty());
  }
  CHECK_THROWS_WITH(option_numbers("--n", "1,2", 3, "three numbers"),
                    "--n: expected three numbers, found \"1,2\"");
  CHECK_THROWS_WITH(option_number("--n", "", "a number"), "--n: expected a number, found nothing");
  CHECK(option_number_within("--n", "1", 1, 2) == 1);
  CHECK(option_number_within("--n", "2", 1, 2) == 2);
  CHECK_THROWS_WITH(option_number_within("--n", "0.9", 1, 2),
                    Catch::Contains("a number from 1 to 2"));
  CHECK_THROWS_AS(option_number_within("--n", "2.1", 1, 2), InputError);
}

TEST_CASE("a wrong word is answered with all that there are", "[cli]") {
  constexpr std::string_view words[] = {"drop", "slow", "lower"};
  CHECK(option_word_index("--late", "drop", words) == 0);
  CHECK(option_word_index("--late", "lower", words) == 2);
  CHECK_THROWS_WITH(option_word_index("--late", "low", words),
                    "--late: expected drop, slow or lower, found \"low\"");
}

TEST_CASE("sizes, parts and rates are numbers of their kind", "[cli]") {
  CHECK(size_option("1280x480") == SizePx{1280, 480});
  CHECK(size_option("1x1") == SizePx{1, 1});
  for (const char* wrong : {"", "1280", "1280x", "x480", "0x480", "1280x0", "-1x5", "1280x480x1",
                            "1280 x 480", "1280X480"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(size_option(wrong), InputError);
  }
  CHECK(crop_option("1,2,3,4") == RectPx{1, 2, 3, 4});
  for (const char* wrong : {"1,2,3", "1,2,3,4,5", "1,2,3,", "1,2,3,x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(crop_option(wrong), InputError);
  }
  CHECK(fps_option("30000/1001") == Rational{30000, 1001});
  CHECK(fps_option("1000") == Rational{1000, 1});
  CHECK_THROWS_WITH(
      fps_option("1001"),
      "--fps: expected a rate over 0, at most 1000, such as 24, 29.97 or 30000/1001, found "
      "\"1001\"");
  CHECK_THROWS_AS(fps_option("0"), InputError);
  CHECK_THROWS_AS(fps_option("-1"), InputError);
  CHECK_THROWS_AS(fps_option("x"), InputError);
  CHECK(lossless_option("zstd") == BlockCompression::zstd);
  CHECK(lossless_option("deflate") == BlockCompression::deflate);
  CHECK_FALSE(bezel_option(""));
  CHECK(bezel_option("show") == wall::BezelMode::show);
  CHECK(bezel_option("hide") == wall::BezelMode::hide);
}

TEST_CASE("ranges of frames end at the last one that there can be", "[cli]") {
  CHECK(frames_option("100-199") == FrameRange{100, 199});
  CHECK(frames_option("7") == FrameRange{7, 7});
  CHECK(frames_option("-5") == FrameRange{0, 5});
  CHECK(frames_option("3-") == FrameRange{3, max_frames - 1});
  CHECK(frames_option("0-99999999") == FrameRange{0, 99'999'999});
  for (const char* wrong : {"", "5-3", "0-100000000", "x"})
    CHECK_THROWS_AS(frames_option(wrong), InputError);
  CHECK(range_option("--time", "", "timesteps", 10) == FrameRange{0, 9});
  CHECK(range_option("--time", "2-", "timesteps", 10) == FrameRange{2, 9});
  CHECK(range_option("--time", "9", "timesteps", 10) == FrameRange{9, 9});
  CHECK_THROWS_WITH(range_option("--time", "10", "timesteps", 10),
                    Catch::Contains("timesteps of 0 to 9"));
  CHECK_THROWS_AS(range_option("--time", "0-10", "timesteps", 10), InputError);
}

TEST_CASE("a style's fields become a change of the style", "[cli]") {
  CHECK(changed_by("lit", "on") == Json{{"lit", true}});
  CHECK(changed_by("lit", "off") == Json{{"lit", false}});
  CHECK_THROWS_AS(changed_by("lit", "yes"), InputError);
  CHECK(changed_by("range", "-1,2.5") ==
        Json{{"range", {-1.0, 2.5}}, {"quantiles", nullptr}, {"window", 1}, {"level", 0.5}});
  CHECK(changed_by("range", "data") ==
        Json{{"range", nullptr}, {"quantiles", nullptr}, {"window", 1}, {"level", 0.5}});
  CHECK(changed_by("range", "0%,100%") ==
        Json{{"range", nullptr}, {"quantiles", {0.0, 100.0}}, {"window", 1}, {"level", 0.5}});
  for (const char* wrong : {"1,1", "2,1", "1", "1,2,3", "", "15,20%", "15%,20", "20%,15%", "5%,5%",
                            "0%,101%", "-1%,5%"})
    CHECK_THROWS_AS(changed_by("range", wrong), InputError);
  CHECK(changed_by("iso", "3") == Json{{"iso_value", 3.0}, {"iso_shift", 0}});
  CHECK(changed_by("mode", "maximum") == Json{{"mode", "maximum"}});
  CHECK_THROWS_AS(changed_by("mode", "minimum"), InputError);
  CHECK(changed_by("axes", "on") == Json{{"axes", true}});
  CHECK(changed_by("bar", "on") == Json{{"colour_bar", true}});
  CHECK(changed_by("label", "off") == Json{{"label", false}});
  CHECK(changed_by("background", "#ff8000") == Json{{"background", {1.0, 128 / 255.0, 0.0}}});
  for (const char* wrong : {"ff8000", "#ff800", "#ff80000", "#gg0000", "#"})
    CHECK_THROWS_AS(changed_by("background", wrong), InputError);
  CHECK_THROWS_WITH(changed_by("colour", "red"),
                    Catch::Contains("one of tf=, range=, scale=, low=, mode="));
}

TEST_CASE("a style's numbers are taken up to their bounds", "[cli]") {
  struct Bounds {
    const char* name;
    const char* field;
    double least;
    double most;
  };
  for (const Bounds& bounds :
       {Bounds{"opacity", "opacity", 1.0 / 1024, 1024}, Bounds{"window", "window", 1.0 / 1024, 16},
        Bounds{"level", "level", -16, 16}}) {
    CAPTURE(bounds.name);
    for (const double good : {bounds.least, 1.0, bounds.most})
      CHECK(changed_by(bounds.name, std::to_string(good) == "0.000977"
                                        ? "0.0009765625"
                                        : std::to_string(good)) == Json{{bounds.field, good}});
    for (const double bad : {bounds.least - 0.0005, bounds.most + 0.01})
      CHECK_THROWS_AS(changed_by(bounds.name, std::to_string(bad)), InputError);
  }
  CHECK(changed_by("step", "16") == Json{{"samples_per_voxel", 1.0 / 16}});
  CHECK(changed_by("step", "0.0625") == Json{{"samples_per_voxel", 16.0}});
  CHECK(changed_by("step", "2") == Json{{"samples_per_voxel", 0.5}});
  CHECK(changed_by("step", "auto") == Json{{"samples_per_voxel", nullptr}});
  for (const char* wrong : {"16.1", "0.06", "0", "-1", "x"})
    CHECK_THROWS_AS(changed_by("step", wrong), InputError);
}

TEST_CASE("a clip box has parts of each side, and six planes are the most", "[cli]") {
  CHECK(changed_by("clip", "0,0.5,0.25,1,0.1,0.2") ==
        Json{{"clip_min", {0.0, 0.25, 0.1}}, {"clip_max", {0.5, 1.0, 0.2}}});
  CHECK(changed_by("clip", "off") ==
        Json{{"clip_min", {0.0, 0.0, 0.0}}, {"clip_max", {1.0, 1.0, 1.0}}});
  for (const char* wrong : {"0,1,0,1,0", "-0.1,1,0,1,0,1", "0,1.1,0,1,0,1", "0,1,0.5,0.5,0,1",
                            "0,1,0,1,0.6,0.5", "0,1,0,1,0,1.01"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(changed_by("clip", wrong), InputError);
  }
  Json change = Json::object();
  for (int i = 0; i < 6; ++i) add_style_change(change, "plane", "1,0,0," + std::to_string(i), "p");
  CHECK(change["clip_planes"].size() == 6);
  CHECK(change["clip_planes"][5] == Json{1.0, 0.0, 0.0, 5.0});
  CHECK_THROWS_WITH(add_style_change(change, "plane", "1,0,0,7", "p"),
                    Catch::Contains("six planes at most"));
  CHECK(changed_by("plane", "off") == Json{{"clip_planes", Json::array()}});
  CHECK_THROWS_WITH(changed_by("plane", "0,0,0,1"), Catch::Contains("a normal with a length"));
  CHECK_THROWS_AS(changed_by("plane", "1,0,0"), InputError);
}

TEST_CASE("a camera's file changes what it names", "[cli]") {
  const test::TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    write_file_atomically(folder / "camera.toml", text);
    return read_camera_file((folder / "camera.toml").string());
  };
  CHECK(read("") == Json::object());
  CHECK(read("eye = [1, 2, 3.5]\nfov_deg = 179\n") ==
        Json{{"eye", {1.0, 2.0, 3.5}}, {"fov_deg", 179.0}});
  CHECK(read("lens = \"orthographic\"\nview_height = 12\n") ==
        Json{{"lens", "orthographic"}, {"view_height", 12.0}});
  CHECK(read("up = [0, 0, 1]\nlook_at = [5, 6, 7]\n") ==
        Json{{"up", {0.0, 0.0, 1.0}}, {"look_at", {5.0, 6.0, 7.0}}});
  for (const char* wrong : {"fov_deg = 180\n", "fov_deg = 0\n", "view_height = 0\n",
                            "lens = \"fisheye\"\n", "eye = [1, 2]\n", "zoom = 1\n"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(read(wrong), InputError);
  }
}

TEST_CASE("a volume's box reaches from the first voxels' centres to the last ones'", "[cli]") {
  const test::TemporaryFolder folder;
  const std::string file =
      raw_volume(folder, {9, 5, 4}, "spacing = [1.0, 2.0, 3.0]\norigin = [10.0, 20.0, 30.0]\n");
  VolumeHostArguments host;
  host.memory_mib = 3;
  host.caster = "cpu";
  const scene::SourceSpec source = open_volume({file}, {}, host);
  CHECK(source.kind == scene::SourceKind::volume);
  CHECK(source.frames == 1);
  CHECK(source.fps == Rational{10, 1});
  CHECK(is_close(source.box.half[0], {4, 0, 0}));
  CHECK(is_close(source.box.half[1], {0, 4, 0}));
  CHECK(is_close(source.box.half[2], {0, 0, 4.5}));
  CHECK(is_close(source.box.centre, {14, 24, 34.5}));
  const volume::VolumeJob job = volume::volume_job_of(source.path);
  CHECK(job.path == file);
  CHECK(job.memory_bytes == 3 * 1024 * 1024);
  CHECK(job.caster == volume::CasterChoice::cpu);
  CHECK(job.stretch == Vec3d{1, 1, 1});
  VolumeArguments stretched;
  stretched.stretch = "1,2,0.5";
  CHECK(is_close(open_volume({file}, stretched, host).box.half[1], {0, 8, 0}));
  for (const char* wrong : {"1,2", "1,0,1", "1,-2,1", "x"}) {
    stretched.stretch = wrong;
    CHECK_THROWS_AS(open_volume({file}, stretched, host), InputError);
  }
  host.memory_mib = 0;
  CHECK_THROWS_WITH(open_volume({file}, {}, host), Catch::Contains("MiB, 1 or more"));
  host.memory_mib = 1;
  host.caster = "gpu";
  CHECK_THROWS_AS(open_volume({file}, {}, host), InputError);
}

TEST_CASE("a flat box is drawn as it is, and one layer is a sheet", "[cli]") {
  const auto half_z = [](VolumeSize size, const std::string& spacing, const std::string& stretch) {
    const test::TemporaryFolder folder;
    VolumeHostArguments host;
    host.memory_mib = 1;
    VolumeArguments arguments;
    arguments.stretch = stretch;
    return open_volume({raw_volume(folder, size, "spacing = " + spacing + "\n")}, arguments, host)
        .box.half[2]
        .z;
  };
  CHECK(half_z({32, 32, 2}, "[1.0, 1.0, 0.5]", "") == Approx(0.25));
  CHECK(half_z({32, 32, 2}, "[1.0, 1.0, 0.5]", "1,1,8") == Approx(2));
  CHECK(half_z({32, 32, 1}, "[1.0, 1.0, 0.5]", "") == 0);
}

TEST_CASE("files that mark missing values are fields, whose low values are shown", "[cli]") {
  VolumeHostArguments host;
  host.memory_mib = 1;
  for (const bool is_field : {false, true}) {
    const test::TemporaryFolder folder;
    const std::string file = raw_volume(folder, {4, 4, 4}, is_field ? "fill_value = 7.0\n" : "");
    const scene::SourceSpec volume = open_volume({file}, {}, host);
    CHECK(volume.is_field == is_field);
    CHECK(look_option({}, volume, square_frame).style.to->low_values == is_field);
    VolumeArguments arguments;
    arguments.low = is_field ? "off" : "on";
    CHECK(look_option(arguments, volume, square_frame).style.to->low_values != is_field);
  }
}

TEST_CASE("scales and quantiles are options of a volume", "[cli]") {
  const scene::SourceSpec volume = box_of_20();
  VolumeArguments arguments;
  arguments.scale = "log";
  arguments.range = "1%,99.5%";
  const scene::VolumeStyle style = *look_option(arguments, volume, square_frame).style.to;
  CHECK(style.scale.kind == render::CurveKind::log);
  CHECK(style.quantiles == std::array<double, 2>{1, 99.5});
  CHECK_FALSE(style.range);
  for (const char* wrong : {"-1%,99%", "1%,101%", "99%,1%", "1%,99", "1,99%", "%,%"}) {
    CAPTURE(wrong);
    arguments.range = wrong;
    CHECK_THROWS_WITH(look_option(arguments, volume, square_frame), Catch::Contains("--range"));
  }
  arguments.range = "-5,5";
  CHECK_THROWS_WITH(look_option(arguments, volume, square_frame),
                    Catch::Contains("which the scale log takes"));
  arguments.range.clear();
  for (const char* wrong : {"ln", "symlog:0", "LOG"}) {
    arguments.scale = wrong;
    CHECK_THROWS_WITH(look_option(arguments, volume, square_frame), Catch::Contains("--scale"));
  }
}

TEST_CASE("a camera that was saved comes back from its file", "[cli]") {
  const test::TemporaryFolder folder;
  const scene::SourceSpec volume = box_of_20();
  VolumeArguments arguments;
  arguments.direction = "30,20";
  arguments.lens = "orthographic";
  const scene::VolumeLook look = look_option(arguments, volume, square_frame);
  const nlohmann::json camera = scene::to_json(look.camera.to);
  const std::string file = (folder / "camera.toml").string();
  write_file_atomically(file, camera_toml_text(camera));
  CHECK(read_camera_file(file) == camera);
}

TEST_CASE("parts of a file are numbered from 0", "[cli]") {
  VolumeArguments arguments;
  arguments.dataset = "density";
  CHECK(volume_file_options(arguments).dataset == "density");
  CHECK(volume_file_options(arguments).component == -1);
  CHECK(volume_file_options(arguments).level == -1);
  arguments.component = 0;
  arguments.level = 2;
  CHECK(volume_file_options(arguments).component == 0);
  CHECK(volume_file_options(arguments).level == 2);
  arguments.level = -1;
  CHECK_THROWS_WITH(volume_file_options(arguments), Catch::Contains("--level"));
  arguments.level = 0;
  arguments.component = -1;
  CHECK_THROWS_WITH(volume_file_options(arguments), Catch::Contains("--component"));
}

TEST_CASE("axes are fixed by name and index, and levels drawn by a word", "[cli]") {
  VolumeArguments arguments;
  arguments.fixed = {"member=3", "time=0"};
  arguments.levels = "log";
  const VolumeOptions options = volume_file_options(arguments);
  CHECK(options.fixed == std::map<std::string, int>{{"member", 3}, {"time", 0}});
  CHECK(options.levels == LevelSpacing::log);
  CHECK(volume_options_from_json(to_json(options)) == options);
  for (const char* wrong : {"member", "member=", "member=x", "member=-1", "=1", "member=1x"}) {
    CAPTURE(wrong);
    arguments.fixed = {wrong};
    CHECK_THROWS_WITH(volume_file_options(arguments),
                      Catch::Contains("--axis: expected NAME=INDEX"));
  }
  arguments.fixed.clear();
  arguments.levels = "cubic";
  CHECK_THROWS_WITH(volume_file_options(arguments), Catch::Contains("--levels"));
}

TEST_CASE("a volume's look follows from its options", "[cli]") {
  const scene::SourceSpec volume = box_of_20();
  VolumeArguments arguments;
  arguments.iso = "3";
  arguments.lit = true;
  arguments.bar = true;
  arguments.opacity = "2";
  arguments.planes = {"1,0,0,4", "0,1,0,5"};
  const scene::VolumeStyle style = *look_option(arguments, volume, square_frame).style.to;
  CHECK(style.mode == CastMode::isosurface);
  CHECK(style.lit);
  CHECK(style.opacity == 2);
  CHECK(style.clip_planes.size() == 2);
  CHECK_FALSE(style.annotations.axes);
  CHECK(style.annotations.colour_bar);
  CHECK_FALSE(style.annotations.label);
  arguments.mode = "average";  // an explicit mode stays
  arguments.axes = arguments.label = true;
  const scene::VolumeStyle other = *look_option(arguments, volume, square_frame).style.to;
  CHECK(other.mode == CastMode::average);
  CHECK(other.annotations.axes);
  CHECK(other.annotations.label);
}

TEST_CASE("a patient is seen from the front, and --up is up", "[cli]") {
  scene::SourceSpec volume = box_of_20();
  volume.is_anatomical = true;  // x to the right side, y to the front
  const auto is_along = [](Vec3d v, Vec3d axis) { return dot(normalized(v), axis) > 1 - 1e-9; };
  VolumeCamera camera = look_option({}, volume, square_frame).camera.to;
  CHECK(is_along(camera.eye - camera.look_at, {0, 1, 0}));
  CHECK(is_along(camera.up, {0, 0, 1}));
  volume.up = {2, 0, 0};
  camera = look_option({}, volume, square_frame).camera.to;
  CHECK(is_along(camera.up, {1, 0, 0}));
  CHECK(is_along(camera.eye - camera.look_at, {0, 1, 0}));
  volume.up = {0, 0, -1};
  CHECK(is_along(look_option({}, volume, square_frame).camera.to.up, {0, 0, -1}));
  VolumeArguments from;
  from.direction = "0,0";  // against y, where z is up
  volume.up = {0, 1, 0};   // turns z to y, and y to -z
  camera = look_option(from, volume, square_frame).camera.to;
  CHECK(is_along(camera.up, {0, 1, 0}));
  CHECK(is_along(camera.eye - camera.look_at, {0, 0, 1}));
  const scene::SourceSpec again = scene::source_from_json(scene::to_json(volume));
  CHECK(again.up == volume.up);
  CHECK(again.is_anatomical);
}

TEST_CASE("a volume is seen from where the options say", "[cli]") {
  const scene::SourceSpec volume = box_of_20();
  const auto camera = [&](const VolumeArguments& arguments,
                          const VolumeFrame& frame = square_frame) {
    return look_option(arguments, volume, frame).camera.to;
  };
  VolumeArguments from;
  from.direction = "90,0";  // azimuth 90 degrees: from +x
  const Vec3d eye = camera(from).eye;
  CHECK(eye.x > 10);
  CHECK(std::abs(eye.y) < 1e-9 * eye.x);
  CHECK(std::abs(eye.z) < 1e-9 * eye.x);
  from.direction = "0,90";
  CHECK(camera(from).eye.z > 10);
  from.direction = "0";
  CHECK_THROWS_AS(camera(from), InputError);
  VolumeArguments lens;
  lens.lens = "orthographic";
  lens.fov = "60";
  CHECK(camera(lens).lens == Lens::orthographic);
  CHECK(camera(lens).fov_rad == Approx(std::numbers::pi / 3));
  for (const char* wrong : {"0.05", "180", "wide", "true"}) {
    lens.fov = wrong;
    CHECK_THROWS_AS(camera(lens), InputError);
  }
  CHECK(camera(lens, {{0, 0, 1000, 1000}, 1.25}).fov_rad == 1.25);  // --fov true
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "camera.toml", "eye = [0, -50, 0]\nfov_deg = 30\n");
  VolumeArguments file;
  file.camera = (folder / "camera.toml").string();
  CHECK(is_close(camera(file).eye, {0, -50, 0}));
  CHECK(camera(file).fov_rad == Approx(std::numbers::pi / 6));
  file.fov = "60";  // the option has precedence
  CHECK(camera(file).fov_rad == Approx(std::numbers::pi / 3));
}

TEST_CASE("a caption has a place, and a length within its limit", "[cli]") {
  const Json there = changed_by("caption_at", "40mm,25mm,across").at("caption_at");
  CHECK(there == Json{{"x", 40}, {"y", 25}, {"mm", true}, {"across", true}});
  CHECK(changed_by("caption", std::string(1024, 'x')).at("caption").get<std::string>().size() ==
        1024);
  CHECK_THROWS_WITH(changed_by("caption", std::string(100'000, 'x')),
                    "--caption: expected a line of at most 1024 bytes, found 100000 bytes");
  for (const char* wrong :
       {"", "1", "0.5,1.1", "-0.1,0", "40mm,25", "40,25mm", "1,1,over", "nan,0", "40mm,1e9mm"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(changed_by("caption_at", wrong), Catch::Contains("--caption_at: expected"));
  }
}
