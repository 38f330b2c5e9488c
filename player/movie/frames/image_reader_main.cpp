// Program tilewall-image-reader SOCKET. It decodes still images for the process that started it
// (ImageReader), which sends it the descriptors of files. It opens no file itself.
//
// Threads: one.

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <span>

#include "player/movie/frames/image_file.hpp"
#include "player/movie/frames/image_question.hpp"
#include "sync/base/check.hpp"
#include "sync/base/process.hpp"
#include "sync/base/sandbox.hpp"

namespace {

using namespace tilewall;
using namespace tilewall::movie;

// The largest image needs 1 GiB for its pixels, and twice that where it is a progressive JPEG.
constexpr std::uint64_t memory_limit_bytes = std::uint64_t{6} << 30;
constexpr double cpu_limit_s = 60;  // for one image

class Reader {
 public:
  ImageAnswer answer(const ReceivedQuestion& received) {
    const std::uint64_t begin_ns = process_time_ns();
    const std::uint64_t begin_bytes = decoder_.read_bytes();
    if (received.descriptors.size() > 1) map(received.descriptors.back().get());
    const int file = received.descriptors.front().get();
    ImageAnswer answer;
    if (received.question.task == ImageTask::decode)
      answer.done = decode(file, received.question) ? 1 : 0;
    else
      read_header(file, answer);
    answer.read_bytes = decoder_.read_bytes() - begin_bytes;
    answer.cpu_ns = process_time_ns() - begin_ns;
    return answer;
  }

 private:
  void map(int memory_fd) {
    if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
    struct stat status = {};
    check_sys(::fstat(memory_fd, &status), "fstat");
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = {static_cast<std::uint8_t*>(memory), bytes};
  }

  void read_header(int file, ImageAnswer& answer) {
    const ImageHeader header = decoder_.read_header(file);
    if (header.kind) answer.kind = static_cast<std::int32_t>(*header.kind);
    if (!header.size_px) return;
    answer.width_px = header.size_px->width;
    answer.height_px = header.size_px->height;
  }

  bool decode(int file, const ImageQuestion& question) {
    const SizePx decoded = {question.decoded_width_px, question.decoded_height_px};
    const std::size_t row_bytes = static_cast<std::size_t>(decoded.width) * 4;
    TW_CHECK(row_bytes * static_cast<std::size_t>(decoded.height) <= memory_.size());
    return decoder_.decode(
        file, {static_cast<ImageKind>(question.kind), {question.width_px, question.height_px}},
        {memory_.data(), decoded, row_bytes});
  }

  ImageDecoder decoder_;
  std::span<std::uint8_t> memory_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return exit_bad_input;
  const int socket = std::atoi(argv[1]);
  enter_sandbox({.readable = {}});
  limit_memory(memory_limit_bytes);
  Reader reader;
  while (const auto received = receive_question(socket)) {
    allow_cpu_time(cpu_limit_s);
    const ImageAnswer answer = reader.answer(*received);
    if (retry_eintr([&] { return ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL); }) < 0)
      break;
  }
  // Runs no destructors: a library with a damaged file may crash in its own clean-up.
  std::_Exit(exit_done);
}
