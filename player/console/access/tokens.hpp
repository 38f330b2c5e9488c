// The tokens with which people log in at the console of one show: one for each role.
//
// Threads: one owner.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/verbs/verb_list.hpp"

namespace tilewall::console {

/// The file in the run directory, which only the user can read: {"address", "url", "tokens": {role:
/// token}, "show_options": [...], "render_options": [...]}.
inline constexpr const char* console_file = "console.json";

/// Where a console is, and who may use it.
struct ConsoleAccess {
  std::string address;                ///< "127.0.0.1:40123", where it listens
  std::string url;                    ///< "http://127.0.0.1:40123/", without a token
  std::array<std::string, 3> tokens;  ///< by verbs::Role
  /// Options of the running show with which a command starts one like it: {"--wall", "w.toml"}.
  std::vector<std::string> show_options = {};
  /// Options with which `render` draws the volume of the running show as its hosts do: {"--volume",
  /// "/data/knot.nrrd", "--memory", "512"}; empty where it has none.
  std::vector<std::string> render_options = {};
};

/// Three new random tokens for a console whose address is not known yet.
[[nodiscard]] ConsoleAccess new_access();

/// The address that logs a person in with that role: the URL with the token as its fragment, which
/// browsers do not send.
[[nodiscard]] std::string login_url(const ConsoleAccess& access, verbs::Role role);

/// The text of `console_file`.
[[nodiscard]] std::string to_text(const ConsoleAccess& access);
/// Reads the file. Throws InputError naming it and the field.
[[nodiscard]] ConsoleAccess read_access(const std::filesystem::path& file);

/// The role of a token, compared in constant time; empty for a text that is none of them.
[[nodiscard]] std::optional<verbs::Role> role_of_token(const ConsoleAccess& access,
                                                       std::string_view token) noexcept;

}  // namespace tilewall::console
