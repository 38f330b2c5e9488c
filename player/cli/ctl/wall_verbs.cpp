// The verbs for the whole wall.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr char blank[] = "blank";
constexpr char overlay[] = "overlay";
constexpr char hints[] = "hints";
constexpr char mute[] = "mute";
constexpr char quit[] = "quit";

constexpr std::size_t most_snapshot_bytes = std::size_t{1} << 30;

template <const char* verb>
Json on_off(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, verb);
  if (!arguments.words.empty()) request["on"] = on_or_off(arguments, verb);
  return request;
}

Json volume(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "volume");
  request["volume"] = number("volume", one_word(arguments, "volume", "0 to 2"));
  return request;
}

Json key(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "key");
  request["key"] = one_word(arguments, "key", "the name of a key, such as toggle_pause");
  return request;
}

Json bezels(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "bezels");
  request["mode"] = one_word(arguments, "bezels", "hide or show");
  return request;
}

Json content(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "content");
  request["mode"] = one_word(arguments, "content", "arc_length, eye or flat");
  return request;
}

/// edge, hold, back [N], forward [N]
Json live(const CtlArguments& arguments, command::WallConnection&) {
  const std::string expected = "edge, hold, back [N] or forward [N]";
  Json request = request_of(arguments, "live");
  if (arguments.words.empty()) refuse_word("live", expected, "");
  const std::string& verb = arguments.words.front();
  const bool moves = verb == "back" || verb == "forward";
  if ((!moves && verb != "edge" && verb != "hold") || arguments.words.size() > (moves ? 2 : 1))
    refuse_word("live", expected, all_words(arguments));
  request["verb"] = verb;
  if (moves)
    request["by"] = arguments.words.size() == 2 ? whole_number("live", arguments.words[1]) : 1;
  return request;
}

/// panel NAME, caster [HOST], decoder [HOST], launcher [HOST]
Json restart(const CtlArguments& arguments, command::WallConnection&) {
  const std::string expected = "panel NAME, caster [HOST], decoder [HOST] or launcher [HOST]";
  Json request = request_of(arguments, "restart");
  if (arguments.words.empty()) refuse_word("restart", expected, "");
  const std::string& role = arguments.words.front();
  const bool is_panel = role == "panel";
  const bool is_of_host = role == "caster" || role == "decoder" || role == "launcher";
  const std::size_t count = arguments.words.size();
  if ((!is_panel && !is_of_host) || count > 2 || (is_panel && count == 1))
    refuse_word("restart", expected, all_words(arguments));
  request["role"] = role;
  if (count == 2) request[is_panel ? "panel" : "host"] = arguments.words[1];
  return request;
}

/// The director writes into the run directory, where it may, and take_snapshot() copies the
/// picture: so the file is one that the user of `ctl` may write, whatever the director may.
Json snapshot(const CtlArguments& arguments, command::WallConnection& wall) {
  const std::string& file = one_word(arguments, "snapshot", "FILE.png");
  if (std::filesystem::path(file).extension() != ".png")
    refuse_word("snapshot", "a file that ends in .png", file);
  std::error_code ignored;
  if (!std::filesystem::is_directory(std::filesystem::absolute(file).parent_path(), ignored))
    refuse_word("snapshot", "a file in a folder that exists", file);
  Json request = request_of(arguments, "snapshot");
  request["file"] =
      (std::filesystem::absolute(wall.run_dir()) / fmt::format("ctl-snapshot-{}.png", ::getpid()))
          .string();
  return request;
}

void take_snapshot(const CtlArguments& arguments, const Json& request, Json& answer) {
  const std::filesystem::path taken = request.at("file").get<std::string>();
  const std::filesystem::path file = std::filesystem::absolute(arguments.words.front());
  const std::string bytes = read_text_file(taken, most_snapshot_bytes);
  std::error_code gone;
  std::filesystem::remove(taken, gone);
  rewrite_file_atomically(file, bytes);
  answer["file"] = file.string();
}

}  // namespace

std::vector<CtlVerb> ctl_wall_verbs() {
  return {{blank, "[on | off]", on_off<blank>},
          {overlay, "[on | off]", on_off<overlay>},
          {hints, "[on | off]", on_off<hints>},
          {"volume", "VOLUME", volume},
          {mute, "[on | off]", on_off<mute>},
          {"key", "NAME", key},
          {"bezels", "hide | show", bezels},
          {"content", "arc_length | eye | flat", content},
          {"live", "edge | hold | back [N] | forward [N]", live},
          {"snapshot", "FILE.png", snapshot, {}, nullptr, take_snapshot},
          {"restart", "panel NAME | caster [HOST] | decoder [HOST] | launcher [HOST]", restart},
          {quit, "", plain_request<quit>}};
}

}  // namespace tilewall::cli
