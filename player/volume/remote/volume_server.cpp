#include "player/volume/remote/volume_server.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "net/slab/handshake.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/readers/load_volume.hpp"
#include "render/volume/cell_ranges.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::volume {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t most_listed_volumes = 10'000;
constexpr Nanos listing_time = std::chrono::seconds(3);
constexpr std::chrono::milliseconds listed_open_limit{1000};
constexpr Nanos longest_kept = std::chrono::seconds(10);  // files may be rewritten
constexpr std::chrono::seconds longest_turn_wait{1};      // limit of a wait, which holds a worker
constexpr std::size_t most_info_bytes = std::size_t{8} << 20;
constexpr std::size_t most_kept = 1024;
constexpr std::size_t most_range_voxels = std::size_t{1} << 28;

/// A text that changes when the files that define a volume do: their inodes, sizes and times.
std::string identity_of(const std::string& path) {
  std::string text;
  const auto add = [&](const fs::path& file) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0) return false;
    text += fmt::format("{} {} {}.{} ", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec);
    return true;
  };
  if (!add(path)) add(fs::path(path).parent_path());  // a pattern: the folder of its files
  for (const char* beside : {".zattrs", ".zarray", ".zgroup", "Header"})
    add(fs::path(path) / beside);
  return text;
}

/// The line without the path of the served folder, which is no business of clients.
std::string without_root(std::string line, const std::string& root) {
  for (std::size_t at = 0; (at = line.find(root, at)) != std::string::npos;)
    line.erase(at, root.size());
  return line.substr(0, longest_box_line);
}

RemoteVolumeName volume_of(const Json& question) {
  const Json name = question.value("name", Json());
  if (!name.is_string()) throw InputError({"message"}, "name", "a volume's name", shown_json(name));
  RemoteVolumeName volume{name.get<std::string>(), {}};
  const Json options = question.value("options", Json());
  try {
    if (!options.is_null()) volume.options = render::volume_options_from_json(options);
  } catch (const Json::exception&) {
    throw InputError({"message"}, "options", "the options of a volume", shown_json(options));
  }
  if (volume.options.dataset.size() > longest_dataset_name)
    throw InputError({"message"}, "dataset", fmt::format("at most {} bytes", longest_dataset_name),
                     fmt::format("{}", volume.options.dataset.size()));
  if (volume.options.fixed.size() > render::most_fixed_axes)
    throw InputError({"message"}, "fixed", fmt::format("at most {} axes", render::most_fixed_axes),
                     fmt::format("{}", volume.options.fixed.size()));
  if (!volume.options.more.empty())  // these paths could lead out of the served folders
    throw InputError({"message"}, "more", "no further files for a volume of a server",
                     fmt::format("{} files", volume.options.more.size()));
  return volume;
}

Json listed(const std::string& name, const render::VolumeInfo& info) {
  return {{"name", name},
          {"format", info.format},
          {"size_voxels", {info.size.x, info.size.y, info.size.z}},
          {"type", info.file_type},
          {"timesteps", info.timesteps()}};
}

net::SlabBuffer status_slab(net::SlabBuffer slab, BoxAnswerStatus status, std::size_t body_bytes) {
  const BoxAnswerHeader header{box_answer_magic, static_cast<std::uint32_t>(status), body_bytes};
  slab.resize(sizeof header + body_bytes);
  std::memcpy(slab.data(), &header, sizeof header);
  return slab;
}

std::shared_ptr<const net::SlabBuffer> line_answer(BoxAnswerStatus status,
                                                   const std::string& line = {}) {
  net::SlabBuffer slab = status_slab({}, status, line.size());
  std::memcpy(slab.data() + sizeof(BoxAnswerHeader), line.data(), line.size());
  return std::make_shared<const net::SlabBuffer>(std::move(slab));
}

}  // namespace

/// A volume that is open or is being opened. Only the holder of its turn uses the fields, except
/// for `volume` and the guarded `queue`.
struct VolumeServer::Open {
  RemoteVolumeName volume;
  std::optional<render::VolumeFile> file;
  std::string identity;  // identity_of() the file
  std::string path;
  std::string root;
  fs::path beneath;
  struct Ranges {
    int timestep = 0;
    int grid = 0;
    std::optional<render::BrickRanges> ranges;  // empty: the file has none
  };
  std::optional<Ranges> ranges;   // the last ones that were requested
  std::deque<const Turn*> queue;  // guarded by the server's mutex; the first has its turn
};

/// The right to read a volume. Requests have it one at a time, in the order of their arrival,
/// because streams are read fastest in their own order.
class VolumeServer::Turn {
 public:
  /// Waits for the turn, for at most `longest_turn_wait`.
  Turn(VolumeServer& server, const RemoteVolumeName& volume) : server_(server) {
    std::unique_lock lock(server.mutex_);
    open_ = server.open_of(volume);
    if (!open_) return;
    open_->queue.push_back(this);
    if (server.turned_.wait_for(lock, longest_turn_wait,
                                [&] { return open_->queue.front() == this; }))
      return;
    std::erase(open_->queue, this);
    open_.reset();
  }
  ~Turn() {
    if (!open_) return;
    const std::scoped_lock lock(server_.mutex_);
    open_->queue.pop_front();
    server_.turned_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Null if the turn did not come, or as many volumes as allowed are being read.
  [[nodiscard]] Open* open() const noexcept { return open_.get(); }

 private:
  VolumeServer& server_;
  OpenPtr open_;
};

/// Counts an answer's bytes in `lent_` for as long as the answer is in memory.
class VolumeServer::Loan {
 public:
  Loan(VolumeServer& server, std::size_t bytes) : lent_(server.lent_), bytes_(bytes) {
    lent_ += bytes_;
  }
  ~Loan() { lent_ -= bytes_; }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

 private:
  std::atomic<std::size_t>& lent_;
  const std::size_t bytes_;
};

VolumeServer::VolumeServer(const std::vector<fs::path>& places) : VolumeServer(places, Limits{}) {}
VolumeServer::VolumeServer(const std::vector<fs::path>& places, const Limits& limits)
    : limits_(limits), places_(std::make_shared<const VolumePlaces>(places)) {}
VolumeServer::VolumeServer(std::vector<VolumeExport> exports)
    : places_(std::make_shared<const VolumePlaces>(std::move(exports))) {}

VolumeServer::~VolumeServer() = default;

void VolumeServer::replace(std::vector<VolumeExport> exports) {
  const auto is_over = [&](const OpenPtr& open) {
    return std::ranges::none_of(
        exports, [&](const VolumeExport& exported) { return exported.name == open->volume.name; });
  };
  std::list<OpenPtr> over;  // destroyed after the lock: ending a reader process takes time
  std::deque<Kept> kept;
  const std::scoped_lock lock(mutex_);
  kept.swap(kept_);
  answers_.clear();
  for (auto open = open_.begin(); open != open_.end();)
    if (const auto at = open++; is_over(*at)) over.splice(over.end(), open_, at);
  places_ = std::make_shared<const VolumePlaces>(std::move(exports));
}

std::shared_ptr<const VolumePlaces> VolumeServer::places() const {
  const std::scoped_lock lock(mutex_);
  return places_;
}

Json VolumeServer::call(const Json& question) {
  const Json type = question.value("type", Json());
  if (type == "list") return answers_.get("list", [this] { return list(); });
  if (type == "open") return open(question);
  if (type == "range") {
    const RemoteVolumeName volume = volume_of(question);
    return answers_.get(json_text(Json{volume.name, render::to_json(volume.options)}),
                        [&] { return range(volume); });
  }
  throw InputError({"message"}, "type", "list, open or range", shown_json(type));
}

Json VolumeServer::list() {
  Json volumes = Json::array();
  std::size_t left_out = 0;
  const LocalInstant until = local_now() + listing_time;
  const std::shared_ptr<const VolumePlaces> places = this->places();
  for (const std::string& name : places->list(most_listed_volumes)) {
    const auto found = places->find(name);
    if (found && local_now() < until) try {
        const render::ReaderLimits limits{.open = listed_open_limit, .beneath = found->beneath};
        render::VolumeOptions options;
        options.first_dataset = true;
        options.more = found->more;
        volumes.push_back(
            listed(name, render::VolumeFile::open(found->path, options, limits).info()));
        continue;
      } catch (const std::exception&) {
        ++left_out;  // it has a volume's name, but cannot be read
        continue;
      }
    if (found)
      volumes.push_back({{"name", name}});
    else
      ++left_out;
  }
  return {{"volumes", std::move(volumes)}, {"left_out", left_out}};
}

/// The volume, opened or to be opened; null if no more may be open. @pre mutex_ is locked.
VolumeServer::OpenPtr VolumeServer::open_of(const RemoteVolumeName& volume) {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const OpenPtr& open) { return open->volume == volume; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front();
  }
  while (open_.size() >= limits_.open_volumes) {
    const auto unused = std::find_if(open_.rbegin(), open_.rend(),
                                     [](const OpenPtr& open) { return open->queue.empty(); });
    if (unused == open_.rend()) return nullptr;
    open_.erase(std::next(unused).base());
  }
  open_.push_front(std::make_shared<Open>());
  open_.front()->volume = volume;
  return open_.front();
}

void VolumeServer::open_file(Open& open) {
  const auto found = places()->find(open.volume.name);
  if (!found)
    throw InputError({open.volume.name}, "",
                     "a volume of this server ('tilewall info tilewall://HOST:PORT' lists them)",
                     "none");
  open.root = found->root;
  const std::string identity = identity_of(found->path);
  if (open.file && !open.file->is_lost() && open.identity == identity) return;
  open.file.reset();
  open.ranges.reset();
  open.path = found->path;
  open.beneath = found->beneath;
  drop_kept(0);  // answers of the volume as it was before
  render::VolumeOptions options = open.volume.options;
  options.more = found->more;
  try {
    render::ReaderLimits limits = limits_.reader;
    limits.beneath = found->beneath;
    open.file.emplace(render::VolumeFile::open(found->path, options, limits));
  } catch (const std::exception& error) {
    throw InputError(without_root(error.what(), found->root));
  }
  open.identity = identity;
}

VolumeServer::Open& VolumeServer::open_now(const Turn& turn, const RemoteVolumeName& volume) {
  if (turn.open() == nullptr)
    throw InputError({volume.name}, "", "a server with time for this volume", "a busy server");
  open_file(*turn.open());
  return *turn.open();
}

Json VolumeServer::open(const Json& question) {
  const RemoteVolumeName volume = volume_of(question);
  const Turn turn(*this, volume);
  const Open& open = open_now(turn, volume);
  Json info = render::to_json(open.file->info());
  for (const char* const field : {"notes", "other_files"})
    for (Json& text : info[field]) text = without_root(text.get<std::string>(), open.root);
  const std::size_t bytes = net::text_of(info).size();
  if (bytes > most_info_bytes)
    throw InputError({volume.name}, "timesteps",
                     fmt::format("a description of at most {} MiB", most_info_bytes >> 20),
                     fmt::format("{} timesteps", open.file->info().timesteps()));
  return {{"volume", std::move(info)}};
}

Json VolumeServer::range(const RemoteVolumeName& volume) {
  const Turn turn(*this, volume);
  render::VolumeFile& file = *open_now(turn, volume).file;
  if (file.info().size.voxels() > most_range_voxels)
    throw InputError({volume.name}, "size", fmt::format("at most {} voxels", most_range_voxels),
                     fmt::format("{}", file.info().size.voxels()));
  const render::ScannedValues found = render::scan_values(file);
  const Json range = found.range.empty() ? Json(nullptr) : Json({found.range.min, found.range.max});
  return {{"range", range}, {"not_positive", found.not_positive}};
}

std::uint64_t VolumeServer::answer_bytes(std::span<const std::byte> request) {
  return sizeof(BoxAnswerHeader) +
         std::max(box_bytes(parse_box_request(request)), longest_box_line);
}

std::shared_ptr<const net::SlabBuffer> VolumeServer::read(std::span<const std::byte> payload) {
  const BoxRequest request = parse_box_request(payload);
  try {
    return answer(request, payload);
  } catch (const std::exception& error) {  // any error: the client's wall reports it
    return line_answer(BoxAnswerStatus::failed,
                       std::string(error.what()).substr(0, longest_box_line));
  }
}

VolumeServer::Answer VolumeServer::answer(const BoxRequest& request,
                                          std::span<const std::byte> payload) {
  if (Answer kept = find_kept(payload)) return kept;
  const Turn turn(*this, request.volume);
  if (turn.open() == nullptr) return line_answer(BoxAnswerStatus::busy);
  if (Answer kept = find_kept(payload)) return kept;  // it was read while this request waited
  const std::size_t bytes = box_bytes(request);
  if (lent_ + bytes > limits_.answer_bytes) drop_kept(0);
  if (lent_ + bytes > limits_.answer_bytes) return line_answer(BoxAnswerStatus::busy);
  if (!turn.open()->file || turn.open()->file->is_lost()) open_file(*turn.open());
  const render::VolumeInfo& info = turn.open()->file->info();
  const bool is_known = request.timestep < info.timesteps() && request.grid < info.grids() &&
                        info.grid(request.grid).size == request.grid_size &&
                        info.type == request.type;
  if (!is_known) return line_answer(BoxAnswerStatus::changed);
  if (request.cell_side > 0 && !ranges_for(*turn.open(), request))
    return line_answer(BoxAnswerStatus::unknown);
  Answer answer = read_voxels(*turn.open(), request);
  keep(*turn.open(), payload, answer);
  return answer;
}

VolumeServer::Answer VolumeServer::read_voxels(Open& open, const BoxRequest& request) {
  const std::size_t bytes = box_bytes(request);
  auto loan = std::make_unique<const Loan>(*this, bytes);
  net::SlabBuffer slab =
      status_slab(pool_.take(sizeof(BoxAnswerHeader) + bytes), BoxAnswerStatus::found, bytes);
  try {
    read_voxels(open, request, {slab.data() + sizeof(BoxAnswerHeader), bytes});
  } catch (const std::exception& error) {
    throw InputError(without_root(error.what(), open.root));
  }
  struct Lent {
    Answer slab;
    std::unique_ptr<const Loan> loan;
  };
  const auto lent = std::make_shared<Lent>(Lent{pool_.share(std::move(slab)), std::move(loan)});
  return {lent, lent->slab.get()};
}

void VolumeServer::read_voxels(Open& open, const BoxRequest& request, std::span<std::byte> into) {
  if (request.cell_side > 0) {
    const render::CellPairs cells = open.ranges->ranges->cells_in(request.box);
    std::memcpy(into.data(), cells.least.data(), cells.least.size());
    std::memcpy(into.data() + cells.least.size(), cells.greatest.data(), cells.greatest.size());
    return;
  }
  const render::VolumeSize size = request.box.size();
  const std::size_t row =
      static_cast<std::size_t>(size.x) * static_cast<std::size_t>(render::bytes_of(request.type));
  open.file->read_box(request.grid, request.timestep, request.box,
                      {into.data(), row, row * static_cast<std::size_t>(size.y)});
}

/// Whether the file has ranges for the request's cells; opens them.
bool VolumeServer::ranges_for(Open& open, const BoxRequest& request) {
  if (request.cell_side != render::cell_side_of(request.grid_size)) return false;
  if (!open.ranges || open.ranges->timestep != request.timestep ||
      open.ranges->grid != request.grid) {
    open.ranges.reset();
    const int level = open.file->info().level + request.grid;
    open.ranges = {request.timestep, request.grid,
                   render::BrickRanges::try_open(open.path, request.timestep, level,
                                                 request.grid_size, open.beneath)};
  }
  return open.ranges->ranges.has_value();
}

VolumeServer::Answer VolumeServer::find_kept(std::span<const std::byte> payload) {
  const std::scoped_lock lock(mutex_);
  while (!kept_.empty() && local_now() - kept_.front().since > longest_kept) kept_.pop_front();
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return std::ranges::equal(kept.request, payload);
  });
  return found == kept_.end() ? nullptr : found->answer;
}

void VolumeServer::keep(const Open& open, std::span<const std::byte> payload, Answer answer) {
  if (answer->size() > limits_.kept_bytes) return;
  drop_kept(limits_.kept_bytes - answer->size());
  const std::scoped_lock lock(mutex_);
  const auto is_it = [&](const OpenPtr& known) { return known.get() == &open; };
  if (std::ranges::none_of(open_, is_it)) return;  // the volume was closed meanwhile
  if (kept_.size() >= most_kept) kept_.pop_front();
  kept_.push_back({{payload.begin(), payload.end()}, std::move(answer), local_now()});
}

void VolumeServer::drop_kept(std::size_t down_to_bytes) {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const Kept& kept : kept_) bytes += kept.answer->size();
  for (; bytes > down_to_bytes; kept_.pop_front()) bytes -= kept_.front().answer->size();
}

}  // namespace tilewall::volume
