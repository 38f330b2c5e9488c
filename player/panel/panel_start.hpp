// Settings that a panel derives from its config before the show: the number of decode threads, the
// placement of threads and memory, and the presenter.
#pragma once

#include <memory>

#include "player/placement/placement_plan.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::panel {

/// A panel's place among the panels of its host.
struct PanelSeat {
  int seat = 0;
  int seats = 1;
};

/// The config with one decode thread for each CPU that `config.place` names, 64 at most. The number
/// stays where the place names no CPUs, or all of the host. Throws InputError for a malformed
/// place.
[[nodiscard]] scene::PanelConfig with_decode_threads(scene::PanelConfig config);

/// The load of this host's panels, for their placement plan.
[[nodiscard]] placement::HostUse host_use(const scene::PanelConfig& config, int seats);

/// The CPUs and the memory node of this panel's threads; empty unless the config pins them. Reads
/// the host's topology.
[[nodiscard]] placement::PanelPlan plan_placement(const scene::PanelConfig& config,
                                                  const PanelSeat& seat);

[[nodiscard]] present::PresenterOptions presenter_options(const scene::PanelConfig& config);

/// Opens the presenter on the config's display. Throws JobError where it cannot.
[[nodiscard]] std::unique_ptr<present::Presenter> open_presenter(const scene::PanelConfig& config);

}  // namespace tilewall::panel
