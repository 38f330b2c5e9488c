// The connections of the casters of live sources, and with them the live sources of the show: a
// LiveDesk for each decides which of its timesteps is on the wall. This class carries that out.
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/director/connections/connection_role.hpp"
#include "player/director/live/late_timesteps.hpp"
#include "player/director/live/live_desk.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/director/show_lifecycle.hpp"

namespace tilewall::director {

class LiveRole final : public ConnectionRole {
 public:
  using Tell = std::function<void(const nlohmann::json& message)>;

  /// Everything referred to outlives this object. `tell_panels` sends to all panels.
  LiveRole(const ShowParts& parts, ControlServer& server, const ShowLifecycle& lifecycle,
           Tell tell_panels);

  [[nodiscard]] bool is_hello(std::string_view type) const override {
    return type == "caster_hello";
  }
  void welcome(const RoleMessage& hello) override;
  [[nodiscard]] bool takes(const RoleMessage& message) const override;
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override;

  /// Continues what the last director's journal has of live sources.
  void go_on(const std::vector<JournalLive>& found);

  /// Brings timesteps to the wall. To be called in every turn.
  void step();

  /// How long the next step() may be put off where no message comes.
  [[nodiscard]] Nanos longest_wait() const noexcept { return longest_wait_; }

  /// Whether as many timesteps of a source have gone by as the show's options want.
  [[nodiscard]] bool is_done() const;

  /// A panel has drawn the next timestep of a source. Throws InputError for a malformed message.
  void take_drawn(std::size_t panel, const nlohmann::json& message);
  /// Notes which timesteps a panel showed, for the counts of late ones, and for the report of a
  /// show with hashes.
  void note_shown(std::size_t panel, const scene::ShownBatch& batch);
  /// Sends what is on the wall to a panel that comes to the show, by its new connection.
  void greet(ConnectionId connection, std::size_t panel);

  /// Handles the request "live" of a client, and returns the answer's fields. Throws InputError.
  [[nodiscard]] nlohmann::json change(const nlohmann::json& request);
  /// The live sources of the scene, for statuses and reports; an empty list where there is none.
  [[nodiscard]] nlohmann::json status() const;
  /// What each panel showed of the first region's live source, with hashes: a list of {"panel",
  /// "frames": [{"timestep", "stamp_ns", "hash"}]}, with "damage" where the picture lacks a part of
  /// it or all; the first 10,000 timesteps.
  [[nodiscard]] nlohmann::json shown() const;

 private:
  [[nodiscard]] LiveDesk& desk_of(const std::string& source);
  /// Counts by the names of panels, those above 0.
  [[nodiscard]] nlohmann::json late_by_panel(const LateTimesteps& late) const;
  [[nodiscard]] LiveDesk::Wall wall() const;
  void forget_closed(GlobalInstant now);
  void tell(const LiveDesk& desk, const scene::LiveStep& step, GlobalInstant now);
  void note_left_out(const LiveDesk& desk);
  void follow_shape(const scene::SourcePtr& source, const LiveDesk& desk, GlobalInstant now);
  void tell_waiting(const scene::Region& region, const LiveDesk& desk, GlobalInstant now);

  const ShowParts parts_;
  ControlServer& server_;
  const ShowLifecycle& lifecycle_;
  const Tell tell_panels_;
  std::map<std::string, LiveDesk> desks_;  // by SourceSpec::path
  Nanos longest_wait_ = Nanos::max();      // see longest_wait()
  std::string last_begun_;  // the source of the timestep that began last to go on the wall
  std::map<ConnectionId, std::string> casters_;                  // their sources
  std::map<std::size_t, std::vector<scene::ShownFrame>> shown_;  // by panel
  std::map<std::string, LateTimesteps> late_;  // by SourceSpec::path; only of the first region's
  // Changes of the scene that were asked for. They may be refused, so they are asked for again
  // after a second where the scene does not have them.
  struct AskedSlate {
    std::string text;
    GlobalInstant at;
  };
  std::map<std::string, AskedSlate> asked_slates_;  // by region
  struct AskedBox {
    std::weak_ptr<const scene::SourceSpec> source;
    render::WorldBox box;
    GlobalInstant at;
  };
  std::vector<AskedBox> asked_boxes_;
};

}  // namespace tilewall::director
