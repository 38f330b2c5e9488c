#include "player/command/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sync/base/printed_line.hpp"

namespace tilewall::command {
namespace {

constexpr std::chrono::seconds plain_line_every{5};
constexpr int bar_cells = 24;
constexpr int default_columns = 80;

int terminal_columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : default_columns;
}

std::string time_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string progress_bar(const movie::TransferProgress& progress) {
  if (progress.total <= 0) return "";
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * bar_cells);
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(bar_cells - filled), '.') + "] ";
}

std::string progress_text(const std::string& verb, const movie::TransferProgress& progress,
                          std::int64_t already, double elapsed_s) {
  std::string text = fmt::format("{} {}", verb, progress.done);
  if (progress.total > 0) text += fmt::format("/{}", progress.total);
  text += std::string(" ") + progress.unit;
  const double rate = static_cast<double>(progress.done - already) / std::max(elapsed_s, 1e-3);
  if (rate <= 0) return text;
  text += fmt::format(", {:.1f} {}/s", rate, progress.unit);
  if (progress.bytes > 0)
    text += fmt::format(", {:.1f} MB/s",
                        static_cast<double>(progress.bytes) / 1e6 / std::max(elapsed_s, 1e-3));
  const std::int64_t left = progress.total - progress.done;
  if (left > 0) text += ", " + time_text(static_cast<double>(left) / rate) + " left";
  return text;
}

ProgressLine::ProgressLine(std::string verb)
    : verb_(std::move(verb)),
      terminal_(::isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      next_line_(start_ + plain_line_every) {}

ProgressLine::~ProgressLine() {
  if (bar_drawn_) std::fputc('\n', stderr);
}

void ProgressLine::update(const movie::TransferProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (frames_at_start_ < 0) {
    frames_at_start_ = progress.done;
    start_ = now;
  }
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(verb_, progress, frames_at_start_, elapsed_s);
  if (terminal_) {
    const std::string line = progress_bar(progress) + text;
    fmt::print(stderr, "\r\033[K{}",
               line.substr(0, static_cast<std::size_t>(terminal_columns() - 1)));
    std::fflush(stderr);
    bar_drawn_ = true;
  } else if (now >= next_line_) {
    print_line(stderr, "{}", text);
    next_line_ = now + plain_line_every;
  }
}

void ProgressLine::note(const std::string& line) {
  clear_bar();
  print_line(stderr, "tilewall: {}", line);
}

void ProgressLine::clear_bar() {
  if (bar_drawn_) fmt::print(stderr, "\r\033[K");
  bar_drawn_ = false;
}

}  // namespace tilewall::command
