#include "wallconfigs/address.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tilewall::wall {
namespace {

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether all of `text` is a decimal number in [min, max].
bool is_number(std::string_view text, int min, int max) noexcept {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && text.front() != '-' &&
         value >= min && value <= max;
}

}  // namespace

bool is_host_name(std::string_view text) noexcept {
  constexpr std::size_t longest_dns_name = 253;
  if (text.empty() || text.size() > longest_dns_name) return false;
  if (!is_alphanumeric(text.front()) && text.front() != ':') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
}

bool is_host_port(std::string_view text) noexcept {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return false;  // an IPv6 address needs its brackets here
  return is_host_name(host) && is_number(text.substr(colon + 1), 1, 65535);
}

bool is_x_display(std::string_view text) noexcept {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  if (colon > 0 && !is_host_name(text.substr(0, colon))) return false;
  const std::string_view numbers = text.substr(colon + 1);
  const std::size_t point = numbers.find('.');
  if (!is_number(numbers.substr(0, point), 0, 65535)) return false;
  return point == std::string_view::npos || is_number(numbers.substr(point + 1), 0, 255);
}

}  // namespace tilewall::wall
