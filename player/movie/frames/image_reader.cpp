#include "player/movie/frames/image_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "player/movie/frames/manifest.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

// The reader limits its CPU time for an image to less. Beyond, it or the disk hangs.
constexpr std::chrono::milliseconds answer_limit{120'000};
constexpr std::chrono::milliseconds end_limit{1000};

std::size_t bytes_of(SizePx size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 4;
}

}  // namespace

ImageReader::~ImageReader() {
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(wait_for(pid_, end_limit));
}

void ImageReader::start() {
  const auto words = [](int socket) { return std::vector{fmt::format("{}", socket)}; };
  ReaderProgram reader = start_reader("tilewall-image-reader", SOCK_SEQPACKET, words);
  pid_ = reader.pid;
  socket_ = std::move(reader.socket);
  memory_is_sent_ = false;
}

void ImageReader::end() {
  ::kill(pid_, SIGKILL);
  const ChildEnd end = wait_for(std::exchange(pid_, 0), end_limit);
  if (end.signal == 0 && end.exit_code == 127)
    throw JobError(
        "cannot start tilewall-image-reader, which lies beside the program that reads "
        "images");
}

/// Makes the memory that an image of this size needs, unless there is enough. It is sealed, so a
/// hostile reader cannot shrink it under this process.
void ImageReader::share(SizePx size) {
  const std::size_t bytes = bytes_of(size);
  if (memory_.size() >= bytes) return;
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
  memory_ = {};
  memory_fd_ = UniqueFd(
      check_sys(::memfd_create("tilewall-image", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
  memory_is_sent_ = false;
  check_sys(::ftruncate(memory_fd_.get(), static_cast<off_t>(bytes)), "ftruncate");
  check_sys(::fcntl(memory_fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), "F_ADD_SEALS");
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_.get(), 0);
  if (memory == MAP_FAILED) throw_errno("mmap", errno);
  memory_ = {static_cast<std::byte*>(memory), bytes};
}

std::optional<ImageAnswer> ImageReader::ask(ImageQuestion question, int file) {
  if (pid_ == 0) start();
  std::array<int, 2> descriptors = {file, memory_fd_.get()};
  const bool sends_memory = question.task == ImageTask::decode && !memory_is_sent_;
  ImageAnswer answer;
  pollfd wait = {socket_.get(), POLLIN, 0};
  const bool is_answered =
      send_question(socket_.get(), question, {descriptors.data(), sends_memory ? 2U : 1U}) &&
      retry_eintr([&] { return ::poll(&wait, 1, static_cast<int>(answer_limit.count())); }) == 1 &&
      retry_eintr([&] { return ::recv(socket_.get(), &answer, sizeof answer, 0); }) ==
          ssize_t{sizeof answer};
  if (!is_answered) {
    end();
    return std::nullopt;
  }
  memory_is_sent_ |= sends_memory;
  read_bytes_ += answer.read_bytes;
  cpu_ns_ += answer.cpu_ns;
  return answer;
}

ImageInfo ImageReader::read_info(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  const auto answer = ask({ImageTask::header}, fd.get());
  if (!answer)
    throw InputError({file.string()}, "", "an image", "one that crashes its reader, or hangs it");
  ImageHeader header;
  if (answer->kind >= 0 && answer->kind <= static_cast<std::int32_t>(ImageKind::tiff))
    header.kind = static_cast<ImageKind>(answer->kind);
  header.size_px = SizePx{answer->width_px, answer->height_px};
  return checked_info(header, file);
}

bool ImageReader::decode(const std::filesystem::path& file, const ImageInfo& expected, int level) {
  const UniqueFd fd(
      retry_eintr([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.empty()) return false;
  const SizePx size = level_size_px(expected.size_px, level);
  share(size);
  const auto answer =
      ask({ImageTask::decode, static_cast<std::int32_t>(expected.kind), expected.size_px.width,
           expected.size_px.height, size.width, size.height},
          fd.get());
  pixels_ = {reinterpret_cast<std::uint8_t*>(memory_.data()), size,
             static_cast<std::size_t>(size.width) * 4};
  return answer && answer->done == 1;
}

}  // namespace tilewall::movie
