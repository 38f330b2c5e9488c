#include "net/control/control_place.hpp"

#include <cstddef>
#include <system_error>

#include "net/show_keys.hpp"
#include "sync/base/file.hpp"

namespace tilewall::net {
namespace {

constexpr std::size_t longest_address_bytes = 4096;

}  // namespace

bool ControlPlace::exists() const {
  std::error_code error;
  return std::filesystem::exists(run_dir_ / control_address_file, error);
}

std::string ControlPlace::address() const {
  std::string text = read_text_file(run_dir_ / control_address_file, longest_address_bytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

AuthKey ControlPlace::key() const {
  return key_from_file(run_dir_ / control_secret_file, Protocol::control);
}

}  // namespace tilewall::net
