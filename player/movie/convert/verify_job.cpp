#include "player/movie/convert/verify_job.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/convert/huge_import.hpp"
#include "player/movie/convert/media_output.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::chrono::milliseconds progress_interval{100};

class Verification {
 public:
  Verification(const std::filesystem::path& folder, const std::stop_token& stop)
      : folder_(folder), stop_(stop), movie_(load_manifest(folder)) {}

  VerifyResult run(ProgressSink& progress) {
    {
      std::vector<std::jthread> threads;
      const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
      running_ = static_cast<int>(cores);
      for (unsigned i = 0; i < cores; ++i) threads.emplace_back([this] { check_frames(); });
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, progress_interval, [&] { return running_ == 0; }))
        report(progress);
    }
    report(progress);
    if (error_) std::rethrow_exception(error_);
    if (stop_.stop_requested()) throw JobError("interrupted");
    result_.checked_frames = movie_.frames;
    std::sort(result_.problems.begin(), result_.problems.end());
    check_sound();
    return result_;
  }

 private:
  [[nodiscard]] bool is_over() const { return failed_ || stop_.stop_requested(); }

  void report(ProgressSink& progress) const {
    progress.update({done_, movie_.frames, bytes_, "frames"});
  }

  void check_frames() {
    try {
      for (std::int64_t frame = next_++; frame < movie_.frames && !is_over(); frame = next_++) {
        check(frame);
        ++done_;
      }
    } catch (...) {  // what is no fault of the frame, such as no memory or no descriptors
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
    const std::scoped_lock lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
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
      if (result_.problems.size() < VerifyResult::max_problems)
        result_.problems.push_back(problem);
      else
        ++result_.more_problems;
  }

  // Looks whether the sound can be read. A problem of it is listed even where the list is full.
  void check_sound() {
    if (movie_.audio_file.empty()) return;
    const std::string problem = sound_problem(folder_ / movie_.audio_file);
    if (problem.empty()) return;
    result_.lost_sounds = 1;
    if (result_.problems.size() == VerifyResult::max_problems) {
      result_.problems.pop_back();
      ++result_.more_problems;
    }
    result_.problems.push_back(problem);
  }

  const std::filesystem::path& folder_;
  const std::stop_token& stop_;
  const MovieManifest movie_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  // guarded by mutex_ while threads run
  int running_ = 0;
  VerifyResult result_;
  std::exception_ptr error_;
};

}  // namespace

VerifyResult verify_movie(const std::filesystem::path& folder, const std::stop_token& stop,
                          ProgressSink& progress) {
  return Verification(folder, stop).run(progress);
}

namespace {

VerifyResult verify_rows(ImageRows& rows, const std::stop_token& stop, ProgressSink& progress) {
  VerifyResult result;
  result.checked_frames = 1;
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

/// Takes the pictures of a fetcher one by one, and loads them in parallel. A movie's pictures are
/// decoded when they are taken.
class SourceVerification {
 public:
  SourceVerification(FrameFetcher& fetcher, const std::stop_token& stop)
      : fetcher_(fetcher), stop_(stop) {}

  std::int64_t run(ProgressSink& progress) {
    {
      std::vector<std::jthread> threads;
      const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
      running_ = static_cast<int>(cores);
      for (unsigned i = 0; i < cores; ++i) threads.emplace_back([this] { check_pictures(); });
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, progress_interval, [&] { return running_ == 0; }))
        progress.update({checked_, fetcher_.info().frames, 0, "frames"});
    }
    if (error_) std::rethrow_exception(error_);
    if (stop_.stop_requested()) throw JobError("interrupted");
    return checked_;
  }

 private:
  void check_pictures() {
    try {
      while (const auto picture = take()) {
        static_cast<void>(fetcher_.load(*picture));
        const std::scoped_lock lock(mutex_);
        ++checked_;
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }

  std::optional<SuppliedPicture> take() {
    const std::scoped_lock lock(fetcher_mutex_);
    if (stop_.stop_requested() || has_failed()) return std::nullopt;
    return fetcher_.next();
  }

  bool has_failed() {
    const std::scoped_lock lock(mutex_);
    return error_ != nullptr;
  }

  FrameFetcher& fetcher_;  // next(): guarded by fetcher_mutex_
  const std::stop_token& stop_;
  std::mutex fetcher_mutex_;
  std::mutex mutex_;
  std::condition_variable ended_;
  // guarded by mutex_
  std::int64_t checked_ = 0;
  int running_ = 0;
  std::exception_ptr error_;
};

}  // namespace

VerifyResult verify_source(const std::vector<std::string>& inputs, const std::stop_token& stop,
                           ProgressSink& progress) {
  if (const auto rows = open_huge_image(inputs)) return verify_rows(*rows, stop, progress);
  const std::unique_ptr<FrameFetcher> fetcher = open_fetcher(inputs, {}, DamageSearch::thorough);
  VerifyResult result;
  result.checked_frames = SourceVerification(*fetcher, stop).run(progress);
  const FetcherCounters counters = fetcher->counters();
  result.damaged_frames = counters.damaged_frames;
  result.missing_frames = counters.missing_frames;
  DamageLines damage = fetcher->damage();
  result.problems = std::move(damage.lines);
  result.more_problems = damage.left_out;
  if (result.missing_frames > 0) result.problems.push_back(fetcher->note());
  return result;
}

}  // namespace tilewall::movie
