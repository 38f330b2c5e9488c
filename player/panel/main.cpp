// The program tilewall-panel: one display panel of the wall. Its keeper starts it.
//
// tilewall-panel --director HOST:PORT --panel INDEX --clock-page FILE --movies SOCKET
//                --seat INDEX --seats COUNT [--turns-fd N] [--trace HOST:PORT]
// tilewall-panel --probe-gl FILE    writes this display's OpenGL features to FILE, and ends

#include <exception>

#include "player/panel/panel.hpp"
#include "player/present/window_module.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

int main(int argc, char** argv) {
  if (tilewall::prints_version(argc, argv)) return tilewall::exit_done;
  tilewall::allow_open_files();
  tilewall::trace::begin_host_role("tilewall-panel");
  try {
    const tilewall::Arguments arguments(argc, argv);
    if (arguments.has("--probe-gl"))
      return tilewall::present::write_gl_probe(arguments.text("--probe-gl"));
    const auto turns_fd =
        arguments.has("--turns-fd") ? std::optional(arguments.number("--turns-fd")) : std::nullopt;
    return tilewall::panel::run_panel(
        {arguments.text("--director"), arguments.number("--panel"), arguments.text("--clock-page"),
         arguments.text("--movies"), turns_fd, arguments.number("--seat"),
         arguments.number("--seats"), arguments.text_or("--trace", "")});
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-panel: {}", error.what());
    return tilewall::exit_failed;
  }
}
