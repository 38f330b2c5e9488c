#include "player/terminal/terminal_mode.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>

#include "sync/base/check.hpp"

namespace tilewall::terminal {
namespace {

constexpr int fatal_signals[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// State for signal handlers. Written before they are installed, and after they are removed.
int saved_fd = -1;
pid_t saved_owner = 0;
termios saved_mode = {};
struct sigaction stop_before = {};
volatile std::sig_atomic_t resumed = 0;

/// Sets a terminal's mode; safe in signal handlers. From the background this would stop the
/// process.
void set_mode(int fd, int when, const termios& mode) noexcept {
  if (!TerminalMode::in_foreground(fd)) return;
  sigset_t output;
  sigset_t before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &output, &before);
  ::tcsetattr(fd, when, &mode);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

void give_back() noexcept {
  if (saved_fd < 0 || ::getpid() != saved_owner) return;
  set_mode(saved_fd, TCSADRAIN, saved_mode);
  constexpr char erase_line[] = "\r\033[K";
  if (TerminalMode::in_foreground(saved_fd))
    static_cast<void>(!::write(STDERR_FILENO, erase_line, sizeof(erase_line) - 1));
}

void on_fatal(int number) {
  give_back();
  ::raise(number);  // SA_RESETHAND has removed the handler, so this ends the process
}

void on_stop(int number) {
  const int error = errno;
  give_back();
  struct sigaction own = {};
  sigaction(number, nullptr, &own);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  sigset_t stop;
  sigset_t before;
  sigemptyset(&stop);
  sigaddset(&stop, number);
  ::raise(number);
  sigprocmask(SIG_UNBLOCK, &stop, &before);  // the process stops here, until SIGCONT
  sigprocmask(SIG_SETMASK, &before, nullptr);
  sigaction(number, &own, nullptr);
  resumed = 1;
  errno = error;
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = &on_fatal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : fatal_signals) sigaction(number, &action, nullptr);
  action.sa_handler = &on_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTSTP, &action, &stop_before);
  if (stop_before.sa_handler == SIG_IGN) sigaction(SIGTSTP, &stop_before, nullptr);
}

void leave_signals() {
  for (const int number : fatal_signals) ::signal(number, SIG_DFL);
  sigaction(SIGTSTP, &stop_before, nullptr);
}

}  // namespace

TerminalMode::TerminalMode(int fd) : fd_(fd) {
  check_sys(::tcgetattr(fd, &before_), "tcgetattr");
  saved_mode = before_;
  saved_fd = fd;
  saved_owner = ::getpid();
  catch_signals();
}

TerminalMode::~TerminalMode() {
  leave_signals();
  // Discards keys that were not read, so that the shell does not get them.
  set_mode(fd_, TCSAFLUSH, before_);
  saved_fd = -1;
}

bool TerminalMode::in_foreground(int fd) noexcept { return ::tcgetpgrp(fd) == ::getpgrp(); }

bool TerminalMode::has_resumed() noexcept {
  if (resumed == 0) return false;
  resumed = 0;
  return true;
}

bool TerminalMode::keep() {
  if (!in_foreground(fd_)) return false;
  termios mode = {};
  if (::tcgetattr(fd_, &mode) != 0) return false;
  if ((mode.c_lflag & (ICANON | ECHO)) == 0) return true;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 0;
  mode.c_cc[VTIME] = 0;
  set_mode(fd_, TCSADRAIN, mode);
  return true;
}

std::string TerminalMode::read() const {
  std::array<char, 256> typed = {};
  pollfd waiting = {fd_, POLLIN, 0};
  if (::poll(&waiting, 1, 0) <= 0 || (waiting.revents & POLLIN) == 0) return "";
  const ssize_t got = ::read(fd_, typed.data(), typed.size());
  return got > 0 ? std::string(typed.data(), static_cast<std::size_t>(got)) : "";
}

}  // namespace tilewall::terminal
