#include "player/director/snapshots/snapshot_writers.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds turn_interval{100};

bool contains(const auto& all, const auto& one) {
  return std::ranges::find(all, one) != std::ranges::end(all);
}

}  // namespace

SnapshotWriters::SnapshotWriters(const wall::Wall& wall,
                                 const std::vector<SnapshotRequest>& requests)
    : requests_(requests) {
  for (const SnapshotRequest& request : requests)
    waiting_.push_back(std::make_unique<WallSnapshot>(wall, request));
}

SnapshotWriters::~SnapshotWriters() = default;

void SnapshotWriters::add(std::size_t panel, SnapshotFrame frame, SizePx size_px,
                          const std::vector<std::uint8_t>& pixels) {
  for (const auto& snapshot : waiting_)
    if (snapshot->request().frame == frame.wanted)
      snapshot->add(panel, frame.shown, size_px, pixels);
  start_writing(false);
}

Json SnapshotWriters::checkpoint() {
  const std::scoped_lock lock(mutex_);
  listed_ = done_;
  Json done = Json::array();
  for (const SnapshotRequest& request : done_)
    done.push_back({{"frame", request.frame},
                    {"file", request.file.string()},
                    {"per_panel", request.per_panel}});
  return {{"done", std::move(done)}, {"notes", written_.notes}, {"errors", written_.errors}};
}

std::vector<std::int64_t> SnapshotWriters::note_saved() {
  std::vector<std::int64_t> frames;
  for (const SnapshotRequest& request : listed_) {
    const bool is_whole = std::ranges::all_of(requests_, [&](const SnapshotRequest& other) {
      return other.frame != request.frame || contains(listed_, other);
    });
    if (!is_whole || is_saved(request.frame)) continue;
    saved_.push_back(request.frame);
    frames.push_back(request.frame);
  }
  return frames;
}

bool SnapshotWriters::is_saved(std::int64_t frame) const { return contains(saved_, frame); }

void SnapshotWriters::restore(const Json& checkpoint) {
  for (const Json& one : json_field<std::vector<Json>>(checkpoint, "done")) {
    const SnapshotRequest request{json_field<std::int64_t>(one, "frame"),
                                  json_field<std::string>(one, "file"),
                                  json_field<bool>(one, "per_panel")};
    std::erase_if(waiting_, [&](const auto& snapshot) { return snapshot->request() == request; });
    listed_.push_back(request);
  }
  static_cast<void>(note_saved());
  const std::scoped_lock lock(mutex_);
  done_ = listed_;
  written_.notes = json_field<std::vector<std::string>>(checkpoint, "notes");
  written_.errors = json_field<std::vector<std::string>>(checkpoint, "errors");
}

SnapshotsWritten SnapshotWriters::finish(bool incomplete_too, const std::function<void()>& turn) {
  start_writing(incomplete_too);
  std::unique_lock lock(mutex_);
  while (!one_ended_.wait_for(lock, turn_interval, [this] { return at_work_ == 0; })) turn();
  return written_;
}

void SnapshotWriters::start_writing(bool incomplete_too) {
  for (auto& snapshot : waiting_)
    if (incomplete_too || snapshot->complete()) {
      const std::scoped_lock lock(mutex_);
      writers_.emplace_back([this, done = std::move(snapshot)] { write(*done); });
      ++at_work_;
    }
  std::erase(waiting_, nullptr);
}

void SnapshotWriters::write(const WallSnapshot& snapshot) {
  sync::use_least_priority();
  std::string note;
  std::string error;
  try {
    note = snapshot.write();
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  const std::scoped_lock lock(mutex_);
  if (!note.empty()) written_.notes.push_back(note);
  if (!error.empty()) written_.errors.push_back(error);
  done_.push_back(snapshot.request());
  --at_work_;
  one_ended_.notify_all();
}

}  // namespace tilewall::director
