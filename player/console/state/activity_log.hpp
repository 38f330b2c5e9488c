// The newest commands and events of a show, with the person behind each, for people to read.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilewall::console {

class ActivityLog {
 public:
  static constexpr std::size_t most = 200;

  /// Adds an event of the control port, if it is one that people read: `scene` is left out, because
  /// it has the command behind it, too. `at_utc_ms` is when it came. Late frames of all panels
  /// share the newest line where they have one cause and come within ten seconds.
  void add(const nlohmann::json& event, std::int64_t at_utc_ms);
  /// Adds a line of the console itself, such as a login.
  void add_line(const std::string& by, const std::string& what, const std::string& result,
                std::int64_t at_utc_ms);

  /// {"17": {"at_utc_ms", "by", "what", "result"}, ...}, by growing numbers.
  [[nodiscard]] nlohmann::json json() const;

 private:
  /// The late frames that one line tells.
  struct LateFrames {
    std::uint64_t line;
    std::int64_t begin_utc_ms;
    std::string cause;
    std::map<std::string, std::int64_t> of_panels;
  };

  void add_late(const std::string& panel, std::int64_t frames, const std::string& cause,
                std::int64_t at_utc_ms);

  std::uint64_t next_ = 1;
  std::map<std::uint64_t, nlohmann::json> lines_;
  std::optional<LateFrames> late_;  // the newest
};

}  // namespace tilewall::console
