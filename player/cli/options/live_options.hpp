// The options of live sources, and the inputs that name one: live:NAME waits for a simulation that
// connects, tilewall://HOST:PORT[,HOST:PORT...]/NAME connects to ranks that listen.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "player/cli/options/volume_options.hpp"
#include "player/scene/live_messages.hpp"

namespace tilewall::cli {

inline constexpr std::string_view live_scheme = "live:";
inline constexpr int default_live_port = 7643;

/// The options of a live source as typed; "" = not given.
struct LiveArguments {
  std::string listen;    ///< --live-listen: ADDRESS:PORT
  std::string field;     ///< --field
  std::string policy;    ///< --live-policy: newest, every, or nth:N
  std::string wait_s;    ///< --live-wait
  std::string quantise;  ///< --quantise: MIN,MAX
  [[nodiscard]] bool any() const { return !(listen + field + policy + wait_s + quantise).empty(); }
};

/// The options as a show file has them: live_listen, field, live_policy, live_wait, quantise; those
/// that are given.
[[nodiscard]] std::map<std::string, std::string> to_named(const LiveArguments& arguments);
/// The opposite; other names are left out.
[[nodiscard]] LiveArguments live_arguments(const std::map<std::string, std::string>& named);

void add_live_options(CLI::App& command, LiveArguments& arguments);

/// What a live source is by its address; empty: the input names none. Asks the ranks of
/// tilewall:// which they are. Throws InputError for a malformed address, JobError if nobody
/// answers there.
[[nodiscard]] std::optional<scene::LiveShape> find_live(const std::string& input);

/// Throws InputError where a live source has another name than its address says; "" fits any.
void expect_live_name(const std::string& input, const std::string& name, const std::string& there);

/// find_live(), which is tried again for some seconds where nobody answers: simulation and wall may
/// be started together. `stop` ends that sooner.
[[nodiscard]] std::optional<scene::LiveShape> await_live(const std::string& input,
                                                         const std::stop_token& stop);

/// Throws the InputError for live options beside an input for which find_live() gave nothing.
[[noreturn]] void refuse_live_options(const std::string& input);

/// The live source of an input for which find_live() gave `shape`. Throws InputError naming the
/// option.
[[nodiscard]] scene::SourceSpec open_live(const std::string& input, const scene::LiveShape& shape,
                                          const LiveArguments& arguments,
                                          const VolumeArguments& volume,
                                          const VolumeHostArguments& host);

}  // namespace tilewall::cli
