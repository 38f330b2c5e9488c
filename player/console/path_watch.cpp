#include "player/console/path_watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "player/path/path_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds path_interval{250};
constexpr std::size_t most_state_bytes = 65536;
constexpr std::size_t most_keys = 200;

/// The path as it is flown; empty while it has too few keys, or a fault.
std::optional<render::FlightPath> try_flight_of(const path::PathFile& path,
                                                const std::string& file) {
  try {
    return path::flight_of(path, file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Json keys_of(const path::PathFile& path, const std::string& file) {
  const std::optional<render::FlightPath> flight = try_flight_of(path, file);
  Json keys = Json::array();
  const std::size_t left_out = path.keys.size() - std::min(path.keys.size(), most_keys);
  for (std::size_t i = left_out; i < path.keys.size(); ++i) {
    const path::PathKey& key = path.keys[i];
    std::optional<double> time_s = key.flight.time_s;
    if (flight) time_s = flight->arrival_s(i);
    keys.push_back(
        {{"number", i + 1}, {"name", printable_text(key.name)}, {"time_s", json_or_null(time_s)}});
  }
  return keys;
}

}  // namespace

std::string stamp_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{}.{:09} {} {}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_size, status.st_ino);
}

PathWatch::PathWatch(boost::asio::io_context& io, const std::filesystem::path& run_dir,
                     Callbacks callbacks)
    : state_file_(run_dir / scene::kept_path_file), callbacks_(std::move(callbacks)), timer_(io) {
  std::error_code ignored;
  if (!std::filesystem::exists(state_file_, ignored)) return;
  look();
  look_again_later();
}

void PathWatch::look_again_later() {
  timer_.expires_after(path_interval);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    look();
    look_again_later();
  });
}

void PathWatch::look() {
  const std::string text = file_beginning(state_file_, most_state_bytes);
  if (!json_.is_null() && text == state_text_ && stamp_of(state_.file) == path_stamp_) return;
  const scene::KeptPath before = state_;
  try {
    state_ = scene::kept_path_from_json(parse_json(text));
  } catch (const InputError&) {  // the show is ending
    return;
  }
  const bool is_first = std::exchange(state_text_, text).empty();
  path_stamp_ = stamp_of(state_.file);
  json_ = scene::to_json(state_);
  json_["answer"] = printable_text(state_.answer);
  read_keys();
  callbacks_.changed();
  if (!is_first && state_.answers != before.answers) callbacks_.answered(state_);
}

void PathWatch::read_keys() {
  json_.update({{"count", 0}, {"fault", ""}, {"keys", Json::array()}});
  if (path_stamp_.empty()) return;  // it has no key yet
  try {
    const path::PathFile path = path::read_path_draft(state_.file);
    json_["count"] = path.keys.size();
    json_["keys"] = keys_of(path, state_.file);
  } catch (const InputError& error) {
    json_["fault"] = printable_text(error.what());
  }
}

}  // namespace tilewall::console
