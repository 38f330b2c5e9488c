// The connections over which processes send their trace. A show that is not traced ignores their
// hello.
//
// Threads: one owner, the director's thread.
#pragma once

#include <optional>

#include "player/director/connections/connection_role.hpp"
#include "player/director/show_options.hpp"
#include "player/trace/show_trace.hpp"

namespace tilewall::director {

class TraceRole final : public ConnectionRole {
 public:
  /// `server` outlives this object.
  TraceRole(const ShowOptions& options, ControlServer& server);

  [[nodiscard]] bool is_hello(std::string_view type) const override {
    return type == "trace_hello";
  }
  void welcome(const RoleMessage& hello) override;
  [[nodiscard]] bool takes(const RoleMessage& message) const override {
    return trace_ && message.type == "trace";
  }
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override;

  /// Null where the show is not traced.
  [[nodiscard]] trace::ShowTrace* trace() noexcept { return trace_ ? &*trace_ : nullptr; }
  [[nodiscard]] const trace::ShowTrace* trace() const noexcept {
    return trace_ ? &*trace_ : nullptr;
  }

 private:
  ControlServer& server_;
  std::optional<trace::ShowTrace> trace_;
};

}  // namespace tilewall::director
