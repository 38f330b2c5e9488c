// Program tilewall-sound-reader SOCKET FILE NAME. It decodes the sound of one file for the process
// that started it (SoundReader), which has opened the file. SOCKET and FILE are descriptors, NAME
// stands in messages. It opens no file itself.
//
// Threads: one.

#include <sys/prctl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

#include "player/sound/reader/sound_file.hpp"
#include "player/sound/reader/sound_question.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/sandbox.hpp"

namespace {

using namespace tilewall;
using namespace tilewall::sound;

constexpr std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
constexpr double cpu_limit_s = 30;  // for one answer

class Reader {
 public:
  Reader(int file, const char* name) : file_(UniqueFd(file), name) {}

  void fill(std::int64_t chunk, SoundAnswer& answer) {
    file_.read(chunk * chunk_frames, answer.chunk);
  }
  void describe(SoundAnswer& answer) const {
    answer.rate_hz = file_.rate_hz();
    answer.damaged_packets = file_.damaged_packets();
  }

 private:
  SoundFile file_;
};

void refuse(SoundAnswer& answer, SoundOutcome outcome, std::string_view line) {
  answer.outcome = outcome;
  line.copy(answer.line, sizeof answer.line - 1);
}

/// The answer to what `work` does with it.
template <typename Work>
SoundAnswer answer_of(const Work& work) {
  SoundAnswer answer;
  allow_cpu_time(cpu_limit_s);
  try {
    work(answer);
  } catch (const InputError& error) {
    refuse(answer, SoundOutcome::bad_input, error.what());
  } catch (const std::exception& error) {
    refuse(answer, SoundOutcome::failed, error.what());
  }
  return answer;
}

bool send(int socket, const SoundAnswer& answer) {
  return retry_eintr([&] { return ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL); }) ==
             ssize_t{sizeof answer} &&
         answer.outcome == SoundOutcome::done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return exit_bad_input;
  const int socket = std::atoi(argv[1]);
  ::prctl(PR_SET_NAME, "tw-sound-read");
  enter_sandbox({.readable = {}});
  limit_memory(memory_limit_bytes);
  std::unique_ptr<Reader> reader;
  bool goes_on = send(socket, answer_of([&](SoundAnswer& answer) {
                        reader = std::make_unique<Reader>(std::atoi(argv[2]), argv[3]);
                        reader->describe(answer);
                      }));
  SoundQuestion question;
  while (goes_on && retry_eintr([&] { return ::recv(socket, &question, sizeof question, 0); }) ==
                        ssize_t{sizeof question})
    goes_on = send(socket, answer_of([&](SoundAnswer& answer) {
                     reader->fill(question.chunk, answer);
                     reader->describe(answer);
                   }));
  // Runs no destructors: a library with a damaged file may crash in its own clean-up.
  std::_Exit(exit_done);
}
