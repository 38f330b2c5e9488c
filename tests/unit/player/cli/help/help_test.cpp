// Texts about a made-up program: errors of its command line, help, manual pages and completion.

#include "player/cli/help/help.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

using namespace tilewall::cli;

namespace {

/// A program with the commands play, ctl (verbs seek, blank and off) and one that is hidden.
struct MadeUpProgram {
  MadeUpProgram() {
    app.require_subcommand(1);
    CLI::App* const play = app.add_subcommand("play", "Plays a movie");
    play->add_option("INPUT", text, "a movie")->required();
    play->add_option("--late", text, "what becomes of late frames")->type_name("{drop,slow}");
    play->add_option("--wall", text, "a wall file");
    play->add_flag("--loop,-l", flag, "begins again");
    play->add_flag("-q", flag, "prints less");
    hidden = play->add_option("--secret", text, "for the program itself")->expected(2)->group("");
    CLI::App* const ctl = app.add_subcommand("ctl", "Controls a wall");
    ctl->require_subcommand(1);
    ctl->footer("Example: .ctl seek");
    ctl->add_subcommand("seek", "Goes to a frame")->add_option("words", text, "FRAME | +N");
    CLI::App* const blank = ctl->add_subcommand("blank", "Makes the wall black");
    blank->add_option("words", text, "on | off");
    ctl->add_subcommand("off", "Ends the wall")->add_option("words", text, "now");
    app.add_subcommand("manual", "Writes the manual")->group("");
  }

  /// The line about a command line that cannot be parsed; "" where it can.
  std::string error_of(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    try {
      const NamedHiddenOptions named(app);
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      return parse_error_line(app, error);
    }
    return "";
  }

  CLI::App app{"Plays movies", "tool"};
  CLI::Option* hidden = nullptr;
  std::string text;
  bool flag = false;
};

std::vector<std::string> words_of_options(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* const option : shown_options(command))
    words.push_back(option->get_positional() ? option->get_name(true) : option_word(*option));
  return words;
}

/// The part of a text between two others, without these.
std::string between(const std::string& whole, const std::string& begin, const std::string& end) {
  const auto from = whole.find(begin);
  if (from == std::string::npos) return "";
  const auto first = from + begin.size();
  return whole.substr(first, whole.find(end, first) - first);
}

}  // namespace

TEST_CASE("a wrong word of a command line is named, with the nearest right one", "[cli]") {
  CHECK(MadeUpProgram().error_of({"play", "a.mp4"}).empty());
  CHECK(MadeUpProgram().error_of({"pley", "a.mp4"}) ==
        "expected a command, found \"pley\" (nearest: play; see tool --help)");
  CHECK(MadeUpProgram().error_of({"xyzzy"}) ==
        "expected a command, found \"xyzzy\" (see tool --help)");
  CHECK(MadeUpProgram().error_of({"ctl", "seak"}) ==
        "ctl: expected a verb, found \"seak\" (nearest: seek; see tool ctl --help)");
  CHECK(MadeUpProgram().error_of({"play", "a.mp4", "--lete=drop"}) ==
        "play: expected a known option, found \"--lete\" (nearest: --late; see tool play --help)");
  CHECK(MadeUpProgram().error_of({"play", "a.mp4", "--quux"}) ==
        "play: expected a known option, found \"--quux\" (see tool play --help)");
  CHECK(MadeUpProgram().error_of({"--late", "play", "a.mp4"}) ==
        "expected --late behind \"tool play\", found it before (see tool play --help)");
  CHECK(MadeUpProgram().error_of({"play"}) == "INPUT is required (see tool play --help)");
  CHECK(MadeUpProgram().error_of({"ctl"}) == "A subcommand is required (see tool ctl --help)");
}

TEST_CASE("an error about a hidden option names it, and help does not", "[cli]") {
  MadeUpProgram program;
  CHECK(program.error_of({"play", "a.mp4", "--secret", "1"}) ==
        "--secret: At least 2 required but received 1 (see tool play --help)");
  CHECK(program.hidden->get_group().empty());
  CHECK_THAT(program.app.get_subcommand("play")->help(), !Catch::Contains("--secret"));
}

TEST_CASE("commands and options that are hidden are not among those shown", "[cli]") {
  const MadeUpProgram program;
  std::vector<std::string> commands;
  for (const CLI::App* const one : shown_commands(program.app)) commands.push_back(one->get_name());
  CHECK(commands == std::vector<std::string>{"play", "ctl"});
  const CLI::App& play = *program.app.get_subcommand("play");
  CHECK(words_of_options(play) ==
        std::vector<std::string>{"--help", "INPUT", "--late", "--wall", "--loop", "-q"});
  CHECK(takes_value(*play.get_option("--late")));
  CHECK_FALSE(takes_value(*play.get_option("--loop")));
  CHECK(listed_values(*play.get_option("--late")) == std::vector<std::string>{"drop", "slow"});
  CHECK(listed_values(*play.get_option("--wall")).empty());
}

TEST_CASE("options of a group within a command are shown with its own", "[cli]") {
  CLI::App app("", "tool");
  app.set_help_flag();  // a group has its parent's
  bool flag = false;
  app.add_flag("--own", flag);
  app.add_option_group("Group")->add_flag("--grouped", flag);
  app.add_option_group("")->add_flag("--hidden", flag);
  CHECK(words_of_options(app) == std::vector<std::string>{"--own", "--grouped"});
}

TEST_CASE("help has the options in groups of the order that it is given", "[cli]") {
  MadeUpProgram program;
  CLI::App& play = *program.app.get_subcommand("play");
  group_help(play,
             {{"Place", {"wall", "nonsense"}}, {"Time", {"loop", "late", "wall"}}, {"No", {}}});
  const std::string help = play.help();
  const auto at = [&](const std::string& part) {
    CAPTURE(help, part);
    REQUIRE(help.find(part) != std::string::npos);
    CHECK(help.find(part) == help.rfind(part));
    return help.find(part);
  };
  CHECK(at("Positionals:") < at("\nPlace:\n"));
  CHECK(at("\nPlace:\n") < at("--wall"));
  CHECK(at("--wall") < at("\nTime:\n"));
  CHECK(at("\nTime:\n") < at("--loop"));
  CHECK(at("--loop") < at("--late"));
  CHECK(at("--late") < at("\nOther options:\n"));
  CHECK(at("\nOther options:\n") < at("  -q "));
  CHECK(help.find("\nNo:") == std::string::npos);
  CHECK(help.find("--secret") == std::string::npos);
}

TEST_CASE("a completion lists verbs, options, values and the words that a verb takes", "[cli]") {
  const MadeUpProgram program;
  const std::string script = bash_completion(program.app);
  const auto branch = [&](const std::string& words) {
    return between(script, "    '" + words + "')\n", "      ;;\n");
  };
  CHECK(branch("tool") ==
        "      verbs='play ctl'\n      literals=''\n      options='--help'\n"
        "      with_value=''\n");
  CHECK(branch("tool play") ==
        "      verbs=''\n      literals=''\n      options='--help --late --wall --loop -q'\n"
        "      with_value='--late --wall'\n      case $previous in\n"
        "        --late) values='drop slow' ;;\n      esac\n");
  CHECK(branch("tool ctl") ==
        "      verbs='seek blank off'\n      literals=''\n      options='--help'\n"
        "      with_value=''\n");
  CHECK(between(branch("tool ctl blank"), "literals='", "'") == "on off");
  CHECK(between(branch("tool ctl seek"), "literals='", "'").empty());
  CHECK(between(branch("tool ctl off"), "literals='", "'").empty());  // one word is no choice
  CHECK(branch("tool manual").empty());
}

TEST_CASE("each command has a manual page, with its verbs as sections", "[cli]") {
  const MadeUpProgram program;
  const std::vector<ManualPage> pages = manual_pages(program.app, "tool 1.0");
  REQUIRE(pages.size() == 3);
  CHECK(pages[0].name == "tool");
  CHECK(pages[1].name == "tool-play");
  CHECK(pages[2].name == "tool-ctl");
  CHECK_THAT(pages[0].text,
             Catch::StartsWith(".TH \"TOOL\" 1 \"\" \"tool 1.0\" \"tilewall\"\n.SH NAME\ntool \\- "
                               "Plays movies\n.SH SYNOPSIS\n.B \"tool [OPTIONS] COMMAND\"\n"));
  CHECK_THAT(pages[0].text, Catch::Contains(".TP\n.B \"play\"\nPlays a movie: tool\\-play(1)\n"));
  CHECK_THAT(pages[0].text, !Catch::Contains("manual"));
  const std::string& play = pages[1].text;
  CHECK_THAT(play, Catch::StartsWith(".TH \"TOOL\\-PLAY\" 1 "));
  CHECK_THAT(play, Catch::Contains(".SH SYNOPSIS\n.B \"tool play [OPTIONS] INPUT\"\n"));
  CHECK_THAT(play, Catch::Contains(".TP\n.B \"INPUT\"\na movie\n.SH \"OPTIONS\"\n"));
  CHECK_THAT(play, Catch::Contains(".TP\n.B \"\\-\\-late {drop,slow}\"\nwhat becomes"));
  CHECK_THAT(play, !Catch::Contains("secret"));
  CHECK_THAT(play, !Catch::Contains(".SH COMMANDS"));
  CHECK_THAT(play, !Catch::Contains(".SH NOTES"));
  CHECK_THAT(play, Catch::EndsWith(".SH \"SEE ALSO\"\n.BR tool (1)\n"));
  const std::string& ctl = pages[2].text;
  CHECK_THAT(ctl,
             Catch::Contains(".SH COMMANDS\n.SS \"tool ctl seek [OPTIONS] [words]\"\nGoes to a "
                             "frame\n.TP\n.B \"words\"\nFRAME | +N\n.SS "));
  // A line that begins with a full stop would be a request of the typesetter's.
  CHECK_THAT(ctl, Catch::Contains(".SH NOTES\n.PP\n.nf\nExample: .ctl seek\n.fi\n"));
  CHECK(between(ctl, ".SH COMMANDS\n", ".SH NOTES").find("Example") == std::string::npos);
}

TEST_CASE("text of a manual page is no request and no escape", "[cli]") {
  CLI::App app(".begins\n'so too\nback\\slash a.b", "tool");
  const std::string text = manual_pages(app, "1").at(0).text;
  CHECK_THAT(text, Catch::Contains("\\&.begins\n\\&'so too\nback\\eslash a.b\n"));
}
