#include "player/panel/core_plan.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace tilewall;

namespace {

HostCores two_nodes_of_8() { return {{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}}; }

}  // namespace

TEST_CASE("one panel on a host has all cores of a node, one of them to present", "[cores]") {
  CHECK(to_string(plan_panel_cores({{{0, 1, 2, 3}}}, 0, 1)) == "present 0, decode 1-3");
  CHECK(to_string(plan_panel_cores({{{0, 4}}}, 0, 1)) == "present 0, decode 0,4");
  CHECK(to_string(plan_panel_cores(two_nodes_of_8(), 0, 1)) == "present 0, decode 1-7");
}

TEST_CASE("panels of a host share no core while there are two for each", "[cores]") {
  std::set<int> used;
  for (int seat = 0; seat < 5; ++seat) {
    const PanelCores cores = plan_panel_cores(two_nodes_of_8(), seat, 5);
    REQUIRE(cores.present.size() == 1);
    REQUIRE(!cores.decode.empty());
    std::set<int> own(cores.decode.begin(), cores.decode.end());
    own.insert(cores.present.front());
    for (const int core : own) {
      CHECK(used.insert(core).second);
      CHECK((core < 8) == (seat % 2 == 0));  // all of a panel's on one node
    }
  }
}

TEST_CASE("a panel with one core presents there and decodes wherever there is room", "[cores]") {
  CHECK(to_string(plan_panel_cores({{{0, 1}}}, 1, 2)) == "present 1, decode any");
  CHECK(to_string(plan_panel_cores({{{0, 1}, {2, 3}}}, 3, 4)) == "present 3, decode 2-3");
}

TEST_CASE("too many panels for the cores are left to the system, within their node", "[cores]") {
  CHECK(plan_panel_cores({{{0, 1}}}, 14, 15) == PanelCores{});
  CHECK(to_string(plan_panel_cores({{{0, 1}}}, 1, 3)) == "any");
  CHECK(to_string(plan_panel_cores(two_nodes_of_8(), 3, 30)) == "present 8-15, decode 8-15");
  CHECK(plan_panel_cores({{{}}}, 0, 1) == PanelCores{});
}

TEST_CASE("this host has cores, and a thread can be kept on one", "[cores]") {
  const HostCores host = read_host_cores();
  REQUIRE(!host.nodes.empty());
  REQUIRE(!host.nodes.front().empty());
  const int first = host.nodes.front().front();
  bind_this_thread({first});
  CHECK(sched_getcpu() == first);
  bind_this_thread({});
}
