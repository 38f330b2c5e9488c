// One rank of a live source, without its sockets: the simulation puts timesteps on one side, walls
// ask for them on the other.
//
// Threads: the simulation's calls (wanted() to close()) take turns. The others may come from any
// thread at any time, and none of them waits for the simulation.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/live/live_messages.hpp"
#include "net/slab/slab_source.hpp"
#include "net/source/field_table.hpp"
#include "net/source/put_array.hpp"
#include "net/source/step_choice.hpp"
#include "net/source/step_memory.hpp"
#include "net/source/stored_step.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

struct LiveSourceOptions {
  LiveDescription description;  ///< without fields and what was reached
  double wait_s = 60;           ///< most that a call may wait for a wall
  std::uint64_t memory = 0;     ///< most bytes of timesteps; 0: no limit
};

struct LiveSourceCounters {
  std::uint64_t timesteps = 0;
  std::uint64_t kept = 0;
  std::uint64_t held_back = 0;  ///< wanted, but two others were still being fetched
  std::uint64_t bytes_held = 0;
  std::uint64_t most_bytes_held = 0;
  std::uint64_t not_shown = 0;
  double waited_s = 0;
  std::uint32_t f64_fields = 0;
};

/// A line for the simulation, and when it came.
struct SourceNews {
  std::string line;  ///< "": none
  LocalInstant at{};
};

class LiveSource final : public SlabSource {
 public:
  static constexpr std::size_t most_waiting = 32'768;  ///< requests for timesteps to come

  /// Throws InputError for options that are out of range.
  explicit LiveSource(LiveSourceOptions options);

  // For the simulation.

  /// Whether the field (null: any) is sent in this timestep. May wait for walls.
  [[nodiscard]] bool wanted(const char* field);
  void set_units(const std::string& field, const std::string& units);
  /// May wait for walls. Throws InputError for a wrong argument, and JobError where there is no
  /// memory.
  void put(const char* field, const ArrayShape& shape, PutType type, const void* data);
  /// Notes that a put was refused before it came to put(): as there, a wall that wants the field is
  /// told the line. May wait for walls.
  void fail(const char* field, const std::string& line);
  struct Ended {
    LiveReached reached;
    bool is_kept = false;  ///< a wall wanted it
    std::string fault;     ///< why no wall can show it; "": nothing
  };
  /// May wait for walls. Where the time is not finite, the timestep ends with a fault, and with the
  /// time of the one before.
  Ended end_step(double time);
  /// Answers what waits, and what comes from now on, with `failed`. No call waits any longer.
  void close();

  [[nodiscard]] LiveSourceCounters counters() const;
  /// Why a wall ended its session with this rank; "" = none did since one wanted something last.
  [[nodiscard]] std::string refused() const;
  /// Why a wall did not show a timestep: its newest line about that.
  [[nodiscard]] SourceNews skipped() const;
  /// Whether each wall that wanted the newest timestep that is held, or asked for some of it, has
  /// fetched it, or has gone.
  [[nodiscard]] bool is_fetched() const;

  // For walls.

  /// Not used: questions need a session.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] nlohmann::json call_from(std::uint64_t session,
                                         const nlohmann::json& question) override;
  void session_ended(std::uint64_t session) override;
  /// Not used: answer() does not call it.
  [[nodiscard]] std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override;
  void answer(std::vector<std::byte> request, SlabReply reply) override;

 private:
  struct Waiting {
    LiveRequest request;
    SlabReply reply;
  };
  struct Held {
    std::shared_ptr<const StoredStep> step;
    StepTakers takers;
  };

  void begin_step();
  void await_walls(std::unique_lock<std::mutex>& lock, LocalInstant begin);
  [[nodiscard]] bool await_memory(std::unique_lock<std::mutex>& lock, LocalInstant begin);
  void note_rate();
  [[nodiscard]] std::optional<std::uint16_t> place_of(const std::string& field) const;
  [[nodiscard]] StepTakers takers() const;
  [[nodiscard]] std::shared_ptr<const SlabBuffer> answer_now(std::uint64_t session,
                                                             const LiveRequest& request);
  [[nodiscard]] bool make_room();

  const LiveSourceOptions options_;
  StepMemory memory_;
  StepBuilder builder_;  // the simulation's calls only
  bool begun_ = false;   // the simulation's calls only: fields of this timestep are chosen

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  LiveDescription description_;  // guarded by mutex_, like all below
  FieldTable fields_;
  StepChoice choice_;
  std::deque<std::uint64_t> ended_sessions_;       // the newest
  std::uint64_t next_ = 0;                         // number of the timestep that is being put
  std::vector<StepChoice::Taker> wanted_by_;       // the walls that it is put for
  std::deque<Held> held_;                          // at most two, oldest first
  std::multimap<std::uint64_t, Waiting> waiting_;  // by timestep
  LiveSourceCounters counters_;
  LocalInstant last_end_;
  std::string refused_;
  SourceNews skipped_;
  bool closed_ = false;
};

}  // namespace tilewall::net
