// Collects the figures that `tilewall ctl status` shows, and keeps samples of them for the faults
// of the last seconds.
//
// Threads: one owner, the director's thread.
#pragma once

#include "player/director/panel_reports.hpp"
#include "player/director/show_health.hpp"
#include "player/director/status.hpp"

namespace tilewall::director {

class ShowStatus {
 public:
  /// Everything referred to outlives this object.
  ShowStatus(const ShowParts& parts, const ShowLifecycle& lifecycle, const PanelReports& reports)
      : parts_(parts), lifecycle_(lifecycle), reports_(reports) {}

  /// To be called in every turn.
  void step(LocalInstant now);

  /// The answer to `status`, made by status_json().
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
