// Receives a live source in a caster: the sessions with its ranks, and the connection to the
// director that says which timesteps are wanted. Whole timesteps go to the store.
//
// Threads: owns one, "live", which does all of this, and those of the handshakes. figures() is for
// any thread.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/slab/client_session.hpp"
#include "net/slab/slab_acceptor.hpp"
#include "player/volume/caster/live_link.hpp"
#include "player/volume/caster/live_store.hpp"
#include "player/volume/caster/rank_handshakes.hpp"
#include "player/volume/live/live_assembly.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/handle.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {

class LiveReceiver {
 public:
  struct Figures {
    std::uint64_t received_bytes = 0;
    std::uint64_t lost_packets = 0;
    std::uint64_t repaired_packets = 0;
  };

  /// `source`: SourceSpec::path, which is the job. `director`: "HOST:PORT". `store` outlives this
  /// object. Throws InputError for a wrong address, or one beyond loopback without a key, and
  /// JobError if the port is in use.
  /// `recorder`: of the process's trace; null: there is none.
  LiveReceiver(const VolumeJob& job, const std::string& source, const std::string& director,
               LiveStore& store, sync::TraceRecorder* recorder);
  ~LiveReceiver();

  [[nodiscard]] Figures figures() const noexcept;

 private:
  struct Session;

  void run(const std::stop_token& stop, sync::TraceRecorder* recorder);
  void wait(const std::stop_token& stop);
  void accept(LocalInstant now);
  void connect(LocalInstant now);
  void take_handshakes();
  void begin(RankHandshakes::Result handshake);
  void serve(Session& session, LocalInstant now);
  void take_answer(Session& session, const nlohmann::json& answer, LocalInstant now);
  void take_slab(Session& session, net::FinishedSlab slab, LocalInstant now);
  void end(Session& session, const std::string& why);
  void tell_refused(Session& session, const std::string& why);
  void forget_ended();
  void carry_out_orders();
  void carry_out(const RankOrder& order);
  void take_news();
  void follow_director(LocalInstant now);
  void heed_order(LocalInstant now);
  void report(LocalInstant now);
  [[nodiscard]] scene::LiveReport make_report() const;
  [[nodiscard]] LiveMeaning meaning_of(const LiveTimestep& timestep) const;
  [[nodiscard]] Session* find(LiveConnection connection);
  void log_at_times(const net::SocketAddress& rank, const std::string& line);
  void log_at_times(const std::string& about, const std::string& line);

  const LiveJob job_;
  LiveStore& store_;
  net::SlabPool pool_;
  const net::SlabSessionOptions session_options_;
  std::optional<net::SlabAcceptor> acceptor_;
  struct Place {  // of a rank that listens
    net::SocketAddress address;
    LiveConnection connection = 0;  // of its session or handshake; 0: none
    bool is_beginning = false;      // the handshake is under way
    LocalInstant next_try{};
  };
  std::vector<Place> places_;
  struct Director {
    LiveLink link;
    scene::LiveReport told;  // the last report
    LocalInstant told_at{};
    scene::LiveOrder order;  // the newest
  };
  Director director_;
  LiveAssembly assembly_;
  std::list<Session> sessions_;
  struct Outcomes {                           // of timesteps
    std::vector<scene::LiveSkipped> skipped;  // that the director was not told yet
    std::uint64_t resolved_run = 0;           // the run that `resolved` is of
    std::int64_t resolved = scene::no_timestep;
    double adding_s = 0;  // time that whole timesteps took to be added to the store
  };
  Outcomes outcomes_;
  net::ReceiveCounters ended_;                  // sums of sessions that have ended
  const std::shared_ptr<const UniqueFd> wake_;  // shared with threads that may outlive this
  RankHandshakes handshakes_;
  struct SharedFigures {  // figures(), for other threads
    std::atomic<std::uint64_t> received_bytes{0};
    std::atomic<std::uint64_t> lost_packets{0};
    std::atomic<std::uint64_t> repaired_packets{0};
  };
  SharedFigures figures_;
  struct Lines {
    std::string refused;  // the newest one about a rank whose connection was refused or ended
    std::map<std::string, LocalInstant> logged;  // when one was logged, by what it was about
  };
  Lines lines_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
