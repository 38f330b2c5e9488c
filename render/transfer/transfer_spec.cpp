#include "render/transfer/transfer_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "render/transfer/transfer_curves.hpp"

namespace tilewall::render {

namespace {

constexpr double max_light = 10;

bool same(const Lighting& a, const Lighting& b) noexcept {
  return a.ambient == b.ambient && a.diffuse == b.diffuse && a.specular == b.specular;
}

void check_point(const TransferSpec& spec, std::size_t i, const InputPlace& place) {
  const auto refuse = [&](std::string_view part, std::string_view expected, double found) {
    throw InputError(place, fmt::format("points[{}].{}", i, part), expected,
                     fmt::format("{}", found));
  };
  const TransferPoint& point = spec.points[i];
  const bool shares = spec.scale == TransferScale::shares;
  const double lowest = shares ? 0 : -max_transfer_value;
  const double highest = shares ? 1 : max_transfer_value;
  if (!(point.value >= lowest && point.value <= highest))
    refuse("value", fmt::format("a number in [{}, {}]", lowest, highest), point.value);
  if (i > 0 && point.value < spec.points[i - 1].value)
    refuse("value", fmt::format("at least the one before, {}", spec.points[i - 1].value),
           point.value);
  const Rgba& c = point.colour;
  for (const float channel : {c.r, c.g, c.b})
    if (!(channel >= 0 && channel <= 1))
      refuse("colour", "numbers in [0, 1]", static_cast<double>(channel));
  if (!(c.a >= 0 && c.a <= 1)) refuse("opacity", "a number in [0, 1]", static_cast<double>(c.a));
}

ValueRange with_width(ValueRange range, const ValueCurve& curve) noexcept {
  if (range.empty()) return curve.kind == CurveKind::log ? ValueRange{1, 10} : ValueRange{0, 1};
  if (range.min < range.max) return range;
  if (curve.kind == CurveKind::log) return {range.min / 2, range.max * 2};
  const float half = std::max(0.5F, std::abs(range.min) * 1e-3F);
  return curve.taken({range.min - half, range.max + half}, 0);
}

}  // namespace

bool TransferLook::operator==(const TransferLook& other) const noexcept {
  return shading == other.shading && same(lighting, other.lighting);
}

bool TransferSpec::operator==(const TransferSpec& other) const noexcept {
  const auto same_point = [](const TransferPoint& a, const TransferPoint& b) {
    return a.value == b.value && a.colour == b.colour;
  };
  return name == other.name && scale == other.scale && unit == other.unit && look == other.look &&
         by_log == other.by_log && has_default_opacity == other.has_default_opacity &&
         notes == other.notes &&
         std::equal(points.begin(), points.end(), other.points.begin(), other.points.end(),
                    same_point);
}

void check_transfer_spec(const TransferSpec& spec, const InputPlace& place) {
  if (spec.name.size() > max_transfer_name_bytes)
    throw InputError(place, "name", fmt::format("at most {} bytes", max_transfer_name_bytes),
                     fmt::format("{}", spec.name.size()));
  if (spec.points.size() < 2 || spec.points.size() > max_transfer_points)
    throw InputError(place, "points", fmt::format("2 to {} points", max_transfer_points),
                     fmt::format("{}", spec.points.size()));
  for (std::size_t i = 0; i < spec.points.size(); ++i) check_point(spec, i, place);
  if (spec.points.front().value == spec.points.back().value)
    throw InputError(place, "points", "values that differ",
                     fmt::format("all at {}", spec.points.front().value));
  if (spec.unit && !(*spec.unit > 0 && *spec.unit <= max_transfer_value))
    throw InputError(place, "unit", "a length above 0", fmt::format("{}", *spec.unit));
  if (!spec.look) return;
  const Lighting& light = spec.look->lighting;
  for (const float strength : {light.ambient, light.diffuse, light.specular})
    if (!(strength >= 0 && strength <= static_cast<float>(max_light)))
      throw InputError(place, "lighting", fmt::format("numbers in [0, {}]", max_light),
                       fmt::format("{}", strength));
}

TransferSpec with_low_values(TransferSpec spec) {
  const double first = spec.points.front().value;
  const double span = spec.points.back().value - first;
  for (TransferPoint& point : spec.points)
    point.colour.a = field_opacity((point.value - first) / span);
  return spec;
}

TransferSpec as_shares(TransferSpec spec, const ValueCurve& curve) {
  for (TransferPoint& point : spec.points) point.value = curve.place_of(point.value);
  stretch_to_shares(spec.points);
  spec.scale = TransferScale::shares;
  return spec;
}

TransferFunction make_transfer_function(const TransferSpec& spec, ValueRange range,
                                        double default_unit, const ValueCurve& curve) {
  check_transfer_spec(spec, {"transfer function"});
  std::vector<TransferPoint> points = spec.points;
  if (spec.scale == TransferScale::shares) {
    const ValueRange wide = with_width(range, curve);
    const double first = curve.place_of(static_cast<double>(wide.min));
    const double last = curve.place_of(static_cast<double>(wide.max));
    for (TransferPoint& point : points)
      point.value = curve.value_at(std::lerp(first, last, point.value));
  }
  return TransferFunction(std::move(points), spec.unit.value_or(default_unit), curve);
}

namespace {

using Json = nlohmann::json;

/// Describes a value in a text of bounded length. Arrays are not dumped, because a peer may nest
/// them deeply and dump() recurses.
std::string describe(const Json& json) {
  if (json.is_array()) return fmt::format("an array of {}", json.size());
  if (json.is_object()) return "an object";
  if (json.is_null()) return "nothing";
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

[[noreturn]] void refuse(const std::string& field, std::string_view expected, const Json& found) {
  throw InputError({"transfer function"}, field, expected, describe(found));
}

/// A field of an object; null where it is missing.
const Json& field_of(const Json& object, const char* field) {
  static const Json none;
  const auto found = object.find(field);
  return found == object.end() ? none : *found;
}

double number(const Json& json, const std::string& field) {
  if (!json.is_number()) refuse(field, "a number", json);
  return json.get<double>();
}

float strength(const Json& look, const char* name) {
  return static_cast<float>(number(field_of(look, name), fmt::format("look.{}", name)));
}

TransferPoint point(const Json& json, std::size_t index) {
  const std::string field = fmt::format("points[{}]", index);
  if (!json.is_array() || json.size() != 5) refuse(field, "[value, r, g, b, opacity]", json);
  const auto channel = [&](std::size_t i) { return static_cast<float>(number(json[i], field)); };
  return {number(json[0], field), {channel(1), channel(2), channel(3), channel(4)}};
}

}  // namespace

Json to_json(const TransferSpec& spec) {
  Json points = Json::array();
  for (const TransferPoint& p : spec.points)
    points.push_back({p.value, p.colour.r, p.colour.g, p.colour.b, p.colour.a});
  Json json = {{"name", spec.name},
               {"scale", spec.scale == TransferScale::values ? "values" : "shares"},
               {"points", std::move(points)}};
  if (spec.has_default_opacity) json["default_opacity"] = true;
  if (spec.unit) json["unit"] = *spec.unit;
  if (spec.look) {
    const Lighting& light = spec.look->lighting;
    json["look"] = {{"shaded", spec.look->shading == Shading::headlight},
                    {"ambient", light.ambient},
                    {"diffuse", light.diffuse},
                    {"specular", light.specular}};
  }
  return json;
}

TransferSpec transfer_spec_from_json(const Json& json) {
  if (!json.is_object()) refuse("", "an object", json);
  TransferSpec spec;
  const Json& name = field_of(json, "name");
  if (!name.is_string()) refuse("name", "a text", name);
  spec.name = name.get<std::string>();
  const Json& scale = field_of(json, "scale");
  if (scale != "values" && scale != "shares") refuse("scale", "\"values\" or \"shares\"", scale);
  spec.scale = scale == "values" ? TransferScale::values : TransferScale::shares;
  const Json& points = field_of(json, "points");
  if (!points.is_array() || points.size() > max_transfer_points)
    refuse("points", fmt::format("an array of at most {} points", max_transfer_points), points);
  spec.points.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) spec.points.push_back(point(points[i], i));
  spec.has_default_opacity = field_of(json, "default_opacity") == true;
  if (json.contains("unit")) spec.unit = number(json["unit"], "unit");
  if (json.contains("look")) {
    const Json& look = json["look"];
    if (!look.is_object()) refuse("look", "an object", look);
    const Json& shaded = field_of(look, "shaded");
    if (!shaded.is_boolean()) refuse("look.shaded", "true or false", shaded);
    spec.look = TransferLook{
        shaded.get<bool>() ? Shading::headlight : Shading::none,
        {strength(look, "ambient"), strength(look, "diffuse"), strength(look, "specular")}};
  }
  check_transfer_spec(spec, {"transfer function"});
  return spec;
}

}  // namespace tilewall::render
