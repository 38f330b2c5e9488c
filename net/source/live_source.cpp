#include "net/source/live_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

constexpr std::size_t remembered_sessions = 256;
constexpr std::size_t most_held = 2;
// While timesteps are still being sent, nobody tells when the last of their buffers is free.
constexpr std::chrono::milliseconds look_again{1};
constexpr double rate_weight = 0.2;  // of the newest timestep in the mean of their durations

/// Throws InputError where walls would refuse this.
LiveSourceOptions checked(LiveSourceOptions options) {
  try {
    static_cast<void>(live_description_from_json(to_json(options.description)));
  } catch (const InputError& error) {
    throw InputError(std::string(without_message_place(error.what())));
  }
  if (!(options.wait_s >= 0 && options.wait_s <= 60))
    throw InputError(fmt::format("wait_s: expected 0 to 60, found {}", options.wait_s));
  return options;
}

Nanos as_nanos(double seconds) {
  return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(seconds));
}

std::string expected_name(const char* name) {
  if (name == nullptr) throw InputError("field: expected a name, found NULL");
  return name;
}

}  // namespace

LiveSource::LiveSource(LiveSourceOptions options)
    : options_(checked(std::move(options))),
      memory_(options_.memory),
      builder_(memory_, options_.description.grid),
      description_(options_.description) {}

bool LiveSource::wanted(const char* field) {
  begin_step();
  return field == nullptr ? !builder_.fields().empty() : builder_.find(field) != nullptr;
}

void LiveSource::set_units(const std::string& field, const std::string& units) {
  const std::scoped_lock lock(mutex_);
  fields_.set_units(field, units);
}

void LiveSource::put(const char* name, const ArrayShape& shape, PutType type, const void* data) {
  const std::string field = expected_name(name);
  begin_step();
  const WantedField* const wanted = builder_.find(field);
  try {
    std::uint16_t place = 0;
    {
      const std::scoped_lock lock(mutex_);
      place = fields_.put(field, type);
    }
    const PutArray array = check_array(shape, type, data, options_.description.grid);
    if (wanted == nullptr) return;
    const DefaultFloats floats;
    builder_.put(place, *wanted, array);
  } catch (const InputError& error) {
    fail(name, error.what());
    throw;
  }
}

void LiveSource::fail(const char* name, const std::string& line) {
  if (name == nullptr) return;
  begin_step();
  if (builder_.find(name) == nullptr) return;
  std::optional<std::uint16_t> place;
  {
    const std::scoped_lock lock(mutex_);
    place = place_of(name);
  }
  if (place) builder_.fail(*place, fmt::format("field {}: {}", name, line));
}

/// The place of a field in the description; empty if it was never put.
std::optional<std::uint16_t> LiveSource::place_of(const std::string& field) const {
  const auto& known = fields_.fields();
  const auto found = std::ranges::find(known, field, &LiveField::name);
  if (found == known.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - known.begin());
}

/// Chooses the fields that are sent of the timestep that begins now.
void LiveSource::begin_step() {
  if (begun_) return;
  const LocalInstant begin = local_now();
  std::deque<Held> dropped;  // released without the lock
  std::unique_lock lock(mutex_);
  if (choice_.wait_s(next_) > 0) await_walls(lock, begin);
  std::vector<WantedField> fields = choice_.fields_of(next_);
  wanted_by_ = choice_.takers_of(next_);
  if (closed_) fields.clear();
  while (!fields.empty() && held_.size() >= most_held) {
    dropped.push_back(std::move(held_.front()));
    held_.pop_front();
  }
  lock.unlock();
  dropped.clear();
  lock.lock();
  if (!fields.empty() && !await_memory(lock, begin)) {
    ++counters_.held_back;
    fields.clear();
  }
  builder_.begin(next_, std::move(fields));
  begun_ = true;
}

/// Waits while a wall is behind this timestep.
void LiveSource::await_walls(std::unique_lock<std::mutex>& lock, LocalInstant begin) {
  const LocalInstant until = begin + as_nanos(std::min(choice_.wait_s(next_), options_.wait_s));
  while (!closed_ && choice_.wait_s(next_) > 0 && local_now() < until)
    changed_.wait_for(lock, std::min<Nanos>(until - local_now(), std::chrono::seconds(1)));
  choice_.stop_waiting(next_);
  counters_.waited_s += std::chrono::duration<double>(local_now() - begin).count();
}

/// Whether one more timestep may be held: at most one other one is held or still being sent. Waits
/// for it where a wall that wants each timestep allows that.
bool LiveSource::await_memory(std::unique_lock<std::mutex>& lock, LocalInstant begin) {
  const LocalInstant until = begin + as_nanos(std::min(choice_.patience_s(next_), options_.wait_s));
  const auto may_hold = [&] { return memory_.leases() < static_cast<int>(most_held); };
  if (may_hold()) return true;
  const LocalInstant waiting = local_now();
  while (!closed_ && !may_hold() && local_now() < until) changed_.wait_for(lock, look_again);
  counters_.waited_s += std::chrono::duration<double>(local_now() - waiting).count();
  return may_hold();
}

LiveSource::Ended LiveSource::end_step(double time) {
  std::string fault;
  if (!std::isfinite(time)) fault = fmt::format("time: expected a finite number, found {}", time);
  begin_step();
  begun_ = false;
  std::shared_ptr<const StoredStep> dropped;  // released without the lock
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = next_++;
  // The last wall may have left since the timestep began.
  const bool is_kept = !builder_.fields().empty() && !choice_.empty();
  if (!fault.empty()) time = description_.time;
  if (!builder_.fields().empty()) dropped = builder_.finish(time, fields_.fields(), fault);
  if (is_kept) {
    held_.push_back({std::move(dropped), takers()});
    counters_.not_shown += builder_.not_shown();
    ++counters_.kept;
  }
  ++counters_.timesteps;
  description_.reached = number;
  description_.time = time;
  note_rate();
  const auto end = waiting_.upper_bound(number);
  for (auto it = waiting_.begin(); it != end; it = waiting_.erase(it)) {
    Waiting& one = it->second;
    if (one.reply.is_wanted()) one.reply.give(answer_now(one.reply.session(), one.request));
  }
  return {{number, time}, is_kept, std::move(fault)};
}

/// Those who are to have the timestep that is being ended.
StepTakers LiveSource::takers() const {
  StepTakers takers;
  for (const StepChoice::Taker& taker : wanted_by_)
    if (const auto place = place_of(taker.field)) takers.expect(taker.session, *place);
  return takers;
}

void LiveSource::note_rate() {
  const LocalInstant now = local_now();
  const double step_s = std::chrono::duration<double>(now - last_end_).count();
  const bool is_first = next_ < 2;
  last_end_ = now;
  if (is_first || step_s <= 0) return;
  const double known_s = description_.steps_s > 0 ? 1 / description_.steps_s : step_s;
  description_.steps_s = 1 / (known_s + rate_weight * (step_s - known_s));
}

void LiveSource::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  for (auto& [timestep, waiting] : waiting_)
    waiting.reply.give(live_answer_slab(LiveAnswerStatus::closed, timestep, {}));
  waiting_.clear();
  changed_.notify_all();
}

LiveSourceCounters LiveSource::counters() const {
  const std::scoped_lock lock(mutex_);
  LiveSourceCounters counters = counters_;
  counters.bytes_held = memory_.bytes();
  counters.most_bytes_held = memory_.most_bytes();
  counters.f64_fields = fields_.f64_fields();
  return counters;
}

std::string LiveSource::refused() const {
  const std::scoped_lock lock(mutex_);
  return refused_;
}

SourceNews LiveSource::skipped() const {
  const std::scoped_lock lock(mutex_);
  return skipped_;
}

bool LiveSource::is_fetched() const {
  const std::scoped_lock lock(mutex_);
  if (held_.empty()) return true;
  const Held& newest = held_.back();
  return newest.takers.have_all(*newest.step) && !newest.step->is_being_sent();
}

Json LiveSource::call(const Json& question) { return call_from(0, question); }

Json LiveSource::call_from(std::uint64_t session, const Json& question) {
  const auto type = json_field<std::string>(question, "type");
  if (type == "describe") {
    const std::scoped_lock lock(mutex_);
    LiveDescription description = description_;
    description.fields = fields_.fields();
    return to_json(description);
  }
  if (type == "refused" || type == "skipped") {
    const std::string line =
        printable_text(json_field<std::string>(question, "line").substr(0, longest_live_line));
    const std::scoped_lock lock(mutex_);
    if (type == "refused")
      refused_ = "a wall refused this rank: " + line;
    else
      skipped_ = {"a wall cannot show " + line, local_now()};
    return Json::object();
  }
  if (type != "want")
    throw InputError({"message"}, "type", "describe, want, skipped or refused",
                     shown_json(Json(type)));
  const LiveWant want = live_want_from_json(question);
  const std::scoped_lock lock(mutex_);
  refused_.clear();
  if (std::ranges::find(ended_sessions_, session) == ended_sessions_.end()) {
    choice_.set(session, want);
    memory_.keep_unused();
  }
  changed_.notify_all();
  Json answer = {{"reached", nullptr}};
  if (description_.reached) answer["reached"] = *description_.reached;
  return answer;
}

void LiveSource::session_ended(std::uint64_t session) {
  // Released without the lock: the simulation's next call is not to wait while it is freed.
  std::vector<SlabBuffer> unused;
  std::deque<Held> dropped;
  const std::scoped_lock lock(mutex_);
  choice_.forget(session);
  std::erase_if(wanted_by_, [&](const auto& taker) { return taker.session == session; });
  for (Held& held : held_) held.takers.forget(session);
  if (choice_.empty()) {  // nobody may want what is held
    std::swap(dropped, held_);
    unused = memory_.free_unused();
  }
  ended_sessions_.push_back(session);
  if (ended_sessions_.size() > remembered_sessions) ended_sessions_.pop_front();
  changed_.notify_all();
}

std::shared_ptr<const SlabBuffer> LiveSource::read(std::span<const std::byte>) {
  throw InternalError("a live source gives its slabs later");
}

void LiveSource::answer(std::vector<std::byte> bytes, SlabReply reply) {
  const LiveRequest request = parse_live_request(bytes);
  std::shared_ptr<const SlabBuffer> slab;
  {
    const std::scoped_lock lock(mutex_);
    if (!reply.is_wanted()) return;  // its session may have ended, and must not count as a taker
    if (closed_) {
      slab = live_answer_slab(LiveAnswerStatus::closed, request.timestep, {});
    } else if (request.timestep < next_) {
      slab = answer_now(reply.session(), request);
    } else if (make_room()) {
      waiting_.emplace(request.timestep, Waiting{request, std::move(reply)});
      return;
    } else {
      slab = live_failure_slab(request.timestep, "too many requests wait for timesteps");
    }
  }
  reply.give(std::move(slab));
}

/// The answer for a timestep that was ended.
std::shared_ptr<const SlabBuffer> LiveSource::answer_now(std::uint64_t session,
                                                         const LiveRequest& request) {
  const auto held = std::ranges::find(held_, request.timestep,
                                      [](const Held& one) { return one.step->number(); });
  if (held == held_.end()) return live_answer_slab(LiveAnswerStatus::passed, request.timestep, {});
  StoredStep::Answer answer = held->step->answer(request);
  held->takers.note_given(session, request.field, answer);
  return std::move(answer.slab);
}

/// Whether one more request may wait. Those that nobody wants any more make room.
bool LiveSource::make_room() {
  if (waiting_.size() < most_waiting) return true;
  std::erase_if(waiting_, [](const auto& one) { return !one.second.reply.is_wanted(); });
  return waiting_.size() < most_waiting;
}

}  // namespace tilewall::net
