#include "player/volume/volume_job.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr int least_steps = 2;  // of a series: the one that is shown, and the next
constexpr int most_halvings = 12;
// A cell of 4^3 voxels has two floats; pictures need a part of that again.
constexpr double cell_bytes = 12.0 / 64;

}  // namespace

const char* name_of(CasterChoice choice) noexcept {
  switch (choice) {
    case CasterChoice::cpu:
      return "cpu";
    case CasterChoice::gl:
      return "gl";
    case CasterChoice::automatic:
      break;
  }
  return "auto";
}

std::optional<CasterChoice> parse_caster_choice(const std::string& name) {
  for (const CasterChoice choice : {CasterChoice::automatic, CasterChoice::cpu, CasterChoice::gl})
    if (name == name_of(choice)) return choice;
  return std::nullopt;
}

std::string to_text(const VolumeJob& job) {
  return Json{{"path", job.path},
              {"options", to_json(job.options)},
              {"memory_bytes", job.memory_bytes},
              {"stretch", {job.stretch.x, job.stretch.y, job.stretch.z}},
              {"caster", name_of(job.caster)}}
      .dump();
}

VolumeJob volume_job_of(const std::string& text) {
  VolumeJob job;
  try {
    const Json json = parse_json(text);
    job.path = json.at("path").get<std::string>();
    job.options = volume_options_from_json(json.at("options"));
    job.memory_bytes = json.at("memory_bytes").get<std::size_t>();
    const auto stretch = json.at("stretch").get<std::array<double, 3>>();
    job.stretch = {stretch[0], stretch[1], stretch[2]};
    const auto caster = parse_caster_choice(json.at("caster").get<std::string>());
    if (!caster) throw InputError("a volume's request: expected a caster: auto, cpu or gl");
    job.caster = *caster;
  } catch (const Json::exception& error) {
    throw InputError(std::string("a volume's request: ") + error.what());
  }
  const auto is_length = [](double v) { return v > 0 && v < 1e12; };
  if (job.memory_bytes == 0 || !is_length(job.stretch.x) || !is_length(job.stretch.y) ||
      !is_length(job.stretch.z))
    throw InputError("a volume's request: expected memory and lengths above 0");
  return job;
}

double shown_bytes_per_voxel(VoxelType type) noexcept {
  const double voxel = bytes_of(type);
  return voxel + cell_bytes + (type == VoxelType::u8 ? 4 : 0);  // u8 is packed by fours
}

int halvings_for(VolumeSize size, VoxelType type, int steps, std::size_t memory_bytes) noexcept {
  const double room = static_cast<double>(memory_bytes) / std::min(steps, least_steps);
  int halvings = 0;
  for (; halvings < most_halvings; ++halvings) {
    const double side = 1 << halvings;
    double voxels = 1;
    int longest = 0;
    for (const int length : {size.x, size.y, size.z}) {
      const int reduced = static_cast<int>((length + side - 1) / side);
      longest = std::max(longest, reduced);
      voxels *= reduced;
    }
    if (longest <= max_volume_side && voxels * shown_bytes_per_voxel(type) <= room) break;
  }
  return halvings;
}

}  // namespace tilewall
