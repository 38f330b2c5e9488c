#include "net/source/stored_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

std::uint32_t saturated(std::uint64_t count) noexcept {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::shared_ptr<const SlabBuffer> live_answer_slab(LiveAnswerStatus status, std::uint64_t timestep,
                                                   std::span<const std::byte> body) {
  const LiveAnswerHeader header = live_answer_header(status, timestep, body.size());
  auto slab = std::make_shared<SlabBuffer>();
  slab->resize(sizeof header + body.size());
  std::memcpy(slab->data(), &header, sizeof header);
  std::ranges::copy(body, slab->data() + sizeof header);
  return slab;
}

std::shared_ptr<const SlabBuffer> live_failure_slab(std::uint64_t timestep, std::string_view line) {
  return live_answer_slab(LiveAnswerStatus::failed, timestep,
                          std::as_bytes(std::span(line.substr(0, longest_live_line))));
}

StoredStep::StoredStep(std::uint64_t number, double time, std::map<std::uint16_t, Field> fields,
                       StepMemory::Lease lease)
    : number_(number), time_(time), fields_(std::move(fields)), lease_(std::move(lease)) {}

StoredStep::Answer StoredStep::answer(const LiveRequest& request) const {
  const auto found = fields_.find(request.field);
  if (found == fields_.end()) return {live_answer_slab(LiveAnswerStatus::passed, number_, {})};
  const Field& field = found->second;
  if (!field.fault.empty()) return {live_failure_slab(number_, field.fault)};
  if (request.kind == static_cast<std::uint8_t>(LiveRequestKind::head)) {
    LiveHeadInfo head{time_, {}};
    for (const Block& block : field.blocks) head.blocks.push_back(block.info);
    return {live_answer_slab(LiveAnswerStatus::found, number_, to_bytes(head))};
  }
  if (request.block < field.blocks.size())
    for (const Piece& piece : field.blocks[request.block].pieces)
      if (piece.plane_begin == request.plane_begin && piece.plane_end == request.plane_end &&
          piece.answer->size() == sizeof(LiveAnswerHeader) + request.bytes)
        return {piece.answer, true};
  return {live_answer_slab(LiveAnswerStatus::changed, number_, {})};
}

std::size_t StoredStep::pieces_of(std::uint16_t field) const {
  std::size_t pieces = 0;
  if (const auto found = fields_.find(field); found != fields_.end())
    for (const Block& block : found->second.blocks) pieces += block.pieces.size();
  return pieces;
}

bool StoredStep::is_being_sent() const {
  for (const auto& [place, field] : fields_)
    for (const Block& block : field.blocks)
      for (const Piece& piece : block.pieces)
        if (piece.answer.use_count() > 1) return true;
  return false;
}

void StepTakers::note_given(std::uint64_t session, std::uint16_t field,
                            const StoredStep::Answer& answer) {
  Pieces& pieces = given_[session][field];
  if (answer.has_planes) pieces.insert(answer.slab.get());
}

bool StepTakers::have_all(const StoredStep& step) const {
  for (const auto& [session, fields] : given_)
    for (const auto& [field, pieces] : fields)
      if (pieces.size() < step.pieces_of(field)) return false;
  return true;
}

void StepBuilder::begin(std::uint64_t number, std::vector<WantedField> fields) {
  number_ = number;
  wanted_ = std::move(fields);
  built_.clear();
  lease_ = wanted_.empty() ? nullptr : memory_.lease();
  not_shown_ = 0;
}

const WantedField* StepBuilder::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(wanted_, name, &WantedField::name);
  return found == wanted_.end() ? nullptr : &*found;
}

void StepBuilder::put(std::uint16_t place, const WantedField& wanted, const PutArray& array) {
  StoredStep::Field& field = built_[place];
  if (!field.fault.empty()) return;
  try {
    const std::uint64_t most = LiveBox{{}, grid_}.voxels();
    field.voxels += array.box.voxels();
    if (field.voxels > most)
      throw InputError(fmt::format(
          "box: expected boxes that do not overlap, found more than the grid's {} voxels in one "
          "timestep; was the timestep before ended?",
          most));
    const bool is_float = sent_type(array.type) == LiveType::f32;
    ArrayCopy copy(array, is_float ? wanted.quantise : std::nullopt);
    const std::size_t row_bytes = array.box.side(0) * bytes_of(copy.type());
    const auto rows = static_cast<std::uint32_t>(
        std::min<std::size_t>(largest_live_body_bytes / row_bytes, array.box.side(1)));
    for (std::uint32_t row = 0; row < array.box.side(1); row += rows)
      add_block(field, array, row, std::min(row + rows, array.box.side(1)), copy);
  } catch (const std::exception& error) {
    fail(place, fmt::format("field {}: {}", wanted.name, error.what()));
    throw;
  }
}

void StepBuilder::add_block(StoredStep::Field& field, const PutArray& array,
                            std::uint32_t row_begin, std::uint32_t row_end, ArrayCopy& copy) {
  if (field.blocks.size() >= most_live_blocks)
    throw InputError("expected 4096 blocks of a field at most, found more");
  StoredStep::Block block;
  block.info.box = array.box;
  block.info.box.begin[1] = array.box.begin[1] + row_begin;
  block.info.box.end[1] = array.box.begin[1] + row_end;
  block.info.type = copy.type();
  for (const LiveRequest& request :
       live_voxel_requests(0, number_, 0, block.info.box, block.info.type)) {
    const LiveAnswerHeader header =
        live_answer_header(LiveAnswerStatus::found, number_, request.bytes);
    SlabBuffer slab = memory_.take(sizeof header + request.bytes);
    std::memcpy(slab.data(), &header, sizeof header);
    copy.planes(request.plane_begin, request.plane_end, row_begin, row_end,
                slab.bytes().subspan(sizeof header));
    block.pieces.push_back(
        {request.plane_begin, request.plane_end, memory_.share(std::move(slab), lease_)});
  }
  const ValueRange range = copy.take_range();
  block.info.not_shown = saturated(range.not_shown);
  block.info.least = range.least;
  block.info.greatest = range.greatest;
  not_shown_ += range.not_shown;
  field.blocks.push_back(std::move(block));
}

void StepBuilder::fail(std::uint16_t place, const std::string& fault) {
  StoredStep::Field& field = built_[place];
  if (field.fault.empty()) field.fault = fault;
  field.blocks.clear();
}

std::shared_ptr<const StoredStep> StepBuilder::finish(double time,
                                                      const std::vector<LiveField>& places,
                                                      const std::string& fault) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (find(places[i].name) == nullptr) continue;
    const auto place = static_cast<std::uint16_t>(i);
    built_.try_emplace(place);
    if (!fault.empty()) fail(place, fault);
  }
  return std::make_shared<const StoredStep>(number_, time, std::exchange(built_, {}),
                                            std::exchange(lease_, nullptr));
}

}  // namespace tilewall::net
