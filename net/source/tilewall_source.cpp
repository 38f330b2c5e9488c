#include "net/source/tilewall_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "net/live/live_messages.hpp"
#include "net/show_keys.hpp"
#include "net/source/live_source.hpp"
#include "net/source/source_address.hpp"
#include "net/source/source_server.hpp"
#include "sync/base/error.hpp"
#include "sync/global_time.hpp"

/// What the handle of the C interface stands for.
struct tilewall_source {
  tilewall_source(tilewall::net::LiveSourceOptions options, double linger)
      : live(std::move(options)), linger_s(linger) {}

  const pid_t process = ::getpid();
  std::mutex calls;  // the simulation's calls take turns
  tilewall::net::LiveSource live;
  std::optional<tilewall::net::SourceServer> server;
  const double linger_s;
  std::mutex error_mutex;
  std::string error;  // guarded by error_mutex
};

namespace tilewall::net {
namespace {

constexpr double longest_linger_s = 60;
constexpr std::chrono::milliseconds linger_look{2};

/// Text of the calling thread that outlives the call that returns it.
std::string& text_of_thread(int which) {
  static thread_local std::array<std::string, 3> texts;
  return texts[static_cast<std::size_t>(which)];
}
constexpr int open_error = 0;
constexpr int shown_error = 1;
constexpr int shown_news = 2;

int failed(tilewall_source* source, int status, const char* line) noexcept {
  try {
    if (source == nullptr) {
      text_of_thread(open_error) = line;
    } else {
      const std::scoped_lock lock(source->error_mutex);
      source->error = line;
    }
  } catch (const std::exception&) {  // no memory for the line
  }
  return status;
}

/// Runs a call, and turns what it throws into its status.
template <typename Call>
int guarded(tilewall_source* source, Call call) noexcept {
  try {
    return call();
  } catch (const InputError& error) {
    return failed(source, TILEWALL_BAD_ARGUMENT, error.what());
  } catch (const std::bad_alloc&) {
    return failed(source, TILEWALL_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(source, TILEWALL_FAILED, error.what());
  }
}

/// Whether the source is of this process. In a forked child its locks and threads are the parent's.
bool is_own(const tilewall_source& source) noexcept { return source.process == ::getpid(); }

/// The same for a call with a source.
template <typename Call>
int with(tilewall_source* source, Call call) noexcept {
  if (source == nullptr)
    return failed(nullptr, TILEWALL_BAD_ARGUMENT, "source: expected an open one, found NULL");
  if (!is_own(*source))
    return failed(nullptr, TILEWALL_CLOSED,
                  "source: expected one of this process, found its parent's");
  return guarded(source, call);
}

/// The same for a call of the simulation's, which waits for its turn.
template <typename Call>
int in_turn(tilewall_source* source, Call call) noexcept {
  return with(source, [&] {
    const std::scoped_lock turn(source->calls);
    return call();
  });
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

tilewall_options default_options() {
  tilewall_options options;
  tilewall_options_init(&options);
  return options;
}

/// The caller's options, of which an older caller has fewer.
tilewall_options taken(const tilewall_options* given) {
  tilewall_options options = default_options();
  if (given == nullptr) return options;
  if (given->size < offsetof(tilewall_options, memory) || given->size > 4096)
    throw InputError("options: expected tilewall_options_init() before use, found another size");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  options.size = sizeof options;
  if (!(options.linger_s >= 0 && options.linger_s <= longest_linger_s))
    throw InputError(fmt::format("linger_s: expected 0 to 60, found {}", options.linger_s));
  return options;
}

std::optional<AuthKey> key_of(const tilewall_options& options) {
  if (options.key_file != nullptr && options.key_hex != nullptr)
    throw InputError("key: expected a file or its text, found both");
  if (options.key_file != nullptr) return key_from_file(options.key_file, Protocol::stream);
  if (options.key_hex != nullptr)
    return protocol_key(AuthKey::from_hex(options.key_hex, "key_hex"), Protocol::stream);
  return std::nullopt;
}

LiveDescription description_of(const char* name, int rank, int ranks, const std::int64_t* grid,
                               const tilewall_options& options) {
  if (name == nullptr) throw InputError("name: expected a name, found NULL");
  if (const std::string fault = fault_of_live_name(name, "name"); !fault.empty())
    throw InputError(fault);
  if (ranks < 1 || ranks > static_cast<int>(most_live_ranks))
    throw InputError(fmt::format("ranks: expected 1 to {}, found {}", most_live_ranks, ranks));
  if (rank < 0 || rank >= ranks)
    throw InputError(fmt::format("rank: expected 0 to {}, found {}", ranks - 1, rank));
  if (grid == nullptr) throw InputError("grid: expected 3 sides, found NULL");
  LiveDescription description;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis] < 1 || grid[axis] > largest_live_side)
      throw InputError(fmt::format("grid: expected sides of 1 to {} voxels, found {} x {} x {}",
                                   largest_live_side, grid[0], grid[1], grid[2]));
    description.grid[axis] = static_cast<std::uint32_t>(grid[axis]);
    description.spacing[axis] = options.spacing[axis];
    description.origin[axis] = options.origin[axis];
  }
  description.name = name;
  description.rank = static_cast<std::uint32_t>(rank);
  description.ranks = static_cast<std::uint32_t>(ranks);
  description.run = random_nonce_hex().substr(0, 16);
  description.units = text_or_empty(options.units);
  return description;
}

/// Waits until walls have what is held, at most for the source's time.
void await_fetched(tilewall_source& source) {
  const LocalInstant until = local_now() + std::chrono::duration_cast<Nanos>(
                                               std::chrono::duration<double>(source.linger_s));
  while (source.server && source.server->status().sessions > 0 && !source.live.is_fetched() &&
         local_now() < until)
    std::this_thread::sleep_for(linger_look);
}

PutType put_type(int type) {
  if (type < TILEWALL_U8 || type > TILEWALL_F64)
    throw InputError(fmt::format("type: expected a tilewall_type, found {}", type));
  return static_cast<PutType>(type);
}

ArrayShape shape_of(const tilewall_box* box, const tilewall_ghosts* ghosts,
                    const std::int64_t* strides) {
  if (box == nullptr) throw InputError("box: expected one, found NULL");
  ArrayShape shape;
  std::ranges::copy(box->begin, shape.begin.begin());
  std::ranges::copy(box->end, shape.end.begin());
  if (ghosts != nullptr) {
    std::ranges::copy(ghosts->before, shape.ghosts_before.begin());
    std::ranges::copy(ghosts->after, shape.ghosts_after.begin());
  }
  if (strides != nullptr) shape.strides = {strides[0], strides[1], strides[2]};
  return shape;
}

tilewall_statistics statistics_of(tilewall_source& source) {
  const LiveSourceCounters counters = source.live.counters();
  const SlabServerStatus status = source.server->status();
  tilewall_statistics statistics = {};
  statistics.timesteps = counters.timesteps;
  statistics.kept = counters.kept;
  statistics.held_back = counters.held_back;
  statistics.bytes_sent = status.sent.sent_bytes;
  statistics.bytes_held = counters.bytes_held;
  statistics.most_bytes_held = counters.most_bytes_held;
  statistics.not_shown = counters.not_shown;
  statistics.waited_s = counters.waited_s;
  statistics.walls = static_cast<std::uint32_t>(status.sessions);
  statistics.f64_fields = counters.f64_fields;
  return statistics;
}

}  // namespace
}  // namespace tilewall::net

using namespace tilewall::net;

extern "C" {

void tilewall_options_init(tilewall_options* options) {
  if (options == nullptr) return;
  *options = {};
  options->size = sizeof *options;
  for (double& spacing : options->spacing) spacing = 1;
  options->wait_s = 60;
  options->linger_s = 1;
}

int tilewall_open(const char* where, const char* name, int rank, int ranks,
                  const std::int64_t grid[3], const tilewall_options* given,
                  tilewall_source** source) {
  return guarded(nullptr, [&]() -> int {
    if (source == nullptr) throw tilewall::InputError("source: expected a place, found NULL");
    *source = nullptr;
    if (where == nullptr) throw tilewall::InputError("where: expected an address, found NULL");
    const tilewall_options options = taken(given);
    LiveSourceOptions live;
    live.description = description_of(name, rank, ranks, grid, options);
    live.wait_s = options.wait_s;
    live.memory = options.memory;
    const LiveOffer offer{live.description.name, live.description.rank, live.description.ranks};
    const SourcePlaces places = parse_source_places(where);
    auto opened = std::make_unique<tilewall_source>(std::move(live), options.linger_s);
    opened->server.emplace(places, key_of(options), offer, opened->live);
    *source = opened.release();
    return TILEWALL_OK;
  });
}

int tilewall_field(tilewall_source* source, const char* field, const char* units) {
  return in_turn(source, [&] {
    source->live.set_units(text_or_empty(field), text_or_empty(units));
    return TILEWALL_OK;
  });
}

int tilewall_put(tilewall_source* source, const char* field, const tilewall_box* box,
                 const tilewall_ghosts* ghosts, const std::int64_t strides[3], int type,
                 const void* data) {
  return in_turn(source, [&]() -> int {
    ArrayShape shape;
    PutType values = PutType::f32;
    try {
      shape = shape_of(box, ghosts, strides);
      values = put_type(type);
    } catch (const tilewall::InputError& error) {
      source->live.fail(field, error.what());
      throw;
    }
    try {
      source->live.put(field, shape, values, data);
    } catch (const tilewall::JobError& error) {
      return failed(source, TILEWALL_NO_MEMORY, error.what());
    }
    return TILEWALL_OK;
  });
}

int tilewall_end_step(tilewall_source* source, double time) {
  return in_turn(source, [&] {
    const LiveSource::Ended ended = source->live.end_step(time);
    source->server->tell(ended.reached);
    if (!ended.fault.empty()) throw tilewall::InputError(ended.fault);
    return TILEWALL_OK;
  });
}

int tilewall_wanted(tilewall_source* source, const char* field) {
  bool wanted = false;
  in_turn(source, [&] {
    wanted = source->live.wanted(field);
    return TILEWALL_OK;
  });
  return wanted ? 1 : 0;
}

int tilewall_get_statistics(tilewall_source* source, tilewall_statistics* statistics) {
  return with(source, [&] {
    if (statistics == nullptr || statistics->size < sizeof(size_t) || statistics->size > 4096)
      throw tilewall::InputError("statistics: expected their size, found another value");
    const std::size_t size = std::min(statistics->size, sizeof *statistics);
    tilewall_statistics now = statistics_of(*source);
    now.size = size;
    std::memcpy(statistics, &now, size);
    return TILEWALL_OK;
  });
}

int tilewall_port(tilewall_source* source) {
  int port = 0;
  with(source, [&] {
    port = source->server->port();
    return TILEWALL_OK;
  });
  return port;
}

int tilewall_close(tilewall_source* source) {
  if (source == nullptr) return TILEWALL_OK;
  if (!is_own(*source)) return TILEWALL_CLOSED;
  const int status = guarded(nullptr, [&]() -> int {
    await_fetched(*source);
    source->live.close();
    return TILEWALL_OK;
  });
  delete source;
  return status;
}

const char* tilewall_error(tilewall_source* source) {
  if (source == nullptr || !is_own(*source)) return text_of_thread(open_error).c_str();
  std::string& text = text_of_thread(shown_error);
  guarded(nullptr, [&]() -> int {
    const std::scoped_lock lock(source->error_mutex);
    text = source->error;
    return TILEWALL_OK;
  });
  return text.c_str();
}

const char* tilewall_news(tilewall_source* source) {
  std::string& text = text_of_thread(shown_news);
  text.clear();
  if (source != nullptr && is_own(*source))
    guarded(nullptr, [&]() -> int {
      text = source->live.refused();
      if (!text.empty()) return TILEWALL_OK;
      const SourceNews skipped = source->live.skipped();
      const SourceNews other = source->server->news();
      text = other.at > skipped.at ? other.line : skipped.line;
      return TILEWALL_OK;
    });
  return text.c_str();
}

}  // extern "C"
