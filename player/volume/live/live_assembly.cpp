#include "player/volume/live/live_assembly.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sync/base/error.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

using Kind = RankOrder::Kind;

constexpr std::size_t most_past_runs = 4 * std::size_t{net::most_live_ranks};
constexpr std::chrono::seconds shortest_tell_gap{1};
constexpr std::chrono::seconds same_tell_gap{10};  // between lines of the same cause

std::string grid_text(const std::array<std::uint32_t, 3>& grid) {
  return fmt::format("{} x {} x {}", grid[0], grid[1], grid[2]);
}

std::string place_text(const net::LiveDescription& description) {
  const auto& spacing = description.spacing;
  const auto& origin = description.origin;
  return fmt::format("spacing {} {} {}, origin {} {} {}{}{}", spacing[0], spacing[1], spacing[2],
                     origin[0], origin[1], origin[2], description.units.empty() ? "" : " ",
                     description.units);
}

/// Whether processes with these descriptions can be of one run.
bool fits(const net::LiveDescription& one, const net::LiveDescription& other) {
  return one.ranks == other.ranks && one.grid == other.grid && one.spacing == other.spacing &&
         one.origin == other.origin && one.units == other.units;
}

bool same_boxes(const net::LiveHeadInfo& a, const net::LiveHeadInfo& b) {
  return std::ranges::equal(a.blocks, b.blocks, [](const auto& one, const auto& other) {
    return one.box == other.box && one.type == other.type;
  });
}

}  // namespace

// --- ranks come and go

std::optional<std::uint32_t> LiveAssembly::rank_of(LiveConnection connection) const {
  const auto rank = std::ranges::find(ranks_, connection, &Rank::connection);
  if (connection == 0 || rank == ranks_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(rank - ranks_.begin());
}

void LiveAssembly::describe(LiveConnection connection, const net::LiveDescription& description,
                            LocalInstant now) {
  const auto known = rank_of(connection);
  if (known && *known != description.rank)
    throw InputError({fmt::format("live source {}", description.name)}, "rank",
                     std::to_string(*known) + " as before", std::to_string(description.rank));
  if (known)
    expect_same(description);
  else
    join(connection, description);
  ranks_[description.rank].fields = description.fields;
  ranks_[description.rank].is_describing = false;
  ranks_[description.rank].is_described = description.reached.has_value();
  if (description.rank == 0) {
    description_ = description;                             // with its fields, once it has put them
    run_ = std::stoull(description.run, nullptr, 16) | 1U;  // never 0
  }
  if (description.reached) reach(description.rank, *description.reached, now);
  ask_for_all(description.rank);
  if (!has_field(ranks_[description.rank])) note_absent_field(description.rank, description, now);
}

/// A rank that ended a timestep before it first put the field has no block in it: its part of the
/// grid may be empty.
void LiveAssembly::note_absent_field(std::uint32_t number, const net::LiveDescription& description,
                                     LocalInstant now) {
  const Rank& rank = ranks_[number];
  if (!rank.reached) return;
  if (!description.reached) return ask_again(number);
  if (number == 0 && !can_want())
    tell_ranks("",
               fmt::format("rank 0 has ended timestep {} and put no field", *description.reached),
               now);
  for (auto receiving = receiving_.begin();
       receiving != receiving_.end() && receiving->first <= *description.reached;) {
    const auto here = receiving++;
    if (here->second.timestep->head_of(number) != nullptr) continue;
    here->second.parts[number].is_asked = true;  // what the rank has now is of later timesteps
    use_head(here, number, {description.time, {}}, now);
  }
  // The description may be from before the newest timestep.
  if (*description.reached < *rank.reached) ask_again(number);
}

/// Asks a rank without the field to describe itself again where something depends on it: its first
/// timestep has ended since, a timestep that it has reached lacks its head, or rank 0 has the field
/// to want. Of the other timesteps, nobody needs to know what it put.
void LiveAssembly::ask_again(std::uint32_t number) {
  Rank& rank = ranks_[number];
  if (rank.connection == 0 || rank.is_describing || !rank.reached || has_field(rank)) return;
  const bool is_lacking = std::ranges::any_of(receiving_, [&](const auto& one) {
    return one.first <= *rank.reached && one.second.timestep->head_of(number) == nullptr;
  });
  if (rank.is_described && !is_lacking && (number != 0 || can_want())) return;
  rank.is_describing = true;
  orders_.push_back({Kind::describe, rank.connection, {}, {}});
}

void LiveAssembly::join(LiveConnection connection, const net::LiveDescription& description) {
  if (std::ranges::find(past_runs_, description.run) != past_runs_.end())
    throw InputError(fmt::format(
        "live source {}: rank {}: expected a process of the newest run, found one of a run before",
        description.name, description.rank));
  const bool has_rank = description.rank < ranks_.size();
  // Also where the process is another one: two sources of one name would else drop each other for
  // ever. The ranks of a source that was started again come once the old connections have ended.
  if (has_rank && ranks_[description.rank].connection != 0)
    throw InputError(fmt::format(
        "live source {}: rank {}: expected one connection, found a second one; does another source "
        "have the same name?",
        description.name, description.rank));
  // The source was started again where another process is this rank. Its grid and ranks may be
  // others, so that a rank which had no process before may be the first one to tell.
  const bool is_another = has_rank && !ranks_[description.rank].run.empty() &&
                          ranks_[description.rank].run != description.run;
  const bool is_unlike = description_ && connected() == 0 && !fits(*description_, description);
  const bool is_new_run = is_another || is_unlike;
  if (description_ && !is_new_run) expect_same(description);
  if (!description_ || is_new_run) begin_run(description);
  Rank& rank = ranks_[description.rank];
  if (rank.run.empty() && std::ranges::any_of(ranks_, &Rank::is_gone)) {
    rank.is_perhaps_next = true;
    skip_parts_of_gone();
  }
  rank.connection = connection;
  rank.run = description.run;
  if (std::ranges::none_of(ranks_, &Rank::is_gone))
    for (Rank& one : ranks_) one.is_perhaps_next = false;
  if (newest_wanted_) orders_.push_back({Kind::want, connection, {}, {}});
}

/// Skips the timesteps that have parts of ranks which are gone.
void LiveAssembly::skip_parts_of_gone() {
  for (auto receiving = receiving_.begin(); receiving != receiving_.end();) {
    const auto here = receiving++;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!ranks_[rank].is_gone() || here->second.timestep->head_of(rank) == nullptr) continue;
      skip(here, scene::LiveSkip::rank_gone, fmt::format("rank {} is gone", rank));
      break;
    }
  }
}

void LiveAssembly::begin_run(const net::LiveDescription& description) {
  while (!receiving_.empty()) {
    const auto first = receiving_.begin();
    first->second.first_reached
        ? skip(first, scene::LiveSkip::new_run, "the source was started again")
        : forget(first);
  }
  std::vector<Rank> ranks(description.ranks);
  const bool is_alike = description_ && fits(*description_, description);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& rank = ranks_[i];
    if (rank.connection != 0 && rank.is_perhaps_next && is_alike) {
      ranks[i] = std::move(rank);
      ranks[i].is_perhaps_next = false;
      continue;
    }
    if (rank.connection != 0)
      orders_.push_back({Kind::drop, rank.connection, {}, "the source was started again"});
    if (!rank.run.empty() && !rank.is_perhaps_next) past_runs_.push_back(rank.run);
  }
  while (past_runs_.size() > most_past_runs) past_runs_.pop_front();
  ranks_ = std::move(ranks);
  description_ = description;
  newest_wanted_.reset();
  has_come_ = false;
  told_.reset();
  run_ = 0;
  ++counters_.runs;
}

void LiveAssembly::expect_same(const net::LiveDescription& found) const {
  const net::LiveDescription& own = *description_;
  const auto refuse = [&](const char* field, const std::string& expected,
                          const std::string& other) {
    throw InputError({fmt::format("live source {}: rank {}", found.name, found.rank)}, field,
                     expected + " as other ranks have", other);
  };
  if (found.ranks != own.ranks)
    refuse("ranks", std::to_string(own.ranks), std::to_string(found.ranks));
  if (found.grid != own.grid) refuse("grid", grid_text(own.grid), grid_text(found.grid));
  if (found.spacing != own.spacing || found.origin != own.origin || found.units != own.units)
    refuse("place", place_text(own), place_text(found));
}

void LiveAssembly::leave(LiveConnection connection) {
  const auto number = rank_of(connection);
  if (!number) return;
  ranks_[*number].connection = 0;
  ranks_[*number].is_describing = false;
  ranks_[*number].last_head.reset();
  for (auto receiving = receiving_.begin(); receiving != receiving_.end();) {
    const auto here = receiving++;
    const LiveTimestep& timestep = *here->second.timestep;
    if (timestep.head_of(*number) != nullptr && timestep.has_all_of(*number)) continue;
    if (here->second.first_reached)
      skip(here, scene::LiveSkip::rank_gone, fmt::format("rank {} is gone", *number));
    else  // at the end of a simulation there is no such timestep; a rank that comes back is asked
      here->second.parts[*number] = {};
  }
}

std::optional<scene::LiveShape> LiveAssembly::shape() const {
  if (!description_) return std::nullopt;
  scene::LiveShape shape;
  shape.name = description_->name;
  for (std::size_t axis = 0; axis < 3; ++axis)
    shape.grid[axis] = static_cast<int>(description_->grid[axis]);
  shape.spacing = description_->spacing;
  shape.origin = description_->origin;
  if (can_want()) shape.field = wanted().field;
  shape.ranks = static_cast<int>(description_->ranks);
  return shape;
}

std::size_t LiveAssembly::connected() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ranks_, [](const Rank& rank) { return rank.connection != 0; }));
}

std::string LiveAssembly::waits_for() const {
  if (!description_) return "no rank is connected";
  if (connected() < ranks_.size())
    return fmt::format("{} of {} ranks are connected", connected(), ranks_.size());
  if (has_come_) return "";  // a rank without the field has no voxels of it
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& fields = ranks_[rank].fields;
    if (fields.empty()) return fmt::format("rank {} has put no field", rank);
    if (std::ranges::find(fields, field_name(), &net::LiveField::name) != fields.end()) continue;
    std::vector<std::string> names;
    names.reserve(fields.size());
    for (const net::LiveField& field : fields) names.push_back(field.name);
    return fmt::format("rank {} has no field {}: it has {}", rank, field_name(),
                       fmt::join(names, ", "));
  }
  return "";
}

// --- timesteps

void LiveAssembly::take_reached(LiveConnection connection, const net::LiveReached& reached,
                                LocalInstant now) {
  const auto number = rank_of(connection);
  if (!number) return;
  reach(*number, reached.timestep, now);
  ask_again(*number);
}

void LiveAssembly::reach(std::uint32_t number, std::uint64_t timestep, LocalInstant now) {
  Rank& rank = ranks_[number];
  rank.reached = std::max(rank.reached.value_or(0), timestep);
  for (auto receiving = receiving_.begin(); receiving != receiving_.end(); ++receiving)
    note_reached(receiving, now);
}

void LiveAssembly::note_reached(ReceivingMap::iterator receiving, LocalInstant now) {
  const auto has_reached = [&](const Rank& rank) {
    return rank.reached && *rank.reached >= receiving->first;
  };
  Receiving& one = receiving->second;
  if (!one.first_reached && std::ranges::any_of(ranks_, has_reached)) one.first_reached = now;
  if (!one.all_reached && std::ranges::all_of(ranks_, has_reached)) one.all_reached = now;
}

std::optional<std::uint64_t> LiveAssembly::reached() const {
  std::optional<std::uint64_t> newest;
  for (const Rank& rank : ranks_)
    if (rank.reached) newest = std::max(newest.value_or(0), *rank.reached);
  return newest;
}

std::string LiveAssembly::field_name() const noexcept {
  if (!options_.field.empty()) return options_.field;
  return ranks_.empty() || ranks_[0].fields.empty() ? "" : ranks_[0].fields[0].name;
}

bool LiveAssembly::has_field(const Rank& rank) const {
  return std::ranges::find(rank.fields, field_name(), &net::LiveField::name) != rank.fields.end();
}

net::LiveWant LiveAssembly::wanted() const {
  return {field_name(),    newest_wanted_.value_or(0), options_.policy, options_.wait_s,
          options_.stride, options_.quantise};
}

void LiveAssembly::want(std::uint64_t timestep, LocalInstant now) {
  if (!description_ || !can_want() || (newest_wanted_ && timestep <= *newest_wanted_)) return;
  newest_wanted_ = timestep;
  ++counters_.wanted;
  while (receiving_.size() >= LiveRoom::most_receiving)
    skip(receiving_.begin(), scene::LiveSkip::superseded, "newer timesteps are wanted");
  Receiving receiving;
  receiving.timestep = std::make_unique<LiveTimestep>(
      timestep, description_->grid, static_cast<std::uint32_t>(ranks_.size()), options_.room);
  receiving.parts.resize(ranks_.size());
  note_reached(receiving_.emplace(timestep, std::move(receiving)).first, now);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].connection == 0) continue;
    orders_.push_back({Kind::want, ranks_[rank].connection, {}, {}});
    ask_for_all(rank);
    ask_again(rank);  // it may have reached the timestep meanwhile
  }
}

/// Asks a rank for its parts of all timesteps that are being received.
void LiveAssembly::ask_for_all(std::uint32_t rank) {
  for (auto receiving = receiving_.begin(); receiving != receiving_.end(); ++receiving)
    ask(receiving, rank);
}

void LiveAssembly::ask(ReceivingMap::iterator receiving, std::uint32_t number) {
  const Rank& rank = ranks_[number];
  Part& part = receiving->second.parts[number];
  const auto field = std::ranges::find(rank.fields, field_name(), &net::LiveField::name);
  if (part.is_asked || field == rank.fields.end()) return;
  part.is_asked = true;
  const auto index = static_cast<std::uint16_t>(field - rank.fields.begin());
  orders_.push_back(
      {Kind::fetch, rank.connection, net::live_head_request(index, receiving->first), {}});
  if (rank.last_head) ask_planes(receiving, number, *rank.last_head);
}

void LiveAssembly::ask_planes(ReceivingMap::iterator receiving, std::uint32_t number,
                              const net::LiveHeadInfo& head) {
  const Rank& rank = ranks_[number];
  const auto field = std::ranges::find(rank.fields, field_name(), &net::LiveField::name);
  const auto index = static_cast<std::uint16_t>(field - rank.fields.begin());
  receiving->second.parts[number].asked_by = head;
  for (std::uint32_t block = 0; block < head.blocks.size(); ++block)
    for (const net::LiveRequest& request : net::live_voxel_requests(
             index, receiving->first, block, head.blocks[block].box, head.blocks[block].type))
      orders_.push_back({Kind::fetch, rank.connection, request, {}});
}

void LiveAssembly::take_answer(LiveConnection connection, const net::LiveRequest& request,
                               std::span<const std::byte> bytes, LocalInstant now) {
  const auto receiving = receiving_.find(request.timestep);
  const auto known = rank_of(connection);
  if (receiving == receiving_.end() || !known) return;
  const std::uint32_t number = *known;
  const net::LiveAnswer answer = net::parse_live_answer(bytes, request);
  const bool is_head = request.kind == static_cast<std::uint8_t>(net::LiveRequestKind::head);
  switch (answer.status) {
    case net::LiveAnswerStatus::found:
      if (is_head)
        take_head(receiving, number, answer.body, now);
      else
        take_planes(receiving, number, request, answer.body, now);
      break;
    case net::LiveAnswerStatus::passed:
      skip(receiving, scene::LiveSkip::passed, fmt::format("rank {} is past it", number));
      break;
    case net::LiveAnswerStatus::changed:
      // The head tells what there is instead. A head itself cannot have changed.
      if (is_head)
        refuse(receiving, scene::LiveSkip::refused, fmt::format("rank {}: no head", number), now);
      break;
    case net::LiveAnswerStatus::failed:
      refuse(receiving, scene::LiveSkip::refused, fmt::format("rank {}: {}", number, answer.line),
             now);
      break;
    case net::LiveAnswerStatus::closed:
      break;  // the end of its connection follows
  }
  step(now);
}

void LiveAssembly::take_head(ReceivingMap::iterator receiving, std::uint32_t number,
                             std::span<const std::byte> body, LocalInstant now) {
  if (receiving->second.timestep->head_of(number) != nullptr) return;
  net::LiveHeadInfo head;
  try {
    head = net::parse_live_head(body, description_->grid);
  } catch (const InputError& error) {
    return refuse(receiving, scene::LiveSkip::refused,
                  fmt::format("rank {}: {}", number, error.what()), now);
  }
  use_head(receiving, number, std::move(head), now);
}

void LiveAssembly::use_head(ReceivingMap::iterator receiving, std::uint32_t number,
                            net::LiveHeadInfo head, LocalInstant now) {
  Receiving& one = receiving->second;
  if (std::string fault = memory_fault(head); !fault.empty())
    return refuse(receiving, scene::LiveSkip::refused, std::move(fault), now);
  if (std::string fault = one.timestep->take_head(number, head); !fault.empty())
    return refuse(receiving, scene::LiveSkip::blocks, std::move(fault), now);
  Part& part = one.parts[number];
  if (!part.asked_by || !same_boxes(*part.asked_by, head)) ask_planes(receiving, number, head);
  ranks_[number].last_head = std::move(head);
  for (const Early& early : std::exchange(part.early, {}))
    place_if_fits(receiving, number, early.request, early.planes);
  finish_if_whole(receiving, now);
}

/// What keeps a timestep of such blocks out of memory; "" if nothing.
std::string LiveAssembly::memory_fault(const net::LiveHeadInfo& head) const {
  if (head.blocks.empty()) return "";
  const auto& grid = description_->grid;
  const render::VolumeSize size = {static_cast<int>(grid[0]), static_cast<int>(grid[1]),
                                   static_cast<int>(grid[2])};
  const render::VoxelType type = voxel_type_of(head.blocks.front().type);
  if (options_.room.level(type, size)) return "";
  return fmt::format(
      "timesteps of {} need {} MiB at half the resolution, and --memory gives {} MiB",
      grid_text(grid), options_.room.needed_bytes(1, type, size) >> 20,
      options_.room.memory_bytes >> 20);
}

void LiveAssembly::take_planes(ReceivingMap::iterator receiving, std::uint32_t number,
                               const net::LiveRequest& request, std::span<const std::byte> planes,
                               LocalInstant now) {
  if (!receiving->second.first_voxels) {
    receiving->second.first_voxels = now;
    sync::trace_instant("timestep comes",
                        {static_cast<std::int64_t>(receiving->first), sync::TraceLabels::none});
  }
  if (receiving->second.timestep->head_of(number) == nullptr) {
    receiving->second.parts[number].early.push_back({request, {planes.begin(), planes.end()}});
    return;
  }
  place_if_fits(receiving, number, request, planes);
  finish_if_whole(receiving, now);
}

/// Places planes where the timestep's own blocks have such ones. They may have been asked for by
/// the blocks of the timestep before.
void LiveAssembly::place_if_fits(ReceivingMap::iterator receiving, std::uint32_t number,
                                 const net::LiveRequest& request,
                                 std::span<const std::byte> planes) {
  LiveTimestep& timestep = *receiving->second.timestep;
  const net::LiveHeadInfo& head = *timestep.head_of(number);
  if (request.block >= head.blocks.size()) return;
  const net::LiveBlockInfo& block = head.blocks[request.block];
  const std::uint64_t plane_bytes =
      std::uint64_t{block.box.side(0)} * block.box.side(1) * net::bytes_of(block.type);
  const bool fits = request.plane_end <= block.box.side(2) &&
                    request.bytes == plane_bytes * (request.plane_end - request.plane_begin);
  if (fits) timestep.place(number, request, planes);
}

void LiveAssembly::finish_if_whole(ReceivingMap::iterator receiving, LocalInstant now) {
  if (!receiving->second.timestep->is_whole()) return;
  std::shared_ptr<LiveTimestep> whole = std::move(receiving->second.timestep);
  has_come_ = true;
  ++counters_.received;
  const auto seconds = [](Nanos time) { return std::chrono::duration<double>(time).count(); };
  scene::LiveWork& work = counters_.work;
  ++work.timesteps;
  work.wire_s += seconds(now - receiving->second.first_voxels.value_or(now));
  work.convert_s += seconds(whole->work().convert);
  work.tiles_s += seconds(whole->work().tiles);
  work.after_s += seconds(whole->work().last);
  counters_.received_bytes += whole->received_bytes();
  counters_.not_shown += whole->not_shown();
  news_.push_back({run_, receiving->first, std::move(whole), scene::LiveSkip::late, {}});
  receiving_.erase(receiving);
}

void LiveAssembly::skip(ReceivingMap::iterator receiving, scene::LiveSkip why, std::string cause) {
  ++counters_.skipped[static_cast<std::size_t>(why)];
  news_.push_back({run_, receiving->first, nullptr, why, std::move(cause)});
  forget(receiving);
}

/// Cancels what was asked for.
void LiveAssembly::forget(ReceivingMap::iterator receiving) {
  for (std::uint32_t rank = 0; rank < receiving->second.parts.size(); ++rank) {
    if (!receiving->second.parts[rank].is_asked || ranks_[rank].connection == 0) continue;
    net::LiveRequest request{};
    request.timestep = receiving->first;
    orders_.push_back({Kind::cancel, ranks_[rank].connection, request, {}});
  }
  receiving_.erase(receiving);
}

/// Skips a timestep for which the simulation is at fault, and tells its ranks.
void LiveAssembly::refuse(ReceivingMap::iterator receiving, scene::LiveSkip why, std::string cause,
                          LocalInstant now) {
  tell_ranks(fmt::format("timestep {} of field {}: ", receiving->first, field_name()), cause, now);
  skip(receiving, why, std::move(cause));
}

/// Tells all ranks a cause. A source that is wrong in each timestep must not flood its logs.
void LiveAssembly::tell_ranks(const std::string& subject, const std::string& cause,
                              LocalInstant now) {
  if (told_ && now - told_->at < (cause == told_->cause ? same_tell_gap : shortest_tell_gap))
    return;
  told_ = {cause, now};
  const std::string line = fmt::format("live source {}: {}{}", description_->name, subject, cause);
  for (const Rank& rank : ranks_)
    if (rank.connection != 0) orders_.push_back({Kind::tell, rank.connection, {}, line});
}

// --- limits

std::optional<LocalInstant> LiveAssembly::limit_of(const Receiving& receiving) const {
  if (receiving.all_reached) return *receiving.all_reached + options_.whole_limit;
  if (receiving.first_reached) return *receiving.first_reached + options_.rank_limit;
  return std::nullopt;
}

std::string LiveAssembly::late_cause(const Receiving& receiving) const {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].connection == 0) return fmt::format("rank {} is not connected", rank);
    if (receiving.timestep->head_of(rank) == nullptr)
      return receiving.all_reached ? fmt::format("rank {} has not sent its blocks in time", rank)
                                   : fmt::format("rank {} has not reached it in time", rank);
    if (!receiving.timestep->has_all_of(rank))
      return fmt::format("rank {} has not sent all its voxels in time", rank);
  }
  return "it has not come in time";
}

void LiveAssembly::step(LocalInstant now) {
  for (auto receiving = receiving_.begin(); receiving != receiving_.end();) {
    const auto here = receiving++;
    const auto limit = limit_of(here->second);
    if (limit && *limit <= now) skip(here, scene::LiveSkip::late, late_cause(here->second));
  }
}

LocalInstant LiveAssembly::due() const {
  LocalInstant due{Nanos::max()};
  for (const auto& [number, receiving] : receiving_)
    if (const auto limit = limit_of(receiving)) due = std::min(due, *limit);
  return due;
}

}  // namespace tilewall::volume
