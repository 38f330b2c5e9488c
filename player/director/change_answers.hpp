// Answers requests that have changed the scene, once all connected panels show the change, or after
// a limit. The answer names the panels that show it and those that do not, because a panel may wait
// for a disk or another process while its director obeys at once.
//
// Reads no clock. Threads: one owner, the director's thread. Panels are indexes into the wall's
// panels.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "player/director/connections/connection_role.hpp"
#include "player/director/roster.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class ChangeAnswers {
 public:
  /// How long after a change was made its answer is kept back.
  static constexpr std::chrono::milliseconds limit{2000};

  using Send = std::function<void(ConnectionId to, const nlohmann::json& answer)>;

  /// `roster` outlives this object.
  ChangeAnswers(const Roster& roster, Send send)
      : roster_(roster), send_(std::move(send)), shown_(roster.panels().size(), 0) {}

  /// Keeps the answer to a request that became the scene of this Scene::version.
  void add(ConnectionId to, std::uint64_t version, nlohmann::json answer, LocalInstant now);

  /// Notes that the panel shows the scene of this version. It implies all earlier ones.
  void note_shown(std::size_t panel, std::uint64_t version);
  /// Forgets what the panel shows, because its process has ended. No answer waits for it.
  void leave(std::size_t panel) { shown_.at(panel) = 0; }

  /// Sends the answers that need not wait any longer. To be called in every turn.
  void step(LocalInstant now);
  /// Sends all answers, because the show ends.
  void finish();
  /// Forgets a closed connection.
  void forget(ConnectionId id);

 private:
  struct Pending {
    ConnectionId to = 0;
    std::uint64_t version = 0;
    nlohmann::json answer;
    LocalInstant until;
  };
  [[nodiscard]] bool is_shown(std::uint64_t version) const;
  void send(const Pending& pending) const;

  const Roster& roster_;
  const Send send_;
  std::vector<std::uint64_t> shown_;  // newest version that each panel has shown; 0: none
  std::deque<Pending> pending_;       // by ascending versions
};

}  // namespace tilewall::director
