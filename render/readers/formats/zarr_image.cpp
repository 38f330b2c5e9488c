#include "render/readers/formats/zarr_image.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/zarr_array.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void apply_transformations(const Json& list, const FieldPlace& place, ZarrLevel& level) {
  if (list.is_null()) return;
  if (!list.is_array()) place.refuse("a list", list.dump().substr(0, 60));
  for (const Json& step : list) {
    const std::string type = step.is_object() ? step.value("type", "") : "";
    if (type == "identity") continue;
    if (type != "scale" && type != "translation")
      place.refuse("scale or translation", in_quotes(type));
    const Json numbers = step.value(type, Json());
    if (!numbers.is_array() || numbers.size() != level.scale.size())
      place.refuse(fmt::format("{} numbers", level.scale.size()), numbers.dump().substr(0, 60));
    for (std::size_t i = 0; i < level.scale.size(); ++i) {
      if (!numbers[i].is_number()) place.refuse("numbers", numbers[i].dump().substr(0, 60));
      const double number = numbers[i].get<double>();
      if (type == "scale") {
        level.scale[i] *= number;
        level.translation[i] *= number;
      } else {
        level.translation[i] += number;
      }
    }
  }
}

void read_axes(const Json& multiscale, const FieldPlace& place, ZarrImage& image) {
  const Json axes = multiscale.value("axes", Json());
  if (!axes.is_array()) place.refuse("a list of axes", axes.dump().substr(0, 60));
  constexpr std::string_view names = "tczyx";
  for (const Json& axis : axes) {
    const std::string name = axis.is_string()   ? axis.get<std::string>()
                             : axis.is_object() ? axis.value("name", "")
                                                : "";
    const std::size_t role = name.size() == 1 ? names.find(name[0]) : std::string_view::npos;
    if (role == std::string_view::npos) place.refuse("t, c, z, y or x", in_quotes(name));
    image.roles.push_back(static_cast<ZarrRole>(role));
    image.units.push_back(axis.is_object() && axis.contains("unit") && axis.at("unit").is_string()
                              ? axis.at("unit").get<std::string>()
                              : "");
  }
}

/// Empty if the folder's attributes have no `multiscales`.
std::optional<ZarrImage> read_multiscales(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / ".zattrs", error)) return std::nullopt;
  const Json attributes = read_zarr_json(folder / ".zattrs");
  const Json multiscales = attributes.value("multiscales", Json());
  if (multiscales.is_null()) return std::nullopt;
  const std::string file = (folder / ".zattrs").string();
  if (!multiscales.is_array() || multiscales.empty() || !multiscales[0].is_object())
    FieldPlace{file, "multiscales"}.refuse("a list of images", multiscales.dump().substr(0, 60));
  const Json& multiscale = multiscales[0];
  ZarrImage image;
  image.folder = folder;
  image.additions = read_zarr_additions(attributes, file);
  if (const Json name = multiscale.value("name", Json()); name.is_string())
    image.name = name.get<std::string>();
  read_axes(multiscale, {file, "axes"}, image);
  const Json datasets = multiscale.value("datasets", Json());
  if (!datasets.is_array() || datasets.empty() || datasets.size() > 64)
    FieldPlace{file, "datasets"}.refuse("1 to 64 levels", datasets.dump().substr(0, 60));
  for (const Json& dataset : datasets) {
    ZarrLevel level;
    const Json path = dataset.is_object() ? dataset.value("path", Json()) : Json();
    if (!path.is_string())
      FieldPlace{file, "path"}.refuse("a level's path", path.dump().substr(0, 60));
    level.path = path.get<std::string>();
    level.scale.assign(image.roles.size(), 1);
    level.translation.assign(image.roles.size(), 0);
    const FieldPlace place = {file, "coordinateTransformations"};
    apply_transformations(dataset.value("coordinateTransformations", Json()), place, level);
    apply_transformations(multiscale.value("coordinateTransformations", Json()), place, level);
    image.levels.push_back(std::move(level));
  }
  return image;
}

// Describes an array without OME-Zarr's attributes: (z, y, x) or (t, z, y, x).
ZarrImage plain_array(const fs::path& folder) {
  const ZarrArray array = read_zarray(folder);
  ZarrImage image;
  image.folder = folder;
  const std::size_t rank = array.shape.size();
  if (rank != 3 && rank != 4)
    FieldPlace{array.file, "shape"}.refuse("3 lengths (z, y, x) or 4 (t, z, y, x)",
                                           fmt::format("{}", rank));
  if (rank == 4) image.roles.push_back(ZarrRole::t);
  for (const ZarrRole role : {ZarrRole::z, ZarrRole::y, ZarrRole::x}) image.roles.push_back(role);
  image.units.resize(rank);
  image.levels.push_back({"", std::vector<double>(rank, 1), std::vector<double>(rank, 0)});
  return image;
}

}  // namespace

ZarrImage read_zarr_image(const fs::path& folder) {
  if (auto image = read_multiscales(folder)) return *image;
  std::error_code error;
  if (fs::exists(folder / ".zarray", error)) return plain_array(folder);
  if (fs::exists(folder / ".tilewall", error))
    throw InputError({folder.string()}, "", "finished bricks",
                     "unfinished ones, which the same `tilewall brick` command completes");
  // Bio-Formats puts its first image into a folder "0".
  if (auto image = read_multiscales(folder / "0")) return *image;
  throw InputError({folder.string()}, "multiscales", "an image of OME-Zarr 0.4 or an array of Zarr",
                   "neither");
}

}  // namespace tilewall::render
