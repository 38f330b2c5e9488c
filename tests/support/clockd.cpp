#include "tests/support/clockd.hpp"

#include <stdexcept>

#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"

namespace tilewall::test {

Clockd::Clockd(const std::filesystem::path& folder, const std::vector<std::string>& more,
               const std::string& listen) {
  const std::filesystem::path announced = folder / "clock.addr";
  std::filesystem::remove(announced);
  std::vector<std::string> words = {tilewall_program, "clockd",     "--listen",
                                    listen,           "--announce", announced.string()};
  words.insert(words.end(), more.begin(), more.end());
  daemon_.emplace(words);
  if (!eventually([&] { return std::filesystem::exists(announced); }))
    throw std::runtime_error("tilewall clockd does not start");
  address_ = read_text_file(announced, 100);
  address_.pop_back();  // the line's end
}

ProgramResult Clockd::stop(int signal) {
  daemon_->send_signal(signal);
  return daemon_->wait(std::chrono::seconds(20));
}

}  // namespace tilewall::test
