// Collects the figures that `tilewall ctl status` shows, and keeps samples for what went wrong
// lately.
//
// One owner, the director's thread.
#pragma once

#include "player/director/panel_reports.hpp"
#include "player/director/show_health.hpp"
#include "player/director/status.hpp"

namespace tilewall::director {

class ShowStatus {
 public:
  /// Everything referred to outlives this.
  ShowStatus(const ShowParts& parts, const ShowLifecycle& lifecycle, const PanelReports& reports)
      : parts_(parts), lifecycle_(lifecycle), reports_(reports) {}

  /// To be called in every turn.
  void step(LocalInstant now);

  /// What status_json() makes of the figures.
  [[nodiscard]] nlohmann::json json(const StatusParts& parts) const;

 private:
  [[nodiscard]] StatusInput input() const;
  [[nodiscard]] TroubleCounts trouble_counts() const;

  const ShowParts parts_;
  const ShowLifecycle& lifecycle_;
  const PanelReports& reports_;
  TroubleHistory troubles_;
};

}  // namespace tilewall::director
