// Scales of values: their formulas, and pictures of values over many decades, by every caster
// beside the reference.
#include "render/volume/value_curve.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "render/volume/volume_caster.hpp"
#include "sync/base/error.hpp"
#include "tests/unit/render/volume/cast_pixels.hpp"

namespace tilewall {

using namespace render;
namespace {

constexpr ValueCurve by_log{CurveKind::log, 1};
constexpr ValueCurve by_root{CurveKind::sqrt, 1};
constexpr ValueCurve by_symlog{CurveKind::symlog, 0.01};

/// Black to white over 1e-3 to 1e4, without opacity below a tenth.
TransferFunction seven_decades(const ValueCurve& curve) {
  const double first = curve.place_of(1e-3);
  const double last = curve.place_of(1e4);
  std::vector<TransferPoint> points;
  for (const double share : {0.0, 0.1, 0.4, 1.0}) {
    const auto level = static_cast<float>(share);
    points.push_back({curve.value_at(std::lerp(first, last, share)),
                      {level, 1 - level, 0.5F, share > 0.1 ? level : 0}});
  }
  return TransferFunction(std::move(points), 1, curve);
}

/// Seven decades in waves, a band of zeros, and a band of values below 0.
Volume decades(VoxelType type) {
  return Volume(voxels_of(type, {40, 33, 36}, [&](Vec3d p) {
    if (type == VoxelType::u8) return std::floor(p.x * 6);  // 0 to 234
    if (type == VoxelType::u16) return p.x < 3 ? 0 : std::floor(std::pow(10, p.x / 10));
    if (p.z < 4) return 0.0;
    if (p.z < 8) return -5.0;
    return std::pow(10, 0.5 + 3.5 * std::sin(p.x * 0.2) * std::cos(p.y * 0.15));
  }));
}

double worst_mean_distance(const CastPixels& a, const CastPixels& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i) sum += std::abs(a.bytes[i] - b.bytes[i]);
  return sum / static_cast<double>(a.bytes.size());
}

TEST_CASE("a scale of values has the formula of its name", "[render][volume]") {
  CHECK(by_log.place_of(1000) == Approx(3));
  CHECK(by_root.place_of(9) == Approx(3));
  CHECK(by_symlog.place_of(-0.99) == Approx(-2));
  for (const ValueCurve& curve : {by_log, by_root, by_symlog, ValueCurve{}})
    for (const double value : {0.001, 0.7, 1.0, 12345.0})
      CHECK(curve.value_at(curve.place_of(value)) == Approx(value));
  CHECK_FALSE(by_log.takes(0));
  CHECK_FALSE(by_log.takes(-1));
  CHECK(by_root.takes(0));
  CHECK_FALSE(by_root.takes(-1e-9));
  CHECK(by_symlog.takes(-1e9));
  CHECK(by_log.taken({-2, 50}, 0.25F) == ValueRange{0.25F, 50});
  CHECK(by_log.taken({0, 50}, 0.25F) == ValueRange{0.25F, 50});
  CHECK(by_log.taken({0.125F, 50}, 0.0625F) == ValueRange{0.125F, 50});
  CHECK(by_log.taken({-2, -1}, 0).empty());
  CHECK(by_root.taken({-2, -1}, 0).empty());
  CHECK(by_root.value_at(-3) == 0);
  CHECK(by_root.taken({-2, 50}, 0.25F) == ValueRange{0, 50});
  for (const char* const text : {"linear", "log", "sqrt", "symlog", "symlog:0.5"})
    CHECK(to_string(parse_value_curve(text).value()) == text);
  for (const char* const text : {"", "Log", "symlog:", "symlog:0", "symlog:-1", "symlog:nan",
                                 "symlog:1x", "symlog: 1", "symlog:1e999", "log:2"})
    CHECK_FALSE(parse_value_curve(text));
}

TEST_CASE("keys rise with values, and give them back", "[render][volume]") {
  for (const ValueCurve& curve : {by_log, by_root, by_symlog}) {
    const CurveKey key(curve, 1e4);
    float before = -std::numeric_limits<float>::infinity();
    for (double value = 1e-6; value < 1e5; value *= 1.01) {
      const float of = key.of(static_cast<float>(value));
      CHECK(of >= before);
      before = of;
      if (value > 1e-2 && value < 1e4)
        CHECK(key.value_of(static_cast<double>(of)) == Approx(value).epsilon(2e-3));
    }
    CHECK(key.takes(1e-30F));
    CHECK(key.takes(0) == curve.takes(0));
    CHECK(key.takes(-1) == curve.takes(-1));
  }
}

TEST_CASE("a table of a logarithm is as fine in each of seven decades", "[render][volume]") {
  const TransferFunction function = seven_decades(by_log);
  const TransferTable table(function, 1);
  for (double value = 2e-3; value < 1e4; value *= 1.37) {
    const auto shown = static_cast<double>(table.at(static_cast<float>(value)).r);
    CHECK(shown == Approx((std::log10(value) + 3) / 7).margin(5e-4));
  }
  CHECK(table.at(0) == Rgba{});
  CHECK(table.at(-3) == Rgba{});
  CHECK(table.any_opacity(-5, 5000));
  CHECK_FALSE(table.any_opacity(-5, 0));
  CHECK_FALSE(table.any_opacity(1e-3F, 2e-3F));
  CHECK_THROWS_AS(TransferFunction({{0, {}}, {1, {}}}, 1, by_log), InputError);
}

TEST_CASE("fast casters show logarithms and roots as the reference does", "[render][volume]") {
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32}) {
    const Volume volume = decades(type);
    const CastView view = view_aslant(volume, {70, 50}, 90);
    for (const ValueCurve& curve : {by_log, by_root, by_symlog})
      for (const CastMode mode :
           {CastMode::composite, CastMode::maximum, CastMode::average, CastMode::isosurface})
        for (const Shading shading : {Shading::none, Shading::headlight}) {
          CastStyle style;
          style.mode = mode;
          style.shading = shading;
          style.iso_value = 10;
          const TransferFunction function = seven_decades(curve);
          const CastPixels expected = reference(volume, function, style, view);
          for (const CastFamily family : {CastFamily::avx2, CastFamily::avx512, CastFamily::vnni}) {
            if (!is_available(family)) continue;
            CAPTURE(name_of(type), name_of(family), to_string(curve), static_cast<int>(mode),
                    static_cast<int>(shading));
            VolumeCaster caster(volume, family);
            caster.set_style(function, style);
            CHECK(worst_mean_distance(cast_part(caster, view, whole(view), 2), expected) < 1.0);
          }
        }
  }
}

TEST_CASE("roots and values near a symmetric logarithm's threshold have their formula's colours",
          "[render][volume]") {
  struct Shown {
    double stored;
    double level;  // of 255
  };
  const auto check = [](const TransferFunction& function, ValueScale scale, Shown shown) {
    for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32}) {
      const Volume volume(voxels_of(type, {9, 9, 9}, [&](Vec3d) { return shown.stored; }), {},
                          scale);
      const CastView view = view_along_z(volume, {9, 9}, 8);
      for (const CastFamily family :
           {CastFamily::scalar, CastFamily::avx2, CastFamily::avx512, CastFamily::vnni}) {
        if (!is_available(family)) continue;
        CAPTURE(name_of(type), name_of(family), to_string(function.curve()), shown.stored);
        CastStyle style;
        style.mode = CastMode::average;
        VolumeCaster caster(volume, family);
        caster.set_style(function, style);
        const CastPixels pixels = cast_part(caster, view, whole(view));
        CHECK(double(pixels.bytes[(4 * 9 + 4) * 4]) == Approx(shown.level).margin(1.5));
      }
    }
  };
  // Of -2 to 2 with the threshold 1: 0.5 +- 0.5 log(1 + |value|) / log(3).
  const TransferFunction both({{-2, {0, 0, 0, 1}}, {2, {1, 1, 1, 1}}}, 1, {CurveKind::symlog, 1});
  for (const Shown shown :
       {Shown{0, 0}, {75, 80.4}, {100, 127.5}, {110, 148.7}, {150, 207.9}, {200, 255}})
    check(both, {0.02, -2}, shown);
  // Of 0 to 4: sqrt(value / 4).
  const TransferFunction root({{0, {0, 0, 0, 1}}, {4, {1, 1, 1, 1}}}, 1, by_root);
  for (const Shown shown :
       {Shown{0, 0}, {2, 25.5}, {12, 62.5}, {50, 127.5}, {128, 204}, {200, 255}})
    check(root, {0.02, 0}, shown);
}

TEST_CASE("values that a logarithm does not take are empty, in means too", "[render][volume]") {
  // One column of voxels has 100, all others 0 or less.
  const Volume volume(voxels_of(VoxelType::f32, {9, 9, 9}, [](Vec3d p) {
    if (p.z == 4) return 100.0;
    return p.z < 4 ? 0.0 : -7.0;
  }));
  const CastView view = view_along_z(volume, {9, 9}, 8);
  const TransferFunction function({{1, {0, 0, 0, 1}}, {100, {1, 1, 1, 1}}}, 1, by_log);
  for (const CastFamily family :
       {CastFamily::scalar, CastFamily::avx2, CastFamily::avx512, CastFamily::vnni}) {
    if (!is_available(family)) continue;
    CastStyle style;
    style.mode = CastMode::average;
    VolumeCaster caster(volume, family);
    caster.set_style(function, style);
    const CastPixels pixels = cast_part(caster, view, whole(view));
    CAPTURE(name_of(family));
    CHECK(int{pixels.bytes[(4 * 9 + 4) * 4]} == 255);
  }
}

}  // namespace
}  // namespace tilewall
