#include "render/bricks/brick_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "render/bricks/brick_pyramid.hpp"
#include "render/bricks/zarr_texts.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_doubled_slab_bytes = std::size_t{512} << 20;
constexpr std::size_t read_piece_bytes = std::size_t{64} << 20;  // a stop waits for one read
constexpr std::chrono::milliseconds progress_every{100};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Stopped {};

/// Throws InputError if the output is an input, lies in one, or contains one. It may lie in a
/// folder whose files are a series, since it is none of these files.
void check_apart(const fs::path& output, const std::vector<std::string>& inputs) {
  const auto whole = [](const fs::path& path) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(fs::absolute(path), error);
    return (error ? fs::absolute(path).lexically_normal() : found).string() + "/";
  };
  const std::string out = whole(output);
  for (const std::string& input : inputs) {
    const std::string in = whole(input);
    if (in.starts_with(out) || (out.starts_with(in) && volume_kind_of(input) != VolumeKind::series))
      throw InputError({output.string()}, "output", "a folder apart from the input", input);
  }
}

void check_side(int side) {
  if (side < least_brick_side || side > greatest_brick_side || side % brick_side_step != 0)
    throw InputError({"--brick"}, "",
                     fmt::format("a multiple of {} from {} to {}", brick_side_step,
                                 least_brick_side, greatest_brick_side),
                     fmt::format("{}", side));
}

std::size_t buffers_for(const BrickLayout& layout) {
  std::size_t levels = 0;
  for (std::size_t level = 1; level < layout.levels.size(); ++level)
    levels += layout.slab_bytes(level);
  const std::size_t slab = layout.slab_bytes(0);
  const auto memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (static_cast<double>(slab + levels) > 0.75 * memory)
    throw InputError({"--brick"}, "", "bricks whose slabs fit in three quarters of the memory",
                     fmt::format("slabs of {:.1f} GiB", static_cast<double>(slab + levels) /
                                                            static_cast<double>(1 << 30)));
  return slab <= most_doubled_slab_bytes ? 2 : 1;
}

/// The input's data with only the timesteps that are written.
VolumeInfo written_part(const VolumeInfo& info, const BrickOptions& options) {
  VolumeInfo part = info;
  const int count =
      options.timesteps > 0 ? options.timesteps : info.timesteps() - options.first_timestep;
  TW_CHECK(options.first_timestep >= 0 && count > 0 &&
           options.first_timestep + count <= info.timesteps());
  part.times.assign(info.times.begin() + options.first_timestep,
                    info.times.begin() + options.first_timestep + count);
  part.time_labels.assign(info.time_labels.begin() + options.first_timestep,
                          info.time_labels.begin() + options.first_timestep + count);
  return part;
}

nlohmann::json identity_of(const VolumeInputs& inputs, const BrickOptions& options,
                           const VolumeInfo& part) {
  nlohmann::json identity = inputs.identity();
  identity["first_timestep"] = options.first_timestep;
  identity["timesteps"] = part.timesteps();
  identity["size"] = {part.size.x, part.size.y, part.size.z};
  identity["type"] = name_of(part.type);
  identity["brick"] = options.side;
  identity["compress"] = name_of(options.codec);
  return identity;
}

class BrickJob {
 public:
  BrickJob(VolumeInputs& inputs, const BrickOptions& options,
           const std::function<void(const BrickProgress&)>& progress)
      : inputs_(inputs),
        options_(options),
        progress_(progress),
        volume_(written_part(inputs.info(), options)),
        layout_(brick_layout(volume_, options.side)),
        buffers_(buffers_for(layout_)),
        folder_(options.output, identity_of(inputs, options, volume_), layout_.levels.size(),
                volume_.timesteps() > 1, options.overwrite) {}

  BrickResult run() {
    const BrickMark before = folder_.mark();
    if (!folder_.complete()) {
      try {
        write_all();
      } catch (const InputError& error) {
        folder_.discard_beginning();
        throw InputError(error.what() + after_words());
      } catch (const JobError& error) {
        if (options_.stop.stop_requested()) throw JobError(stop_words());
        throw JobError(error.what() + after_words());
      } catch (const Stopped&) {
        throw JobError(stop_words());
      }
    }
    BrickResult result;
    result.layout = layout_;
    result.timesteps = volume_.timesteps();
    result.counts = folder_.mark().counts;
    result.values = values();
    result.already_complete = folder_.complete();
    result.slabs_before = slabs_of(before);
    result.input_bytes = input_bytes_;
    result.duration_s = seconds_since(start_);
    result.reading_s = reading_s_;
    result.writing_s = writing_s_;
    return result;
  }

 private:
  [[nodiscard]] int slabs() const { return layout_.levels[0].bricks.z; }
  [[nodiscard]] std::int64_t slabs_of(const BrickMark& mark) const {
    return std::int64_t{mark.timestep} * slabs() + mark.slabs;
  }

  [[nodiscard]] std::string stop_words() const {
    return fmt::format("{}: interrupted after {} of {} slabs; the same command goes on from there",
                       folder_.path().string(), slabs_of(folder_.mark()),
                       std::int64_t{volume_.timesteps()} * slabs());
  }
  [[nodiscard]] std::string after_words() const {
    std::error_code error;
    if (!fs::exists(folder_.path(), error)) return " (nothing is left of it)";
    return fmt::format(" ({} keeps {} of {} slabs; the same command goes on from there)",
                       folder_.path().string(), slabs_of(folder_.mark()),
                       std::int64_t{volume_.timesteps()} * slabs());
  }

  [[nodiscard]] ValueRange values() const {
    const ValueRange stored = folder_.mark().stored;
    const auto value = [&](float number) {
      return static_cast<float>(volume_.scale.offset +
                                volume_.scale.scale * static_cast<double>(number));
    };
    return {value(stored.min), value(stored.max)};
  }

  void write_all() {
    if (folder_.mark().at_start()) {
      folder_.write_text(".zgroup", zgroup_text());
      for (std::size_t level = 0; level < layout_.levels.size(); ++level)
        folder_.write_text(fmt::format("{}/.zarray", level),
                           zarray_text(layout_, level, volume_.timesteps(), options_.codec));
    }
    BrickPyramid pyramid(layout_, folder_, options_.codec, options_.threads, options_.stop);
    std::vector<HugeMemory> slabs_memory;
    for (std::size_t i = 0; i < buffers_; ++i) slabs_memory.emplace_back(layout_.slab_bytes(0));
    while (folder_.mark().timestep < volume_.timesteps()) write_timestep(pyramid, slabs_memory);
    folder_.write_text(".zattrs", zattrs_text(volume_, layout_, values()));
  }

  void write_timestep(BrickPyramid& pyramid, const std::vector<HugeMemory>& memory) {
    const int timestep = folder_.mark().timestep;
    const int first = folder_.mark().slabs;
    pyramid.begin(timestep, first);
    std::future<double> writing;  // its destructor waits, so that the memory outlives the write
    for (int slab = first; slab < slabs(); ++slab) {
      const HugeMemory& buffer = memory[static_cast<std::size_t>(slab) % memory.size()];
      // With a single buffer, it has to be written before the next slab is read into it.
      if (memory.size() == 1) finish(pyramid, writing, timestep, slab);
      read_slab(timestep, slab, buffer.data());
      finish(pyramid, writing, timestep, slab);
      writing = std::async(std::launch::async, [&pyramid, slab, data = buffer.data()] {
        const Clock::time_point start = Clock::now();
        pyramid.add(slab, data);
        return seconds_since(start);
      });
    }
    finish(pyramid, writing, timestep, slabs());
  }

  void read_slab(int timestep, int slab, std::byte* to) {
    const Clock::time_point start = Clock::now();
    const int first = slab * layout_.side;
    const int end = first + layout_.slices(0, slab);
    const auto piece = static_cast<int>(
        std::clamp<std::size_t>(read_piece_bytes / inputs_.slab_bytes(0, 1), 1, 1 << 20));
    for (int z = first; z < end;) {
      if (options_.stop.stop_requested()) throw Stopped{};
      // Reads end at multiples of the file's own slabs, which is fastest.
      const int thick = inputs_.info().slab_voxels;
      const int next = std::min(end, (z / thick + std::max(piece / thick, 1)) * thick);
      const std::size_t bytes = inputs_.slab_bytes(z, next);
      inputs_.read(options_.first_timestep + timestep, z, next, {to, bytes});
      to += bytes;
      input_bytes_ += bytes;
      z = next;
    }
    reading_s_ += seconds_since(start);
  }

  /// Waits for the slab that is being written, the one before `next_slab`, and records the
  /// progress.
  void finish(BrickPyramid& pyramid, std::future<double>& writing, int timestep, int next_slab) {
    if (!writing.valid()) return;
    while (writing.wait_for(progress_every) == std::future_status::timeout) report(pyramid);
    writing_s_ += writing.get();
    BrickMark mark = {timestep, next_slab, pyramid.counts(), pyramid.stored()};
    if (next_slab == slabs()) {
      ++mark.timestep;
      mark.slabs = 0;
    }
    folder_.set_mark(std::move(mark));
    report(pyramid);
  }

  void report(const BrickPyramid& pyramid) {
    const VolumeSize bricks = layout_.levels[0].bricks;
    const std::int64_t a_slab = std::int64_t{bricks.x} * bricks.y;
    progress_({slabs_before_ * a_slab + pyramid.bricks_done(),
               volume_.timesteps() * a_slab * bricks.z, input_bytes_});
  }

  VolumeInputs& inputs_;
  const BrickOptions& options_;
  const std::function<void(const BrickProgress&)>& progress_;
  const VolumeInfo volume_;
  const BrickLayout layout_;
  const std::size_t buffers_;
  BrickFolder folder_;
  const std::int64_t slabs_before_ = slabs_of(folder_.mark());
  const Clock::time_point start_ = Clock::now();
  std::uint64_t input_bytes_ = 0;
  double reading_s_ = 0;
  double writing_s_ = 0;
};

}  // namespace

BrickResult write_bricks(VolumeInputs& inputs, const BrickOptions& options,
                         const std::function<void(const BrickProgress&)>& progress) {
  check_side(options.side);
  check_apart(options.output, inputs.paths());
  return BrickJob(inputs, options, progress).run();
}

}  // namespace tilewall::render
