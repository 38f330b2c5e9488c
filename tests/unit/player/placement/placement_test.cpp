#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "net/interfaces.hpp"
#include "player/placement/mounted_server.hpp"
#include "player/placement/placement_plan.hpp"
#include "sync/base/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::placement;
using namespace tilewall::test;

namespace {

/// Cores numbered through, node after node.
HostTopology host_of(const std::vector<int>& cores_by_node) {
  HostTopology host;
  int next = 0;
  for (const int cores : cores_by_node) {
    HostNode node = {static_cast<int>(host.nodes.size()), {}};
    for (int core = 0; core < cores; ++core) node.cores.push_back(next++);
    host.cpus.insert(host.cpus.end(), node.cores.begin(), node.cores.end());
    host.memory_nodes.push_back(node.number);
    host.nodes.push_back(std::move(node));
  }
  host.is_this_host = false;
  return host;
}

HostUse panels(int seats) {
  HostUse use;
  use.seats = seats;
  return use;
}

/// The same, fed by a server behind these devices.
HostUse fed_panels(int seats, std::vector<std::string> devices) {
  HostUse use = panels(seats);
  use.server = "10.0.0.5:7642";
  use.interface = devices.front();
  use.devices = std::move(devices);
  return use;
}

std::string planned(const HostTopology& host, const HostUse& use, int seat) {
  return to_string(plan_panel(host, use, seat));
}

std::string planned(const std::vector<int>& cores_by_node, int seat, int seats) {
  return planned(host_of(cores_by_node), panels(seats), seat);
}

/// Two packages with two nodes each of eight cores with two threads; eth0 on node 0, a GPU on node
/// 1, eth1 on node 3.
const HostTopology& two_packages() {
  static const HostTopology host =
      describe_host(test::source_path("tests/data/hosts/two-packages.xml"), "--topology");
  return host;
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

/// What it says; "" where it does not throw.
template <typename Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::set<int> set_of(const std::vector<int>& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

TEST_CASE("one panel on a host has all cores of a node, one of them to present", "[placement]") {
  CHECK(planned({4}, 0, 1) == "present 0, decode 1-3");
  CHECK(planned({2}, 0, 1) == "present 0, decode 0-1");
  CHECK(planned({8, 8}, 0, 1) == "present 0, decode 1-7, memory 0");
}

TEST_CASE("a panel with one core presents there and decodes wherever there is room",
          "[placement]") {
  CHECK(planned({2}, 1, 2) == "present 1, decode any");
  CHECK(planned({2, 2}, 3, 4) == "present 3, decode 2-3, memory 1");
}

TEST_CASE("too many panels for the cores are left to the system, within their node",
          "[placement]") {
  CHECK(planned({2}, 14, 15) == "any");
  CHECK(planned({8, 8}, 3, 30) == "present 8-15, decode 8-15, memory 1");
  CHECK(planned({0}, 0, 1) == "any");  // hwloc cannot tell
  CHECK(has_line(plan_notes(host_of({2}), panels(15)).not_possible, "15 panels on 2 cores"));
}

TEST_CASE("lstopo's file tells nodes, cores by their first thread, and where devices are",
          "[placement]") {
  const HostTopology& host = two_packages();
  REQUIRE(host.nodes.size() == 4);
  CHECK(host.nodes[3] == HostNode{3, {24, 25, 26, 27, 28, 29, 30, 31}});
  CHECK(host.cpus.size() == 64);
  CHECK(host.memory_nodes == std::vector<int>{0, 1, 2, 3});
  CHECK(host.node_of(HostDevice::Kind::network, {"eth1"}) == 3);
  CHECK(host.node_of(HostDevice::Kind::display, {"card0"}) == 1);
  CHECK(host.node_of(HostDevice::Kind::network, {"eth0", "eth1"}) == any_node);  // a bond of both
  CHECK(host.node_of(HostDevice::Kind::network, {"lo"}) == any_node);
  CHECK(host.node_of(HostDevice::Kind::network, {"card0"}) == any_node);
  CHECK(host.node_of(HostDevice::Kind::display, {"eth1"}) == any_node);
  CHECK(host.devices.size() == 3);  // disks are left out
  const HostTopology synthetic = describe_host("pack:2 [numa] core:8 pu:2", "--topology");
  CHECK(synthetic.nodes[1].cores.front() == 16);
}

TEST_CASE("what is no description of a host is refused, also where hwloc would die of it",
          "[placement]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "empty.xml").close();
  std::ofstream(folder / "bare.xml")
      << "<?xml version=\"1.0\"?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology "
         "version=\"2.0\">"
         "<object type=\"Machine\" cpuset=\"0x3\"><object type=\"PU\" os_index=\"0\" "
         "cpuset=\"0x1\"/></object></topology>";
  for (const std::string& bad :
       {(folder / "empty.xml").string(), (folder / "bare.xml").string(), folder.path().string(),
        std::string("nothing"), std::string(), std::string("core:2000")}) {
    CAPTURE(bad);
    CHECK(refusal_of([&] {
            static_cast<void>(describe_host(bad, "--topology"));
          }).find("--topology: expected an XML file that lstopo wrote") == 0);
  }
}

TEST_CASE("panels begin on the node whose interface reaches the server, and receive there",
          "[placement]") {
  const HostTopology& host = two_packages();
  const HostUse one = fed_panels(1, {"eth1"});
  CHECK(planned(host, one, 0) == "present 24, decode 25-30, receive 31, memory 3");
  const PlanNotes notes = plan_notes(host, one);
  CHECK(has_line(notes.reasons,
                 "receivers on node 3: eth1 is there; 10.0.0.5:7642 is reached by eth1"));
  CHECK(notes.not_possible.empty());
  CHECK(planned(host, fed_panels(2, {"eth1"}), 1) == "present 0, decode 1-7, receive 31, memory 0");
  // With two panels on each node none of eight cores can be spared: receivers share the node's.
  CHECK(planned(host, fed_panels(8, {"eth1"}), 1) ==
        "present 0, decode 1-3, receive 24-31, memory 0");
}

TEST_CASE("a core is spared for receivers where four are left for each panel", "[placement]") {
  const auto planned_on = [](int cores, int seats) {
    return planned(host_of({cores}), fed_panels(seats, {"eth0"}), 0);
  };
  CHECK(planned_on(5, 1) == "present 0, decode 1-3, receive 4");
  CHECK(planned_on(4, 1) == "present 0, decode 1-3");
  CHECK(planned_on(9, 2) == "present 0, decode 1-3, receive 8");
  CHECK(planned_on(8, 2) == "present 0, decode 1-3");
}

TEST_CASE("windows begin on the node that has a GPU, and still receive near the interface",
          "[placement]") {
  HostUse use = fed_panels(1, {"eth1"});
  use.windows = true;
  CHECK(planned(two_packages(), use, 0) == "present 8, decode 9-15, receive 24-31, memory 1");
  CHECK(
      has_line(plan_notes(two_packages(), use).reasons, "windows on node 1 first: card0 is there"));
}

TEST_CASE("an interface without a node leaves receivers with the decoders, and the plan says so",
          "[placement]") {
  for (const std::vector<std::string>& devices :
       {std::vector<std::string>{"lo"}, std::vector<std::string>{"eth0", "eth1"}}) {
    const HostUse use = fed_panels(1, devices);
    CHECK(planned(two_packages(), use, 0) == "present 0, decode 1-7, memory 0");
    const PlanNotes notes = plan_notes(two_packages(), use);
    CHECK(has_line(notes.not_possible, "receivers near " + devices.front()));
    CHECK(has_line(notes.reasons, "receivers run with each panel's decoders"));
  }
  HostUse lost = fed_panels(1, {""});
  CHECK(has_line(plan_notes(two_packages(), lost).not_possible, "--place interface=NAME"));
  const HostTopology small = host_of({2});
  CHECK(planned(small, fed_panels(1, {"eth0"}), 0) == "present 0, decode 0-1");
  CHECK(has_line(plan_notes(small, fed_panels(1, {"eth0"})).not_possible, "this host has one"));
  CHECK(planned(host_of({16}), fed_panels(1, {"eth0"}), 0) == "present 0, decode 1-14, receive 15");
}

TEST_CASE("on any host panels share no core while there are two for each, and keep to their node",
          "[placement]") {
  std::mt19937 random(7);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  for (int round = 0; round < 300; ++round) {
    const int nodes = 1 + below(4);
    const int cores = 1 + below(24);
    const int seats = 1 + below(20);
    HostTopology host = host_of(std::vector<int>(static_cast<std::size_t>(nodes), cores));
    host.devices = {{HostDevice::Kind::network, "eth0", below(nodes)}};
    const HostUse use = below(2) == 0 ? panels(seats) : fed_panels(seats, {"eth0"});
    CAPTURE(round, nodes, cores, seats, use.server);
    const bool enough = cores >= 2 * ((seats - 1) / nodes + 1);
    std::set<int> used;
    for (int seat = 0; seat < seats; ++seat) {
      const PanelPlan plan = plan_panel(host, use, seat);
      if (plan.node == any_node && !enough) continue;
      std::set<int> own = set_of(plan.decode);
      own.merge(set_of(plan.present));
      const HostNode& node = *host.find_node(std::max(plan.node, 0));
      CHECK(std::ranges::includes(node.cores, own));
      CHECK(plan.memory_node == plan.node);
      if (!enough) continue;
      REQUIRE(plan.present.size() == 1);
      REQUIRE(!plan.decode.empty());
      for (const int core : own) CHECK(used.insert(core).second);
    }
  }
}

TEST_CASE("CPU lists are read and written as taskset does", "[placement]") {
  CHECK(parse_cpus("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_cpus("10-20:5,1,1") == std::vector<int>{1, 10, 15, 20});
  CHECK(format_cpus({0, 1, 2, 3, 8}) == "0-3,8");
  for (const std::string bad : {"", ",", "1,", "a", "-1", "3-1", "1-", "0-3:0", "1:2", "1024",
                                "0-99999999999", "1 2", "0x1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_cpus(bad));
  }
}

TEST_CASE("what is asked for replaces what is planned, word by word", "[placement]") {
  const HostTopology& host = two_packages();
  const std::string text = "presenter=40;receivers=0-1;decoders=2-7;memory=2;interface=eth0";
  const PlaceRequest request = parse_place(" " + text + "; ", "--place");
  CHECK(to_string(request) == text);
  check_place(request, host, "--place");
  CHECK(to_string(overridden(plan_panel(host, panels(1), 0), request, host)) ==
        "present 40, decode 2-7, receive 0-1, memory 2");
  CHECK(with_interface(fed_panels(1, {"eth1"}), request.interface, host).devices ==
        std::vector<std::string>{"eth0"});
  const PlaceRequest all = parse_place("presenter=all;memory=all", "--place");
  CHECK(to_string(all) == "presenter=all;memory=all");
  CHECK(to_string(overridden(plan_panel(host, panels(1), 0), all, host)) ==
        "present 0-63, decode 1-7");
  CHECK(to_string(merged(request, all)) ==
        "presenter=all;receivers=0-1;decoders=2-7;memory=all;interface=eth0");
  CHECK(overridden({}, parse_place("", "--place"), host) == PanelPlan{});
}

TEST_CASE("a place file says for whom, and its errors name the line", "[placement]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "places") << "# all\npresenter=0\n\nnode 1: decoders=0-10:2 # even\n";
  const std::string file = (folder / "places").string();
  const std::vector<PlaceEntry> entries = parse_place_option(file);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].who.empty());
  CHECK(entries[1].who == "node 1");
  CHECK(entries[1].where == file + ":4");
  CHECK(to_string(entries[1].request) == "decoders=0,2,4,6,8,10");
  std::ofstream(folder / "bad") << "presenter=0\nmemory=first\n";
  const std::string bad = (folder / "bad").string();
  CHECK(refusal_of([&] { static_cast<void>(parse_place_option(bad)); }) ==
        bad + ":2: memory: expected a NUMA node's number, or all, found \"first\"");
  std::ofstream(folder / "empty") << "# nothing\n";
  CHECK(refusal_of([&] {
          static_cast<void>(parse_place_option((folder / "empty").string()));
        }).find("expected [WHO:]WORD=VALUE") != std::string::npos);
}

TEST_CASE("what a host does not have is refused", "[placement]") {
  const auto refused = [](const std::string& text) {
    return refusal_of(
        [&] { check_place(parse_place(text, "--place"), two_packages(), "--place"); });
  };
  CHECK(refused("decoders=60-70") == "--place: decoders: expected CPUs of 0-63, found \"64-70\"");
  CHECK(refused("memory=4") == "--place: memory: expected a node of 0-3, found \"4\"");
  CHECK(refused("interface=eth7") ==
        "--place: interface: expected one of eth0, eth1, found \"eth7\"");
  CHECK(refused("memory=all;presenter=all").empty());
}

TEST_CASE("this host has cores, and a thread can be kept on one, its memory on a node",
          "[placement]") {
  const HostTopology host = read_host_topology();
  REQUIRE(!host.nodes.empty());
  REQUIRE(!host.nodes.front().cores.empty());
  const int core = host.nodes.front().cores.back();
  std::thread([&] {
    name_this_thread("placed");
    const bool placed = place_this_thread({{core}, host.nodes.front().number});
    CHECK(placed == may_place_memory());
    int cpu = -1;
    int mode = -1;
    // What it starts inherits both.
    std::thread([&] {
      cpu = sched_getcpu();
      ::syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0);
    }).join();
    CHECK(cpu == core);
    if (may_place_memory()) CHECK(mode == MPOL_PREFERRED);
    CHECK_FALSE(place_this_thread({{max_cpus - 1}}));
    CHECK_FALSE(place_this_thread({{}, max_nodes - 1}));  // refused, and nothing is printed
    if (!has_several_nodes()) CHECK(host.nodes.size() == 1);
  }).join();
}

TEST_CASE("files from a network file system bring their panels to the interface's node",
          "[placement]") {
  const std::string mounts =
      "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n"
      "36 22 0:52 / /mnt/a\\040b rw shared:1 - nfs4 filer:/e rw,vers=4.2,addr=10.0.0.5\n"
      "37 22 0:53 / /w rw - cifs //s/w rw,addr=fd00::2,x\n38 22 0:54 / /t rw - tmpfs tmpfs rw\n";
  CHECK(mounted_server_in(mounts, "0:52") == "10.0.0.5:2049");
  CHECK(mounted_server_in(mounts, "0:53") == "[fd00::2]:445");
  const auto server_by = [](const std::string& file_system) {
    return mounted_server_in("36 22 0:52 / /m rw - " + file_system + " h:/e rw,addr=10.0.0.5\n",
                             "0:52");
  };
  CHECK(server_by("nfs") == "10.0.0.5:2049");
  CHECK(server_by("smb3") == "10.0.0.5:445");
  CHECK(server_by("9p").empty());
  for (const std::string local : {"254:1", "0:54", "0:5", "9:9"})
    CHECK(mounted_server_in(mounts, local).empty());
  CHECK(mounted_server("/proc/self/status").empty());
  HostUse use = fed_panels(1, {"eth1"});
  use.mounted = true;
  CHECK(planned(two_packages(), use, 0) == "present 24, decode 25-31, memory 3");
  const PlanNotes notes = plan_notes(two_packages(), use);
  CHECK(has_line(notes.reasons, "panels preferably on node 3: eth1 is there"));
  CHECK(has_line(notes.reasons, "no receivers: files come through the kernel"));
}

TEST_CASE("the way to this host's own addresses is lo", "[placement]") {
  CHECK(interface_towards(resolve("127.0.0.1:7642", "")) == "lo");
  CHECK(devices_below("lo") == std::vector<std::string>{"lo"});
  CHECK(std::ranges::count(interface_names(), "lo") == 1);
  HostUse use = panels(1);
  use.server = "127.0.0.1:7642";
  CHECK(with_interface(use, "", read_host_topology()).devices == std::vector<std::string>{"lo"});
}

TEST_CASE("of two requests the one above wins in what it names", "[placement]") {
  const PlaceRequest host = parse_place("presenter=1;decoders=2-3;memory=0;interface=lo", "test");
  CHECK(merged(host, {}) == host);
  CHECK(merged({}, host) == host);
  const PlaceRequest panel = parse_place("decoders=5", "test");
  const PlaceRequest both = merged(host, panel);
  CHECK(both.presenter == host.presenter);
  CHECK(both.decoders == panel.decoders);
  CHECK(both.memory == 0);
  CHECK(both.interface == "lo");
}
