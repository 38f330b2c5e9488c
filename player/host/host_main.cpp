// The program tilewall-host: the host service. The keeper of a host starts it.
// With --survey it becomes the program tilewall-survey, which checks what a show needs of this
// host.
//
// tilewall-host --clock HOST:PORT --clock-page FILE --movies SOCKET --run-dir FOLDER
//               [--turns-fd N] [--trace HOST:PORT] [--decode auto|cpu|vaapi|cuda] [--hdr map|clip]
//               [--director HOST:PORT]
// tilewall-host --survey

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "net/mpirun_bind.hpp"
#include "player/host/host_service.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace {

int become_survey() {
  std::string program = tilewall::own_program("tilewall-survey").string();
  char* const words[] = {program.data(), nullptr};
  ::execv(program.c_str(), words);
  fmt::print(stderr, "tilewall-host: {}: {}\n", program, std::strerror(errno));
  return tilewall::exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (tilewall::prints_version(argc, argv)) return tilewall::exit_done;
  if (argc == 2 && std::string_view(argv[1]) == "--survey") return become_survey();
  tilewall::allow_open_files();
  tilewall::trace::begin_host_role("tilewall-host");
  try {
    const tilewall::Arguments arguments(argc, argv);
    const std::string device = arguments.text_or("--decode", "auto");
    const auto decode = tilewall::scene::parse_decode_device(device);
    if (!decode) throw tilewall::InputError({"--decode"}, "", "auto, cpu, vaapi or cuda", device);
    const auto turns_fd =
        arguments.has("--turns-fd") ? std::optional(arguments.number("--turns-fd")) : std::nullopt;
    return tilewall::host::run_host_service(
        {arguments.text("--clock"), arguments.text("--clock-page"), arguments.text("--movies"),
         arguments.text("--run-dir"), arguments.text_or("--trace", ""), *decode, turns_fd,
         arguments.text_or("--director", ""), arguments.text_or("--hdr", "map")});
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-host: {}", error.what());
    return tilewall::exit_failed;
  }
}
