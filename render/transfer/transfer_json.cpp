#include "render/transfer/transfer_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tilewall {
namespace {

using Json = nlohmann::json;

/// Of bounded length and depth, whatever a peer sent: dump() of nested arrays calls itself.
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

/// null where it is missing.
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

}  // namespace tilewall
