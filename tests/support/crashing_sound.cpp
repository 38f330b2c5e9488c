// Preloaded into programs: the first decoded piece of sound ends the process, as a decoder's bug
// would.

#include <cstdlib>

struct SwrContext;

extern "C" int swr_convert(SwrContext*, unsigned char**, int, const unsigned char**, int) {
  std::abort();
}
