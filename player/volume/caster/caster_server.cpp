#include "player/volume/caster/caster_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "net/local_socket.hpp"
#include "net/socket.hpp"
#include "player/scene/volume_style.hpp"
#include "player/trace/trace_link.hpp"
#include "player/volume/caster/live_receiver.hpp"
#include "player/volume/caster/live_store.hpp"
#include "player/volume/caster/outliers.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::volume {
namespace {

constexpr int most_clients = 256;
constexpr std::chrono::seconds reopen_pause{1};  // a volume's folder may be back by then
constexpr int look_ms = 500;           // longest wait before waiting panels are told of trouble
constexpr int turn_ms = 5000;          // longest turn where nobody waits
constexpr int all_read = 1000;         // CastAnswer::progress
constexpr std::size_t most_told = 64;  // lines about styles
constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr off_t most_picture_bytes = off_t{max_part_side_px} * max_part_side_px * 4;

/// Shared memory that a panel provides for its pictures. Its size is sealed, because a panel that
/// shrank it would crash the caster.
class PictureMemory {
 public:
  PictureMemory() noexcept = default;
  /// Maps the memory; bytes() is 0 if the descriptor has no sealed size, or a wrong one.
  explicit PictureMemory(int fd) {
    struct stat status = {};
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & fixed_size) != fixed_size || ::fstat(fd, &status) != 0 ||
        status.st_size <= 0 || status.st_size > most_picture_bytes)
      return;
    void* const at = ::mmap(nullptr, static_cast<std::size_t>(status.st_size),
                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return;
    begin_ = static_cast<std::uint8_t*>(at);
    bytes_ = static_cast<std::size_t>(status.st_size);
  }
  PictureMemory(PictureMemory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PictureMemory& operator=(PictureMemory&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PictureMemory() {
    if (begin_ != nullptr) ::munmap(begin_, bytes_);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] ImageView picture(int width, int height) const noexcept {
    return {begin_, {width, height}, static_cast<std::size_t>(width) * 4};
  }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A panel that is connected.
struct Client {
  UniqueFd connection;
  PictureMemory memory;
  std::shared_ptr<const RequestedStyle> style;
  std::optional<CastMessage> request;    // not answered yet
  std::optional<std::uint64_t> opening;  // number of an OpenMessage that is not answered yet
  std::optional<DetailChoice> awaited;   // the request is answered once this detail is loaded
  bool chooses = false;                  // the request waits for cells, to choose its detail by
  std::optional<int> oldest_stage;       // that its next pictures may need; empty: none was asked
  bool told_trouble = false;             // was told of the trouble that lasts
  int told_progress = -1;                // the last progress that it was told
  std::string told_fault;                // the last fault of a detail that was reported
  std::optional<CastAnswer> drawn;       // the answer is sent with those of other panels
  [[nodiscard]] bool waits() const { return request || opening; }
};

/// Copies and reads the style that a panel sent; the panel may change its memory at any time.
/// Throws InputError.
std::shared_ptr<const RequestedStyle> read_style(int fd) {
  auto requested = std::make_shared<RequestedStyle>();
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || status.st_size <= 0 || status.st_size > max_style_bytes)
    throw InputError("a style: expected a memory file of 1 to " + std::to_string(max_style_bytes) +
                     " bytes");
  requested->text.resize(static_cast<std::size_t>(status.st_size));
  if (::pread(fd, requested->text.data(), requested->text.size(), 0) != status.st_size)
    throw InputError("a style: expected " + std::to_string(status.st_size) + " bytes, found fewer");
  requested->style = scene::volume_style_from_json(parse_json(requested->text));
  return requested;
}

/// What a live source's caster has in place of a TimestepStore.
struct LiveVolumes {
  LiveVolumes(const VolumeJob& job, const std::string& source, const std::string& director,
              HostGpu& gpu, int threads, sync::TraceRecorder* recorder)
      : store(job, gpu, threads), receiver(job, source, director, store, recorder) {}

  LiveStore store;
  LiveReceiver receiver;  // after the store, to which it gives timesteps
};

class CasterServer {
 public:
  CasterServer(const CasterOptions& options, sync::TraceRecorder* recorder)
      : volume_(options.volume),
        director_(options.director),
        recorder_(recorder),
        listening_(options.listening),
        threads_(options.threads),
        turns_(options.turns_fd ? std::make_unique<SharedCounter>(*options.turns_fd) : nullptr) {
    open_volume();
  }

  [[noreturn]] void serve() {
    for (;;) {
      wait();
      if (turns_) turns_->increment();
      accept_all();
      for (Client& client : clients_) receive(client);
      clients_.remove_if([](const Client& client) { return client.connection.empty(); });
      if (clients_.empty() && refused_) close_volume();
      if (store_) store_->drain();
      made_room_ = false;
      for (Client& client : clients_) {
        if (client.opening) answer_opening(client);
        if (client.request) answer_request(client);
      }
      if (!std::exchange(drew_together_, false)) send_drawn();
      tell_trouble();
      tell_progress();
    }
  }

 private:
  /// Sends the answers that wait for each other. To be called when no more of them can be drawn
  /// now.
  void send_drawn() {
    for (Client& client : clients_)
      if (const auto drawn = std::exchange(client.drawn, std::nullopt)) send(client, *drawn);
  }

  void open_volume() {
    try {
      const VolumeJob job = volume_job_of(volume_);
      gpu_.emplace(job.caster);
      if (job.live)
        live_ = std::make_unique<LiveVolumes>(job, volume_, director_, *gpu_, threads_, recorder_);
      else
        store_.emplace(job, *gpu_, threads_);
    } catch (const InputError& error) {
      refuse_volume(error.what());
    } catch (const JobError& error) {
      // The port of a live source may be in use by its caster before.
      refuse_volume(error.what());
    }
  }

  void refuse_volume(std::string why) {
    gpu_.reset();
    refusal_ = std::move(why);
    refused_at_ = local_now();
  }

  /// Forgets a volume that was refused. The next panel opens it anew and may find it repaired.
  void close_volume() {
    store_.reset();
    live_.reset();
    gpu_.reset();
    chosen_ = {};
    refusal_.clear();
    told_outliers_ = false;
    told_.clear();
    refused_ = false;
  }

  void wait() {
    const bool accepts = clients_.size() < most_clients && !accept_pause_.active();
    std::vector<pollfd> waiting = {{accepts ? listening_ : -1, POLLIN, 0},
                                   {store_ ? store_->ready_fd() : -1, POLLIN, 0}};
    for (const Client& client : clients_) waiting.push_back({client.connection.get(), POLLIN, 0});
    const bool anyone_waits = std::ranges::any_of(clients_, &Client::waits);
    // With `made_room_`, a request that waits for another detail has its turn at once. So have
    // answers that wait for those of requests which came while they were drawn.
    const bool is_at_once = made_room_ || std::ranges::any_of(clients_, has_drawn);
    const bool looks = anyone_waits || accept_pause_.active();
    ::poll(waiting.data(), waiting.size(), is_at_once ? 0 : looks ? look_ms : turn_ms);
  }

  [[nodiscard]] static bool has_drawn(const Client& client) { return client.drawn.has_value(); }

  void accept_all() {
    while (clients_.size() < most_clients) {
      Client client;
      client.connection = net::accept_local(listening_);
      if (client.connection.empty()) {
        accept_pause_.note_failure(errno);
        return;
      }
      clients_.push_back(std::move(client));
    }
  }

  void receive(Client& client) {
    std::array<std::byte, sizeof(CastMessage) + 1> packet;
    while (!client.connection.empty()) {
      const net::ReceivedPacket received = net::receive_packet(client.connection.get(), packet);
      if (received.status == net::PacketStatus::nothing_yet) return;
      const std::span bytes(packet.data(), received.bytes);
      if (received.status == net::PacketStatus::closed || !take(client, bytes, received.file.get()))
        client.connection.reset();
    }
  }

  /// Handles a packet. False: it breaks the protocol, so close the connection.
  bool take(Client& client, std::span<const std::byte> packet, int file) {
    const auto kind = kind_of(packet);
    if (!kind) return false;
    switch (*kind) {
      case CastMessageKind::open:
        client.opening = decode_open(packet);
        return client.opening.has_value();
      case CastMessageKind::memory:
        client.drawn.reset();
        client.request.reset();  // its size was checked against the old memory
        client.awaited.reset();
        client.memory = PictureMemory(file);
        return client.memory.bytes() > 0;
      case CastMessageKind::style:
        try {
          client.style = read_style(file);
          client.awaited.reset();  // it was chosen for the old style
          return true;
        } catch (const InputError&) {
          return false;
        }
      case CastMessageKind::cast:
        client.drawn.reset();
        client.request = decode_cast(packet, client.memory.bytes());
        client.awaited.reset();
        return client.request.has_value() && client.style != nullptr;
    }
    return false;
  }

  void send(Client& client, const CastAnswer& answer) {
    if (!net::send_packet(client.connection.get(), std::as_bytes(std::span(&answer, 1))))
      client.connection.reset();
  }

  [[nodiscard]] CastAnswer with_figures(CastAnswer answer) const {
    if (live_) {
      answer.held_bytes = live_->store.held_bytes();
      answer.read_bytes = live_->receiver.figures().received_bytes;
      answer.cpu_ns = process_time_ns();
    }
    answer.progress = all_read;
    if (!store_) return answer;
    answer.progress = store_->progress().value_or(all_read);
    const TimestepStore::Figures figures = store_->figures();
    answer.held_bytes = figures.held_bytes;
    answer.read_bytes = figures.read.read_bytes;
    answer.read_bricks = figures.read.read_bricks;
    answer.read_ns = figures.read.read_ns;
    answer.decode_ns = figures.read.decode_ns;
    answer.cpu_ns = process_time_ns();
    return answer;
  }

  void answer(Client& client, const CastAnswer& answer) { send(client, with_figures(answer)); }

  void refuse(Client& client, std::uint64_t number, const std::string& line) {
    CastAnswer refusal;
    refusal.status = CastStatus::refused;
    refusal.number = number;
    set_line(refusal, line);
    answer(client, refusal);
  }

  /// Tells each waiting panel once what it waits for.
  void tell_trouble() {
    const std::string line = store_ ? store_->trouble() : "";
    for (Client& client : clients_) {
      if (line.empty()) client.told_trouble = false;
      if (line.empty() || !client.waits() || std::exchange(client.told_trouble, true)) continue;
      tell(client, client.opening ? *client.opening : client.request->number, line);
    }
  }

  /// Tells waiting panels how much of a volume in stages is read.
  void tell_progress() {
    const std::optional<int> progress = store_ ? store_->progress() : std::nullopt;
    if (!progress) return;
    CastAnswer reads;
    reads.status = CastStatus::reads;
    reads.progress = *progress;
    for (Client& client : clients_) {
      if (!client.request || client.told_progress == *progress) continue;
      client.told_progress = *progress;
      reads.number = client.request->number;
      send(client, reads);
    }
  }

  /// Tells one panel of outliers, once per volume. A style that chooses its own range of values
  /// needs no such note.
  void tell_outliers(Client& client, const ReadyTimestep& timestep) {
    const VolumeWhole& whole = timestep.whole;
    const scene::VolumeStyle& style = client.style->style;
    const bool are_chosen = style.transfer.scale == render::TransferScale::values || style.range ||
                            scene::covered_range(style, whole.values) != whole.values;
    if (!whole.without_outliers || are_chosen || std::exchange(told_outliers_, true)) return;
    tell(client, client.request->number,
         outlier_line(timestep.words.volume, whole.values, *whole.without_outliers));
  }

  /// Tells one panel what the style's scale leaves out of a volume.
  void tell_left_out(Client& client, const ReadyTimestep& timestep) {
    const render::ValueCurve& scale = client.style->style.scale;
    if (client.style->style.mode == render::CastMode::isosurface) return;
    if (timestep.whole.low.left_out(scale) > 0)
      tell_once(client, "scale " + render::to_string(scale),
                left_out_line(timestep.words.volume, timestep.whole.low, scale));
  }

  /// Sends a line unless one about the same was sent since the volume was opened.
  void tell_once(Client& client, const std::string& about, const std::string& line) {
    if (told_.size() < most_told && told_.insert(about).second)
      tell(client, client.request->number, line);
  }

  /// Puts the range that a style's quantiles are in their place. False while it is not known.
  bool settle_quantiles(Client& client, const ReadyTimestep& timestep) {
    const scene::VolumeStyle& style = client.style->style;
    if (!style.quantiles || style.range) return true;
    const auto& [low, high] = *style.quantiles;
    const std::string about = fmt::format("{:g} % to {:g} %", low, high);
    std::optional<render::ValueRange> range;
    if (store_) {
      const auto answer = store_->quantiles({*style.quantiles, style.scale});
      if (!answer) return false;
      range = answer->range;
    }
    const bool is_wide = range && range->min < range->max;
    tell_once(client, about + render::to_string(style.scale),
              is_wide ? fmt::format("{}: {} of the values are {:.7g} to {:.7g}",
                                    timestep.words.volume, about, range->min, range->max)
                      : fmt::format("{}: no range for {}, so colours are for all values: {}",
                                    timestep.words.volume, about,
                                    live_ ? "a live source has no last timestep"
                                          : "all of these values are the same"));
    auto settled = std::make_shared<RequestedStyle>(*client.style);
    settled->style.quantiles.reset();
    if (is_wide) settled->style.range = range;
    settled->text += about;
    client.style = std::move(settled);
    return true;
  }

  /// Sends a line for the operator, ahead of the answer.
  void tell(Client& client, std::uint64_t number, const std::string& line) {
    CastAnswer waits;
    waits.status = CastStatus::waits;
    waits.number = number;
    set_line(waits, line);
    send(client, waits);
  }

  /// Opens a volume that was refused. Throws InputError where it is refused again.
  void open_again() {
    const bool is_open = store_ || live_;
    if (!is_open && !refusal_.empty() && local_now() >= refused_at_ + reopen_pause) close_volume();
    if (!store_ && !live_ && refusal_.empty()) open_volume();
    if (!store_ && !live_) throw InputError(refusal_);
  }

  /// The timestep; null while it is being read. Throws InputError if it cannot be read.
  ReadyTimestepPtr timestep(std::int64_t number) {
    open_again();
    if (live_) return live_->store.get(number);
    if (number >= store_->timesteps())
      throw InputError({"timestep"}, "", "under " + std::to_string(store_->timesteps()),
                       std::to_string(number));
    return store_->get(number);
  }

  void answer_opening(Client& client) {
    CastAnswer opened;
    opened.number = *client.opening;
    try {
      open_again();
      if (store_ && timestep(0) == nullptr) return;
    } catch (const std::exception& error) {
      refuse(client, *client.opening, error.what());
      client.opening.reset();
      refused_ = true;
      return;
    }
    client.opening.reset();
    answer(client, opened);
  }

  /// Whether another panel waits for cells of another timestep. The store has the cells of one
  /// timestep at a time, so two such panels would otherwise drop each other's cells for ever.
  [[nodiscard]] bool is_other_chosen(const Client& asking) const {
    return std::any_of(clients_.begin(), clients_.end(), [&](const Client& client) {
      return &client != &asking && client.chooses && client.request &&
             client.request->timestep != asking.request->timestep;
    });
  }

  /// Whether another panel waits for the detail that is loaded or being read. The store has one
  /// detail, so reading another one now would starve that panel.
  [[nodiscard]] bool is_detail_awaited(const Client& asking) const {
    return std::any_of(clients_.begin(), clients_.end(), [&](const Client& client) {
      if (&client == &asking || !client.awaited || !client.request) return false;
      const auto state = store_->detail(client.request->timestep, *client.awaited).state;
      return state == TimestepStore::DetailState::coming ||
             state == TimestepStore::DetailState::ready;
    });
  }

  /// Whether the picture stays, so that finer voxels are worth their reading.
  [[nodiscard]] static bool is_still(const CastMessage& request) {
    return request.detail != CastDetail::overview;
  }

  struct Shown {
    ReadyTimestepPtr timestep;  // null: the request has to wait
    FinerDetail finer = FinerDetail::none;
    int stage = 0;  // of a volume that is read in stages
  };

  /// Chooses what the request is drawn from: its detail if that is loaded and may be shown, else
  /// the overview. Starts the reading that is missing.
  Shown shown_for(Client& client, const CastMessage& request) {
    using State = TimestepStore::DetailState;
    Shown shown{timestep(request.timestep)};
    if (shown.timestep && !settle_quantiles(client, *shown.timestep)) return {};
    if (!shown.timestep || live_) return shown;
    if (store_->last_stage() > 0) return shown_stage(client, request);
    if (!is_still(request)) return shown;
    const scene::VolumeStyle& style = client.style->style;
    const SeenPart seen{region_camera_of(request),
                        {request.region_width, request.region_height},
                        style.clip_min,
                        style.clip_max,
                        style.clip_planes,
                        request.sees_around != 0};
    // All panels of a host request the same view one after the other, so the last choice mostly
    // serves. A panel that waits for a detail keeps its choice.
    if (!client.awaited && !(chosen_.timestep == request.timestep && chosen_.seen == seen &&
                             chosen_.style == client.style->text)) {
      TimestepStore::Choice made;
      const bool waits = is_other_chosen(client);
      if (!waits) made = store_->choose(request.timestep, seen, look_of(*shown.timestep, style));
      const bool chose =
          std::exchange(client.chooses, made.lacks && request.detail == CastDetail::awaited);
      // This panel has its cells now, so panels that is_other_chosen() held back have their turn.
      // Without this they would wait for `look_ms`.
      made_room_ |= chose && !client.chooses;
      if (waits || made.lacks) {
        // Cells are read ahead of details and would stop one that another panel waits for.
        if (made.lacks && !is_detail_awaited(client))
          store_->want_cells(request.timestep, *made.lacks);
        shown.finer = FinerDetail::comes;
        return request.detail == CastDetail::awaited ? Shown{} : shown;
      }
      chosen_ = {request.timestep, seen, client.style->text, std::move(made.detail)};
    }
    const std::optional<DetailChoice> choice = client.awaited ? client.awaited : chosen_.choice;
    if (!choice) return shown;
    TimestepStore::Detail detail = store_->detail(request.timestep, *choice);
    const bool is_deferred = request.detail == CastDetail::deferred;
    // Hosts go over to the detail at one instant, so a deferred picture stays an overview even if
    // this host already has the detail.
    if (detail.state == State::ready && !is_deferred) return {std::move(detail.ready)};
    if (detail.state == State::ready) shown.finer = FinerDetail::there;
    if (detail.state == State::failed) {
      shown.finer = FinerDetail::failed;
      if (std::exchange(client.told_fault, detail.fault) != detail.fault)
        tell(client, request.number, detail.fault);
    }
    if (shown.finer != FinerDetail::none) return shown;
    if (detail.state == State::none && !is_detail_awaited(client))
      store_->want_detail(request.timestep, *choice);
    shown.finer = FinerDetail::comes;
    if (request.detail != CastDetail::awaited) return shown;
    client.awaited = choice;
    return {};
  }

  /// shown_for() of a volume that is read in stages. Such a volume has no details.
  Shown shown_stage(Client& client, const CastMessage& request) {
    const bool is_awaited = request.detail == CastDetail::awaited;
    const bool takes_all = request.most_stage == all_stages;
    // A wall whose panels draw a stage ahead shows the one before it, or still the one before that.
    client.oldest_stage =
        is_awaited && !takes_all ? request.most_stage - 2 : std::max(request.most_stage, 0);
    const TimestepStore::Stage stage = store_->stage(request.most_stage);
    const int last = store_->last_stage();
    if (is_awaited && stage.newest < std::min(request.least_stage, last)) return {};
    drop_stages();
    Shown shown{stage.ready, FinerDetail::none, stage.number};
    if (is_still(request) && stage.number < stage.newest)
      shown.finer = FinerDetail::there;
    else if (is_still(request) && store_->progress())
      shown.finer = FinerDetail::comes;
    return shown;
  }

  /// Frees the stages that no panel needs any more.
  void drop_stages() {
    int oldest = all_stages;
    for (const Client& client : clients_)
      if (client.oldest_stage) oldest = std::min(oldest, *client.oldest_stage);
    store_->drop_stages_before(oldest);
  }

  void answer_request(Client& client) {
    const CastMessage request = *client.request;
    CastAnswer made;
    made.number = request.number;
    bool is_together = false;
    try {
      const Shown shown = shown_for(client, request);
      if (!shown.timestep) return;
      const std::int64_t timestep = live_ ? scene::timestep_of(request.timestep) : request.timestep;
      const sync::TraceSpan span("cast", {timestep, sync::TraceLabels::none});
      tell_outliers(client, *shown.timestep);
      tell_left_out(client, *shown.timestep);
      const bool has_new_style = shown.timestep->style != client.style->text;
      is_together = is_still(request) || has_new_style || std::ranges::any_of(clients_, has_drawn);
      const LocalInstant began = local_now();
      const PictureCost cost =
          make_picture(*shown.timestep, *client.style, request,
                       client.memory.picture(request.width, request.height), threads_);
      made.samples = cost.samples;
      made.style_ns = cost.style_ns;
      made.occupancy_ns = cost.times.occupancy_ns;
      made.annotate_ns = cost.annotate_ns;
      made.beams_cpu_ns = cost.times.beams_cpu_ns;
      made.sample_cpu_ns = cost.times.sample_cpu_ns;
      made.gpu_ns = cost.times.gpu_ns;
      made.blank = cost.blank ? 1 : 0;
      made.cast_ns = static_cast<std::uint64_t>((local_now() - began).count());
      made.level = shown.timestep->level;
      made.finer = shown.finer;
      made.stage = shown.stage;
      set_line(made, shown.timestep->caster.drawn_by());
    } catch (const std::exception& error) {
      // A live source's caster that was started again lacks what is on the wall until the next
      // timestep comes, which is nothing to tell people.
      refuse(client, request.number, live_ ? "" : error.what());
      client.request.reset();
      client.awaited.reset();
      return;
    }
    client.request.reset();
    made_room_ |= client.awaited.has_value();
    client.awaited.reset();
    if (is_together) {
      client.drawn = with_figures(made);
      drew_together_ = true;
    } else {
      answer(client, made);
    }
  }

  const std::string volume_;  // a VolumeJob as JSON
  const std::string director_;
  sync::TraceRecorder* const recorder_;  // null: not traced
  const int listening_;
  net::AcceptPause accept_pause_;
  const int threads_;
  const std::unique_ptr<SharedCounter> turns_;  // null: nobody watches
  std::optional<HostGpu> gpu_;
  // One of these where the volume is open.
  std::optional<TimestepStore> store_;
  std::unique_ptr<LiveVolumes> live_;
  std::string refusal_;        // why the volume cannot be opened; "" = not known
  LocalInstant refused_at_{};  // when refusal_ was found
  bool refused_ = false;       // a panel's OpenMessage was refused
  std::list<Client> clients_;
  // A picture that stays, or the first ones of a style, were drawn in this turn. Panels show these
  // together, so their answers are sent together, after the last one is drawn.
  bool drew_together_ = false;
  struct Chosen {
    std::int64_t timestep = -1;
    SeenPart seen;
    std::string style;
    std::optional<DetailChoice> choice;
  };
  Chosen chosen_;  // the newest choice
  bool told_outliers_ = false;
  std::set<std::string> told_;  // what tell_once() has told about
  bool made_room_ = false;      // a panel no longer waits for a detail or cells, so another one can
};

}  // namespace

void run_caster(const CasterOptions& options) {
  const trace::ProcessTrace trace(
      trace::trace_by_page(options.trace, "caster", options.clock_page));
  const sync::TraceThread thread(trace.recorder(), "volume cast");
  sync::use_background_priority();  // helpers and the store's thread inherit it
  CasterServer(options, trace.recorder()).serve();
}

}  // namespace tilewall::volume
