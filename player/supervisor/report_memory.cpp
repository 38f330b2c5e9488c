#include "player/supervisor/report_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall {

ReportMemory::ReportMemory()
    : memory_(check_sys(::memfd_create("tilewall-report", MFD_CLOEXEC), "memfd_create")) {}

void ReportMemory::write_error(const std::string& line) const noexcept try {
  const nlohmann::json report = {{"error", line}};
  check_sys(::ftruncate(memory_.get(), 0), "ftruncate");
  check_sys(::lseek(memory_.get(), 0, SEEK_SET), "lseek");
  write_all(memory_.get(), report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            "report");
} catch (const std::exception&) {
  // The supervisor then says that the director ended without a report.
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

}  // namespace tilewall
