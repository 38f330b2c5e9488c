#include "sync/base/arguments.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "sync/base/error.hpp"

namespace tilewall {

Arguments::Arguments(int argc, const char* const* argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--") || i + 1 >= argc)
      throw InputError({name}, "", "pairs of --name and value", "");
    values_[name] = argv[i + 1];
  }
}

const std::string& Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw InputError({name}, "", "a value", "none");
  return found->second;
}

int Arguments::number(const std::string& name) const {
  const std::string& digits = text(name);
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0 || value > 1'000'000'000)
    throw InputError({name}, "", "a number in [0, 1e9]", digits);
  return value;
}

const char* program_version() noexcept { return "tilewall " TILEWALL_VERSION; }

bool prints_version(int argc, const char* const* argv) {
  if (argc != 2 || std::string_view(argv[1]) != "--version") return false;
  std::puts(program_version());
  return true;
}

}  // namespace tilewall
