#include "player/movie/transfer/verify_job.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/transfer/frame_supply.hpp"
#include "player/movie/transfer/huge_import.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

class Verification {
 public:
  Verification(const std::filesystem::path& folder, const std::stop_token& stop)
      : folder_(folder), stop_(stop), movie_(load_manifest(folder)) {}

  VerifyResult run(ProgressSink& progress) {
    {
      std::vector<std::jthread> threads;
      const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
      for (unsigned i = 0; i < cores; ++i) threads.emplace_back([this] { check_frames(); });
      while (done_ < movie_.frames && !stop_.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        progress.update({done_, movie_.frames, bytes_, "frames"});
      }
    }
    if (stop_.stop_requested()) throw JobError("interrupted");
    result_.checked_frames = movie_.frames;
    std::sort(result_.problems.begin(), result_.problems.end());
    return result_;
  }

 private:
  void check_frames() {
    for (std::int64_t frame = next_++; frame < movie_.frames && !stop_.stop_requested();
         frame = next_++) {
      check(frame);
      ++done_;
    }
  }

  void check(std::int64_t frame) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(folder_ / frame_file_name(frame), error);
    const std::vector<std::string> problems = verify_frame(movie_, folder_, frame);
    if (!error) bytes_ += bytes;
    if (problems.empty()) return;
    const std::scoped_lock lock(mutex_);
    ++(error ? result_.missing_frames : result_.damaged_frames);
    for (const std::string& problem : problems)
      if (result_.problems.size() < VerifyResult::max_problems) result_.problems.push_back(problem);
  }

  const std::filesystem::path& folder_;
  const std::stop_token& stop_;
  const MovieManifest movie_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::mutex mutex_;
  VerifyResult result_;  // guarded by mutex_ while threads run
};

}  // namespace

VerifyResult verify_movie(const std::filesystem::path& folder, const std::stop_token& stop,
                          ProgressSink& progress) {
  return Verification(folder, stop).run(progress);
}

namespace {

VerifyResult verify_rows(ImageRows& rows, const std::stop_token& stop, ProgressSink& progress) {
  VerifyResult result{1, 0, 0, {}};
  std::vector<std::uint8_t> row(static_cast<std::size_t>(rows.size_px().width) *
                                static_cast<std::size_t>(rows.channels()));
  try {
    for (int y = 0; y < rows.size_px().height; ++y) {
      if (stop.stop_requested()) throw JobError("interrupted");
      rows.read_row(row.data());
      if (y % 256 == 0) progress.update({y, rows.size_px().height, 0, "rows"});
    }
  } catch (const InputError& error) {
    result.damaged_frames = 1;
    result.problems.emplace_back(error.what());
  }
  return result;
}

}  // namespace

VerifyResult verify_source(const std::vector<std::string>& inputs, const std::stop_token& stop,
                           ProgressSink& progress) {
  if (const auto rows = open_huge_image(inputs)) return verify_rows(*rows, stop, progress);
  const std::unique_ptr<FrameSupply> supply = open_supply(inputs, {});
  VerifyResult result;
  while (const auto picture = supply->next()) {
    if (stop.stop_requested()) throw JobError("interrupted");
    static_cast<void>(supply->load(*picture));
    ++result.checked_frames;
    progress.update({picture->span.first, supply->info().frames, 0, "frames"});
  }
  result.damaged_frames = supply->counters().damaged_frames;
  return result;
}

}  // namespace tilewall
