#include "tests/support/controlled_show.hpp"

#include <algorithm>
#include <cstdlib>

#include "tests/support/eventually.hpp"

namespace tilewall::test {
namespace {

constexpr std::chrono::seconds show_limit{20};
// Longest time from a request to its instant.
constexpr std::chrono::milliseconds longest_change{400};
constexpr std::int64_t longest_way = 16;  // pictures that a panel may show before it reports one

Words show_words(const std::filesystem::path& input, const std::string& wall, const Words& more,
                 const TemporaryFolder& folder) {
  Words all = {"--headless",
               "--hashes",
               "--loop",
               "--run-dir",
               (folder / "run").string(),
               "--report",
               (folder / "report").string()};
  all.insert(all.end(), more.begin(), more.end());
  return play_words(input, wall, all);
}

bool is_paused(const nlohmann::json& status) { return status.at("rate_fps") == 0.0; }

/// Whether every panel shows what is due, as far as they have told.
bool has_settled(const nlohmann::json& status) {
  const auto& panels = status.at("per_panel");
  return std::all_of(panels.begin(), panels.end(), [&](const nlohmann::json& panel) {
    if (!status.at("frame").is_number() || !panel.at("frame").is_number()) return true;
    const auto behind =
        status.at("frame").get<std::int64_t>() - panel.at("frame").get<std::int64_t>();
    return std::abs(behind) <= (is_paused(status) ? 0 : longest_way);
  });
}

}  // namespace

std::string hash_on_panel(const TestPicture& wall, const std::string& panel) {
  const int left = panel == pair_panels.front() ? 0 : pair_panel_px.width;
  return hex(hash_of(cropped(wall, {left, 0}, pair_panel_px)));
}

std::string numbered_hash(std::int64_t frame, const std::string& panel) {
  return hash_on_panel(numbered_picture(pair_canvas_px, frame), panel);
}

nlohmann::json movie_source_json(const std::filesystem::path& folder, SizePx size_px, int frames) {
  return {{"kind", "wall_movie"},
          {"path", folder.string()},
          {"files", nlohmann::json::array()},
          {"size_px", {size_px.width, size_px.height}},
          {"frames", frames},
          {"rate_fps", {24, 1}},
          {"audio", ""}};
}

std::vector<std::vector<ShownPicture>> epochs_of(const nlohmann::json& report,
                                                 const std::string& panel) {
  std::vector<std::vector<ShownPicture>> epochs;
  const nlohmann::json part = panel_report(report, panel);
  for (const auto& json : part.at("frames")) {
    const ShownPicture shown{
        json.at("tick").get<std::int64_t>(), json.at("frame").get<std::int64_t>(),
        json.at("stamp_ns").get<std::int64_t>(), json.at("hash").get<std::string>()};
    if (epochs.empty() || shown.tick <= epochs.back().back().tick) epochs.emplace_back();
    epochs.back().push_back(shown);
  }
  return epochs;
}

std::string hash_shown_from(const nlohmann::json& report, const std::string& panel,
                            std::int64_t at_ns) {
  for (const auto& epoch : epochs_of(report, panel))
    for (const ShownPicture& shown : epoch)
      if (shown.stamp_ns >= at_ns) return shown.hash;
  return "";
}

ControlledShow::ControlledShow(const std::filesystem::path& input, const std::string& wall,
                               const Words& more)
    : program_(show_words(input, wall, more, folder_)) {}

ProgramResult ControlledShow::ctl(const Words& words) const {
  Words all = {tilewall_program, "ctl", words.front(), "--run-dir", run_dir().string()};
  all.insert(all.end(), words.begin() + 1, words.end());
  return run_program(all);
}

nlohmann::json ControlledShow::finish() {
  {
    WallClient client(run_dir());
    std::this_thread::sleep_for(longest_change);
    static_cast<void>(eventually([&] { return has_settled(client.ask({{"type", "status"}})); }));
    client.ask({{"type", "quit"}});
  }
  static_cast<void>(program_.wait(show_limit));
  return read_report(folder_ / "report");
}

}  // namespace tilewall::test
