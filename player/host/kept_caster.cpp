#include "player/host/kept_caster.hpp"

#include <fmt/format.h>

#include <thread>

#include "net/local_socket.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds end_limit{500};

ProgramStart start_of(const std::string& volume, const CasterPlace& place, int listening) {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  ProgramStart start;
  start.arguments = {(program_folder() / "tilewall-caster").string(),
                     "--volume",
                     volume,
                     "--listening",
                     std::to_string(listening),
                     "--threads",
                     std::to_string(threads)};
  start.arguments.insert(start.arguments.end(), place.more_arguments.begin(),
                         place.more_arguments.end());
  start.options.output = place.log_file;
  start.options.inherited = {listening};
  start.pid_file = place.pid_file;
  return start;
}

}  // namespace

KeptCaster::KeptCaster(std::string volume, CasterPlace place)
    : volume_(std::move(volume)),
      place_(std::move(place)),
      listening_(listen_local(place_.socket)),
      program_(start_of(volume_, place_, listening_.get())) {}

KeptCaster::~KeptCaster() {
  program_.end(end_limit);
  std::error_code error;
  std::filesystem::remove(place_.socket, error);
  std::filesystem::remove(place_.pid_file, error);
}

UniqueFd KeptCaster::connect() const { return try_connect_local(place_.socket); }

}  // namespace tilewall
