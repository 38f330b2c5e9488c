// Preloaded into a reader by the test. It does what a file that had taken over its reader would do,
// at the moment when the reader begins to read it: tries to reach what is outside, and reports what
// it reached in place of the reader's answer.
//
// In place of recv() for tilewall-volume-reader, of avformat_open_input() for tilewall-decoder and
// tilewall-sound-reader, of recvmsg() for tilewall-image-reader.

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/frames/image_question.hpp"
#include "player/sound/reader/sound_question.hpp"

namespace {

std::string folder_of_test() {
  const char* const folder = std::getenv("TILEWALL_TEST_FOLDER");
  return folder != nullptr ? folder : "";
}

bool opens(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

bool connects(int domain) {
  const int fd = ::socket(domain, SOCK_STREAM, 0);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

/// A program that runs is another process, so this one can still report.
bool starts_program() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
  return child > 0;
}

bool replaces_itself() {
  char* const none[] = {nullptr};
  ::execve("/no/such/program", none, none);
  return errno != EPERM;  // ENOENT: the program only lacked its file
}

bool reads_memory_of_parent() {
  char byte = 0;
  const iovec here = {&byte, 1};
  const iovec there = {const_cast<char*>("x"), 1};
  return ::process_vm_readv(::getppid(), &here, 1, &there, 1, 0) >= 0 || errno != EPERM;
}

/// Variables that the test's program has, and descriptors that it left open.
bool has_secret() { return std::getenv("TILEWALL_SECRET_FILE") != nullptr; }
bool has_descriptor() {
  const char* const text = std::getenv("TILEWALL_TEST_DESCRIPTOR");
  return text == nullptr || ::fcntl(std::atoi(text), F_GETFD) >= 0;
}

struct Goal {
  const char* name;
  bool reached;
};

std::vector<Goal> goals() {
  const std::string folder = folder_of_test();
  return {{"/etc/passwd", opens("/etc/passwd", O_RDONLY)},
          {"the folder above", opens(folder + "/secret", O_RDONLY)},
          {"another's environment",
           opens("/proc/" + std::to_string(::getppid()) + "/environ", O_RDONLY)},
          {"a new file", opens(folder + "/volumes/new", O_WRONLY | O_CREAT)},
          {"a file to write", opens(folder + "/volumes/file", O_WRONLY)},
          {"a socket", connects(AF_INET)},
          {"a local socket", connects(AF_UNIX)},
          {"a program", starts_program()},
          {"execve", replaces_itself()},
          {"ptrace", ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr) == 0},
          {"another's memory", reads_memory_of_parent()},
          {"a signal", ::kill(::getppid(), 0) == 0},
          {"the environment", has_secret()},
          {"a descriptor", has_descriptor()}};
}

bool reads_own_folder() { return opens(folder_of_test() + "/volumes/file", O_RDONLY); }

std::string reached(const std::vector<Goal>& all) {
  std::string list;
  for (const Goal& goal : all)
    if (goal.reached) list += (list.empty() ? "" : ", ") + std::string(goal.name);
  return "reached: " + (list.empty() ? "nothing" : list);
}

/// Of a reader that sees its own folder.
std::string answer() {
  std::vector<Goal> all = goals();
  all.push_back({"nothing of its own folder", !reads_own_folder()});
  return "{\"error\": \"" + reached(all) + "\"}\n";
}

/// Answers in place of a reader of sound, which sees no file by its name, with an error's line.
void answer_with_line(int socket) {
  std::vector<Goal> all = goals();
  all.push_back({"its own folder", reads_own_folder()});
  const std::string line = reached(all);
  tilewall::sound::SoundAnswer answer;
  answer.outcome = tilewall::sound::SoundOutcome::bad_input;
  line.copy(answer.line, sizeof answer.line - 1);
  ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL);
  ::_exit(0);
}

/// The descriptor of a local socket that keeps packets apart; -1: there is none.
int packet_socket() {
  for (int fd = 3; fd < 100; ++fd) {
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET)
      return fd;
  }
  return -1;
}

}  // namespace

extern "C" ssize_t recv(int socket, void*, std::size_t, int) {
  const std::string line = answer();
  ::send(socket, line.data(), line.size(), MSG_NOSIGNAL);
  ::_exit(0);
}

extern "C" int avformat_open_input(void**, const char*, const void*, void**) {
  if (const int socket = packet_socket(); socket >= 0) answer_with_line(socket);
  std::fputs(answer().c_str(), stdout);
  std::fflush(stdout);
  ::_exit(2);
}

/// Answers with a picture whose width is 1 and a bit for each goal that was reached. The reader of
/// images sees no file by its name.
extern "C" ssize_t recvmsg(int socket, msghdr* message, int flags) {
  // A question that stays unread would break the connection before the answer.
  if (::syscall(SYS_recvmsg, socket, message, flags) < 0) return -1;
  if (std::getenv("TILEWALL_TEST_CRASH") != nullptr) std::abort();
  std::vector<Goal> all = goals();
  all.push_back({"its own folder", reads_own_folder()});
  int bits = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].reached) bits |= 2 << i;
  tilewall::movie::ImageAnswer answer;
  answer.kind = 1;
  answer.width_px = 1 + bits;
  answer.height_px = 1;
  ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL);
  ::_exit(0);
}
