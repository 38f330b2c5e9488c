// Which role's messages are whose.

#include "player/director/connections/connection_role.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {

/// Writes down what it is given.
struct FakeRole final : ConnectionRole {
  explicit FakeRole(std::string hello, std::set<std::string> types = {})
      : hello_type(std::move(hello)), own_types(std::move(types)) {}

  [[nodiscard]] bool is_hello(std::string_view type) const override { return type == hello_type; }
  void welcome(const RoleMessage& hello) override { welcomed.insert(hello.from); }
  [[nodiscard]] bool takes(const RoleMessage& message) const override {
    return welcomed.contains(message.from) &&
           (own_types.empty() || own_types.contains(message.type));
  }
  void take(RoleMessage& message) override {
    taken.push_back(message.type);
    blob = std::move(message.blob);
  }
  void lose(ConnectionId id) override { welcomed.erase(id); }

  const std::string hello_type;
  const std::set<std::string> own_types;  // empty: all
  std::set<ConnectionId> welcomed;
  std::vector<std::string> taken;
  std::vector<std::uint8_t> blob;
};

struct Roles {
  void send(ConnectionId from, const nlohmann::json& json, std::vector<std::uint8_t> blob = {}) {
    ConnectionRole* const all[] = {&panels, &sound, &clients};
    route(all, from, json, std::move(blob));
  }
  FakeRole panels{"hello"};
  FakeRole sound{"sound_hello", {"sound"}};
  FakeRole clients{"client_hello"};
};

using Types = std::vector<std::string>;

}  // namespace

TEST_CASE("a hello goes to its role, whoever says it", "[director]") {
  Roles roles;
  roles.send(1, {{"type", "hello"}});
  roles.send(2, {{"type", "sound_hello"}});
  roles.send(2, {{"type", "hello"}});
  CHECK(roles.panels.welcomed == std::set<ConnectionId>{1, 2});
  CHECK(roles.sound.welcomed == std::set<ConnectionId>{2});
  CHECK(roles.panels.taken.empty());
}

TEST_CASE("a message goes to the first role that takes it of its connection", "[director]") {
  Roles roles;
  roles.clients.welcomed = {1, 2, 3};
  roles.send(1, {{"type", "hello"}});
  roles.send(2, {{"type", "sound_hello"}});
  roles.send(1, {{"type", "shown"}});
  roles.send(2, {{"type", "sound"}});
  roles.send(2, {{"type", "status"}});  // not the sound role's
  roles.send(3, {{"type", "shown"}});
  CHECK(roles.panels.taken == Types{"shown"});
  CHECK(roles.sound.taken == Types{"sound"});
  CHECK(roles.clients.taken == Types{"status", "shown"});
  roles.panels.lose(1);
  roles.send(1, {{"type", "shown"}});
  CHECK(roles.clients.taken.back() == "shown");
}

TEST_CASE("a message that no role takes is ignored", "[director]") {
  Roles roles;
  roles.send(9, {{"type", "shown"}});
  CHECK(roles.clients.taken.empty());
}

TEST_CASE("what is no object, or names no type, has the empty type", "[director]") {
  Roles roles;
  roles.clients.welcomed = {1};
  roles.send(1, nlohmann::json::array());
  roles.send(1, {{"type", 7}});
  roles.send(1, nlohmann::json::object());
  CHECK(roles.clients.taken == Types{"", "", ""});
}

TEST_CASE("a role is handed the blob of a message", "[director]") {
  Roles roles;
  roles.panels.welcomed = {1};
  roles.send(1, {{"type", "snapshot"}}, {1, 2, 3});
  CHECK(roles.panels.blob == std::vector<std::uint8_t>{1, 2, 3});
}
