// Transfer functions before they meet data: ranges, units, messages, names, colour spaces.
#include "render/transfer/transfer_spec.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "render/transfer/colour_space.hpp"
#include "render/transfer/named_transfers.hpp"
#include "render/transfer/transfer_curves.hpp"

namespace tilewall {

using namespace render;
namespace {

TransferSpec two_points(TransferScale scale, double first, double last) {
  TransferSpec spec;
  spec.scale = scale;
  spec.points = {{first, {0, 0, 0, 0}}, {last, {1, 0.5F, 0.25F, 1}}};
  return spec;
}

std::string refusal(const TransferSpec& spec) {
  try {
    check_transfer_spec(spec, {"f"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("shares of a transfer function lie over the range, values do not move",
          "[render][transfer]") {
  const TransferSpec shares = two_points(TransferScale::shares, 0.25, 1);
  const TransferFunction over = make_transfer_function(shares, {-100, 300}, 2);
  CHECK(over.points()[0].value == 0);
  CHECK(over.points()[1].value == 300);
  CHECK(over.unit() == 2);
  TransferSpec values = two_points(TransferScale::values, 10, 20);
  values.unit = 0.5;
  CHECK(make_transfer_function(values, {-100, 300}, 2).points()[0].value == 10);
  CHECK(make_transfer_function(values, {-100, 300}, 2).unit() == 0.5);
  CHECK(make_transfer_function(as_shares(values), {-100, 300}, 2).points()[0].value == -100);
  // What is the same everywhere has the middle's colour.
  const TransferSpec whole = two_points(TransferScale::shares, 0, 1);
  for (const float value : {0.0F, 7.0F, -1e9F})
    CHECK(make_transfer_function(whole, {value, value}, 1).at(static_cast<double>(value)).a ==
          Approx(0.5).epsilon(0.01));
  const ValueRange empty = {1, -1};
  CHECK(make_transfer_function(whole, empty, 1).points()[1].value == 1);
}

TEST_CASE("a transfer function that makes no sense is refused by its field", "[render][transfer]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal(two_points(TransferScale::shares, 0, 1)).empty());
  CHECK(refusal({}) == "f: points: expected 2 to 4096 points, found 0");
  CHECK(refusal(two_points(TransferScale::shares, 0, 2)) ==
        "f: points[1].value: expected a number in [0, 1], found 2");
  CHECK(refusal(two_points(TransferScale::values, nan, 2)) ==
        "f: points[0].value: expected a number in [-1e+30, 1e+30], found nan");
  CHECK(refusal(two_points(TransferScale::values, 3, 2)) ==
        "f: points[1].value: expected at least the one before, 3, found 2");
  CHECK(refusal(two_points(TransferScale::values, 3, 3)) ==
        "f: points: expected values that differ, found all at 3");
  TransferSpec spec = two_points(TransferScale::shares, 0, 1);
  spec.points[1].colour.a = 1.5F;
  CHECK(refusal(spec) == "f: points[1].opacity: expected a number in [0, 1], found 1.5");
  spec = two_points(TransferScale::shares, 0, 1);
  spec.unit = 0;
  CHECK(refusal(spec) == "f: unit: expected a length above 0, found 0");
  spec.unit.reset();
  spec.points.resize(max_transfer_points + 1, spec.points.back());
  CHECK(refusal(spec) == "f: points: expected 2 to 4096 points, found 4097");
  spec = two_points(TransferScale::shares, 0, 1);
  spec.name = std::string(128, 'x');
  CHECK(refusal(spec).empty());
  spec.name += 'x';
  CHECK(refusal(spec) == "f: name: expected at most 128 bytes, found 129");
}

TEST_CASE("a transfer function comes back from a message to the bit", "[render][transfer]") {
  TransferSpec spec = named_transfer("plasma").value();
  CHECK(transfer_spec_from_json(nlohmann::json::parse(to_json(spec).dump())) == spec);
  spec = as_shares(two_points(TransferScale::values, -1.0 / 3, 1e30));
  spec.scale = TransferScale::values;
  spec.unit = 0.1;
  spec.look = TransferLook{Shading::headlight, {0.1F, 0.9F, 0.2F}};
  const nlohmann::json json = to_json(spec);
  CHECK(transfer_spec_from_json(nlohmann::json::parse(json.dump())) == spec);

  const auto refused = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json broken = json;
    broken[field] = value;
    try {
      static_cast<void>(transfer_spec_from_json(broken));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("points", 3) ==
        "transfer function: points: expected an array of at most 4096 points, found 3");
  CHECK(refused("points", nlohmann::json(4097, 0)) ==
        "transfer function: points: expected an array of at most 4096 points, found an array of "
        "4097");
  CHECK(refused("points", {{0, 0, 0, 0}}) ==
        "transfer function: points[0]: expected [value, r, g, b, opacity], found an array of 4");
  CHECK(refused("points", {{0, 0, 0, 0, "x"}}) ==
        "transfer function: points[0]: expected a number, found \"x\"");
  for (const char* field : {"name", "scale", "points", "unit", "look"})
    for (const nlohmann::json& value : {nlohmann::json(), nlohmann::json::object(),
                                        nlohmann::json(-1), nlohmann::json::array({1e300})}) {
      CAPTURE(field, value.dump());
      CHECK_FALSE(refused(field, value).empty());
    }
  CHECK_THROWS_AS(transfer_spec_from_json(nlohmann::json::array()), InputError);
}

TEST_CASE("every named transfer function is one", "[render][transfer]") {
  for (const std::string_view name : transfer_names()) {
    CAPTURE(name);
    const TransferSpec spec = named_transfer(name).value();
    CHECK_NOTHROW(check_transfer_spec(spec, {"f"}));
    const TransferFunction function = make_transfer_function(spec, {0, 1000}, 1);
    CHECK(function.at(100).a == 0);
    CHECK(function.at(101).a > 0);
    CHECK(function.at(1000).a == 0.8F);
  }
  CHECK_FALSE(named_transfer("grey"));
}

TEST_CASE("colour spaces have the ways between colours that they are known for",
          "[render][transfer]") {
  const Rgba red = {1, 0, 0, 1};
  const Rgba blue = {0, 0, 1, 1};
  const auto near = [](const Rgba& a, const Rgba& b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) < 0.01F;
  };
  for (const ColourSpace space : {ColourSpace::rgb, ColourSpace::hsv, ColourSpace::hsv_wrapped,
                                  ColourSpace::lab, ColourSpace::diverging})
    for (const Rgba& from :
         {red, blue, Rgba{0, 0, 0, 1}, Rgba{1, 1, 1, 1}, Rgba{0.2F, 0.7F, 0.4F, 1}}) {
      CAPTURE(static_cast<int>(space), from.r, from.g, from.b);
      CHECK(near(mixed(space, from, red, 0), from));
      CHECK(near(mixed(space, red, from, 1), from));
    }
  CHECK(near(mixed(ColourSpace::hsv, blue, red, 0.5), {0, 1, 0, 1}));
  CHECK(near(mixed(ColourSpace::hsv_wrapped, blue, red, 0.5), {1, 0, 1, 1}));
  // Wrapped, the way leads over 0 where that is shorter, whichever end comes first.
  CHECK(near(mixed(ColourSpace::hsv_wrapped, red, blue, 0.5), {1, 0, 1, 1}));
  CHECK(near(mixed(ColourSpace::hsv_wrapped, red, blue, 0.25), {1, 0, 0.5F, 1}));
  CHECK(near(mixed(ColourSpace::hsv_wrapped, blue, red, 0.25), {0.5F, 0, 1, 1}));
  CHECK(near(mixed(ColourSpace::hsv, red, blue, 0.5), {0, 1, 0, 1}));
  const Rgba green = {0, 1, 0, 1};
  CHECK(near(mixed(ColourSpace::hsv_wrapped, red, green, 0.5), {1, 1, 0, 1}));
  CHECK(near(mixed(ColourSpace::hsv_wrapped, green, red, 0.75), {1, 0.5F, 0, 1}));
  const Rgba middle =
      mixed(ColourSpace::diverging, {0.23F, 0.3F, 0.75F, 1}, {0.7F, 0, 0.15F, 1}, 0.5);
  CHECK(near(middle, {0.865F, 0.865F, 0.865F, 1}));
  const Rgba teal = {0.1206F, 0.6086F, 0.5432F, 1};  // its hue, and the other's, are nearly pi
  CHECK(near(mixed(ColourSpace::diverging, teal, {0.1195F, 0.6114F, 0.5383F, 1}, 0.5), teal));
  CHECK(
      near(mixed(ColourSpace::lab, {0, 0, 0, 1}, {1, 1, 1, 1}, 0.5), {0.466F, 0.466F, 0.466F, 1}));
}

TEST_CASE("colour and opacity join wherever either has a point or a step", "[render][transfer]") {
  const std::vector<TransferPoint> colours = {{0, {0, 0, 0, 1}}, {4, {1, 1, 1, 1}}};
  const std::vector<TransferPoint> opacities = {
      {1, {0, 0, 0, 0}}, {2, {0, 0, 0, 0}}, {2, {0, 0, 0, 1}}, {6, {0, 0, 0, 0.5F}}};
  const TransferFunction f(joined(colours, opacities));
  for (double x = -1; x < 8; x += 0.01) {
    CAPTURE(x);
    const double colour = std::clamp(x / 4, 0.0, 1.0);
    const double opacity = x < 2 ? 0 : 1 - std::clamp((x - 2) / 8, 0.0, 0.5);
    CHECK(f.at(x).g == Approx(colour).margin(1e-5));
    CHECK(f.at(x).a == Approx(opacity).margin(1e-5));
  }
  CHECK(f.points().size() == 6);
}

TEST_CASE("between two functions lies one that keeps both ones' steps", "[render][transfer]") {
  const std::vector<TransferPoint> line = {{0, {0, 0, 0, 0}}, {4, {1, 1, 0, 1}}};
  const std::vector<TransferPoint> step = {
      {1, {0, 0, 1, 0}}, {2, {0, 0, 1, 0}}, {2, {0, 0, 1, 1}}, {3, {0, 0, 1, 1}}};
  const TransferFunction f(blended(line, step, 0.25));
  CHECK(f.points().size() == 6);
  for (double x = -1; x < 5; x += 0.01) {
    CAPTURE(x);
    const double along = std::clamp(x / 4, 0.0, 1.0);
    CHECK(f.at(x).r == Approx(0.75 * along).margin(1e-5));
    CHECK(f.at(x).b == Approx(0.25).margin(1e-5));
    CHECK(f.at(x).a == Approx(0.75 * along + (x < 2 ? 0 : 0.25)).margin(1e-5));
  }
}

TEST_CASE("lights are the same only if each of their strengths is", "[render][transfer]") {
  TransferLook look;
  look.lighting = {0.25F, 0.5F, 0.75F};
  CHECK(look == TransferLook{look});
  for (float Lighting::*const strength :
       {&Lighting::ambient, &Lighting::diffuse, &Lighting::specular}) {
    TransferLook other = look;
    other.lighting.*strength += 0.125F;
    CHECK_FALSE(other == look);
  }
  TransferLook other = look;
  other.shading = look.shading == Shading::none ? Shading::headlight : Shading::none;
  CHECK_FALSE(other == look);
}

}  // namespace
}  // namespace tilewall
