#include "player/volume/caster/caster_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <list>
#include <nlohmann/json.hpp>

#include "net/local_socket.hpp"
#include "player/trace/trace_link.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "sync/base/check.hpp"
#include "sync/base/host_name.hpp"
#include "sync/base/json_text.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall {
namespace {

constexpr int most_clients = 256;
constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr off_t most_picture_bytes = off_t{max_part_side_px} * max_part_side_px * 4;

/// What a panel gave for its pictures; it cannot shrink.
class PictureMemory {
 public:
  PictureMemory() noexcept = default;
  /// Nothing where the descriptor is no such memory.
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

/// A panel.
struct Client {
  UniqueFd connection;
  PictureMemory memory;
  std::shared_ptr<const WishedStyle> style;
  std::optional<CastMessage> wish;
  std::optional<std::uint64_t> opening;  // number of the OpenMessage that waits
};

/// The style that a panel sent, in memory of its own. Throws InputError.
std::shared_ptr<const WishedStyle> read_style(int fd) {
  auto wished = std::make_shared<WishedStyle>();
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || status.st_size <= 0 || status.st_size > max_style_bytes)
    throw InputError("a style: expected one in memory, of " + std::to_string(max_style_bytes) +
                     " bytes at most");
  wished->text.resize(static_cast<std::size_t>(status.st_size));
  if (::pread(fd, wished->text.data(), wished->text.size(), 0) != status.st_size)
    throw InputError("a style: it ends early");
  wished->style = volume_style_from_json(parse_json(wished->text));
  return wished;
}

class CasterServer {
 public:
  explicit CasterServer(const CasterOptions& options)
      : listening_(options.listening), threads_(options.threads) {
    try {
      store_.emplace(volume_job_of(options.volume), options.threads);
    } catch (const InputError& error) {
      refusal_ = error.what();
    }
  }

  [[noreturn]] void serve() {
    for (;;) {
      wait();
      accept_all();
      for (Client& client : clients_) receive(client);
      clients_.remove_if([](const Client& client) { return client.connection.empty(); });
      if (store_) store_->drain();
      for (Client& client : clients_) {
        if (client.opening) answer_opening(client);
        if (client.wish) answer_wish(client);
      }
    }
  }

 private:
  void wait() {
    std::vector<pollfd> waiting = {{listening_, POLLIN, 0},
                                   {store_ ? store_->ready_fd() : -1, POLLIN, 0}};
    for (const Client& client : clients_) waiting.push_back({client.connection.get(), POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), -1);
  }

  void accept_all() {
    while (clients_.size() < most_clients) {
      Client client;
      client.connection = accept_local(listening_);
      if (client.connection.empty()) return;
      clients_.push_back(std::move(client));
    }
  }

  void receive(Client& client) {
    std::array<std::byte, sizeof(CastMessage) + 1> packet;
    while (!client.connection.empty()) {
      const ReceivedPacket received = receive_packet(client.connection.get(), packet);
      if (received.status == PacketStatus::nothing_yet) return;
      const std::span bytes(packet.data(), received.bytes);
      if (received.status == PacketStatus::closed || !take(client, bytes, received.file.get()))
        client.connection.reset();
    }
  }

  /// False: the panel talks nonsense.
  bool take(Client& client, std::span<const std::byte> packet, int file) {
    const auto kind = kind_of(packet);
    if (!kind) return false;
    switch (*kind) {
      case CastMessageKind::open:
        client.opening = decode_open(packet);
        return client.opening.has_value();
      case CastMessageKind::memory:
        client.wish.reset();  // it was measured for the memory before
        client.memory = PictureMemory(file);
        return client.memory.bytes() > 0;
      case CastMessageKind::style:
        try {
          client.style = read_style(file);
          return true;
        } catch (const InputError&) {
          return false;
        }
      case CastMessageKind::cast:
        client.wish = decode_cast(packet, client.memory.bytes());
        return client.wish.has_value() && client.style != nullptr;
    }
    return false;
  }

  void answer(Client& client, CastAnswer& answer) {
    if (store_) {
      answer.reduced_by = store_->reduced_by();
      answer.held_bytes = store_->held_bytes();
    }
    if (!send_packet(client.connection.get(), std::as_bytes(std::span(&answer, 1))))
      client.connection.reset();
  }

  void refuse(Client& client, std::uint64_t number, const std::string& line) {
    CastAnswer refusal;
    refusal.status = CastStatus::refused;
    refusal.number = number;
    set_line(refusal, line);
    answer(client, refusal);
  }

  /// The timestep, where it is there. Throws InputError where it never will be.
  ReadyTimestepPtr timestep(std::int64_t number) {
    if (!store_) throw InputError(refusal_);
    if (number >= store_->timesteps())
      throw InputError({"timestep"}, "", "under " + std::to_string(store_->timesteps()),
                       std::to_string(number));
    return store_->get(number);
  }

  void answer_opening(Client& client) {
    CastAnswer opened;
    opened.number = *client.opening;
    try {
      if (timestep(0) == nullptr) return;
    } catch (const std::exception& error) {
      refuse(client, *client.opening, error.what());
      client.opening.reset();
      return;
    }
    client.opening.reset();
    answer(client, opened);
  }

  void answer_wish(Client& client) {
    const CastMessage wish = *client.wish;
    CastAnswer made;
    made.number = wish.number;
    try {
      const ReadyTimestepPtr shown = timestep(wish.timestep);
      if (!shown) return;
      const TraceSpan span("cast", {wish.timestep, TraceLabels::none});
      const LocalInstant began = local_now();
      const PictureCost cost = make_picture(
          *shown, *client.style, wish, client.memory.picture(wish.width, wish.height), threads_);
      made.samples = cost.samples;
      made.style_ns = cost.style_ns;
      made.annotate_ns = cost.annotate_ns;
      made.blank = cost.blank ? 1 : 0;
      made.cast_ns = static_cast<std::uint64_t>((local_now() - began).count());
    } catch (const std::exception& error) {
      refuse(client, wish.number, error.what());
      client.wish.reset();
      return;
    }
    client.wish.reset();
    answer(client, made);
  }

  const int listening_;
  const int threads_;
  std::optional<TimestepStore> store_;  // empty: `refusal_` says why
  std::string refusal_;
  std::list<Client> clients_;
};

}  // namespace

void run_caster(const CasterOptions& options) {
  const ProcessTrace trace({options.trace,
                            {"caster", -1, ::getpid(), host_name(), false, {}},
                            mapping_by_page(options.clock_page)});
  const TraceThread thread(trace.recorder(), "volume cast");
  use_background_priority();  // helpers and the store's thread inherit it
  CasterServer(options).serve();
}

}  // namespace tilewall
