#include "player/director/log/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "player/director/log/show_log.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t latest_log_ns = std::int64_t{1} << 61;  // differences do not overflow
constexpr std::size_t longest_cue_name = 64;
// Their effect is not on the wall, or comes from elsewhere.
constexpr std::string_view unrepeated_verbs[] = {"snapshot", "live", "restart"};
// Commands that go to a cue or, where that is impossible, do nothing but show a hint.
constexpr std::string_view going_verbs[] = {"next", "previous", "goto"};
constexpr std::string_view going_keys[] = {"forward_far", "back_far", "next_item", "previous_item",
                                           "enter"};

bool is_among(std::string_view word, auto& words) {
  return std::ranges::find(words, word) != std::end(words);
}

/// One line of a log, and the error that names it.
class LogLine {
 public:
  LogLine(const std::string& file, int number, Json json)
      : file_(file), number_(number), json_(std::move(json)) {
    if (!json_.is_object()) refuse("", "an object", shown_json(json_));
  }

  [[noreturn]] void refuse(std::string_view field, std::string_view expected,
                           std::string_view found) const {
    throw InputError({file_, number_}, field, expected, found);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] const Json& json() const noexcept { return json_; }
  [[nodiscard]] bool has(const char* field) const { return json_.contains(field); }

  [[nodiscard]] std::string text(const char* field) const {
    const Json& value = at(field, "a text");
    if (!value.is_string()) refuse(field, "a text", shown_json(value));
    return value.get<std::string>();
  }
  [[nodiscard]] std::int64_t whole(const char* field, std::int64_t most) const {
    const std::string expected = fmt::format("a whole number from 0 to {}", most);
    const Json& value = at(field, expected);
    const bool fits = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!fits) refuse(field, expected, shown_json(value));
    return value.get<std::int64_t>();
  }
  [[nodiscard]] GlobalInstant instant(const char* field) const {
    return GlobalInstant{Nanos(whole(field, latest_log_ns))};
  }
  [[nodiscard]] const Json& object(const char* field) const {
    const Json& value = at(field, "an object");
    if (!value.is_object()) refuse(field, "an object", shown_json(value));
    return value;
  }

 private:
  [[nodiscard]] const Json& at(const char* field, std::string_view expected) const {
    const auto found = json_.find(field);
    if (found == json_.end()) refuse(field, expected, "none");
    return *found;
  }

  const std::string& file_;
  const int number_;
  const Json json_;
};

/// Gathers a recording line by line.
class RecordingReader {
 public:
  explicit RecordingReader(std::string file) { recording_.file = std::move(file); }

  void take(const LogLine& line) {
    if (line.number() == 1) return take_head(line);
    const std::string event = line.text("event");
    const GlobalInstant at = line.instant("at_ns");
    if (start_ && !has_ended_) recording_.end = std::max(recording_.end, at - *start_);
    if (event == "start")
      take_start(line, at);
    else if (event == "command")
      take_command(line, at);
    else if (event == "end")
      has_ended_ = true;
  }

  [[nodiscard]] Recording finish() {
    if (recording_.head.is_null())
      throw InputError({recording_.file, 1}, "", "a show log", "an empty file");
    if (!start_)
      throw InputError({recording_.file}, "", "the log of a show that has started",
                       "no line with the event \"start\"");
    if (unrepeated_ > 0)
      recording_.notes.push_back(
          fmt::format("{}: commands \"snapshot\", \"live\" and \"restart\" are not repeated: {}",
                      recording_.file, unrepeated_));
    return std::move(recording_);
  }

 private:
  void take_head(const LogLine& line) {
    if (!line.has("log")) line.refuse("log", "the first line of a show log", "none");
    if (line.has("resumed"))
      line.refuse("resumed", "the log of a show from its beginning", "that of a resumed one");
    if (line.whole("log", latest_log_ns) != show_log_version)
      line.refuse("log", std::to_string(show_log_version), shown_json(line.json().at("log")));
    recording_.head = line.json();
  }

  void take_start(const LogLine& line, GlobalInstant at) {
    if (start_) line.refuse("event", "one line \"start\"", "another one");
    start_ = at;
  }

  void take_command(const LogLine& line, GlobalInstant at) {
    const Json& request = line.object("request");
    const auto type = request.find("type");
    if (type == request.end() || !type->is_string())
      line.refuse("request.type", "a verb", type == request.end() ? "none" : shown_json(*type));
    const auto& verb = type->get_ref<const std::string&>();
    const std::string outcome = line.text("outcome");
    if (outcome == "refused") return;
    if (outcome != "done") line.refuse("outcome", "done or refused", '"' + outcome + '"');
    if (is_quit(request)) return;    // the line "end" follows
    if (edits_cue(request)) return;  // the list follows, where a picture changed
    if (is_among(verb, unrepeated_verbs)) {
      ++unrepeated_;
      return;
    }
    RecordedCommand command{line.number(), request, {}, false};
    if (verb == "show" && !loads_show(request)) return add(std::move(command), at, std::nullopt);
    if (line.has("cue")) {
      command.cue = line.text("cue");
      if (command.cue->empty() || command.cue->size() > longest_cue_name)
        line.refuse("cue", "a text of 1 to 64 bytes", '"' + *command.cue + '"');
      command.begins_again = is_true(line, "begins_again");
    }
    const std::int64_t version = line.whole("version", latest_log_ns);
    const GlobalInstant effect = line.instant("effect_ns");
    if (!command.cue && goes_to_a_cue(verb, request)) return;
    add(std::move(command), effect, version);
  }

  [[nodiscard]] static bool is_true(const LogLine& line, const char* field) {
    if (!line.has(field)) return false;
    const Json& value = line.json().at(field);
    if (!value.is_boolean()) line.refuse(field, "true or false", shown_json(value));
    return value.get<bool>();
  }

  [[nodiscard]] static bool goes_to_a_cue(const std::string& verb, const Json& request) {
    if (is_among(verb, going_verbs)) return true;
    const auto key = request.find("key");
    return verb == "key" && key != request.end() && key->is_string() &&
           is_among(key->get_ref<const std::string&>(), going_keys);
  }

  /// Adds a command, to those before it where all were for the same scene.
  void add(RecordedCommand command, GlobalInstant effect, std::optional<std::int64_t> version) {
    // What came while panels gathered is there from the start on.
    const Nanos since_start = start_ ? std::max(effect - *start_, Nanos(0)) : Nanos(0);
    const bool is_same = version && version_ == version && !recording_.changes.empty() &&
                         recording_.changes.back().effect == since_start;
    if (!is_same) recording_.changes.push_back({since_start, {}});
    recording_.changes.back().commands.push_back(std::move(command));
    version_ = version;
    if (!has_ended_) recording_.end = std::max(recording_.end, since_start);
  }

  Recording recording_;
  std::optional<GlobalInstant> start_;
  std::optional<std::int64_t> version_;  // of the newest change; empty: it made no scene
  bool has_ended_ = false;
  int unrepeated_ = 0;
};

}  // namespace

bool loads_show(const Json& request) {
  return request.value("type", Json()) == "show" && request.value("verb", Json()) == "load";
}

bool edits_cue(const Json& request) {
  const Json verb = request.value("verb", Json());
  return request.value("type", Json()) == "cue" && (verb == "note" || verb == "update");
}

bool is_quit(const Json& request) {
  if (!request.is_object()) return false;
  const Json type = request.value("type", Json());
  return type == "quit" || (type == "key" && request.value("key", Json()) == "quit");
}

Recording recording_from_text(std::string_view text, const std::string& file) {
  RecordingReader reader(file);
  std::vector<std::string> notes;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool is_torn = end == std::string_view::npos;
    text.remove_prefix(is_torn ? text.size() : end + 1);
    Json json;
    try {
      json = parse_json(line);
    } catch (const InputError&) {
      if (!is_torn || number == 1)
        throw InputError({file, number}, "", "one JSON object",
                         shown_json(Json(std::string(line.substr(0, longest_shown_json)))));
      notes.push_back(
          fmt::format("{}:{}: the last line is not whole: it is left out", file, number));
      break;
    }
    reader.take(LogLine(file, number, std::move(json)));
  }
  Recording recording = reader.finish();
  recording.notes.insert(recording.notes.begin(), notes.begin(), notes.end());
  return recording;
}

Recording read_recording(const std::filesystem::path& file) {
  return recording_from_text(read_text_file(file, longest_recording), file.string());
}

}  // namespace tilewall::director
