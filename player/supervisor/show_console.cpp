#include "player/supervisor/show_console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "player/director/director.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::size_t most_waiting_lines = 1000;

/// The panel's index in an order for another launcher; empty for any other line.
std::optional<int> panel_of_launcher_order(std::string_view line) {
  if (!line.starts_with(director::restart_launcher_news)) return std::nullopt;
  line.remove_prefix(director::restart_launcher_news.size());
  int panel = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), panel);
  return read.ec == std::errc() ? std::optional(panel) : std::nullopt;
}

/// The order about the flight path that a line has; empty for any other line.
std::optional<director::KeyframeOrder> keyframe_order(std::string_view line) {
  const auto* const found = std::ranges::find(director::keyframe_news, line);
  if (found == std::end(director::keyframe_news)) return std::nullopt;
  return static_cast<director::KeyframeOrder>(found - std::begin(director::keyframe_news));
}

}  // namespace

void ShowConsole::open_terminal(const std::string& control) {
  if (use_ != TerminalUse::none && terminal::ShowTerminal::is_there()) terminal_.emplace(control);
}

void ShowConsole::lose_terminal() {
  // Writing to it would fail, and end the show. isatty() does not know it any more.
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file {};
    if (::fstat(fd, &file) == 0 && S_ISCHR(file.st_mode)) ::dup2(nothing.get(), fd);
  }
  close_terminal();
}

WatchEvent ShowConsole::wait(const ChildWatch& watch, std::chrono::milliseconds limit) {
  pollfd waiting[] = {{watch.fd(), POLLIN, 0}, {news_.reading_end(), POLLIN, 0}};
  if (terminal_)
    terminal_->wait(waiting, limit);
  else
    ::poll(waiting, std::size(waiting), static_cast<int>(limit.count()));
  return watch.wait(std::chrono::milliseconds(0));
}

void ShowConsole::tell(std::string line) {
  if (lines_.size() < most_waiting_lines) lines_.push_back(std::move(line));
}

void ShowConsole::take_news() {
  for (std::string& line : news_.take_new()) {
    if (line == director::ending_news)
      show_ends_ = true;
    else if (const auto panel = panel_of_launcher_order(line))
      launcher_orders_.push_back(*panel);
    else if (const auto order = keyframe_order(line))
      keyframe_orders_.push_back(*order);
    else
      tell(std::move(line));
  }
}

void ShowConsole::print_news() {
  take_news();
  const std::vector<std::string> lines = std::exchange(lines_, {});
  if (lines.empty()) return;
  silence_closed_streams();
  try {
    for (const std::string& line : lines) print_news(line);
  } catch (const std::system_error&) {
    // The lines are lost: the reader has gone meanwhile, or the disk is full. The show goes on.
  }
}

void ShowConsole::print_news(const std::string& line) {
  if (line == director::begun_news) return print_control_line();
  if (terminal_) terminal_->erase();
  print_line(stderr, "tilewall: {}", line);
}

void ShowConsole::print_news_if_taken() {
  if (!terminal_ || terminal::ShowTerminal::takes_output()) print_news();
}

// Called once the show has begun, because a show that fails earlier has nothing to control.
void ShowConsole::print_control_line() {
  if (std::exchange(control_line_printed_, true)) return;  // by an earlier director
  if (terminal_ || use_ != TerminalUse::controlled) return;
  print_line(stdout, "{}", control_line_);
  std::fflush(stdout);
}

}  // namespace tilewall::supervisor
