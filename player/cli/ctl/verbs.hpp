// The verbs of `tilewall ctl`: the arguments after each verb, and the request that it sends.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "player/cli/options/live_options.hpp"
#include "player/command/control_client.hpp"

namespace tilewall::cli {

/// The arguments after a verb, as typed; "" = not given.
struct CtlArguments {
  std::vector<std::string> words;
  std::string at;                ///< --at
  std::string glide;             ///< --glide
  std::string line;              ///< --line
  std::string gain;              ///< --gain
  std::string region;            ///< --region
  std::string as;                ///< --as
  std::string role;              ///< --role, only for "logs"
  LiveArguments live;            ///< --live-listen and the other options of live sources
  bool follow = false;           ///< --follow, only for "logs"
  bool skip_missing = false;     ///< --skip-missing
  bool json = false;             ///< --json
  bool verbose = false;          ///< --verbose, only for "status"
  command::WallAddress address;  ///< --run-dir, --key-file
};

/// Options that only some verbs have.
enum class CtlOption { at, glide, line, gain, skip_missing, live };

/// A verb: a row of the tables. Its help is that of the list of verbs (player/verbs).
struct CtlVerb {
  std::string_view name;   ///< one of the list
  std::string_view usage;  ///< syntax of the words; "" = no words
  /// Makes the request; null where the verb is done without one. Inputs are opened for `wall`,
  /// whose status it asks for then. Throws InputError.
  nlohmann::json (*request)(const CtlArguments& arguments, command::WallConnection& wall);
  std::vector<CtlOption> options = {};
  /// The text below the verb's help, such as a table of fields; null = no text.
  std::string (*details)() = nullptr;
  /// Does what is left to do after the answer to `request`, which it may change; null = nothing.
  void (*finish)(const CtlArguments& arguments, const nlohmann::json& request,
                 nlohmann::json& answer) = nullptr;
};

// The groups of verbs, in the order of the help.
[[nodiscard]] std::vector<CtlVerb> ctl_transport_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_view_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_region_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_cue_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_wall_verbs();

}  // namespace tilewall::cli
