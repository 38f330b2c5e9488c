#include "player/terminal/show_terminal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "net/show_keys.hpp"
#include "player/scene/operator_messages.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::terminal {

namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds refusal_time{2500};
constexpr int most_listed_cues = 8;
constexpr int rows_of_others = 4;  // the status line, and what was printed before

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

TerminalSize terminal_size() {
  winsize size = {};
  TerminalSize known;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return known;
  if (size.ws_col > 0) known.columns = size.ws_col;
  if (size.ws_row > 0) known.rows = size.ws_row;
  return known;
}

}  // namespace

bool ShowTerminal::is_there() noexcept {
  const char* const kind = std::getenv("TERM");
  const bool draws = kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
  return draws && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
}

bool ShowTerminal::takes_output() noexcept {
  pollfd output = {STDERR_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLOUT) != 0;
}

ShowTerminal::ShowTerminal(std::string control)
    : control_(std::move(control)),
      link_(control_, net::key_of(net::Protocol::control)),
      mode_(STDIN_FILENO) {}

ShowTerminal::~ShowTerminal() { erase(); }

void ShowTerminal::wait(std::span<const pollfd> others, std::chrono::milliseconds limit) {
  limit = std::min(limit, pace_.left(SteadyClock::now()));
  const short link_events = link_.wants_write() ? POLLIN | POLLOUT : POLLIN;
  std::vector<pollfd> waiting(others.begin(), others.end());
  waiting.push_back({link_.fd(), link_events, 0});
  waiting.push_back({takes_keys_ ? STDIN_FILENO : -1, POLLIN, 0});
  ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
  // A terminal that has hung up would end every wait at once.
  const bool hung_up = (waiting.back().revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
  takes_keys_ = !hung_up && mode_.keep();
  step();
}

void ShowTerminal::step() {
  const auto now = SteadyClock::now();
  if (takes_keys_) {
    if (const std::string typed = mode_.read(); !typed.empty()) send_keys(keys_.take(typed, now));
    send_keys(keys_.settle(now));
  }
  ask_status(now);
  for (const Json& answer : link_.step()) take(answer);
  if (link_.was_renewed()) pace_.note_answered();
  ask_status(now);
  draw();
}

/// Asks for the status where that is due.
void ShowTerminal::ask_status(SteadyClock::time_point now) {
  if (pace_.left(now) > std::chrono::milliseconds(0)) return;
  link_.send({{"type", "status"}, {"id", "status"}, {"per_panel", false}, {"lists", false}});
  if (const auto first = status_.is_null() ? std::nullopt : first_listed_cue(status_))
    link_.send({{"type", "cues"}, {"id", "cues"}, {"first", *first}, {"most", most_listed_cues}});
  pace_.note_asked(now);
}

void ShowTerminal::send_keys(const std::vector<present::OperatorKey>& keys) {
  for (const present::OperatorKey key : keys) {
    Json request = scene::to_json(key);
    request["id"] = "key";
    link_.send(std::move(request));
  }
}

void ShowTerminal::take(const Json& answer) {
  if (answer.value("id", "") == "key") pace_.note_key(SteadyClock::now());
  if (answer.value("type", "") == "status") {
    status_ = answer;
    pace_.note_answered();
  } else if (answer.value("type", "") == "cues") {
    cues_ = answer;
  } else if (answer.value("type", "") == "refused") {
    refusal_ = printable_text(answer.value("error", ""));
    refused_at_ = SteadyClock::now();
  }
}

void ShowTerminal::draw() {
  if (!TerminalMode::in_foreground(STDERR_FILENO)) {
    drawn_.clear();  // another process has the terminal now
    return;
  }
  if (TerminalMode::has_resumed()) drawn_.clear();
  if (status_.is_null()) return;
  const TerminalSize size = terminal_size();
  // A character in the last column would wrap the line.
  const std::vector<CueLine> lines = lines_to_draw(size.columns - 1, size.rows - rows_of_others);
  if (lines == drawn_ || !takes_output()) return;
  fmt::print(stderr, "{}", redraw_text(drawn_, lines, size.columns));
  std::fflush(stderr);
  drawn_ = lines;
}

std::vector<CueLine> ShowTerminal::lines_to_draw(int columns, int rows) const {
  std::vector<CueLine> lines = cue_lines(status_, cues_, columns, std::min(rows, most_listed_cues));
  const bool refused = !refusal_.empty() && SteadyClock::now() < refused_at_ + refusal_time;
  lines.push_back(
      {refused ? fit_columns(refusal_, columns) : show_line(status_, control_, columns), false});
  return lines;
}

void ShowTerminal::erase() {
  if (drawn_.empty() || !TerminalMode::in_foreground(STDERR_FILENO) || !takes_output()) return;
  fmt::print(stderr, "{}", erase_text(drawn_));
  std::fflush(stderr);
  drawn_.clear();
}

std::string control_line(const std::string& run_dir, bool has_windows) {
  return fmt::format(
      "control it by {}'tilewall ctl VERB --run-dir {}': status, pause, play, seek 100, quit; "
      "'tilewall ctl --help' lists all verbs; Ctrl-C ends it",
      has_windows ? "keys in its windows (space pauses, q quits) or " : "", run_dir);
}

namespace {

using Json = nlohmann::json;

constexpr std::int64_t endless_frames = std::int64_t{1} << 40;  // patterns have no end

/// A part of the line. `shorter` replaces `text` before any part is left out.
struct Part {
  int weight = 0;  // parts with the least weight are left out first
  std::string text;
  std::string shorter;
};

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts)
    if (!part.text.empty()) line += (line.empty() ? "" : "  ") + part.text;
  return line;
}

/// The show's problems or, where its phase is not simply "playing", that phase.
std::string condition_text(const Json& status) {
  const std::string phase = status.value("phase", "");
  const Json reasons = status.value("reasons", Json::array());
  const bool well = status.value("light", "green") == "green" || reasons.empty();
  if (!well) return printable_text(reasons.front().get<std::string>());
  return phase == "playing" ? "" : phase;
}

void add_place(const Json& status, std::vector<Part>& parts) {
  const Json& region = status.at("scene").at("regions").at(0);
  if (!status.at("frame").is_number()) return;
  const auto frame = status.at("frame").get<std::int64_t>();
  const auto frames = region.at("frames").get<std::int64_t>();
  const double fps = region.at("base_fps").get<double>();
  if (frames == 1) return;  // a still has no time line
  const bool ends = frames < endless_frames;
  const std::string short_frame = fmt::format("frame {}", frame);
  parts.push_back(
      {10, ends ? fmt::format("frame {} of {}", frame, frames) : short_frame, short_frame});
  if (!(fps > 0)) return;
  const std::string short_time = duration_text(static_cast<double>(frame) / fps);
  parts.push_back(
      {7,
       ends ? fmt::format("{} of {}", short_time, duration_text(static_cast<double>(frames) / fps))
            : short_time,
       short_time});
  if (!region.contains("playlist")) return;
  const Json& item = region.at("playlist");
  const std::string number = fmt::format("item {} of {}", item.at("item").get<std::int64_t>() + 1,
                                         item.at("items").get<std::int64_t>());
  parts.push_back({6, number + " " + printable_text(item.at("name").get<std::string>()), number});
}

/// Shortens the least important part that can be. Returns whether there was one.
bool shorten(std::vector<Part>& parts) {
  const auto least = std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const bool a_can = a.text != a.shorter && !a.shorter.empty();
    const bool b_can = b.text != b.shorter && !b.shorter.empty();
    return a_can != b_can ? a_can : a.weight < b.weight;
  });
  if (least == parts.end() || least->shorter.empty() || least->text == least->shorter) return false;
  least->text = least->shorter;
  return true;
}

}  // namespace

std::string show_line(const Json& status, const std::string& control, int columns) {
  std::vector<Part> parts;
  parts.push_back({9, condition_text(status), ""});
  add_place(status, parts);
  parts.push_back({8, fmt::format("{} late", status.at("frames_late").get<std::int64_t>()), ""});
  parts.push_back({4, control, ""});
  if (status.contains("presentation"))
    parts.push_back({3, "n goes on, p back, b black, f freeze", "n goes on"});
  parts.push_back({5, "q quits", ""});
  const auto too_long = [&] { return columns_of(joined(parts)) > columns; };
  while (too_long() && shorten(parts)) continue;
  while (too_long() && parts.size() > 1)
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.weight < b.weight; }));
  return fit_columns(joined(parts), columns);
}

}  // namespace tilewall::terminal
