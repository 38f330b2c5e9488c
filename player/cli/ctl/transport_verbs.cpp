// The verbs for playing: pause, seek, speed, loops, ranges, playlists.
#include <fmt/format.h>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "sync/base/arguments.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr char play[] = "play";
constexpr char pause[] = "pause";
constexpr char toggle_pause[] = "toggle_pause";
constexpr char reverse[] = "reverse";
constexpr char next[] = "next";
constexpr char previous[] = "previous";

bool is_signed(const std::string& text) { return text.starts_with('+') || text.starts_with('-'); }

/// "100" is frame 100; "+10" is ten frames ahead; "90s" and "-5s" are in seconds.
Json seek(const CtlArguments& arguments, command::WallConnection&) {
  std::string text = one_word(arguments, "seek", "a frame, +FRAMES, -FRAMES, or seconds as in -5s");
  Json request = request_of(arguments, "seek");
  if (text.ends_with('s')) {
    text.pop_back();
    request[is_signed(text) ? "by_seconds" : "seconds"] = number("seek", text);
  } else {
    request[is_signed(text) ? "by" : "frame"] = whole_number("seek", text);
  }
  return request;
}

Json step(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "step");
  if (!arguments.words.empty())
    request["by"] = whole_number("step", one_word(arguments, "step", "a number of frames"));
  return request;
}

Json speed(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "speed");
  request["speed"] = one_word(arguments, "speed", "a number or a fraction such as 1/2");
  return request;
}

Json loop(const CtlArguments& arguments, command::WallConnection&) {
  constexpr const char* expected = "on, off or ping_pong";
  const std::string& word = one_word(arguments, "loop", expected);
  if (word != "on" && word != "off" && word != "ping_pong") refuse_word("loop", expected, word);
  Json request = request_of(arguments, "loop");
  request["mode"] = word == "on" ? "loop" : word == "off" ? "once" : word;
  return request;
}

Json range(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "range");
  const auto& words = arguments.words;
  if (words.size() == 1 && words.front() == "off") return request;
  if (words.size() == 2) {  // the older syntax: FIRST LAST
    request["first"] = whole_number("range", words[0]);
    request["last"] = whole_number("range", words[1]);
    return request;
  }
  const std::string expected = fmt::format("{}, or off", number_range_syntax);
  const std::string& word = one_word(arguments, "range", expected);
  const auto frames = parse_number_range(word);
  if (!frames) refuse_word("range", expected, word);
  if (frames->first) request["first"] = *frames->first;
  if (frames->last) request["last"] = *frames->last;
  return request;
}

/// Words that are no number are a title or file name: blanks between them need no quotes.
Json go_to(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "goto");
  if (arguments.words.empty())
    refuse_word("goto", "an item's number from 0, title or file name", "");
  const std::string text = all_words(arguments);
  const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number)
    request["item"] = whole_number("goto", text);
  else
    request["name"] = text;
  return request;
}

}  // namespace

std::vector<CtlVerb> ctl_transport_verbs() {
  return {{play, "", plain_request<play>},
          {pause, "", plain_request<pause>},
          {toggle_pause, "", plain_request<toggle_pause>},
          {"seek", "FRAME | +N | -N | SECONDSs (-5s)", seek},
          {"step", "[N]", step},
          {"speed", "SPEED", speed},
          {reverse, "", plain_request<reverse>},
          {"loop", "on | off | ping_pong", loop},
          {"range", "A-B | A- | -B | N | off", range},
          {next, "", plain_request<next>},
          {previous, "", plain_request<previous>},
          {"goto", "ITEM | NAME", go_to}};
}

}  // namespace tilewall::cli
