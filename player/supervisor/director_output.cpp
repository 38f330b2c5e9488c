#include "player/supervisor/director_output.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::supervisor {

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

ReportMemory::ReportMemory()
    : memory_(check_sys(::memfd_create("tilewall-report", MFD_CLOEXEC), "memfd_create")) {}

void ReportMemory::clear() const noexcept {
  if (::ftruncate(memory_.get(), 0) == 0) ::lseek(memory_.get(), 0, SEEK_SET);
}

void ReportMemory::write_error(const std::string& line) const noexcept try {
  const nlohmann::json report = {{"error", line}};
  check_sys(::ftruncate(memory_.get(), 0), "ftruncate");
  check_sys(::lseek(memory_.get(), 0, SEEK_SET), "lseek");
  write_all(memory_.get(), json_text(report), "report");
} catch (const std::exception&) {
  // The supervisor will report that the director ended without a report.
}

nlohmann::json ReportMemory::read() const {
  struct stat status = {};
  check_sys(::fstat(memory_.get(), &status), "fstat");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(memory_.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    });
    if (got <= 0) break;
    at += static_cast<std::size_t>(got);
  }
  nlohmann::json report = nlohmann::json::parse(text, nullptr, false);
  return report.is_object() ? report : nlohmann::json::object();
}

}  // namespace tilewall::supervisor
