#include "player/cli/present/present_plan.hpp"

#include <fmt/format.h>

#include "player/cli/play/placement_options.hpp"
#include "player/cli/play/play_options.hpp"

namespace tilewall::cli {
namespace {

constexpr std::uint64_t armed_pictures = 2;  // of each panel (player/panel/armed_scene)
constexpr std::uint64_t bytes_per_pixel = 4;

}  // namespace

nlohmann::ordered_json present_plan(const PresentArguments& arguments,
                                    const std::stop_token& stop) {
  PresentArguments unlogged = arguments;
  unlogged.log.clear();
  unlogged.play.report.clear();
  const supervisor::SupervisorOptions options = present_options(unlogged, stop);
  PlacementQuestion question = placement_question(arguments.play);
  question.server = options.show.server;
  nlohmann::ordered_json plan = placement_json(question);
  nlohmann::ordered_json& bytes = plan["arming"]["pictures_bytes"];
  bytes = nlohmann::ordered_json::object();
  for (const wall::Panel& panel : options.show.wall.panels) {
    const auto width = static_cast<std::uint64_t>(panel.size_px.width);
    const auto height = static_cast<std::uint64_t>(panel.size_px.height);
    bytes[panel.host] = bytes.value(panel.host, std::uint64_t{0}) +
                        armed_pictures * bytes_per_pixel * width * height;
  }
  return plan;
}

std::string present_plan_text(const nlohmann::ordered_json& plan) {
  std::string text = placement_text(plan);
  text += "getting ready for the next cue, beside the present one:\n";
  for (const auto& [host, bytes] : plan.at("arming").at("pictures_bytes").items())
    text += fmt::format("  {}: {:.1f} MB for the first pictures of its panels\n",
                        host.empty() ? "this machine" : host, bytes.get<double>() / 1e6);
  return text +
         "  movies: opened a second time; volumes: within the memory that their caster has\n";
}

}  // namespace tilewall::cli
