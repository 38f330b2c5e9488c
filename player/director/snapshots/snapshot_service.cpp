#include "player/director/snapshots/snapshot_service.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "player/director/connections/request_fields.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_pending = 4;  // each holds a picture of the whole wall
// Time after their tick for panels' pictures, and without a band of one.
constexpr std::chrono::seconds panel_limit{5};
constexpr std::chrono::seconds wait_limit{8};  // time for glides to end and details to come
// Time for a tick at which all panels show its frame.
constexpr std::chrono::seconds retake_limit{8};

std::string file_of(const Json& request) {
  RequestFields fields(request);
  std::string file = fields.text("file");
  fields.check_all_known();
  const std::filesystem::path path = file;
  std::error_code ignored;
  if (!path.is_absolute() || path.extension() != ".png" ||
      !std::filesystem::is_directory(path.parent_path(), ignored))
    fields.refuse("file", "an absolute path that ends in .png, in a folder that exists", file);
  return file;
}

std::vector<std::filesystem::path> real_paths(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> real;
  std::error_code missing;
  for (const std::filesystem::path& folder : folders)
    if (auto path = std::filesystem::canonical(folder, missing); !missing)
      real.push_back(std::move(path));
  return real;
}

/// The path of `inner` below `outer`, "." for `outer` itself; empty where it lies elsewhere.
std::filesystem::path path_below(const std::filesystem::path& inner,
                                 const std::filesystem::path& outer) {
  std::filesystem::path below = inner.lexically_relative(outer);
  if (below.empty() || *below.begin() == "..") return {};
  return below;
}

/// The first tick that no panel has shown yet, of a scene that takes effect at `at`.
std::int64_t first_new_tick(const scene::Scene& scene, GlobalInstant at) {
  return scene.tick_grid.start >= at ? 0 : scene.tick_grid.tick_at(at).value_or(-1) + 1;
}

}  // namespace

SnapshotService::SnapshotService(ControlServer& server, ShowControl& control,
                                 const wall::Wall& wall,
                                 const std::vector<std::filesystem::path>& folders,
                                 Callbacks callbacks)
    : server_(server),
      control_(control),
      wall_(wall),
      folders_(real_paths(folders)),
      callbacks_(std::move(callbacks)) {}

SnapshotService::~SnapshotService() = default;

void SnapshotService::take(ConnectionId from, const Json& request) {
  std::string file = file_of(request);
  UniqueFd folder = folder_of(file);
  if (pending_.size() >= max_pending)
    throw InputError({"snapshot"}, "", "4 at a time at most", "more");
  const std::uint64_t number = ++last_number_;
  Pending& pending = pending_[number];
  pending.from = from;
  pending.id = request.value("id", Json(nullptr));
  pending.file = std::move(file);
  pending.folder = std::move(folder);
  pending.waits = true;
  const auto now = std::chrono::steady_clock::now();
  pending.until = now + wait_limit;
  pending.retake_until = pending.until + retake_limit;
  step_wait(number, pending, now);
}

UniqueFd SnapshotService::folder_of(const std::string& file) const {
  std::error_code error;
  const auto folder = std::filesystem::canonical(std::filesystem::path(file).parent_path(), error);
  for (const std::filesystem::path& allowed : folders_) {
    const std::filesystem::path below = path_below(folder, allowed);
    if (error || below.empty()) continue;
    const UniqueFd at(::open(allowed.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    UniqueFd opened = open_below(at.get(), below, O_RDONLY | O_DIRECTORY);
    if (!opened.empty()) return opened;
  }
  throw InputError({"message"}, "file",
                   fmt::format("a file below {} (--snapshot-folder)",
                               folders_.empty() ? "no folder" : folders_.front().string()),
                   file);
}

void SnapshotService::step_wait(std::uint64_t number, Pending& pending,
                                std::chrono::steady_clock::time_point now) {
  const SnapshotWait wait = callbacks_.waits_for();
  if (wait == SnapshotWait::start) pending.until = now + wait_limit;
  if (wait != SnapshotWait::nothing && now < pending.until) return;
  if (wait == SnapshotWait::rest)
    pending.unsettled = fmt::format("the picture still moved after {} s", wait_limit.count());
  if (wait == SnapshotWait::details)
    pending.unsettled =
        fmt::format("volumes without their details, which were still being read after {} s",
                    wait_limit.count());
  pending.waits = false;
  ask_for_tick(number);
}

void SnapshotService::ask_for_tick(std::uint64_t number) {
  control_.ask({[](SceneChange& change) { change.show_again(); },
                [this, number](const CommandOutcome& outcome) {
                  if (!outcome.refusal.empty()) return refuse(number, outcome.refusal);
                  ask_panels(number, outcome);
                }});
}

void SnapshotService::ask_panels(std::uint64_t number, const CommandOutcome& outcome) {
  const scene::Scene& scene = *outcome.scene;
  const std::int64_t tick =
      std::max(first_new_tick(scene, outcome.at), callbacks_.best_tick(scene));
  const std::int64_t frame = scene.ticks_of(scene.regions.front()).frame_of(tick);
  Pending& pending = pending_.at(number);
  pending.snapshot =
      std::make_unique<WallSnapshot>(wall_, SnapshotRequest{frame, pending.file, false});
  pending.epoch = scene.epoch;
  pending.ticks = scene.ticks_of(scene.regions.front());
  pending.is_live = scene.regions.front().source->live;
  pending.shown.clear();
  const GlobalInstant due = scene.tick_grid.due(scene.next_shown(tick));
  const Nanos until_due = std::max(due - outcome.at, Nanos(0));
  pending.until = std::chrono::steady_clock::now() + until_due + panel_limit;
  pending.order = ++last_number_;
  callbacks_.tell_panels(
      {{"type", "snapshot"}, {"number", pending.order}, {"schedule", scene.epoch}, {"tick", tick}});
}

SnapshotService::Pending* SnapshotService::find_order(std::uint64_t order) {
  for (auto& [number, pending] : pending_)
    if (pending.order == order && pending.snapshot && !pending.writer.joinable()) return &pending;
  return nullptr;
}

bool SnapshotService::note_taken(std::uint64_t order, const ShownTick& shown) {
  Pending* const pending = find_order(order);
  if (pending == nullptr) return false;
  pending->shown.push_back(shown);
  note_progress(order);
  return true;
}

void SnapshotService::note_progress(std::uint64_t order) {
  if (Pending* const pending = find_order(order))
    pending->until = std::max(pending->until, std::chrono::steady_clock::now() + panel_limit);
}

void SnapshotService::add(std::uint64_t order, std::size_t panel, std::int64_t shown_frame,
                          SizePx size_px, std::vector<std::uint8_t> pixels) {
  if (Pending* const pending = find_order(order))
    pending->snapshot->add(panel, shown_frame, size_px, std::move(pixels));
}

bool SnapshotService::retakes(std::uint64_t number, Pending& pending,
                              std::chrono::steady_clock::time_point now) {
  if (pending.shown.empty()) return false;
  const ShownTick& first = pending.shown.front();
  const bool alike =
      std::ranges::all_of(pending.shown, [&](const ShownTick& shown) { return shown == first; });
  const bool is_due = pending.is_live || first.epoch != pending.epoch ||
                      pending.ticks.frame_of(first.tick) == first.frame;
  const bool all_took = pending.shown.size() >= wall_.panels.size();
  if (all_took && (!alike || !is_due) && now < pending.retake_until) {
    pending.snapshot.reset();
    callbacks_.drop(pending.order);
    ask_for_tick(number);
    return true;
  }
  // The snapshot gets the frame of the tick that all panels showed: the first one, from the ordered
  // tick on, that is not left out. Panels that showed another frame go into the note.
  const bool is_same_epoch = first.epoch == pending.epoch && !pending.is_live;
  if (alike)
    pending.snapshot->name_frame(is_same_epoch ? pending.ticks.frame_of(first.tick) : first.frame);
  return false;
}

void SnapshotService::step(std::chrono::steady_clock::time_point now) {
  for (auto next = pending_.begin(); next != pending_.end();) {
    auto& [number, pending] = *next++;  // a refused snapshot is erased below
    if (pending.waits) {
      step_wait(number, pending, now);
      continue;
    }
    if (!pending.snapshot || pending.writer.joinable() || retakes(number, pending, now)) continue;
    if (!pending.snapshot->complete() && now < pending.until) continue;
    if (!pending.snapshot->complete()) callbacks_.drop(pending.order);
    pending.writer =
        std::jthread([this, number = number, &pending = pending] { write(number, pending); });
  }
  std::vector<Written> written;
  {
    const std::scoped_lock lock(mutex_);
    written = std::exchange(written_, {});
  }
  for (const Written& one : written) answer(one);
}

void SnapshotService::write(std::uint64_t number, const Pending& pending) {
  sync::use_least_priority();
  Written written{number, "", ""};
  try {
    if (pending.snapshot->empty())
      written.error = "no panel has shown its picture in time";
    else
      written.note = pending.snapshot->write(pending.folder.get());
  } catch (const std::exception& failure) {
    written.error = failure.what();
  }
  const std::scoped_lock lock(mutex_);
  written_.push_back(std::move(written));
}

void SnapshotService::answer(const Written& written) {
  if (!written.error.empty()) return refuse(written.number, written.error);
  const auto found = pending_.find(written.number);
  const SnapshotRequest& request = found->second.snapshot->request();
  Json json = {{"type", "done"},
               {"id", found->second.id},
               {"file", request.file.string()},
               {"frame", request.frame}};
  if (!found->second.shown.empty()) json["tick"] = found->second.shown.front().tick;
  const std::string& unsettled = found->second.unsettled;
  const bool both = !unsettled.empty() && !written.note.empty();
  const std::string note = unsettled + (both ? "; " : "") + written.note;
  if (!note.empty()) json["note"] = note;
  server_.send(found->second.from, json);
  pending_.erase(found);
}

void SnapshotService::refuse(std::uint64_t number, const std::string& error) {
  const auto found = pending_.find(number);
  server_.send(found->second.from,
               {{"type", "refused"}, {"id", found->second.id}, {"error", error}});
  pending_.erase(found);
}

}  // namespace tilewall::director
