// Assembles the timesteps of a live source from its ranks: which ranks there are, what they
// reached, and the timesteps that are being received from them. Pure: it opens no socket and reads
// no clock. Its owner passes in what ranks say, and carries out the orders that it gives.
//
// A controller decides which timestep is wanted next (the director, so that all hosts want the
// same). All ranks are told so, and are asked for its parts before they have it. A timestep comes
// whole or not at all: it is skipped, with a cause, where a rank is gone, passed it, or has not
// sent all of it in time, and where the blocks do not make up the grid. Where the simulation is at
// fault, as in the last case, its ranks are told the cause: one line per second at most, and the
// same cause again after 10 s.
//
// A rank whose process is another one than before, and whose connection has ended, begins a new
// run: timesteps count from 0 again, and all that was being received is dropped. Processes of the
// run before are refused from then on.
//
// Where a rank has its first process while another rank is gone, that process may belong to this
// run or to the next. No timestep has parts of both, and the process goes on in the run that
// follows.
//
// Threads: one owner.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "net/live/live_messages.hpp"
#include "net/live/live_request.hpp"
#include "player/scene/live_messages.hpp"
#include "player/volume/live/live_timestep.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

/// The owner's number of a rank's connection. It is never used twice.
using LiveConnection = std::uint64_t;

struct LiveAssemblyOptions {
  std::string field;  ///< "": the first field of rank 0
  net::LivePolicy policy = net::LivePolicy::newest;
  std::uint64_t stride = 1;  ///< LiveWant::stride
  double wait_s = 0;         ///< LiveWant::wait_s
  std::optional<std::array<double, 2>> quantise = std::nullopt;
  /// After all ranks have reached a timestep, it must be whole within this.
  std::chrono::milliseconds whole_limit{2000};
  /// After the first rank has reached a timestep, the others must within this.
  std::chrono::milliseconds rank_limit{10'000};
  LiveRoom room{};
};

/// What the owner is to do.
struct RankOrder {
  enum class Kind : std::uint8_t {
    describe,  ///< ask the rank to describe itself; the answer is for describe()
    want,      ///< tell the rank what is wanted, LiveAssembly::wanted()
    fetch,     ///< ask the rank for a slab; the answer is for take_answer()
    cancel,    ///< cancel the rank's slabs of `request.timestep` that have not arrived
    tell,      ///< tell the rank the line `why` about a timestep that is not shown
    drop       ///< end the connection, for the reason `why`
  };
  Kind kind = Kind::describe;
  LiveConnection connection = 0;
  net::LiveRequest request{};
  std::string why{};
};

/// What became of a timestep.
struct LiveNews {
  std::uint64_t run = 0;  ///< LiveAssembly::run() of the timestep
  std::uint64_t timestep = 0;
  std::shared_ptr<LiveTimestep> whole;           ///< null: it was skipped
  scene::LiveSkip skip = scene::LiveSkip::late;  ///< if it was
  std::string cause;                             ///< for people: "rank 3 is gone"
};

struct LiveCounters {
  std::uint64_t wanted = 0;    ///< timesteps
  std::uint64_t received = 0;  ///< whole timesteps
  std::array<std::uint64_t, scene::live_skips> skipped{};
  std::uint64_t runs = 0;            ///< runs of the source, with the first
  std::uint64_t received_bytes = 0;  ///< Bytes of the voxels of whole timesteps
  std::uint64_t not_shown = 0;       ///< voxels of whole timesteps that are no finite number
  scene::LiveWork work{};
};

class LiveAssembly {
 public:
  explicit LiveAssembly(LiveAssemblyOptions options) : options_(std::move(options)) {}

  // --- what ranks say

  /// A rank describes itself, for the first time on this connection or again. Throws InputError
  /// where it does not fit the ranks that are there: another grid, place, unit or number of ranks,
  /// a rank of that number that is connected already, or a process of a run before; the connection
  /// is then of no use.
  void describe(LiveConnection connection, const net::LiveDescription& description,
                LocalInstant now);
  // What comes from a connection that has not described itself, or was dropped, is ignored.
  /// The rank ended a timestep.
  void take_reached(LiveConnection connection, const net::LiveReached& reached, LocalInstant now);
  /// The answer to a slab that fetch ordered.
  void take_answer(LiveConnection connection, const net::LiveRequest& request,
                   std::span<const std::byte> bytes, LocalInstant now);
  /// The connection has ended.
  void leave(LiveConnection connection);

  // --- what the controller says

  /// Wants a timestep beyond all that were wanted before in this run; others are ignored.
  void want(std::uint64_t timestep, LocalInstant now);

  /// Skips timesteps that are late.
  void step(LocalInstant now);
  /// When step() has work; Nanos::max() after the epoch if it has none.
  [[nodiscard]] LocalInstant due() const;

  [[nodiscard]] std::vector<RankOrder> take_orders() { return std::exchange(orders_, {}); }
  [[nodiscard]] std::vector<LiveNews> take_news() { return std::exchange(news_, {}); }

  /// What ranks are told by RankOrder::Kind::want. @pre can_want()
  [[nodiscard]] net::LiveWant wanted() const;
  /// Whether the field is known, so that timesteps can be wanted: the option names it, or rank 0
  /// has put one.
  [[nodiscard]] bool can_want() const noexcept { return !field_name().empty(); }
  /// The newest timestep that any rank has reached in this run; empty: none.
  [[nodiscard]] std::optional<std::uint64_t> reached() const;
  /// The run, which all walls number alike: by the process that is rank 0; 0: that is not known.
  [[nodiscard]] std::uint64_t run() const noexcept { return run_; }
  /// What the first rank said that described itself in this run; null before that.
  [[nodiscard]] const net::LiveDescription* description() const noexcept {
    return description_ ? &*description_ : nullptr;
  }
  /// What the wall shows and tells of the source; empty before description().
  [[nodiscard]] std::optional<scene::LiveShape> shape() const;
  [[nodiscard]] std::size_t connected() const;  ///< number of ranks
  /// What keeps timesteps from coming, for people: "2 of 4 ranks are connected". "" = nothing.
  [[nodiscard]] std::string waits_for() const;
  [[nodiscard]] const LiveCounters& counters() const noexcept { return counters_; }

 private:
  struct Rank {
    LiveConnection connection = 0;  // 0: none
    std::string run;
    std::vector<net::LiveField> fields;
    bool is_describing = false;  // it was asked to describe itself, and has not answered
    bool is_described = false;   // it has described itself since its first timestep ended
    std::optional<std::uint64_t> reached;
    std::optional<net::LiveHeadInfo> last_head;  // of the timestep before, to ask ahead by
    // Its first process came while another rank was gone: it may be of this run or of the next.
    bool is_perhaps_next = false;

    [[nodiscard]] bool is_gone() const { return connection == 0 && !run.empty(); }
  };
  struct Early {  // planes that came before their head
    net::LiveRequest request;
    std::vector<std::byte> planes;
  };
  struct Part {  // of one rank in a timestep that is being received
    bool is_asked = false;
    std::optional<net::LiveHeadInfo> asked_by;  // the blocks whose planes were asked for
    std::vector<Early> early;
  };
  struct Receiving {
    std::unique_ptr<LiveTimestep> timestep;
    std::vector<Part> parts;  // by rank
    std::optional<LocalInstant> first_reached;
    std::optional<LocalInstant> all_reached;
    std::optional<LocalInstant> first_voxels;  // when they arrived
  };
  using ReceivingMap = std::map<std::uint64_t, Receiving>;

  [[nodiscard]] std::string field_name() const noexcept;
  [[nodiscard]] bool has_field(const Rank& rank) const;
  [[nodiscard]] std::optional<std::uint32_t> rank_of(LiveConnection connection) const;
  void join(LiveConnection connection, const net::LiveDescription& description);
  void skip_parts_of_gone();
  void begin_run(const net::LiveDescription& description);
  void expect_same(const net::LiveDescription& description) const;
  void ask(ReceivingMap::iterator receiving, std::uint32_t rank);
  void ask_planes(ReceivingMap::iterator receiving, std::uint32_t rank,
                  const net::LiveHeadInfo& head);
  void ask_for_all(std::uint32_t rank);
  void take_head(ReceivingMap::iterator receiving, std::uint32_t rank,
                 std::span<const std::byte> body, LocalInstant now);
  void use_head(ReceivingMap::iterator receiving, std::uint32_t rank, net::LiveHeadInfo head,
                LocalInstant now);
  void ask_again(std::uint32_t rank);
  void note_absent_field(std::uint32_t rank, const net::LiveDescription& description,
                         LocalInstant now);
  void take_planes(ReceivingMap::iterator receiving, std::uint32_t rank,
                   const net::LiveRequest& request, std::span<const std::byte> planes,
                   LocalInstant now);
  void place_if_fits(ReceivingMap::iterator receiving, std::uint32_t rank,
                     const net::LiveRequest& request, std::span<const std::byte> planes);
  [[nodiscard]] std::string memory_fault(const net::LiveHeadInfo& head) const;
  void finish_if_whole(ReceivingMap::iterator receiving, LocalInstant now);
  void skip(ReceivingMap::iterator receiving, scene::LiveSkip why, std::string cause);
  void forget(ReceivingMap::iterator receiving);
  void refuse(ReceivingMap::iterator receiving, scene::LiveSkip why, std::string cause,
              LocalInstant now);
  void tell_ranks(const std::string& subject, const std::string& cause, LocalInstant now);
  void reach(std::uint32_t rank, std::uint64_t timestep, LocalInstant now);
  void note_reached(ReceivingMap::iterator receiving, LocalInstant now);
  [[nodiscard]] std::optional<LocalInstant> limit_of(const Receiving& receiving) const;
  [[nodiscard]] std::string late_cause(const Receiving& receiving) const;

  const LiveAssemblyOptions options_;
  std::optional<net::LiveDescription> description_;
  std::uint64_t run_ = 0;
  std::vector<Rank> ranks_;            // by number; empty before the first description
  std::deque<std::string> past_runs_;  // of ranks; the newest is at the end
  std::optional<std::uint64_t> newest_wanted_;
  ReceivingMap receiving_;
  bool has_come_ = false;  // a timestep of this run was whole
  struct Told {            // to ranks
    std::string cause;
    LocalInstant at{};
  };
  std::optional<Told> told_;  // the newest
  std::vector<RankOrder> orders_;
  std::vector<LiveNews> news_;
  LiveCounters counters_;
};

}  // namespace tilewall::volume
