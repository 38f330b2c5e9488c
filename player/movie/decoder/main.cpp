// tilewall-decoder: decodes one movie for all panels of its host; started by the host service.
// tilewall-decoder --file FILE --memory /proc/PID/fd/N
// tilewall-decoder --probe FILE: prints what the movie is, as JSON.

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <exception>

#include "player/movie/decoder/decode_loop.hpp"
#include "player/movie/decoder/movie_probe.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"

namespace {

/// A decoder that goes astray must not take the machine with it.
void limit_itself() {
  constexpr rlim_t memory_limit_bytes = rlim_t{16} << 30;
  const rlimit memory = {memory_limit_bytes, memory_limit_bytes};
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &no_core);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const tilewall::Arguments arguments(argc, argv);
    if (arguments.has("--probe")) return tilewall::print_probe(arguments.text("--probe"));
    limit_itself();
    return tilewall::run_decoder(arguments.text("--file"), arguments.text("--memory"));
  } catch (const tilewall::InputError& error) {
    fmt::print(stderr, "tilewall-decoder: {}\n", error.what());
    return tilewall::exit_bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall-decoder: {}\n", error.what());
    return tilewall::exit_failed;
  }
}
