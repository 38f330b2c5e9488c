// The verbs for the part of a movie that is shown, and for a volume's camera and style.
#include <fmt/format.h>

#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "player/cli/options/volume_fields.hpp"
#include "player/scene/style_adjustment.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

void add_glide(Json& request, const CtlArguments& arguments) {
  if (!arguments.glide.empty()) request["glide_s"] = number("--glide", arguments.glide);
}

void add_point(Json& request, const CtlArguments& arguments) {
  if (arguments.at.empty()) return;
  const auto point = number_list("--at", arguments.at, 2, "X,Y in canvas pixels");
  request["x"] = point[0];
  request["y"] = point[1];
}

Json view(const CtlArguments& arguments, command::WallConnection&) {
  constexpr const char* expected = "X,Y,W,H in pixels of the movie, or whole";
  const std::string& word = one_word(arguments, "view", expected);
  Json request = request_of(arguments, "view");
  add_glide(request, arguments);
  if (word == "whole")
    request["whole"] = true;
  else
    request["view_px"] = number_list("view", word, 4, expected);
  return request;
}

Json zoom(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "zoom");
  request["factor"] = number("zoom", one_word(arguments, "zoom", "a factor"));
  add_point(request, arguments);
  add_glide(request, arguments);
  return request;
}

Json one_to_one(const CtlArguments& arguments, command::WallConnection&) {
  no_words(arguments, "one_to_one");
  Json request = request_of(arguments, "one_to_one");
  add_point(request, arguments);
  add_glide(request, arguments);
  return request;
}

Json pan(const CtlArguments& arguments, command::WallConnection&) {
  constexpr const char* expected = "DX,DY in canvas pixels";
  const auto by = number_list("pan", one_word(arguments, "pan", expected), 2, expected);
  Json request = request_of(arguments, "pan");
  request["dx"] = by[0];
  request["dy"] = by[1];
  add_glide(request, arguments);
  return request;
}

Json fit(const CtlArguments& arguments, command::WallConnection&) {
  Json request = request_of(arguments, "fit");
  request["mode"] = one_word(arguments, "fit", "contain, cover or stretch");
  return request;
}

constexpr const char* save_word = "save";

/// The file of "VERB save FILE"; its text is written into it.
const std::string& saved_file(const CtlArguments& arguments, const std::string& verb) {
  if (arguments.words.size() != 2) refuse_word(verb, "save FILE.toml", all_words(arguments));
  return arguments.words[1];
}

/// "camera FILE", "camera orbit RIGHT,DOWN[,ROLL]", "camera save FILE".
Json camera(const CtlArguments& arguments, command::WallConnection& wall) {
  constexpr const char* expected =
      "a camera's TOML file, orbit RIGHT,DOWN,ROLL in degrees, or save FILE.toml";
  if (arguments.words.empty()) refuse_word("camera", expected, "");
  if (arguments.words.front() == save_word && arguments.words.size() > 1) {
    const std::string& file = saved_file(arguments, "camera");
    rewrite_file_atomically(
        file,
        camera_toml_text(shown_volume_region(arguments, wall, "camera").at("volume").at("camera")));
    return nullptr;
  }
  Json request = request_of(arguments, "camera");
  add_glide(request, arguments);
  if (arguments.words.front() != "orbit") {
    request["camera"] = read_camera_file(one_word(arguments, "camera", expected));
    return request;
  }
  if (arguments.words.size() != 2) refuse_word("camera", expected, "orbit");
  request["orbit_deg"] = number_list("camera orbit", arguments.words[1], 3, expected);
  return request;
}

/// "style FIELD=VALUE...", "style save FILE".
Json style(const CtlArguments& arguments, command::WallConnection& wall) {
  if (arguments.words.empty()) refuse_word("style", "FIELD=VALUE, or save FILE.toml", "");
  if (arguments.words.front() == save_word) {
    const std::string& file = saved_file(arguments, "style");
    const Json shown = shown_volume_region(arguments, wall, "style").at("volume").at("style");
    rewrite_file_atomically(file, transfer_text(shown.at("transfer")));
    return nullptr;
  }
  Json change = Json::object();
  for (const std::string& word : arguments.words) {
    const auto sign = word.find('=');
    if (sign == std::string::npos) refuse_word("style", "FIELD=VALUE", word);
    add_style_change(change, word.substr(0, sign), word.substr(sign + 1), "ctl style");
  }
  if (change.contains("iso_value") && !change.contains("mode")) change["mode"] = "isosurface";
  Json request = request_of(arguments, "style");
  add_glide(request, arguments);
  request["change"] = std::move(change);
  return request;
}

/// "adjust WHAT [BY]".
Json adjust(const CtlArguments& arguments, command::WallConnection&) {
  if (arguments.words.empty()) refuse_word("adjust", "what to adjust", "");
  const std::string& what = arguments.words.front();
  const bool takes_amount = scene::has_amount(scene::parse_style_adjustment(what));
  const char* const expected = takes_amount ? "WHAT BY" : "nothing after what it adjusts";
  if (arguments.words.size() != (takes_amount ? 2 : 1))
    refuse_word("adjust", expected, arguments.words.back());
  Json request = request_of(arguments, "adjust");
  add_glide(request, arguments);
  request["what"] = what;
  if (takes_amount) request["by"] = number("adjust", arguments.words[1]);
  return request;
}

std::string camera_details() {
  std::vector<HelpLine> lines;
  for (const CameraField& field : camera_fields())
    lines.push_back({fmt::format("{} = {}", field.name, field.value), std::string(field.help)});
  return help_table("FILE.toml has any of these fields; what it leaves out stays as it is:",
                    lines) +
         "\nsave: writes such a file, which view --camera reads too.\n"
         "\norbit: degrees; the picture follows a hand that turns it right, down and clockwise.\n"
         "\nExamples: tilewall ctl camera orbit 30,10,0 --glide 2; tilewall ctl camera top.toml, "
         "the\n"
         "file being: eye = [0, 0, 400]  look_at = [0, 0, 0]  up = [0, 1, 0]  (a line each)";
}

std::string style_details() {
  std::vector<HelpLine> lines;
  for (const StyleField& field : style_fields())
    lines.push_back({fmt::format("{}={}", field.name, field.value), field.help});
  return help_table("Fields, any number of them; others stay as they are:", lines) +
         "\n\nsave: writes the transfer function into a file that tf= and --tf read.\n"
         "\nExamples: tilewall ctl style tf=magma range=20,180 opacity=2 --glide 1;\n"
         "tilewall ctl style iso=90 clip=0,0.5,0,1,0,1 bar=on";
}

std::string adjust_details() {
  std::vector<HelpLine> lines;
  for (const scene::StyleAdjustmentWords& words : scene::style_adjustments())
    lines.push_back({fmt::format("{} {}", words.name, words.by), std::string(words.help)});
  return help_table("WHAT, and BY how much where it takes an amount:", lines) +
         "\n\nExamples: tilewall ctl adjust opacity 1.5; tilewall ctl adjust level -0.1;\n"
         "tilewall ctl adjust clip_box";
}

}  // namespace

std::vector<CtlVerb> ctl_view_verbs() {
  const std::vector<CtlOption> moving = {CtlOption::at, CtlOption::glide};
  return {{"view", "X,Y,W,H | whole", view, {CtlOption::glide}},
          {"zoom", "FACTOR", zoom, moving},
          {"one_to_one", "", one_to_one, moving},
          {"pan", "DX,DY", pan, {CtlOption::glide}},
          {"camera",
           "FILE.toml | orbit RIGHT,DOWN,ROLL | save FILE.toml",
           camera,
           {CtlOption::glide},
           camera_details},
          {"style", "FIELD=VALUE... | save FILE.toml", style, {CtlOption::glide}, style_details},
          {"adjust", "WHAT [BY]", adjust, {CtlOption::glide}, adjust_details},
          {"fit", "contain | cover | stretch", fit}};
}

}  // namespace tilewall::cli
