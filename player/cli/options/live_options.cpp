#include "player/cli/options/live_options.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "net/live/live_messages.hpp"
#include "net/slab/remote_url.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

constexpr std::chrono::seconds describe_limit{5};
constexpr std::chrono::seconds await_limit{5};
constexpr std::chrono::milliseconds await_pause{100};
constexpr double usual_wait_s = 5;
constexpr double longest_wait_s = 60;
constexpr std::int64_t most_nth = 1'000'000;

std::string live_name(std::string_view name) {
  if (const std::string fault = net::fault_of_live_name(name, "live source"); !fault.empty())
    throw InputError(fault);
  return std::string(name);
}

scene::LiveShape shape_of(const net::LiveDescription& source) {
  scene::LiveShape shape;
  shape.name = source.name;
  for (std::size_t axis = 0; axis < 3; ++axis)
    shape.grid[axis] = static_cast<int>(source.grid[axis]);
  shape.spacing = source.spacing;
  shape.origin = source.origin;
  shape.ranks = static_cast<int>(source.ranks);
  if (!source.fields.empty()) shape.field = source.fields.front().name;
  return shape;
}

void set_policy(volume::LiveJob& live, const LiveArguments& arguments) {
  const std::string& text = arguments.policy;
  if (text.empty() || text == "newest") return;
  live.wait_s = usual_wait_s;
  if (text == "every") {
    live.policy = net::LivePolicy::every;
    return;
  }
  if (!text.starts_with("nth:")) refuse_option("--live-policy", "newest, every, or nth:N", text);
  live.policy = net::LivePolicy::nth;
  live.nth = static_cast<std::int64_t>(
      option_number_within("--live-policy", text.substr(4), 1, static_cast<double>(most_nth)));
}

/// Refuses what only a volume in a file has.
void expect_no_file_options(const std::string& input, const VolumeArguments& volume) {
  const auto refuse_if = [&](bool is_given, const char* option, const char* expected) {
    if (is_given) refuse_option(option, expected, input);
  };
  const char* const stored = "a volume in a file";
  refuse_if(!volume.dataset.empty(), "--dataset", "a volume in a file; --field names a live field");
  refuse_if(volume.component.has_value(), "--component", stored);
  refuse_if(volume.level.has_value(), "--level", stored);
  refuse_if(!volume.fixed.empty(), "--axis", stored);
  refuse_if(!volume.levels.empty(), "--levels", stored);
  refuse_if(!volume.up.empty(), "--up", stored);
  refuse_if(!volume.stretch.empty(), "--stretch", "a volume in a file; a source gives its spacing");
  refuse_if(!volume.time.empty(), "--time",
            "a volume in a file; 'tilewall ctl live back N' goes back");
}

}  // namespace

void add_live_options(CLI::App& command, LiveArguments& arguments) {
  command.add_option(
      "--live-listen", arguments.listen,
      fmt::format("ADDRESS:PORT to which the ranks of live:NAME connect; default: 127.0.0.1:{}",
                  default_live_port));
  command.add_option("--field", arguments.field,
                     "the field of a live source; default: the first one that it puts");
  command.add_option("--live-policy", arguments.policy,
                     "which timesteps: newest (the simulation never waits), every, or nth:N");
  command.add_option("--live-wait", arguments.wait_s,
                     "seconds that ranks wait for the wall at most, with every and nth:N");
  command.add_option("--quantise", arguments.quantise,
                     "MIN,MAX: values are sent in 8 bits, a quarter of the bytes");
}

std::optional<scene::LiveShape> find_live(const std::string& input) {
  if (input.starts_with(live_scheme)) {
    scene::LiveShape shape;
    shape.name = live_name(std::string_view(input).substr(live_scheme.size()));
    return shape;
  }
  if (!net::is_remote(input)) return std::nullopt;
  const net::RemoteUrl url = net::parse_remote_url(input);
  if (url.name.empty()) return std::nullopt;
  nlohmann::json answer;
  try {
    answer = net::connect_remote(url)->call({{"type", "describe"}}, describe_limit);
  } catch (const InputError&) {
    return std::nullopt;  // a server of files: opening the input says what is wrong
  }
  const net::LiveDescription source = net::live_description_from_json(answer);
  expect_live_name(input, url.name, source.name);
  return shape_of(source);
}

void expect_live_name(const std::string& input, const std::string& name, const std::string& there) {
  if (!name.empty() && name != there)
    throw InputError({input}, "name", there + ", the live source that is there", name);
}

std::optional<scene::LiveShape> await_live(const std::string& input, const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + await_limit;
  for (bool is_told = false;; is_told = true) {
    try {
      return find_live(input);
    } catch (const JobError&) {
      if (stop.stop_requested() || std::chrono::steady_clock::now() >= until) throw;
    }
    if (!is_told)
      print_line(stderr, "tilewall: {}: nobody answers yet; waits {} s for a source", input,
                 await_limit.count());
    std::this_thread::sleep_for(await_pause);
  }
}

namespace {

struct NamedLiveOption {
  const char* name;
  std::string LiveArguments::*value;
};
constexpr NamedLiveOption named_live_options[] = {{"live_listen", &LiveArguments::listen},
                                                  {"field", &LiveArguments::field},
                                                  {"live_policy", &LiveArguments::policy},
                                                  {"live_wait", &LiveArguments::wait_s},
                                                  {"quantise", &LiveArguments::quantise}};

}  // namespace

std::map<std::string, std::string> to_named(const LiveArguments& arguments) {
  std::map<std::string, std::string> named;
  for (const NamedLiveOption& option : named_live_options)
    if (const std::string& value = arguments.*option.value; !value.empty())
      named.emplace(option.name, value);
  return named;
}

LiveArguments live_arguments(const std::map<std::string, std::string>& named) {
  LiveArguments arguments;
  for (const NamedLiveOption& option : named_live_options)
    if (const auto found = named.find(option.name); found != named.end())
      arguments.*option.value = found->second;
  return arguments;
}

void refuse_live_options(const std::string& input) {
  throw InputError({"live options"}, "", "an input live:NAME, or a live source at tilewall://",
                   input);
}

scene::SourceSpec open_live(const std::string& input, const scene::LiveShape& shape,
                            const LiveArguments& arguments, const VolumeArguments& volume,
                            const VolumeHostArguments& host) {
  expect_no_file_options(input, volume);
  volume::VolumeJob job = host_job(host);
  job.path = std::string(live_scheme) + shape.name;
  volume::LiveJob live;
  live.name = shape.name;
  if (net::is_remote(input)) {
    live.ranks = net::parse_remote_url(input).servers;
    if (!arguments.listen.empty()) refuse_option("--live-listen", "an input live:NAME", input);
  } else {
    live.listen = arguments.listen.empty() ? fmt::format("127.0.0.1:{}", default_live_port)
                                           : arguments.listen;
  }
  live.field = arguments.field;
  if (!live.field.empty())
    if (const std::string fault = net::fault_of_live_name(live.field, "--field"); !fault.empty())
      throw InputError(fault);
  set_policy(live, arguments);
  if (!arguments.wait_s.empty())
    live.wait_s = option_number_within("--live-wait", arguments.wait_s, 0, longest_wait_s);
  if (!arguments.quantise.empty()) {
    const auto range = option_numbers("--quantise", arguments.quantise, 2, "MIN,MAX");
    if (!(range[0] < range[1])) refuse_option("--quantise", "MIN below MAX", arguments.quantise);
    live.quantise = {range[0], range[1]};
  }
  live.keeps_camera = !volume.camera.empty();
  job.live = std::move(live);
  scene::SourceSpec source;
  source.kind = scene::SourceKind::volume;
  source.path = volume::to_text(job);
  source.fps = {10, 1};
  source.live = true;
  if (shape.grid[0] > 0) source.box = scene::box_of(shape);
  return source;
}

}  // namespace tilewall::cli
