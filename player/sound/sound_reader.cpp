#include "player/sound/sound_reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "player/sound/pcm_store.hpp"
#include "player/sound/sound_file.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/process.hpp"
#include "sync/base/sandbox.hpp"

namespace tilewall::sound {
namespace {

constexpr std::chrono::milliseconds answer_limit{30'000};
constexpr std::chrono::milliseconds reader_end_limit{1000};
constexpr double cpu_limit_s = 20;  // for one answer
constexpr std::uint32_t most_text_bytes = 16384;
constexpr std::uint32_t most_read_frames = 1 << 24;

struct SoundQuestion {
  std::int64_t first = 0;
  std::uint32_t frames = 0;  // the answer has as many, behind its header
  std::uint32_t unused = 0;
};

/// Comes once the file is open or refused, and for each question.
struct SoundAnswer {
  std::int32_t rate_hz = 0;
  std::uint32_t error_bytes = 0;  // a line of so many bytes is behind it, and no more is answered
  std::int64_t damaged_packets = 0;
};

bool transfer_all(ssize_t (*call)(int, void*, std::size_t), int socket, void* bytes,
                  std::size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t done = retry_eintr([&] { return call(socket, at, size); });
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool send_all(int socket, const void* bytes, std::size_t size) {
  return transfer_all(
      [](int to, void* part, std::size_t length) { return ::send(to, part, length, MSG_NOSIGNAL); },
      socket, const_cast<void*>(bytes), size);
}

bool receive_all(int socket, void* bytes, std::size_t size) {
  return transfer_all(
      [](int from, void* part, std::size_t length) { return ::recv(from, part, length, 0); },
      socket, bytes, size);
}

int refuse(int socket, const std::string& line) {
  SoundAnswer answer;
  const std::string text = line.substr(0, most_text_bytes);
  answer.error_bytes = static_cast<std::uint32_t>(text.size());
  static_cast<void>(send_all(socket, &answer, sizeof answer) &&
                    send_all(socket, text.data(), text.size()));
  return exit_bad_input;
}

SoundAnswer answer_of(const SoundFile& sound) {
  SoundAnswer answer;
  answer.rate_hz = sound.rate_hz();
  answer.damaged_packets = sound.damaged_packets();
  return answer;
}

}  // namespace

int run_sound_reader(const std::filesystem::path& file, int socket) {
  enter_sandbox({.readable = folders_to_read(file)});
  try {
    allow_cpu_time(cpu_limit_s);
    SoundFile sound(file);
    SoundAnswer answer = answer_of(sound);
    SoundQuestion question;
    std::vector<float> stereo;
    while (send_all(socket, &answer, sizeof answer) &&
           send_all(socket, stereo.data(), stereo.size() * sizeof(float)) &&
           receive_all(socket, &question, sizeof question)) {
      TW_CHECK(question.frames <= most_read_frames);
      allow_cpu_time(cpu_limit_s);
      stereo.resize(std::size_t{question.frames} * pcm_channels);
      sound.read(question.first, stereo);
      answer = answer_of(sound);
    }
    return exit_done;
  } catch (const std::exception& error) {
    return refuse(socket, error.what());
  }
}

SoundReader::SoundReader(const std::filesystem::path& file) : file_(file) {
  start();
  take_answer();
}

SoundReader::~SoundReader() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(wait_for(pid_, reader_end_limit));
}

void SoundReader::start() {
  std::array<int, 2> ends = {};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  ChildOptions options;
  options.output = "/dev/null";  // libraries print when they crash
  options.own_group = true;
  options.inherited = {theirs.get()};
  options.isolated = true;
  pid_ = start_program({own_program("tilewall-sound").string(), "--file", file_.string(),
                        "--socket", fmt::format("{}", theirs.get())},
                       options);
}

void SoundReader::receive(void* bytes, std::size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    pollfd wait = {socket_.get(), POLLIN, 0};
    if (retry_eintr([&] { return ::poll(&wait, 1, static_cast<int>(answer_limit.count())); }) != 1)
      throw_end();
    const ssize_t got = retry_eintr([&] { return ::recv(socket_.get(), at, size, 0); });
    if (got <= 0) throw_end();
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

/// Takes the part of an answer before the samples.
void SoundReader::take_answer() {
  SoundAnswer answer;
  receive(&answer, sizeof answer);
  if (answer.error_bytes > most_text_bytes) throw_end();
  std::string line(answer.error_bytes, '\0');
  receive(line.data(), line.size());
  if (!line.empty()) throw InputError(line);
  if (answer.rate_hz < lowest_rate_hz || answer.rate_hz > highest_rate_hz) throw_end();
  rate_hz_ = answer.rate_hz;
  damaged_packets_ = answer.damaged_packets;
}

void SoundReader::throw_end() {
  if (pid_ != 0) {
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait_for(std::exchange(pid_, 0), reader_end_limit));
  }
  throw InputError({file_.string()}, "", "a movie with sound",
                   "one that crashes its reader, or hangs it");
}

void SoundReader::read(std::int64_t first, std::span<float> stereo) {
  SoundQuestion question;
  question.first = first;
  question.frames = static_cast<std::uint32_t>(stereo.size() / pcm_channels);
  if (pid_ == 0 || !send_all(socket_.get(), &question, sizeof question)) throw_end();
  take_answer();
  receive(stereo.data(), stereo.size_bytes());
  for (float& sample : stereo)
    if (!std::isfinite(sample)) sample = 0;
}

}  // namespace tilewall::sound
