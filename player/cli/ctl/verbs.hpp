// The verbs of `tilewall ctl`: what is typed after each, and the request it becomes. One table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "player/command/control_client.hpp"

namespace tilewall::cli {

/// As typed after a verb; "" where it was not.
struct CtlArguments {
  std::vector<std::string> words;
  std::string at;                ///< --at
  std::string glide;             ///< --glide
  std::string line;              ///< --line
  std::string gain;              ///< --gain
  std::string region;            ///< --region
  std::string as;                ///< --as
  bool skip_missing = false;     ///< --skip-missing
  bool json = false;             ///< --json
  bool verbose = false;          ///< --verbose, of "status"
  command::WallAddress address;  ///< --run-dir, --key-file
};

/// Options that only some verbs have.
enum class CtlOption { at, glide, line, gain, skip_missing };

struct CtlVerb {
  std::string_view name;
  std::string_view usage;  ///< of its words
  std::string_view help;
  /// The request; `wall` is asked where inputs have to be opened for it. Throws InputError.
  nlohmann::json (*request)(const CtlArguments& arguments, command::WallConnection& wall);
  std::vector<CtlOption> options = {};
  /// Below the verb's help: the fields that it takes, examples; null: nothing.
  std::string (*details)() = nullptr;
};

// The groups of verbs, in the order of the help.
[[nodiscard]] std::vector<CtlVerb> ctl_transport_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_view_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_region_verbs();
[[nodiscard]] std::vector<CtlVerb> ctl_wall_verbs();

}  // namespace tilewall::cli
