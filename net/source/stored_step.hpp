// A timestep that a rank holds for walls: of each wanted field the blocks, as the slabs that answer
// requests for them.
//
// A block is stored in the pieces that live_voxel_requests() asks for, each behind its header, so
// that an answer is a buffer that exists already and is never copied.
//
// Threads: StepBuilder has one owner. A StoredStep may be read by any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "net/slab/slab_buffer.hpp"
#include "net/source/put_array.hpp"
#include "net/source/step_choice.hpp"
#include "net/source/step_memory.hpp"

namespace tilewall::net {

/// A slab that is an answer without planes.
[[nodiscard]] std::shared_ptr<const SlabBuffer> live_answer_slab(LiveAnswerStatus status,
                                                                 std::uint64_t timestep,
                                                                 std::span<const std::byte> body);
/// A slab that is the answer `failed` with this reason.
[[nodiscard]] std::shared_ptr<const SlabBuffer> live_failure_slab(std::uint64_t timestep,
                                                                  std::string_view line);

class StoredStep {
 public:
  /// A piece of a block: its request's planes, and the answer.
  struct Piece {
    std::uint32_t plane_begin = 0;
    std::uint32_t plane_end = 0;
    std::shared_ptr<const SlabBuffer> answer;
  };
  struct Block {
    LiveBlockInfo info;
    std::vector<Piece> pieces;  ///< ascending
  };
  struct Field {
    std::vector<Block> blocks;
    std::uint64_t voxels = 0;  ///< Voxels of all boxes that were put.
    std::string fault;         ///< The reason why it cannot be shown; "" where it can.
  };

  StoredStep(std::uint64_t number, double time, std::map<std::uint16_t, Field> fields,
             StepMemory::Lease lease);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  struct Answer {
    std::shared_ptr<const SlabBuffer> slab;
    bool has_planes = false;
  };
  /// The answer to a request for this timestep. @pre request.timestep is number()
  [[nodiscard]] Answer answer(const LiveRequest& request) const;
  /// Number of pieces of the field of that place.
  [[nodiscard]] std::size_t pieces_of(std::uint16_t field) const;
  /// Whether a piece is on its way.
  [[nodiscard]] bool is_being_sent() const;

 private:
  const std::uint64_t number_;
  const double time_;
  const std::map<std::uint16_t, Field> fields_;  // by place in the description
  const StepMemory::Lease lease_;
};

/// Who is to have a timestep, and which pieces each was given.
class StepTakers {
 public:
  /// Expects that the session fetches all of the field of that place.
  void expect(std::uint64_t session, std::uint16_t field) { given_[session][field]; }
  /// Notes that the session is given an answer of the timestep.
  void note_given(std::uint64_t session, std::uint16_t field, const StoredStep::Answer& answer);
  /// Forgets a session that ended.
  void forget(std::uint64_t session) { given_.erase(session); }
  /// Whether each was given all pieces of the fields that it is to have, or asked for.
  [[nodiscard]] bool have_all(const StoredStep& step) const;

 private:
  using Pieces = std::set<const SlabBuffer*>;
  std::map<std::uint64_t, std::map<std::uint16_t, Pieces>> given_;  // by session, by field
};

/// Builds a timestep from the arrays that are put.
class StepBuilder {
 public:
  /// `memory` outlives this.
  StepBuilder(StepMemory& memory, const std::array<std::uint32_t, 3>& grid)
      : memory_(memory), grid_(grid) {}

  /// Begins a timestep of which these fields are stored. What was built before is dropped.
  void begin(std::uint64_t number, std::vector<WantedField> fields);
  [[nodiscard]] const std::vector<WantedField>& fields() const noexcept { return wanted_; }
  [[nodiscard]] const WantedField* find(std::string_view name) const noexcept;

  /// Copies an array. Planes of more than 8 MiB become blocks side by side. Throws JobError where
  /// there is no memory, and InputError for more than 4096 blocks or more voxels than the grid has;
  /// the field is at fault then.
  void put(std::uint16_t field, const WantedField& wanted, const PutArray& array);
  /// Notes that a field cannot be shown in this timestep. The first reason counts.
  void fail(std::uint16_t field, const std::string& fault);

  /// Ends the timestep. `places` has the place of each wanted field that has one. All of them are
  /// at fault where `fault` is not "".
  [[nodiscard]] std::shared_ptr<const StoredStep> finish(double time,
                                                         const std::vector<LiveField>& places,
                                                         const std::string& fault);
  /// Values of this timestep that are no number or infinite.
  [[nodiscard]] std::uint64_t not_shown() const noexcept { return not_shown_; }

 private:
  void add_block(StoredStep::Field& field, const PutArray& array, std::uint32_t row_begin,
                 std::uint32_t row_end, ArrayCopy& copy);

  StepMemory& memory_;
  const std::array<std::uint32_t, 3> grid_;
  std::uint64_t number_ = 0;
  std::vector<WantedField> wanted_;
  std::map<std::uint16_t, StoredStep::Field> built_;
  StepMemory::Lease lease_;
  std::uint64_t not_shown_ = 0;
};

}  // namespace tilewall::net
