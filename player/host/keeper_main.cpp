// The program tilewall-keeper: a launcher such as mpirun starts one for each host, and that one
// starts another for each panel of the host.
//
// tilewall-keeper --panels INDEX,INDEX,... --director HOST:PORT --clock HOST:PORT --run-dir FOLDER
//                 [--sound yes] [--trace HOST:PORT] [--decode auto|cpu|vaapi|cuda]
//                 [--hdr map|clip]
// tilewall-keeper --panel INDEX --seat INDEX --seats COUNT --director HOST:PORT --run-dir FOLDER
//                 [--trace HOST:PORT]

#include <charconv>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "net/mpirun_bind.hpp"
#include "player/host/host_keeper.hpp"
#include "player/host/keeper.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace {

using namespace tilewall;

std::vector<int> panels_of(const std::string& text) {
  std::vector<int> panels;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    int panel = -1;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, panel);
    if (error != std::errc{} || stop != end || panel < 0)
      throw InputError({"--panels"}, "", "indices of panels with commas", text);
    panels.push_back(panel);
  }
  if (panels.empty()) throw InputError({"--panels"}, "", "indices of panels", "nothing");
  return panels;
}

/// `role` names the crash report; the launcher forwards what keepers write.
void begin_keeper(const std::filesystem::path& run_dir, const std::string& role) {
  trace::begin_host_role("tilewall-keeper", run_dir / "logs" / (role + ".log"));
}

int keep_host(const Arguments& arguments) {
  if (local_rank() != 0) return exit_done;  // one process is enough
  host::HostKeeperOptions options;
  options.director = arguments.text("--director");
  options.clock = arguments.text("--clock");
  options.run_dir = arguments.text("--run-dir");
  options.panels = panels_of(arguments.text("--panels"));
  options.sound = arguments.has("--sound");
  options.trace = arguments.text_or("--trace", "");
  options.decode = arguments.text_or("--decode", options.decode);
  options.hdr = arguments.text_or("--hdr", "map");
  begin_keeper(options.run_dir, "keeper-host");
  return host::run_host_keeper(options);
}

int keep_panel(const Arguments& arguments) {
  begin_keeper(arguments.text("--run-dir"), "keeper-" + arguments.text("--panel"));
  return host::run_keeper({arguments.text("--director"), arguments.text("--run-dir"),
                           arguments.number("--panel"), arguments.number("--seat"),
                           arguments.number("--seats"), arguments.text_or("--trace", "")});
}

}  // namespace

int main(int argc, char** argv) {
  if (prints_version(argc, argv)) return exit_done;
  net::leave_mpirun_bind();
  allow_open_files();
  try {
    const Arguments arguments(argc, argv);
    return arguments.has("--panels") ? keep_host(arguments) : keep_panel(arguments);
  } catch (const std::exception& error) {
    log_line("tilewall-keeper: {}", error.what());
    return exit_failed;
  }
}
