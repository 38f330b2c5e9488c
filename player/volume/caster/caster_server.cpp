#include "player/volume/caster/caster_server.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <memory>
#include <set>

#include "net/local_socket.hpp"
#include "net/socket.hpp"
#include "player/scene/volume_style.hpp"
#include "player/trace/trace_link.hpp"
#include "player/volume/caster/opened_volume.hpp"
#include "player/volume/caster/outliers.hpp"
#include "player/volume/caster/panel_memory.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "sync/base/check.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::volume {
namespace {

constexpr int most_clients = 256;
constexpr int look_ms = 500;           // longest wait before waiting panels are told of trouble
constexpr int turn_ms = 5000;          // longest turn where nobody waits
constexpr int all_read = 1000;         // CastAnswer::progress
constexpr std::size_t most_told = 64;  // lines about styles

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

class CasterServer {
 public:
  CasterServer(const CasterOptions& options, sync::TraceRecorder* recorder)
      : listening_(options.listening),
        threads_(options.threads),
        turns_(options.turns_fd ? std::make_unique<SharedCounter>(*options.turns_fd) : nullptr),
        volume_({options.volume, options.director, options.threads, recorder}) {}

  [[noreturn]] void serve() {
    for (;;) {
      wait();
      if (turns_) turns_->increment();
      accept_all();
      for (Client& client : clients_) receive(client);
      clients_.remove_if([](const Client& client) { return client.connection.empty(); });
      if (clients_.empty() && volume_.was_refused()) close_volume();
      if (TimestepStore* const store = volume_.store()) store->drain();
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

  /// Closes a volume that was refused, and forgets what was said of it.
  void close_volume() {
    volume_.close();
    chosen_ = {};
    told_outliers_ = false;
    told_.clear();
  }

  [[nodiscard]] bool is_live() const noexcept { return volume_.live() != nullptr; }

  void wait() {
    const bool accepts = clients_.size() < most_clients && !accept_pause_.active();
    const TimestepStore* const store = volume_.store();
    std::vector<pollfd> waiting = {{accepts ? listening_ : -1, POLLIN, 0},
                                   {store != nullptr ? store->ready_fd() : -1, POLLIN, 0}};
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
    if (const LiveVolumes* const live = volume_.live()) {
      answer.held_bytes = live->store.held_bytes();
      answer.read_bytes = live->receiver.figures().received_bytes;
      answer.cpu_ns = process_time_ns();
    }
    answer.progress = all_read;
    const TimestepStore* const store = volume_.store();
    if (store == nullptr) return answer;
    answer.progress = store->progress().value_or(all_read);
    const TimestepStore::Figures figures = store->figures();
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
    const TimestepStore* const store = volume_.store();
    const std::string line = store != nullptr ? store->trouble() : "";
    for (Client& client : clients_) {
      if (line.empty()) client.told_trouble = false;
      if (line.empty() || !client.waits() || std::exchange(client.told_trouble, true)) continue;
      tell(client, client.opening ? *client.opening : client.request->number, line);
    }
  }

  /// Tells waiting panels how much of a volume in stages is read.
  void tell_progress() {
    const TimestepStore* const store = volume_.store();
    const std::optional<int> progress = store != nullptr ? store->progress() : std::nullopt;
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
    if (TimestepStore* const store = volume_.store()) {
      const auto answer = store->quantiles({*style.quantiles, style.scale});
      if (!answer) return false;
      range = answer->range;
    }
    const bool is_wide = range && range->min < range->max;
    tell_once(client, about + render::to_string(style.scale),
              is_wide ? fmt::format("{}: {} of the values are {:.7g} to {:.7g}",
                                    timestep.words.volume, about, range->min, range->max)
                      : fmt::format("{}: no range for {}, so colours are for all values: {}",
                                    timestep.words.volume, about,
                                    is_live() ? "a live source has no last timestep"
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

  void answer_opening(Client& client) {
    CastAnswer opened;
    opened.number = *client.opening;
    try {
      volume_.open_again();
      if (volume_.store() != nullptr && volume_.timestep(0) == nullptr) return;
    } catch (const std::exception& error) {
      refuse(client, *client.opening, error.what());
      client.opening.reset();
      volume_.note_refusal();
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
      const auto state = volume_.store()->detail(client.request->timestep, *client.awaited).state;
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
    Shown shown{volume_.timestep(request.timestep)};
    if (shown.timestep && !settle_quantiles(client, *shown.timestep)) return {};
    if (!shown.timestep || is_live()) return shown;
    if (volume_.store()->last_stage() > 0) return shown_stage(client, request);
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
      if (!waits)
        made = volume_.store()->choose(request.timestep, seen, look_of(*shown.timestep, style));
      const bool chose =
          std::exchange(client.chooses, made.lacks && request.detail == CastDetail::awaited);
      // This panel has its cells now, so panels that is_other_chosen() held back have their turn.
      // Without this they would wait for `look_ms`.
      made_room_ |= chose && !client.chooses;
      if (waits || made.lacks) {
        // Cells are read ahead of details and would stop one that another panel waits for.
        if (made.lacks && !is_detail_awaited(client))
          volume_.store()->want_cells(request.timestep, *made.lacks);
        shown.finer = FinerDetail::comes;
        return request.detail == CastDetail::awaited ? Shown{} : shown;
      }
      chosen_ = {request.timestep, seen, client.style->text, std::move(made.detail)};
    }
    const std::optional<DetailChoice> choice = client.awaited ? client.awaited : chosen_.choice;
    if (!choice) return shown;
    TimestepStore::Detail detail = volume_.store()->detail(request.timestep, *choice);
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
      volume_.store()->want_detail(request.timestep, *choice);
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
    const TimestepStore::Stage stage = volume_.store()->stage(request.most_stage);
    const int last = volume_.store()->last_stage();
    if (is_awaited && stage.newest < std::min(request.least_stage, last)) return {};
    drop_stages();
    Shown shown{stage.ready, FinerDetail::none, stage.number};
    if (is_still(request) && stage.number < stage.newest)
      shown.finer = FinerDetail::there;
    else if (is_still(request) && volume_.store()->progress())
      shown.finer = FinerDetail::comes;
    return shown;
  }

  /// Frees the stages that no panel needs any more.
  void drop_stages() {
    int oldest = all_stages;
    for (const Client& client : clients_)
      if (client.oldest_stage) oldest = std::min(oldest, *client.oldest_stage);
    volume_.store()->drop_stages_before(oldest);
  }

  void answer_request(Client& client) {
    const CastMessage request = *client.request;
    CastAnswer made;
    made.number = request.number;
    bool is_together = false;
    try {
      const Shown shown = shown_for(client, request);
      if (!shown.timestep) return;
      const std::int64_t timestep =
          is_live() ? scene::timestep_of(request.timestep) : request.timestep;
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
      refuse(client, request.number, is_live() ? "" : error.what());
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

  const int listening_;
  net::AcceptPause accept_pause_;
  const int threads_;
  const std::unique_ptr<SharedCounter> turns_;  // null: nobody watches
  OpenedVolume volume_;
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
