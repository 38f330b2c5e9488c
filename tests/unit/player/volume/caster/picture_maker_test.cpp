// What a caster draws: pictures of parts, of volumes that are made smaller, and on a GPU.

#include "player/volume/caster/picture_maker.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "player/scene/volume_style.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/text.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/error.hpp"
#include "tests/support/ball_camera.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::volume;

namespace {

ReadyTimestep ball(int side, HostGpu* gpu = nullptr) {
  VoxelArray voxels(VoxelType::u8, {side, side, side});
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  const double middle = (side - 1) / 2.0;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        *to++ = static_cast<std::uint8_t>(
            std::max(0.0, 255 - 255 * std::hypot(x - middle, y - middle, z - middle) / middle));
  return {Volume(std::move(voxels)), 1, {}, gpu};
}

double psnr_db(const ImageView& one, const ImageView& other) {
  double squares = 0;
  for (int y = 0; y < one.size_px.height; ++y)
    for (int i = 0; i < one.size_px.width * 4; ++i) {
      const double off = double(one.row(y)[i]) - double(other.row(y)[i]);
      squares += off * off;
    }
  return 10 * std::log10(255.0 * 255.0 * 3 * one.size_px.width * one.size_px.height / squares);
}

}  // namespace

TEST_CASE("a small volume is drawn as with sixteen samples a voxel", "[view]") {
  // A shell that one voxel is thick, cut by the volume's sides.
  constexpr int side = 17;
  VoxelArray voxels(VoxelType::f32, {side, side, side});
  float* to = voxels.voxels<float>().data();
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        *to++ = static_cast<float>(std::max(0.0, 1 - std::abs(std::hypot(x - 3, y - 5, z) - 9)));
  ReadyTimestep volume(Volume(std::move(voxels)), 1);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  CastMessage request;
  request.picture_width = request.width = 640;
  request.picture_height = request.height = 480;
  set_camera(request, camera_around(volume.volume.centre_world(), 12, 0.5, 0.3));
  const auto draw = [&](std::optional<double> samples, const TestPicture& picture) {
    style.samples_per_voxel = samples;
    static_cast<void>(
        make_picture(volume, {samples ? "given" : "", style}, request, picture.view(), 1));
  };
  const TestPicture by_default({640, 480});
  const TestPicture one({640, 480});
  const TestPicture sixteen({640, 480});
  draw(1, one);
  CHECK(volume.step == 1);
  volume.style = "";
  draw(16, sixteen);
  CHECK(volume.step == 1.0 / 16);
  volume.style = "";
  draw(std::nullopt, by_default);
  CHECK(psnr_db(one.view(), sixteen.view()) < 36);
  CHECK(psnr_db(by_default.view(), sixteen.view()) >= 40);

  // A part is the crop, at the same step.
  request.x = 57;
  request.y = 31;
  request.width = 100;
  request.height = 90;
  const TestPicture part({100, 90});
  draw(std::nullopt, part);
  for (int y = 0; y < 90; ++y)
    CHECK(std::memcmp(part.view().row(y), by_default.view().pixel(57, 31 + y), 400) == 0);

  // So has a panel with twice as many pixels on the same wall.
  const double step = volume.step;
  CHECK(step < 1);
  set_region(request, camera_of(request), {640, 480});
  request.picture_width = 1280;
  request.picture_height = 960;
  draw(std::nullopt, part);
  CHECK(volume.step == step);
}

TEST_CASE("the default step is as short as pixels are close, and as the volume is small",
          "[view]") {
  struct Case {
    int side;
    int picture_height;
    double step;
  };
  // The picture's height is about twice the volume's side.
  for (const Case& one :
       {Case{17, 40, 1}, Case{17, 160, 0.5}, Case{17, 1200, 1.0 / 16}, Case{64, 64, 1},
        Case{64, 2000, 0.25}, Case{128, 2000, 0.5}, Case{130, 2000, 1}}) {
    CAPTURE(one.side, one.picture_height);
    ReadyTimestep volume = ball(one.side);
    VolumeStyle style;
    style.transfer = named_transfer("default").value();
    CastMessage request;
    request.width = request.height = 8;
    request.picture_width = request.picture_height = one.picture_height;
    set_camera(request, camera_around(volume.volume.centre_world(), one.side, 0.5, 0.3));
    const TestPicture picture({8, 8});
    static_cast<void>(make_picture(volume, {"style", style}, request, picture.view(), 1));
    CHECK(volume.step == one.step);
  }
}

TEST_CASE("pictures are refined where a volume and its function are sharp, in all of its parts",
          "[view]") {
  ReadyTimestep volume = ball(64);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  CHECK_FALSE(look_of(volume, style).style.refine);
  style.opacity = 100;
  style.window = 0.0625;  // about one surface
  CHECK(look_of(volume, style).style.refine);
  // A part of the volume, where there is little to see, is drawn as all of it.
  ReadyTimestep part = ball(20);
  part.whole = volume.whole;
  CHECK(look_of(part, style).style.refine);
  style.mode = CastMode::average;
  CHECK_FALSE(look_of(volume, style).style.refine);
  style.mode = CastMode::composite;
  style.scale.kind = CurveKind::sqrt;
  CHECK_FALSE(look_of(volume, style).style.refine);
}

TEST_CASE("a picture without anything of the volume is known as one", "[view]") {
  ReadyTimestep volume = ball(20);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.background = {0.25F, 0.5F, 0.75F, 1};
  style.annotations.axes = true;
  CastMessage request;
  request.picture_width = request.width = 64;
  request.picture_height = request.height = 48;
  const TestPicture picture({64, 48});
  const auto is_blank = [&](const VolumeCamera& camera) {
    set_camera(request, camera);
    return make_picture(volume, {"style", style}, request, picture.view(), 1).blank;
  };
  VolumeCamera camera = camera_around(volume.volume.centre_world(), 14, 0.5, 0.3);
  CHECK_FALSE(is_blank(camera));
  camera.look_at = camera.eye + (camera.eye - camera.look_at);
  CHECK(is_blank(camera));
}

TEST_CASE("a patient's axes have letters at both ends", "[view]") {
  // From the front the right side is at the left. Letters are 1440 * 7 / 360 = 28 pixels high, and
  // their middles stand 1.35 * 3 letters from that of the drawing, which is 5.2 letters from the
  // left and 9.5 from the bottom.
  constexpr SizePx size{1920, 1440};
  const VolumeCamera camera = camera_at({}, std::numbers::pi, 0, 4.0 / 3);
  const TransferFunction function({{0, {0, 0, 0, 0}}, {1, {1, 1, 1, 1}}});
  VolumeStyle style;
  style.annotations.axes = true;
  TimestepWords words;
  words.is_anatomical = true;
  const TestPicture picture(size);
  annotate(picture.view(), {0, 0, size.width, size.height}, {camera, size, {}},
           {style, function, {}, words, VolumeWhole{}, ""});
  const auto expect = [&](const char* letter, PointPx at, Rgb colour) {
    CAPTURE(letter);
    const TestPicture wanted(size);
    draw_text(wanted.view(), at, letter, 28, TextInk{colour, {14, 16, 22}, 4});
    int lit = 0;
    for (int y = at.y; y < at.y + 34; ++y)
      for (int x = at.x; x < at.x + 28; ++x) {
        const Bgrx pixel = pixel_at(wanted.view(), {x, y});
        if (pixel[0] != colour.blue || pixel[1] != colour.green || pixel[2] != colour.red) continue;
        ++lit;
        const Bgrx drawn = pixel_at(picture.view(), {x, y});
        CHECK(std::equal(pixel.begin(), pixel.begin() + 3, drawn.begin()));
      }
    CHECK(lit > 30);
  };
  expect("R", {24, 1160}, {235, 90, 90});
  expect("L", {251, 1160}, {235, 90, 90});
  expect("S", {138, 1047}, {110, 150, 250});
  expect("I", {138, 1273}, {110, 150, 250});
  expect("A", {138, 1160}, {80, 190, 90});
}

TEST_CASE("the label of a live timestep has the text that the panel was told", "[view][live]") {
  ReadyTimestep volume = ball(20);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.annotations.label = true;
  CastMessage request;
  request.picture_width = request.width = 400;
  request.picture_height = request.height = 48;
  set_camera(request, camera_around(volume.volume.centre_world(), 14, 0.5, 0.3));
  const auto draw = [&](const TestPicture& to, const std::string& label, const std::string& note) {
    volume.words.label = label;
    set_note(request, note);
    static_cast<void>(make_picture(volume, {"style", style}, request, to.view(), 1));
  };
  const TestPicture told({400, 48});
  const TestPicture whole({400, 48});
  const TestPicture without({400, 48});
  draw(told, "gs u", "age 0.31 s");
  draw(whole, "gs u  age 0.31 s", "");
  draw(without, "gs u", "");
  CHECK(same_pixels(told.view(), whole.view()));
  CHECK_FALSE(same_pixels(told.view(), without.view()));
  // A packet's text need not end with a zero.
  std::fill(std::begin(request.note), std::end(request.note), 'x');
  CHECK(note_of(request) == std::string(48, 'x'));
  set_note(request, std::string(100, 'y'));
  CHECK(note_of(request) == std::string(47, 'y'));
}

TEST_CASE("a caster takes no packet that is cut, or that its memory has no room for", "[view]") {
  CastMessage message;
  message.picture_width = 64;
  message.picture_height = 32;
  message.x = 16;
  message.width = 48;
  message.height = 32;
  const auto bytes = std::as_bytes(std::span(&message, 1));
  CHECK(decode_cast(bytes, 48 * 32 * 4));
  CHECK_FALSE(decode_cast(bytes, 48 * 32 * 4 - 1));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(decode_cast(bytes.first(length), 1 << 20));
  message.x = 17;
  CHECK_FALSE(decode_cast(bytes, 1 << 20));
  message.x = INT32_MIN;
  CHECK_FALSE(decode_cast(bytes, 1 << 20));
}

TEST_CASE("a reduced volume holds means, and stays in its place", "[view]") {
  const std::vector<float> slab = {1, 3, 5, 7, NAN, 9,   // z = 0: rows of 3
                                   1, 3, 5, 7, NAN, 9};  // z = 1
  std::vector<float> means(2);
  reduce_slab(VoxelType::f32, {3, 2, 2}, reinterpret_cast<const std::byte*>(slab.data()), 2, 2,
              reinterpret_cast<std::byte*>(means.data()));
  CHECK(means[0] == Approx(11.0 / 3));
  CHECK(means[1] == 7);
  const VolumePlace place = reduced_place({{1, 2, 3}, {10, 0, 0}}, {3, 2, 2}, 2);
  CHECK(place.spacing == Vec3d{2, 4, 6});
  CHECK(place.origin == Vec3d{10.5, 1, 1.5});
}

TEST_CASE("a volume that does not fit is shown by an overview, and what is seen of it finer",
          "[view][levels]") {
  VolumeInfo info;
  info.size = {2048, 2048, 2048};
  info.type = VoxelType::u8;
  info.place.origin = {100, 0, 0};
  info.times = {0};
  for (int side = 2; side <= 16; side *= 2)
    info.coarser.push_back({{2048 / side, 2048 / side, 2048 / side},
                            reduced_place(info.place, info.size, side),
                            {64, 64, 64}});
  const auto levels = volume_levels(info, {1, 1, 1});
  CHECK(levels[4].grid == 4);
  CHECK(levels[5].grid == 4);
  CHECK(levels[5].side == 2);
  CHECK(levels.back().size == VolumeSize{1, 1, 1});
  const std::size_t memory = std::size_t{2} << 30;
  const MemoryPlan plan = plan_memory(levels, info.type, 1, memory);
  CHECK(plan.overview == 3);
  const auto bytes = [&](VolumeSize size) { return shown_bytes(info.type, size); };
  CHECK(bytes(levels[3].size) + plan.detail_bytes + 2 * reading_window_bytes(memory) <= memory);
  CHECK(plan_memory(levels, info.type, 1, std::size_t{64} << 30).overview == 0);
  CHECK(plan_memory(levels, info.type, 1, 1).overview == static_cast<int>(levels.size()) - 1);
  const MemoryPlan series = plan_memory(levels, info.type, 100, memory);
  CHECK(series.overviews >= 2);
  CHECK(series.overviews * static_cast<std::int64_t>(bytes(levels[3].size)) <=
        static_cast<std::int64_t>(memory) / 3 * 2);

  SeenPart seen;
  seen.camera = camera_around({1123.5, 1023.5, 1023.5}, 1774, 0.6, 0.4);
  const auto choose = [&] { return choose_detail(levels, plan, info.type, seen); };
  seen.picture_px = {320, 256};
  CHECK_FALSE(choose());  // the overview has a voxel a pixel
  seen.picture_px = {3200, 2560};
  REQUIRE(choose());
  CHECK(choose()->level == 2);  // level 1 would not fit
  CHECK(choose()->box == whole_box(levels[2].size));
  // Nearer, as finely as pixels are; and never what is not seen, nor more than there is room for.
  const Vec3d middle{1123.5, 1023.5, 1023.5};
  seen.camera.lens = Lens::orthographic;
  seen.camera.look_at = middle;
  seen.camera.eye = middle - Vec3d{0, 0, 3000};
  seen.camera.up = {0, 1, 0};
  seen.camera.view_height = 256;
  seen.picture_px = {320, 256};
  auto near = choose();
  REQUIRE(near);
  CHECK(near->level == 0);
  CHECK(near->needed.begin[0] == 1024 - 160 - 3);  // x = 1023.5 +- 160, and what samples touch
  CHECK(near->needed.end[0] == 1023 + 160 + 4);
  CHECK(near->needed.begin[2] == 0);
  CHECK(near->needed.end[2] == 2048);
  CHECK(near->box.contains(near->needed));
  CHECK(near->box.begin[0] < near->needed.begin[0]);
  CHECK(bytes(near->box.size()) <= plan.detail_bytes);
  const DetailChoice before = *near;
  seen.camera.look_at.x += 3;
  seen.camera.eye.x += 3;
  CHECK(before.box.contains(choose()->needed));  // a small move needs no other
  seen.clip_min[2] = 0.5;
  seen.planes = {{{-1, 0, 0}, 1123.5}};  // x up to 1023.5 of the file's voxels
  near = choose();
  CHECK(near->needed.begin[2] >= 1020);
  CHECK(near->needed.end[0] <= 1028);
  seen.clip_min[2] = 0;
  seen.planes.clear();
  seen.camera.view_height = 1024;  // of 2048 x 1024 pixels: all sides of a voxel, but too many
  seen.picture_px = {2048, 1024};
  near = choose();
  REQUIRE(near);
  CHECK(near->level > 0);
  CHECK(bytes(near->box.size()) <= plan.detail_bytes);
  seen.camera.look_at = seen.camera.eye - Vec3d{0, 0, 1};
  CHECK_FALSE(choose());  // nothing is seen
  // From within, the nearest voxel is at the eye.
  seen.camera = {};
  seen.camera.eye = middle;
  seen.camera.look_at = middle + Vec3d{0, 0, 1};
  seen.camera.fov_rad = 0.1;
  seen.picture_px = {100, 100};
  near = choose();
  REQUIRE(near);
  CHECK(near->level == 0);
  CHECK(near->needed.begin[2] >= 1020);
  CHECK(near->needed.end[2] == 2048);
  CHECK(near->needed.begin[0] >= 1024 - 55);
}

TEST_CASE("what a small budget shows of a pyramid is what all of it would", "[view][levels]") {
  const test::TemporaryFolder folder;
  const std::string zarr = (folder / "a.zarr").string();
  test::write_pyramid(
      folder / "a.zarr", {72, 64, 64}, 3,
      [](int x, int y, int z) {
        const double r = std::hypot(x - 35.5, y - 31.5, z - 31.5);
        return static_cast<std::uint8_t>(std::abs(r - 24) < 4 ? 120 + 60 * ((x / 2 + y / 2) % 3)
                                                              : 0);
      },
      16);
  VolumeJob job;
  job.path = zarr;
  job.memory_bytes = std::size_t{1} << 20;
  job.stretch = {1, 1, 1.5};
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job, gpu, 1);
  REQUIRE(test::eventually([&] { return store.get(0) != nullptr; }));
  CHECK(store.get(0)->words.label == "a.zarr");  // it has no dataset, and is no series
  SeenPart seen;
  seen.camera = camera_around({35.5, 31.5, 48}, 70, 0.1, 0.1);
  seen.camera.lens = Lens::orthographic;
  seen.camera.view_height = 14;
  seen.camera.look_at = {30, 12, 48};
  seen.picture_px = {40, 24};
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.range = ValueRange{0, 255};
  style.clip_min = {0, 0, 0.2};
  const auto choice = test::chosen_detail(store, 0, {seen.camera, seen.picture_px, style.clip_min},
                                          look_of(*store.get(0), style));
  REQUIRE(choice);
  CHECK(choice->level == 0);
  CHECK(store.detail(0, *choice).state == TimestepStore::DetailState::none);
  store.want_detail(0, *choice);
  std::uint64_t most = 0;
  REQUIRE(test::eventually([&] {
    most = std::max(most, store.figures().held_bytes);
    return store.detail(0, *choice).ready != nullptr;
  }));
  CHECK(std::max(most, store.figures().held_bytes) <= job.memory_bytes);
  const auto detail = store.detail(0, *choice).ready;
  VolumeFile file = VolumeFile::open(zarr);
  LoadOptions all;
  all.stretch = job.stretch;
  ReadyTimestep whole(load_volume(file, all), 1);
  CastMessage request;
  set_camera(request, seen.camera);
  request.picture_width = request.width = seen.picture_px.width;
  request.picture_height = request.height = seen.picture_px.height;
  const auto picture_of = [&](ReadyTimestep& timestep) {
    TestPicture picture(seen.picture_px);
    make_picture(timestep, {"style", style}, request, picture.view(), 1);
    return picture;
  };
  const TestPicture expected = picture_of(whole);
  const auto distance = [&](const TestPicture& picture) {
    int worst = 0;
    for (int y = 0; y < seen.picture_px.height; ++y)
      for (int x = 0; x < seen.picture_px.width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          worst = std::max(worst, std::abs(pixel_at(picture.view(), {x, y})[c] -
                                           pixel_at(expected.view(), {x, y})[c]));
    return worst;
  };
  CHECK(distance(picture_of(*detail)) <= 3);
  CHECK(distance(picture_of(*store.get(0))) > 20);
  // Another part takes its place, and only then is there room for it.
  seen.camera.look_at.x += 20;
  seen.camera.eye.x += 20;
  const auto next = test::chosen_detail(store, 0, {seen.camera, seen.picture_px, style.clip_min},
                                        look_of(*store.get(0), style));
  REQUIRE(next);
  store.want_detail(0, *next);
  CHECK(store.detail(0, *choice).state == TimestepStore::DetailState::none);
}

TEST_CASE("a coarse picture has no seam where panels meet", "[view]") {
  ReadyTimestep volume = ball(20);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  const RequestedStyle requested{"style", style};
  CastMessage request;
  set_camera(request, camera_around(volume.volume.centre_world(), 14, 0.5, 0.3));
  request.picture_width = request.width = 150;
  request.picture_height = request.height = 90;
  for (const int coarse : {0, 1, 2}) {
    CAPTURE(coarse);
    request.coarser_by = coarse;
    request.x = 0;
    request.width = 150;
    const TestPicture whole({150, 90});
    make_picture(volume, requested, request, whole.view(), 1);
    request.x = 67;
    request.width = 83;
    const TestPicture part({83, 90});
    make_picture(volume, requested, request, part.view(), 1);
    const ImageView cut{whole.view().pixel(67, 0), {83, 90}, whole.view().stride_bytes};
    CHECK(same_pixels(part.view(), cut));
  }
}

TEST_CASE("a GPU draws what the processor draws, which goes on when it fails", "[view]") {
  if (test::sanitized()) {
    WARN("skipped: under sanitizers drivers leak, and what they compile is not watched");
    return;
  }
  std::optional<HostGpu> gpu;
  try {
    gpu.emplace(CasterChoice::gl);
  } catch (const InputError& error) {
    WARN("skipped: " << error.what());
    return;
  }
  ReadyTimestep by_processor = ball(20);
  ReadyTimestep by_gpu = ball(20, &*gpu);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  const RequestedStyle requested{"style", style};
  CastMessage request;
  set_camera(request, camera_around(by_gpu.volume.centre_world(), 14, 0.5, 0.3));
  request.picture_width = request.width = 80;
  request.picture_height = request.height = 60;
  const TestPicture expected({80, 60});
  const TestPicture shown({80, 60});
  make_picture(by_processor, requested, request, expected.view(), 1);
  make_picture(by_gpu, requested, request, shown.view(), 1);
  CHECK(by_processor.caster.drawn_by().starts_with("cpu: "));
  CHECK(by_gpu.caster.drawn_by().starts_with("gl: "));
  int off = 0;
  for (int y = 0; y < 60; ++y)
    for (int i = 0; i < 80 * 4; ++i)
      off += std::abs(expected.view().row(y)[i] - shown.view().row(y)[i]);
  CHECK(off < 80 * 60 * 3 / 4);  // a quarter of a level: kernels of the processor differ as much
  gpu->give_up("a test");
  CHECK_FALSE(gpu->is_used());
  make_picture(by_gpu, requested, request, shown.view(), 1);
  CHECK(by_gpu.caster.drawn_by() == by_processor.caster.drawn_by());
  CHECK(same_pixels(shown.view(), expected.view()));
}
