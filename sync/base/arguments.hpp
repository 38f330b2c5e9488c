// The arguments of our own helper programs: "--name value" pairs, nothing else. This is a parser of
// our own, because these programs must start within a millisecond or two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilewall {

class Arguments {
 public:
  /// Throws InputError for anything but "--name value" pairs.
  Arguments(int argc, const char* const* argv);

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  /// Throws InputError when the argument is missing.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] std::string text_or(const std::string& name, const std::string& otherwise) const {
    return has(name) ? text(name) : otherwise;
  }
  /// Throws InputError when the argument is missing or not a number in [0, 1e9].
  [[nodiscard]] int number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// "tilewall 0.1.0", the text that every program of this build prints for --version.
[[nodiscard]] const char* program_version() noexcept;

/// First digits of the id that the linker gave the program (an ELF file's GNU build id), which
/// differs for other contents. "" where it has none.
[[nodiscard]] std::string build_of(const std::filesystem::path& program);

/// Handles a command line that is just "--version": prints the version, and "build ID" on a line of
/// its own. Returns whether it did. A show checks its hosts by this output.
[[nodiscard]] bool prints_version(int argc, const char* const* argv);

// Ranges of whole numbers from 0 on as users type them: of frames, timesteps.

/// The one syntax for all of them; both ends belong to the range.
inline constexpr std::string_view number_range_syntax = "A-B, A-, -B or N";

struct WholeNumberRange {
  std::optional<std::int64_t> first;  ///< empty: from the beginning
  std::optional<std::int64_t> last;   ///< empty: to the end
  bool operator==(const WholeNumberRange&) const = default;
};

/// Empty for another syntax, numbers beyond 64 bits, and a last number before the first one.
[[nodiscard]] std::optional<WholeNumberRange> parse_number_range(std::string_view text) noexcept;

}  // namespace tilewall
