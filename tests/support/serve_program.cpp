#include "tests/support/serve_program.hpp"

#include <fstream>
#include <stdexcept>

#include "tests/support/eventually.hpp"

namespace tilewall::test {
namespace {

Words serve_words(const std::filesystem::path& folder, const std::filesystem::path& announce,
                  const Words& more) {
  Words words = {tilewall_program, "serve",      folder.string(),  "--listen",
                 "127.0.0.1:0",    "--announce", announce.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

ServeProgram::ServeProgram(const std::filesystem::path& folder, const Words& more)
    : program_(serve_words(folder, folder_ / "address", more)) {
  if (!eventually([&] { return std::filesystem::exists(folder_ / "address"); }))
    throw std::runtime_error("tilewall serve does not listen");
  std::string address;
  std::ifstream(folder_ / "address") >> address;
  port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

std::string url_of(std::uint16_t port, const std::string& rest) {
  return "tilewall://127.0.0.1:" + std::to_string(port) + "/" + rest;
}

}  // namespace tilewall::test
