// What a panel settles from its config before it shows anything: how many threads decode, where its
// threads and memory lie, and what presents its pictures.
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

/// The config with a decode thread for each CPU that `config.place` asks for by number, 64 at most.
/// Where it asks for none, or for all of the host, the config stays as it is. Throws InputError
/// where the place makes no sense.
[[nodiscard]] scene::PanelConfig with_decode_threads(scene::PanelConfig config);

/// What the panels of this one's host do there, as the plan of their placement takes it.
[[nodiscard]] placement::HostUse host_use(const scene::PanelConfig& config, int seats);

/// Where the threads and the memory of this panel are to be. Empty unless the config pins them.
/// Reads what this host is made of.
[[nodiscard]] placement::PanelPlan plan_placement(const scene::PanelConfig& config,
                                                  const PanelSeat& seat);

/// What the presenter is asked to be.
[[nodiscard]] present::PresenterOptions presenter_options(const scene::PanelConfig& config);

/// Opens the presenter on the display that the config names. Throws JobError where it cannot.
[[nodiscard]] std::unique_ptr<present::Presenter> open_presenter(const scene::PanelConfig& config);

}  // namespace tilewall::panel
