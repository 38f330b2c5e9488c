#include "player/supervisor/news_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "sync/base/check.hpp"

namespace tilewall {

NewsPipe::NewsPipe() {
  int ends[2] = {-1, -1};
  check_sys(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
  read_end_ = UniqueFd(ends[0]);
  write_end_ = UniqueFd(ends[1]);
}

std::vector<std::string> NewsPipe::take_new() {
  std::vector<std::string> lines;
  std::array<char, 4096> chunk = {};
  for (ssize_t got = 0; (got = ::read(read_end_.get(), chunk.data(), chunk.size())) > 0;)
    partial_.append(chunk.data(), static_cast<std::size_t>(got));
  for (std::size_t end = 0; (end = partial_.find('\n')) != std::string::npos;) {
    lines.push_back(partial_.substr(0, end));
    partial_.erase(0, end + 1);
  }
  return lines;
}

}  // namespace tilewall
