// What a survey found on one host: a list of checks, each with a light.
//
// Threads: values and free functions without state.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::survey {

/// What a check is about. host: whether the host answers at all; only the collecting side has it.
/// read, decode: rates measured on a medium's own frames.
enum class CheckKind { host, version, memory, logs, clock, display, server, file, read, decode };
inline constexpr std::string_view check_kind_names[] = {
    "host", "version", "memory", "logs", "clock", "display", "server", "file", "read", "decode"};

/// green: it is as it should be. amber: a show runs, but look at it. red: a show fails or stutters.
enum class Light { green, amber, red, not_measured };
inline constexpr std::string_view light_names[] = {"green", "amber", "red", "not_measured"};

/// Limits of an answer that is read.
inline constexpr std::size_t most_checks = 400'000;
inline constexpr std::size_t longest_check_text = 4096;  ///< bytes of each text of a check
inline constexpr std::size_t longest_answer_bytes = std::size_t{128} << 20;

struct SurveyCheck {
  CheckKind kind = CheckKind::host;
  std::string subject;  ///< file, display, address, ...; "" = the host itself
  std::string label;  ///< the requester's name for what needs the subject, such as a cue; "" = none
  Light light = Light::not_measured;
  std::string expected;  ///< in words, with units; "" = nothing
  std::string found;     ///< in words, with units; "" = nothing
  std::string text;      ///< a line for people; the reason where the light is not green
  /// read, decode: the measured rate divided by the needed one; empty where either is unknown.
  std::optional<double> rate_ratio = {};
  bool operator==(const SurveyCheck&) const = default;
};

struct SurveyAnswer {
  std::string host;                 ///< the machine's own name; "" where it did not answer
  std::string version;              ///< "tilewall 0.1.0"; "" where it did not answer
  std::vector<SurveyCheck> checks;  ///< by kind
  bool operator==(const SurveyAnswer&) const = default;
};

[[nodiscard]] nlohmann::ordered_json to_json(const SurveyCheck& check);
[[nodiscard]] nlohmann::ordered_json to_json(const SurveyAnswer& answer);

/// Throws InputError naming the field that is missing or wrong. Longer texts than
/// longest_check_text are cut.
[[nodiscard]] SurveyCheck check_from_json(const nlohmann::json& json);
[[nodiscard]] SurveyAnswer answer_from_json(const nlohmann::json& json);

/// The answer as the line that `tilewall-host --survey` prints. It begins with answer_mark, by
/// which it is found among lines of the launcher.
[[nodiscard]] std::string answer_line(const SurveyAnswer& answer);
inline constexpr std::string_view answer_mark = R"({"survey":)";

/// The answer among the lines of a launcher's output. Throws InputError where no line is one.
[[nodiscard]] SurveyAnswer answer_in(std::string_view output);

}  // namespace tilewall::survey
