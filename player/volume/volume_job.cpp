#include "player/volume/volume_job.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::volume {

namespace {

using Json = nlohmann::json;

constexpr double longest_wait_s = 60;
constexpr std::size_t most_ranks = 1024;

Json live_json(const LiveJob& live) {
  Json json = {{"name", live.name},
               {"listen", live.listen},
               {"ranks", live.ranks},
               {"field", live.field},
               {"policy", net::live_policy_names[static_cast<std::size_t>(live.policy)]},
               {"nth", live.nth},
               {"wait_s", live.wait_s},
               {"keeps_camera", live.keeps_camera}};
  if (live.quantise) json["quantise"] = *live.quantise;
  return json;
}

LiveJob live_job_of(const Json& json) {
  LiveJob live;
  live.name = json.at("name").get<std::string>();
  live.listen = json.at("listen").get<std::string>();
  live.ranks = json.at("ranks").get<std::vector<std::string>>();
  live.field = json.at("field").get<std::string>();
  live.policy = json_enum<net::LivePolicy>(json, "policy", net::live_policy_names);
  live.nth = json.at("nth").get<std::int64_t>();
  live.wait_s = json.at("wait_s").get<double>();
  live.keeps_camera = json.at("keeps_camera").get<bool>();
  if (json.contains("quantise")) live.quantise = json.at("quantise").get<std::array<double, 2>>();
  if (live.nth < 1 || !(live.wait_s >= 0 && live.wait_s <= longest_wait_s) ||
      live.ranks.size() > most_ranks || live.listen.empty() == live.ranks.empty())
    throw InputError(
        "a live source's description: expected numbers in range, and either an address to "
        "listen at or ranks to connect to");
  return live;
}

}  // namespace

std::string_view name_of(CasterChoice choice) noexcept {
  return caster_choice_names[static_cast<std::size_t>(choice)];
}

std::optional<CasterChoice> parse_caster_choice(const std::string& name) {
  for (std::size_t i = 0; i < std::size(caster_choice_names); ++i)
    if (caster_choice_names[i] == name) return static_cast<CasterChoice>(i);
  return std::nullopt;
}

std::string to_text(const VolumeJob& job) {
  Json json = {{"path", job.path},
               {"served", job.served},
               {"options", render::to_json(job.options)},
               {"memory_bytes", job.memory_bytes},
               {"stretch", {job.stretch.x, job.stretch.y, job.stretch.z}},
               {"caster", name_of(job.caster)}};
  if (job.live) json["live"] = live_json(*job.live);
  if (job.steps_between > 1) json["steps_between"] = job.steps_between;
  return json.dump();
}

VolumeJob volume_job_of(const std::string& text) {
  VolumeJob job;
  try {
    const Json json = parse_json(text);
    job.path = json.at("path").get<std::string>();
    job.served = json.at("served").get<std::string>();
    job.options = render::volume_options_from_json(json.at("options"));
    job.memory_bytes = json.at("memory_bytes").get<std::size_t>();
    const auto stretch = json.at("stretch").get<std::array<double, 3>>();
    job.stretch = {stretch[0], stretch[1], stretch[2]};
    const auto caster = parse_caster_choice(json.at("caster").get<std::string>());
    if (!caster)
      throw InputError("a volume's description: caster: expected auto, cpu, gl or scalar");
    job.caster = *caster;
    if (json.contains("live")) job.live = live_job_of(json.at("live"));
    if (json.contains("steps_between"))
      job.steps_between = json_number(json, "steps_between", 1, most_steps_between);
  } catch (const Json::exception& error) {
    throw InputError(std::string("a volume's description: ") + error.what());
  }
  const auto is_length = [](double v) { return v > 0 && v < 1e12; };
  if (job.memory_bytes == 0 || !is_length(job.stretch.x) || !is_length(job.stretch.y) ||
      !is_length(job.stretch.z))
    throw InputError("a volume's description: expected memory_bytes and stretch above 0");
  return job;
}

std::string to_text(const std::vector<VolumeExport>& exports) {
  nlohmann::json list = nlohmann::json::array();
  for (const VolumeExport& exported : exports)
    list.push_back({{"name", exported.name}, {"path", exported.path}, {"more", exported.more}});
  return json_text(list);
}

std::vector<VolumeExport> volume_exports_of(std::string_view text, const std::string& file) {
  std::vector<VolumeExport> exports;
  try {
    const nlohmann::json list = parse_json(text);
    if (!list.is_array() || list.size() > most_volume_exports)
      throw InputError({"volumes"}, "", "a list", shown_json(list));
    for (const nlohmann::json& exported : list)
      exports.push_back({json_field<std::string>(exported, "name"),
                         json_field<std::string>(exported, "path"),
                         json_field<std::vector<std::string>>(exported, "more")});
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  return exports;
}

}  // namespace tilewall::volume
