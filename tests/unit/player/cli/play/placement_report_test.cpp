// What --place asks for on a wall, and the plan that `play --plan` prints.

#include <catch2/catch.hpp>

#include "player/cli/play/console_options.hpp"
#include "player/cli/play/placement_options.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using PlanJson = nlohmann::ordered_json;

namespace {

/// A wall of 5x3 panels: c0r0 and c1r0 on h1, c2r0 on h2, the others on this machine.
wall::Wall wall_of_hosts() {
  wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  wall.hosts = {{"h1", "10.0.0.1"}, {"h2", "10.0.0.2"}};
  wall.panels[0].host = "h1";
  wall.panels[1].host = "h1";
  wall.panels[2].host = "h2";
  return wall;
}

PlacementQuestion question_of(wall::Wall wall, std::vector<std::string> described) {
  PlacementQuestion question;
  question.wall = std::move(wall);
  question.described = std::move(described);
  return question;
}

std::string place_refusal(const std::vector<std::string>& texts) {
  try {
    static_cast<void>(place_requests(texts, wall_of_hosts()));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string console_refusal(const ConsoleArguments& arguments) {
  try {
    static_cast<void>(console_options(arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a place is asked for a panel, a host's panels, or all of them", "[cli][placement]") {
  const wall::Wall wall = wall_of_hosts();
  const auto requests = place_requests({"decoders=4", "h1:memory=1", "c1r0:presenter=2"}, wall);
  REQUIRE(requests.size() == 15);
  for (const placement::PlaceRequest& request : requests)
    CHECK(request.decoders == std::vector<int>{4});
  CHECK(requests[0].memory == 1);
  CHECK(requests[1].memory == 1);
  CHECK_FALSE(requests[2].memory);
  CHECK_FALSE(requests[3].memory);
  CHECK(requests[1].presenter == std::vector<int>{2});
  CHECK_FALSE(requests[0].presenter);
  const auto again = place_requests({"decoders=4;memory=0", "h1:decoders=5"}, wall);
  CHECK(again[0].decoders == std::vector<int>{5});  // the last one counts
  CHECK(again[0].memory == 0);
  CHECK(again[2].decoders == std::vector<int>{4});
  CHECK(place_refusal({"h3:memory=1"}) ==
        "--place: expected a panel or host of the wall before the colon, found \"h3\"");
}

TEST_CASE("a host is this machine by its name or a loopback address", "[cli][placement]") {
  wall::Wall wall = wall_of_hosts();
  CHECK(is_this_machine(wall, ""));
  CHECK_FALSE(is_this_machine(wall, "h1"));
  for (const std::string& address :
       {std::string("localhost"), std::string("127.0.0.1"), host_name()}) {
    wall.hosts[0].address = address;
    CHECK(is_this_machine(wall, "h1"));
    CHECK_FALSE(is_this_machine(wall, "h2"));
  }
}

TEST_CASE("a plan has the described hosts, and names the others", "[cli][placement]") {
  PlacementQuestion question =
      question_of(wall_of_hosts(), {"h1=pack:2 [numa] core:8 pu:2", "pack:1 [numa] core:4 pu:1"});
  question.places = {"c1r0:decoders=3"};
  const PlanJson plan = placement_json(question);
  CHECK(plan.at("elsewhere") == PlanJson{"h2"});
  REQUIRE(plan.at("hosts").size() == 2);
  const PlanJson& h1 = plan.at("hosts").at(0);
  CHECK(h1.at("host") == "h1");
  CHECK(h1.at("described") == true);
  CHECK(h1.at("cpus") == "0-31");
  REQUIRE(h1.at("nodes").size() == 2);
  CHECK(h1.at("server").is_null());
  REQUIRE(h1.at("panels").size() == 2);
  CHECK(h1.at("panels").at(0).at("panel") == "c0r0");
  CHECK(h1.at("panels").at(0).at("asked_for") == "");
  CHECK(h1.at("panels").at(1).at("panel") == "c1r0");
  CHECK(h1.at("panels").at(1).at("decoders") == "3");
  CHECK(h1.at("panels").at(1).at("asked_for") == "decoders=3");
  // Two panels on two nodes: each has its own.
  CHECK(h1.at("panels").at(0).at("node") != h1.at("panels").at(1).at("node"));
  const PlanJson& here = plan.at("hosts").at(1);
  CHECK(here.at("host") == host_name());
  CHECK(here.at("cpus") == "0-3");
  CHECK(here.at("panels").size() == 12);

  question.pin = false;
  question.places.clear();
  const PlanJson free = placement_json(question).at("hosts").at(0);
  CHECK(free.at("panels").at(0).at("node").is_null());
  CHECK(free.at("panels").at(0).at("decoders").is_null());
  CHECK(free.at("reasons") == PlanJson{"--pin off: the system decides"});
}

TEST_CASE("a plan as text is a table for each host, with its reasons", "[cli][placement]") {
  const PlanJson panel = {{"panel", "c0r0"},      {"node", 0},         {"presenter", "1"},
                          {"receivers", nullptr}, {"decoders", "2-7"}, {"memory_node", nullptr},
                          {"interface", nullptr}, {"asked_for", ""}};
  PlanJson asking = panel;
  asking["panel"] = "c10r0";
  asking["node"] = nullptr;
  asking["memory_node"] = 1;
  asking["asked_for"] = "presenter=1;memory=1";
  PlanJson host = {{"host", "h1"},
                   {"described", true},
                   {"nodes", {{{"node", 0}, {"cores", "0-7"}}, {{"node", 1}, {"cores", nullptr}}}},
                   {"server", nullptr},
                   {"server_mounted", false},
                   {"panels", {panel, asking}},
                   {"reasons", PlanJson::array({"one"})},
                   {"not_possible", PlanJson::array({"two"})}};
  CHECK(placement_text({{"hosts", PlanJson::array({host})}, {"elsewhere", PlanJson::array()}}) ==
        "placement on h1, as described (node 0: cores 0-7; node 1: cores unknown)\n"
        "panel  node  presenter  receivers  decoders  memory\n"
        "c0r0   0     1          none       2-7       any\n"
        "c10r0  any   1*         none       2-7       1*\n"
        "* as --place asks\n"
        "why:\n  one\nnot possible here:\n  two\n");
  host["described"] = false;
  host["server"] = "10.0.0.9";
  host["panels"] = PlanJson::array({panel});
  host["reasons"] = PlanJson::array();
  host["not_possible"] = PlanJson::array();
  const std::string table =
      "placement on h1 (node 0: cores 0-7; node 1: cores unknown)\n"
      "panel  node  presenter  receivers  decoders  memory\n";
  CHECK(placement_text(
            {{"hosts", PlanJson::array({host})}, {"elsewhere", PlanJson::array({"h2"})}}) ==
        table + "c0r0   0     1          decoders'  2-7       any\n" +
            "h2 plans its own panels when they start; to see it here: ssh h2 lstopo --of xml - > "
            "h2.xml, then --topology h2=h2.xml\n");
  host["server_mounted"] = true;  // the system receives
  const std::string text =
      placement_text({{"hosts", {host, host}}, {"elsewhere", PlanJson::array()}});
  const std::string one = table + "c0r0   0     1          none       2-7       any\n";
  CHECK(text == one + "\n" + one);
}

TEST_CASE("a console is on where it is asked for, at the address that is typed", "[cli][console]") {
  ConsoleArguments arguments;
  CHECK_FALSE(console_options(arguments).on);
  arguments.always = true;
  CHECK(console_options(arguments).on);
  CHECK(console_options(arguments).address.empty());
  arguments.always = false;
  arguments.address = {"{}"};  // --console without a value
  CHECK(console_options(arguments).on);
  CHECK(console_options(arguments).address.empty());
  arguments.address = {"127.0.0.1:80"};
  arguments.plain = true;
  arguments.opens_browser = true;
  const supervisor::ConsoleOptions options = console_options(arguments);
  CHECK(options.address == "127.0.0.1:80");
  CHECK(options.plain);
  CHECK(options.opens_browser);
}

TEST_CASE("options of a console belong together", "[cli][console]") {
  ConsoleArguments arguments;
  arguments.plain = true;
  CHECK(console_refusal(arguments) ==
        "--console-plain: expected --console beside it, found nothing");
  arguments.plain = false;
  arguments.url = "https://wall.example.org";
  CHECK(console_refusal(arguments) == "--console-url: expected --console beside it, found nothing");
  arguments.url.clear();
  const test::TemporaryFolder folder;
  const std::string certificate = (folder / "c.pem").string();
  const std::string key = (folder / "k.pem").string();
  write_file_atomically(certificate, "");
  arguments.certificate = certificate;
  CHECK(console_refusal(arguments) ==
        "--console-cert: expected certificate and key together, found one of them");
  arguments.key = key;
  CHECK(console_refusal(arguments) ==
        "--console-cert: expected --console beside it, found nothing");
  arguments.always = true;
  CHECK(console_refusal(arguments).starts_with(
      "--console-key: expected a PEM file that can be read, found " + key));
  write_file_atomically(key, "");
  CHECK(console_options(arguments).certificate == certificate);
  CHECK(console_options(arguments).key == key);
  arguments.certificate.clear();
  CHECK(console_refusal(arguments).starts_with("--console-key: expected certificate and key"));
}

TEST_CASE("a console's URL has a scheme and a host, and nothing behind", "[cli][console]") {
  ConsoleArguments arguments;
  arguments.always = true;
  const auto url_of = [&](const std::string& typed) {
    arguments.url = typed;
    return console_options(arguments).url;
  };
  CHECK(url_of("https://wall.example.org") == "https://wall.example.org");
  CHECK(url_of("https://wall.example.org/") == "https://wall.example.org");
  CHECK(url_of("http://h:80") == "http://h:80");
  for (const char* const wrong :
       {"wall.example.org", "ftp://h", "http://", "https://", "https:///", "http://h/x",
        "http://h?x", "http://h#x", "http://u@h", "http://a b"}) {
    arguments.url = wrong;
    CHECK(console_refusal(arguments) ==
          "--console-url: expected http[s]://NAME[:PORT], found " + std::string(wrong));
  }
}
