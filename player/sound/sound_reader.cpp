#include "player/sound/sound_reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <vector>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::sound {
namespace {

constexpr std::chrono::milliseconds end_limit{1000};

}  // namespace

SoundReader::SoundReader(const std::filesystem::path& file, std::string name)
    : name_(std::move(name)) {
  start(open_for_reading(file).get());
  SoundAnswer answer;
  try {
    if (!receive(answer))
      throw InputError({name_}, "", "a movie with sound",
                       "one that crashes its reader, or hangs it");
    take(answer);
  } catch (...) {
    end();
    throw;
  }
}

SoundReader::~SoundReader() { end(); }

void SoundReader::end() noexcept {
  ::kill(pid_, SIGKILL);
  static_cast<void>(wait_for(pid_, end_limit));
}

void SoundReader::start(int file) {
  const auto words = [&](int socket) {
    return std::vector{fmt::format("{}", socket), fmt::format("{}", file), name_};
  };
  ChildOptions options;
  options.inherited = {file};
  ReaderProgram reader = start_reader("tilewall-sound-reader", SOCK_SEQPACKET, words, options);
  pid_ = reader.pid;
  socket_ = std::move(reader.socket);
}

bool SoundReader::receive(SoundAnswer& answer) {
  pollfd wait = {socket_.get(), POLLIN, 0};
  return retry_eintr([&] { return ::poll(&wait, 1, static_cast<int>(answer_limit.count())); }) ==
             1 &&
         retry_eintr([&] { return ::recv(socket_.get(), &answer, sizeof answer, 0); }) ==
             ssize_t{sizeof answer};
}

void SoundReader::take(const SoundAnswer& answer) {
  if (answer.outcome == SoundOutcome::done) {
    if (answer.rate_hz < lowest_rate_hz || answer.rate_hz > highest_rate_hz)
      throw InputError({name_}, "sound", "a rate in [1000, 768000] Hz",
                       std::to_string(answer.rate_hz));
    rate_hz_ = answer.rate_hz;
    damaged_packets_ = answer.damaged_packets;
    return;
  }
  std::string line(answer.line, ::strnlen(answer.line, sizeof answer.line));
  if (answer.outcome == SoundOutcome::bad_input) throw InputError(line);
  throw JobError(line);
}

bool SoundReader::read(std::int64_t chunk, PcmChunk& to) {
  const SoundQuestion question{chunk};
  SoundAnswer answer;
  if (retry_eintr([&] { return ::send(socket_.get(), &question, sizeof question, MSG_NOSIGNAL); }) <
          0 ||
      !receive(answer))
    return false;
  take(answer);
  std::ranges::transform(answer.chunk, to.begin(),
                         [](float sample) { return std::isfinite(sample) ? sample : 0.0F; });
  return true;
}

}  // namespace tilewall::sound
