#include "player/director/restart_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "player/director/changes/scene_change.hpp"
#include "player/director/connections/request_fields.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::director {
namespace {

constexpr std::string_view panel_role = "panel";
constexpr std::string_view launcher_role = "launcher";
constexpr std::string_view restart_roles[] = {panel_role, "caster", "decoder", launcher_role};
constexpr std::size_t most_offered = 3;

/// "c0r0, c1r0, c2r0, ..."
std::string first_of(const std::vector<std::string_view>& names) {
  const std::size_t count = std::min(names.size(), most_offered);
  return fmt::format("{}{}", fmt::join(std::span(names).first(count), ", "),
                     count < names.size() ? ", ..." : "");
}

[[noreturn]] void refuse_name(const RequestFields& fields, const char* field,
                              const std::string& found,
                              const std::vector<std::string_view>& known) {
  const std::string_view nearest = near_word(found, known);
  fields.refuse(field, fmt::format("a {} of this wall ({})", field, first_of(known)),
                nearest.empty() ? fmt::format("\"{}\"", found)
                                : fmt::format("\"{}\" (nearest: {})", found, nearest));
}

/// The name of a panel's host for people: that of the wall file or, where the panel has none there,
/// the one by which the host calls itself. "" where neither is known.
std::string_view host_label(const wall::Panel& panel, const PanelState& state) {
  return panel.host.empty() ? std::string_view(state.host) : std::string_view(panel.host);
}

/// Reads one request "restart".
class RestartReader {
 public:
  RestartReader(RequestFields& fields, const wall::Wall& wall,
                const std::vector<PanelState>& panels)
      : fields_(fields), wall_(wall), panels_(panels) {}

  [[nodiscard]] RestartOrder read() {
    const std::string who = fields_.text_or("as", std::string(operator_name));
    if (who != operator_name)
      fields_.refuse("as", std::string(operator_name), fmt::format("\"{}\"", who));
    const std::string role = fields_.text("role");
    if (std::ranges::find(restart_roles, role) == std::end(restart_roles))
      fields_.refuse("role", fmt::format("one of {}", fmt::join(restart_roles, ", ")),
                     fmt::format("\"{}\"", role));
    if (role == panel_role) return {role, read_panel()};
    return {role, read_host(role)};
  }

 private:
  [[nodiscard]] std::size_t read_panel() {
    const std::string name = fields_.text("panel");
    fields_.check_all_known();
    const auto found = std::ranges::find(wall_.panels, name, &wall::Panel::name);
    if (found == wall_.panels.end()) {
      std::vector<std::string_view> known;
      for (const wall::Panel& panel : wall_.panels) known.push_back(panel.name);
      refuse_name(fields_, "panel", name, known);
    }
    const auto panel = static_cast<std::size_t>(found - wall_.panels.begin());
    if (!panels_[panel].connection)
      fields_.refuse("panel", "a panel that is connected", fmt::format("{}, which is not", name));
    return panel;
  }

  [[nodiscard]] std::size_t read_host(const std::string& role) {
    const std::optional<std::string> host =
        fields_.has("host") ? std::optional(fields_.text("host")) : std::nullopt;
    fields_.check_all_known();
    const std::vector<std::size_t> panels = host ? panels_of(*host) : panels_of_only_host();
    if (role == launcher_role) return panels.front();
    const auto told = std::ranges::find_if(
        panels, [&](std::size_t i) { return panels_[i].connection.has_value(); });
    if (told == panels.end())
      fields_.refuse("host", "a host with a connected panel",
                     host ? fmt::format("\"{}\"", *host) : "none");
    return *told;
  }

  [[nodiscard]] std::vector<std::size_t> panels_where(
      const std::function<bool(std::size_t)>& says) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < panels_.size(); ++i)
      if (says(i)) found.push_back(i);
    return found;
  }

  [[nodiscard]] std::vector<std::size_t> panels_of(const std::string& host) const {
    auto panels = panels_where([&](std::size_t i) { return wall_.panels[i].host == host; });
    if (panels.empty())
      panels = panels_where([&](std::size_t i) { return panels_[i].host == host; });
    if (panels.empty()) refuse_name(fields_, "host", host, known_hosts());
    return panels;
  }

  /// All panels, where they are on one machine: by the wall file, or by what they call it.
  [[nodiscard]] std::vector<std::size_t> panels_of_only_host() const {
    const bool is_one_in_file = std::ranges::all_of(wall_.panels, [&](const wall::Panel& panel) {
      return panel.host == wall_.panels.front().host;
    });
    const bool is_one_machine = std::ranges::all_of(panels_, [&](const PanelState& panel) {
      return !panel.host.empty() && panel.host == panels_.front().host;
    });
    if (!is_one_in_file && !is_one_machine)
      fields_.refuse("host", fmt::format("a host of this wall ({})", first_of(known_hosts())),
                     "none");
    return panels_where([](std::size_t) { return true; });
  }

  [[nodiscard]] std::vector<std::string_view> known_hosts() const {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const std::string_view name = host_label(wall_.panels[i], panels_[i]);
      if (!name.empty() && std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
    return known;
  }

  RequestFields& fields_;
  const wall::Wall& wall_;
  const std::vector<PanelState>& panels_;
};

}  // namespace

RestartOrder restart_order(const nlohmann::json& request, const wall::Wall& wall,
                           const std::vector<PanelState>& panels) {
  RequestFields fields(request);
  return RestartReader(fields, wall, panels).read();
}

}  // namespace tilewall::director
