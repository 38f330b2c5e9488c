#include "player/host/kept_caster.hpp"

#include <fmt/format.h>

#include <thread>

#include "net/local_socket.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::host {
namespace {

constexpr std::chrono::milliseconds caster_end_limit{500};

ProgramStart start_of(const std::string& volume, const CasterPlace& place, int listening,
                      const SharedCounter& turns) {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  ProgramStart start;
  start.arguments = {own_program("tilewall-caster").string(),
                     "--volume",
                     volume,
                     "--listening",
                     std::to_string(listening),
                     "--threads",
                     std::to_string(threads),
                     "--turns-fd",
                     std::to_string(turns.fd())};
  start.arguments.insert(start.arguments.end(), place.more_arguments.begin(),
                         place.more_arguments.end());
  start.options.output = place.log_file;
  start.options.inherited = {listening, turns.fd()};
  start.turns = &turns;
  start.computes = true;
  start.pid_file = place.pid_file;
  start.on_change = place.on_change;
  return start;
}

}  // namespace

KeptCaster::KeptCaster(std::string volume, CasterPlace place)
    : volume_(std::move(volume)),
      place_(std::move(place)),
      listening_(net::listen_local(place_.socket)),
      program_(start_of(volume_, place_, listening_.get(), turns_), place_.limits) {}

KeptCaster::~KeptCaster() {
  program_.end(caster_end_limit);
  std::error_code error;
  std::filesystem::remove(place_.socket, error);
  std::filesystem::remove(place_.pid_file, error);
}

void KeptCaster::take_end(const ChildEnd& end) {
  const bool rested = program_.rests();
  program_.take_end(end);
  if (rested || !program_.rests()) return;
  const auto seconds = [](std::chrono::milliseconds time) { return time.count() / 1000; };
  trouble_ = fmt::format(
      "a volume's caster died {} times within {} s, last {} {} (logs/{}); it is started again in "
      "{} s, or when another picture is wanted",
      place_.limits.most, seconds(place_.limits.window),
      end.signal != 0 ? "by signal" : "with exit code",
      end.signal != 0 ? end.signal : end.exit_code, place_.log_file.filename().string(),
      seconds(place_.limits.rest));
  log_line("tilewall-host: {}", trouble_);
  // Closes the waiting connections. Their panels ask again, and get the line.
  while (!net::accept_local(listening_.get()).empty()) {
  }
}

void KeptCaster::leave() noexcept {
  if (--users_ == 0) unused_since_ = local_now();
}

UniqueFd KeptCaster::connect() const { return net::try_connect_local(place_.socket); }

}  // namespace tilewall::host
