// The program tilewall-renderer: a rank of `tilewall render`, which draws frames and writes their
// files. Orders and answers: rank_messages.hpp. It ends with its standard input.
//
// Threads: the main thread reads orders; for each core one that draws (one at a time), converts,
// compresses and writes a frame; those of FramePainter.

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "player/movie/convert/frame_pipeline.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/rendering/frame_bands.hpp"
#include "player/rendering/rank_messages.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/bounded_queue.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"

namespace {

using namespace tilewall;
using namespace tilewall::rendering;

constexpr std::size_t most_waiting_frames = 2 * most_ranks_a_host;

/// A fault of this rank, not of the flight.
class OwnFault : public InputError {
 public:
  using InputError::InputError;
};

class Rank {
 public:
  ~Rank() { stop_.request_stop(); }

  /// Serves until standard input ends.
  void serve() {
    while (const auto line = read_line()) {
      const RankOrder order = rank_order_of(*line);
      std::visit([this](const auto& one) { follow(one); }, order);
    }
    // Frames under way are not stored: nobody would know of them.
    ::_exit(exit_done);
  }

  void answer(const RankAnswer& answer) {
    const std::scoped_lock lock(output_mutex_);
    write_all(STDOUT_FILENO, line_of(answer), "standard output");
  }

  void answer_fault(const std::exception& error) {
    answer(RankFault{error.what(), dynamic_cast<const InputError*>(&error) != nullptr,
                     !painter_ || dynamic_cast<const OwnFault*>(&error) != nullptr});
  }

 private:
  std::optional<std::string> read_line() {
    for (;;) {
      if (const std::size_t end = input_.find('\n'); end != std::string::npos) {
        std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        return line;
      }
      if (input_.size() > longest_rank_line)
        throw InputError({"message"}, "", "a line of at most 16 MiB", "a longer one");
      char piece[64 * 1024];
      const ssize_t got =
          check_sys(retry_eintr([&] { return ::read(STDIN_FILENO, piece, sizeof piece); }), "read");
      if (got == 0) return std::nullopt;
      input_.append(piece, static_cast<std::size_t>(got));
    }
  }

  void follow(const OpenOrder& order) {
    if (order.version != program_version())
      throw OwnFault({host_name()}, "version", order.version, program_version());
    PictureJob job = order.pictures;
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    threads_ = std::max(1, cores / order.share);
    job.threads = threads_;
    job.volume.memory_bytes /= static_cast<std::size_t>(order.share);
    pictures_ = job;
    try {
      painter_.emplace(job, [this](const std::string& line) { answer(RankNote{line}); });
    } catch (const InputError& error) {
      std::error_code ignored;
      const bool is_there = std::filesystem::exists(job.volume.path, ignored);
      throw OwnFault(fmt::format(
          "{}: {}{}", host_name(), error.what(),
          is_there ? ""
                   : "; where a host does not have the volume, serve it with 'tilewall serve' and "
                     "give --volume tilewall://HOST:PORT/NAME"));
    }
    if (order.share > 1 && !painter_->holds_all())
      throw InputError({"--ranks"}, "",
                       "1 on each host, for a volume that does not fit the memory limit (--memory) "
                       "that often",
                       std::to_string(order.share));
    answer(Opened{painter_->timesteps(), storing_threads(job, threads_)});
  }

  void follow(const SampleOrder& order) {
    expect_opened();
    samples_.clear();
    for (const FlightFrame& frame : order.frames)
      samples_.push_back(painter_->draw_sample(frame, stop_.get_token()));
    const RectPx part = sampled_part(pictures_);
    movie::MovieInfo info;
    info.stored_px = info.size_px = {part.width, part.height};
    const movie::Chroma chroma = pictures_.is_float
                                     ? movie::Chroma::rgb
                                     : movie::choose_chroma(samples_, info, order.quality,
                                                            order.name, is_portable(pictures_));
    answer(Sampled{chroma, painter_->drawn_by()});
  }

  void follow(const StoreOrder& order) {
    expect_opened();
    if (!workers_.empty()) throw InputError({"message"}, "order", "store once", "another one");
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(order.folder) / order.token, ignored))
      throw OwnFault({host_name()}, "", "the movie's folder, on a file system that all hosts share",
                     "another folder, or none, at " + order.folder);
    folder_ = order.folder;
    drawn_by_ = order.drawn_by;
    if ((order.files == movie::FrameFiles::exr) != pictures_.is_float)
      throw InputError({"message"}, "files", "exr for float pictures alone", "another kind");
    plan_.manifest = order.manifest;
    plan_.files = order.files;
    plan_.panel_share_px = order.panel_share_px;
    plan_.name = order.manifest.source;
    const SizePx size = pictures_.size_px;
    plan_.conversion = {size,
                        {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)},
                        {},
                        order.manifest.size_px,
                        order.manifest.chroma,
                        movie::HdrMode::map,
                        is_portable(pictures_)};
    // The samples of frames in bands are only parts.
    const bool measures = order.measures && !samples_.empty() && !is_banded(pictures_);
    answer(StoreReady{measures ? movie::measure_frame_bytes(plan_, folder_, samples_) : 0});
    samples_.clear();
    const int workers =
        movie::affordable_workers(plan_.files, size, storing_threads(pictures_, threads_));
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { guarded_work(); });
  }

  void follow(const FlightFrame& frame) {
    if (workers_.empty()) throw InputError({"message"}, "order", "store before frames", "none");
    frames_.push(frame, stop_.get_token());
  }

  /// A frame that is drawn in bands. `next` as for FramePainter::draw(). Both outlive the result.
  [[nodiscard]] FrameBands bands_of(const FlightFrame& frame, const FlightFrame* next) {
    return {pictures_, [this, &frame, next](const RectPx& part) {
              const bool is_last = part.bottom() == pictures_.size_px.height;
              movie::SharedFrame band =
                  painter_->draw_part(frame, part, stop_.get_token(), is_last ? next : nullptr);
              expect_kernels();
              return band;
            }};
  }

  void expect_opened() const {
    if (!painter_) throw InputError({"message"}, "order", "open first", "another one");
  }

  void guarded_work() {
    try {
      work();
    } catch (const std::exception& error) {
      answer_fault(error);
      ::_exit(exit_failed);
    }
  }

  void work() {
    movie::FrameFileWriter writer(plan_);
    for (;;) {
      // One takes a frame, sees which comes next, and draws it, so that frames are drawn in order.
      std::unique_lock drawing(drawing_);
      const auto frame = frames_.pop(stop_.get_token());
      if (!frame) return;
      const std::optional<FlightFrame> next = frames_.peek();
      const FlightFrame* const coming = next ? &*next : nullptr;
      const std::filesystem::path file =
          folder_ / movie::frame_file_name(frame->number, plan_.files);
      std::uint64_t bytes = 0;
      if (is_banded(pictures_)) {
        FrameBands rows = bands_of(*frame, coming);
        bytes = writer.write(rows, file);
      } else {
        const movie::SharedFrame picture = painter_->draw(*frame, stop_.get_token(), coming);
        drawing.unlock();
        expect_kernels();
        bytes = writer.write(*picture, file);
      }
      answer(FrameStored{frame->number, bytes});
    }
  }

  /// Throws where other kernels than those of the first frames have drawn the last one.
  void expect_kernels() const {
    if (const std::string drawn_by = painter_->drawn_by(); drawn_by != drawn_by_)
      throw OwnFault({host_name()}, "",
                     fmt::format("frames that \"{}\" draws (--overwrite --portable starts anew "
                                 "with kernels of every processor)",
                                 drawn_by_),
                     fmt::format("\"{}\"", drawn_by));
  }

  std::string input_;  // what was read behind the last line
  std::stop_source stop_;
  std::optional<FramePainter> painter_;
  PictureJob pictures_;
  int threads_ = 1;
  std::vector<movie::SharedFrame> samples_;
  // How frames are stored; not changed once the workers run.
  std::filesystem::path folder_;
  std::string drawn_by_;
  movie::ImportPlan plan_;
  std::mutex output_mutex_;
  BoundedQueue<FlightFrame> frames_{most_waiting_frames};
  std::mutex drawing_;  // held by the worker that draws
  std::vector<std::jthread> workers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (prints_version(argc, argv)) return exit_done;
  allow_open_files();
  // Of several processes that a launcher starts on a host, one is enough.
  if (local_rank() != 0) return exit_done;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  Rank rank;
  try {
    rank.serve();
  } catch (const std::exception& error) {
    try {
      rank.answer_fault(error);
    } catch (const std::exception&) {  // nobody listens any more
    }
  }
  ::_exit(exit_failed);
}
