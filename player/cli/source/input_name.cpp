#include "player/cli/source/input_name.hpp"

#include "net/slab/remote_url.hpp"
#include "player/cli/options/live_options.hpp"
#include "player/cli/source/demo_input.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

bool is_address(const std::string& input) {
  return input.starts_with("pattern:") || input.starts_with(demo_scheme) ||
         input.starts_with(live_scheme) || net::is_remote(input);
}

}  // namespace

std::string located_input(const std::string& input, const fs::path& folder) {
  if (is_address(input) || fs::path(input).is_absolute() || folder.empty()) return input;
  return (folder / input).lexically_normal().string();
}

std::vector<std::string> absolute_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> absolute;
  absolute.reserve(inputs.size());
  for (const std::string& input : inputs)
    absolute.push_back(located_input(input, fs::current_path()));
  return absolute;
}

std::string input_from(const std::string& input, const fs::path& folder) {
  if (is_address(input) || !fs::path(input).is_absolute()) return input;
  const fs::path relative = fs::path(input).lexically_relative(folder);
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  return is_below ? relative.string() : input;
}

}  // namespace tilewall::cli
