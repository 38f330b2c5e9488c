// People who have logged in at the console. A session has a random name, which the browser's cookie
// carries, and is kept in a file so that a console that was killed knows it again.
//
// Threads: one owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "player/verbs/verb_list.hpp"

namespace tilewall::console {

/// The file of the run directory that keeps them.
inline constexpr const char* sessions_file = "console.sessions.json";

/// Somebody who looks or acts.
struct Person {
  std::string name;  ///< 1 to 64 bytes of UTF-8 without control characters
  verbs::Role role = verbs::Role::viewer;
};

/// A name as others may see it: printable, without blanks around it, cut at 64 bytes; "" where
/// nothing is left.
[[nodiscard]] std::string person_name(std::string_view typed);

class Sessions {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// Where there are more, one of the lowest role goes: that which was not used for longest.
  static constexpr std::size_t most = 1000;
  static constexpr std::chrono::hours unused_limit{7 * 24};

  /// Reads the sessions of `file`; none where it is missing or damaged.
  explicit Sessions(std::filesystem::path file);

  /// Begins a session and returns its name, 64 hexadecimal digits.
  [[nodiscard]] std::string open(Person person, Time now);
  /// The person of a session that is known and was used in the last week; null otherwise.
  [[nodiscard]] const Person* find(std::string_view name, Time now);
  void close(std::string_view name);

  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }

 private:
  struct Session {
    Person person;
    Time used;
    Time written;  // the `used` that is in the file
  };

  void read();
  void write() noexcept;

  const std::filesystem::path file_;
  std::map<std::string, Session, std::less<>> sessions_;
};

}  // namespace tilewall::console
