// Preloaded into programs: every picture takes FFmpeg so many milliseconds longer as
// TILEWALL_TEST_DECODE_DELAY_MS says, as on a machine that is too slow for the movie.

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <thread>

struct AVCodecContext;
struct AVFrame;

extern "C" int avcodec_receive_frame(AVCodecContext* decoder, AVFrame* frame) {
  using Receive = int (*)(AVCodecContext*, AVFrame*);
  static const Receive real = reinterpret_cast<Receive>(dlsym(RTLD_NEXT, "avcodec_receive_frame"));
  static const char* const delay_ms = std::getenv("TILEWALL_TEST_DECODE_DELAY_MS");
  const int error = real(decoder, frame);
  if (error == 0 && delay_ms != nullptr)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay_ms)));
  return error;
}
