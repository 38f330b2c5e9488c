// What a volume's reader tells of its file, as the processes exchange it.

#include "render/readers/volume_info.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::render;

TEST_CASE("every key of a volume's description is one member of it", "[readers]") {
  const nlohmann::json json = nlohmann::json::parse(R"({
    "format": "Zarr", "dataset": "rho", "datasets": ["rho", "u"], "size": [40, 30, 20],
    "file_type": "i16", "components": 3, "interpretation": "z, y, x", "stored_size": [39, 29, 19],
    "is_anatomical": true, "type": "u16", "scale": 0.5, "offset": -2.0,
    "place": {"spacing": [1.0, 2.0, 3.0], "origin": [4.0, 5.0, 6.0],
              "axes": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]},
    "length_unit": "mm", "axis_scales": [["a", 2.0], ["b", 3.0], ["c", 4.0]], "value_unit": "K",
    "value_range": [-7.0, 8.0], "fill_value": -9.0, "levels": 5, "level": 2, "slab_voxels": 16,
    "tile_voxels": [8, 4],
    "coarser": [{"size": [20, 15, 10],
                 "place": {"spacing": [2.0, 4.0, 6.0], "origin": [4.5, 6.0, 7.5],
                           "axes": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]},
                 "chunk": [7, 6, 5]}],
    "times": [0.25, 0.75], "time_labels": ["first", "second"], "time_unit": "s",
    "notes": ["a note"], "other_files": ["b.raw"]
  })");
  const VolumeInfo info = volume_info_from_json(json, "a");
  CHECK(info.format == "Zarr");
  CHECK(info.dataset == "rho");
  CHECK(info.datasets == std::vector<std::string>{"rho", "u"});
  CHECK(info.size == VolumeSize{40, 30, 20});
  CHECK(info.file_type == "i16");
  CHECK(info.components == 3);
  CHECK(info.interpretation == "z, y, x");
  CHECK(info.stored_size == VolumeSize{39, 29, 19});
  CHECK(info.is_anatomical);
  CHECK(info.type == VoxelType::u16);
  CHECK(info.scale.scale == 0.5);
  CHECK(info.scale.offset == -2);
  CHECK(info.place.spacing == Vec3d{1, 2, 3});
  CHECK(info.place.origin == Vec3d{4, 5, 6});
  CHECK(info.place.axes[0] == Vec3d{0, 1, 0});
  CHECK(info.place.axes[2] == Vec3d{1, 0, 0});
  CHECK(info.length_unit == "mm");
  CHECK(info.axis_scales[0].unit == "a");
  CHECK(info.axis_scales[2].factor == 4);
  CHECK(info.value_unit == "K");
  CHECK(info.value_range == ValueRange{-7, 8});
  CHECK(info.fill_value == -9.0);
  CHECK(info.levels == 5);
  CHECK(info.level == 2);
  CHECK(info.slab_voxels == 16);
  CHECK(info.tile_voxels == std::array<int, 2>{8, 4});
  REQUIRE(info.coarser.size() == 1);
  CHECK(info.grid(1).size == VolumeSize{20, 15, 10});
  CHECK(info.grid(1).place.origin == Vec3d{4.5, 6, 7.5});
  CHECK(info.grid(1).chunk == std::array<int, 3>{7, 6, 5});
  CHECK(info.grid(0).chunk == std::array<int, 3>{8, 4, 16});
  CHECK(info.times == std::vector<double>{0.25, 0.75});
  CHECK(info.time_labels == std::vector<std::string>{"first", "second"});
  CHECK(info.time_unit == "s");
  CHECK(info.notes == std::vector<std::string>{"a note"});
  CHECK(info.other_files == std::vector<std::string>{"b.raw"});
  CHECK(to_json(info) == json);
  const auto is_taken = [&](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    try {
      return volume_info_from_json(changed, "a").timesteps() > 0;
    } catch (const InputError&) {
      return false;
    }
  };
  CHECK(is_taken("/level", 4));
  for (const auto& [pointer, wrong] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"/level", 5},
                                                           {"/level", -1},
                                                           {"/levels", 0},
                                                           {"/size", {0, 30, 20}},
                                                           {"/components", 0},
                                                           {"/scale", 0.0},
                                                           {"/place/spacing", {1.0, 0.0, 1.0}},
                                                           {"/slab_voxels", 0},
                                                           {"/tile_voxels", {-1, 4}},
                                                           {"/coarser/0/size", {41, 15, 10}},
                                                           {"/coarser/0/size", {20, 31, 10}},
                                                           {"/coarser/0/size", {20, 15, 21}},
                                                           {"/coarser/0/chunk", {7, 0, 5}},
                                                           {"/times", nlohmann::json::array()},
                                                           {"/time_labels", {"first"}},
                                                           {"/type", "u32"}}) {
    CAPTURE(pointer, wrong.dump());
    CHECK_FALSE(is_taken(pointer, wrong));
  }
  CHECK(is_taken("/coarser/0/size", {40, 30, 20}));
}
