// tilewall-decoder decodes one movie for all panels of its host. The host service starts it.
//
//   tilewall-decoder --file FILE --memory /proc/PID/fd/N [--decode auto|cpu|vaapi|cuda]
//                    [--hdr map|clip] [--trace HOST:PORT --clock-page FILE]
//   tilewall-decoder --probe FILE     prints the movie's size, rate and length as JSON
//   tilewall-decoder --measure FILE --first FRAME --time-ms N
//                                     prints how fast it is decoded, as JSON

#include <exception>
#include <new>

#include "player/movie/decoder/decode_loop.hpp"
#include "player/movie/decoder/movie_probe.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/sandbox.hpp"

namespace {

tilewall::movie::HdrMode hdr_mode_of(const std::string& text) {
  const auto mode = tilewall::movie::parse_hdr_mode(text);
  if (!mode) throw tilewall::InputError({"--hdr"}, "", "map or clip", '"' + text + '"');
  return *mode;
}

/// The answer is written to standard output, which may be a file.
void confine(const std::string& file) {
  tilewall::enter_sandbox({.readable = tilewall::folders_to_read(file), .writes_files = true});
}

}  // namespace

int main(int argc, char** argv) {
  tilewall::allow_open_files();
  tilewall::trace::begin_host_role("tilewall-decoder");
  try {
    const tilewall::Arguments arguments(argc, argv);
    if (arguments.has("--probe")) {
      confine(arguments.text("--probe"));
      return tilewall::movie::print_probe(arguments.text("--probe"));
    }
    if (arguments.has("--measure")) {
      confine(arguments.text("--measure"));
      return tilewall::movie::print_decode_rate(
          arguments.text("--measure"), arguments.number("--first"),
          std::chrono::milliseconds(arguments.number("--time-ms")));
    }
    const std::string device = arguments.text_or("--decode", "cpu");
    const auto decode = tilewall::scene::parse_decode_device(device);
    if (!decode) throw tilewall::InputError({"--decode"}, "", "auto, cpu, vaapi or cuda", device);
    return tilewall::movie::run_decoder({arguments.text("--file"), arguments.text("--memory"),
                                         hdr_mode_of(arguments.text_or("--hdr", "map")),
                                         arguments.text_or("--trace", ""),
                                         arguments.text_or("--clock-page", ""), *decode});
  } catch (const tilewall::InputError& error) {
    tilewall::log_line("tilewall-decoder: {}", error.what());
    return tilewall::exit_bad_input;
  } catch (const std::bad_alloc&) {
    tilewall::write_log_line("tilewall-decoder: out of memory");
    return tilewall::exit_failed;
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-decoder: {}", error.what());
    return tilewall::exit_failed;
  }
}
