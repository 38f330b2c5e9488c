#include "player/rendering/ranks/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

constexpr std::chrono::milliseconds end_limit{2'000};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe new_pipe() {
  std::array<int, 2> ends = {};
  check_sys(::pipe2(ends.data(), O_CLOEXEC), "pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void make_non_blocking(const UniqueFd& fd) {
  check_sys(::fcntl(fd.get(), F_SETFL, O_NONBLOCK), "fcntl");
}

RankAnswer checked_answer(std::string_view line) {
  try {
    return rank_answer_of(line);
  } catch (const InputError& error) {
    throw DamagedAnswer(error.what());
  }
}

}  // namespace

RankProcess::RankProcess(const Command& command) {
  Pipe to_rank = new_pipe();
  Pipe from_rank = new_pipe();
  ChildOptions options;
  options.environment = command.environment;
  options.output = command.log;
  options.standard_input = to_rank.read.get();
  options.standard_output = from_rank.write.get();
  options.own_group = true;
  pid_ = start_program(command.words, options);
  input_ = std::move(to_rank.write);
  output_ = std::move(from_rank.read);
  make_non_blocking(input_);
  make_non_blocking(output_);
}

RankProcess::~RankProcess() {
  if (pid_ == 0) return;
  input_.reset();
  ::kill(pid_, SIGTERM);  // mpirun takes what it has started with it
  static_cast<void>(wait_for(pid_, end_limit));
}

void RankProcess::send(const RankOrder& order) {
  unsent_ += line_of(order);
  write_some();
}

void RankProcess::write_some() {
  while (!unsent_.empty()) {
    const ssize_t written =
        retry_eintr([&] { return ::write(input_.get(), unsent_.data(), unsent_.size()); });
    if (written < 0) {
      if (errno != EAGAIN) unsent_.clear();  // its end is seen at its output
      return;
    }
    unsent_.erase(0, static_cast<std::size_t>(written));
  }
}

std::vector<RankAnswer> RankProcess::read_some() {
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const ssize_t got =
        retry_eintr([&] { return ::read(output_.get(), piece.data(), piece.size()); });
    if (got == 0 || (got < 0 && errno != EAGAIN)) ended_ = true;
    if (got <= 0) break;
    received_.append(piece.data(), static_cast<std::size_t>(got));
    if (received_.size() > longest_rank_line) break;
  }
  std::vector<RankAnswer> answers;
  std::size_t begin = 0;
  for (std::size_t end = received_.find('\n'); end != std::string::npos;
       end = received_.find('\n', begin)) {
    const std::string_view line(received_.data() + begin, end - begin);
    begin = end + 1;
    if (is_rank_answer(line)) answers.push_back(checked_answer(line));
  }
  received_.erase(0, begin);
  if (received_.size() > longest_rank_line)
    throw DamagedAnswer("it printed a line of more than 16 MiB");
  return answers;
}

std::string RankProcess::finish() {
  const ChildEnd end = wait_for(pid_, end_limit);
  pid_ = 0;
  return end.signal != 0 ? fmt::format("killed by signal {}", end.signal)
                         : fmt::format("ended with code {}", end.exit_code);
}

}  // namespace tilewall::rendering
