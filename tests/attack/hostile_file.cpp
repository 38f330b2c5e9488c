// Preloaded into a reader by the test. It does what a file that had taken over its reader would do,
// at the moment when the reader begins to read it: tries to reach what is outside, and reports what
// it reached in place of the reader's answer.
//
// In place of recv() for tilewall-volume-reader, of recvmsg() for tilewall-image-reader, of
// avformat_open_input() for all that use FFmpeg: tilewall-decoder, tilewall-sound, and the child of
// `tilewall info` and `tilewall import`.

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/frames/image_question.hpp"

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

std::string reached() {
  std::vector<Goal> all = goals();
  all.push_back({"nothing of its own folder", !reads_own_folder()});
  std::string list;
  for (const Goal& goal : all)
    if (goal.reached) list += (list.empty() ? "" : ", ") + std::string(goal.name);
  return "reached: " + (list.empty() ? "nothing" : list);
}

std::string answer() { return "{\"error\": \"" + reached() + "\"}\n"; }

}  // namespace

namespace {

std::string command;         // the program's first argument
int socket_of_sound = -1;    // of tilewall-sound --file FILE --socket N
constexpr int of_child = 3;  // the socket of a command's child (sync/base/confined_call.cpp)

__attribute__((constructor)) void note_arguments(int argc, char** argv) {
  if (argc > 1) command = argv[1];
  if (command == "--file" && argc == 5) socket_of_sound = std::atoi(argv[4]);
}

bool reads_media() { return command == "info" || command == "import" || socket_of_sound >= 0; }

/// Sends an error with this text as tilewall-sound does, or the child of a command.
void send_error(const std::string& text) {
  const struct {
    std::int32_t rate_hz = 0;
    std::uint32_t error_bytes = 0;
    std::int64_t damaged_packets = 0;
  } of_sound = {0, static_cast<std::uint32_t>(text.size()), 0};
  const struct {
    std::uint32_t bytes = 0;
    char kind = 'i';
  } of_command = {static_cast<std::uint32_t>(text.size()), 'i'};
  const bool is_sound = socket_of_sound >= 0;
  const int socket = is_sound ? socket_of_sound : of_child;
  if (is_sound)
    ::send(socket, &of_sound, sizeof of_sound, MSG_NOSIGNAL);
  else
    ::send(socket, &of_command, sizeof of_command, MSG_NOSIGNAL);
  ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
}

}  // namespace

extern "C" ssize_t recv(int socket, void* bytes, std::size_t size, int flags) {
  if (reads_media()) return ::syscall(SYS_recvfrom, socket, bytes, size, flags, nullptr, nullptr);
  const std::string line = answer();
  ::send(socket, line.data(), line.size(), MSG_NOSIGNAL);
  ::_exit(0);
}

extern "C" int avformat_open_input(void**, const char*, const void*, void**) {
  if (reads_media()) {
    send_error(reached());
    ::_exit(2);
  }
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
