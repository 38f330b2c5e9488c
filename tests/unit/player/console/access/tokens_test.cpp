// The tokens of a show's console: kept in a file, and recognized again.

#include "player/console/access/tokens.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using verbs::Role;

namespace {

std::string file_refusal(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / console_file) << text;
  try {
    static_cast<void>(read_access(folder / console_file));
  } catch (const InputError& error) {
    const std::string line = error.what();
    const std::string path = (folder / console_file).string();
    return line.starts_with(path) ? line.substr(path.size()) : line;
  }
  return "none";
}

/// New tokens of a console at that URL.
ConsoleAccess access_at(const std::string& url) {
  ConsoleAccess access = new_access();
  access.address = "127.0.0.1:40123";
  access.url = url;
  return access;
}

}  // namespace

TEST_CASE("tokens are read from the file as they were written, each for its role", "[console]") {
  const test::TemporaryFolder folder;
  ConsoleAccess access = access_at("http://127.0.0.1:40123/");
  access.show_options = {"--wall", "w.toml"};
  access.render_options = {"--memory", "512", "--volume"};
  access.render_options.resize(1000, "/data/a volume of a series with many files.nrrd");
  std::ofstream(folder / console_file) << to_text(access);
  const ConsoleAccess read = read_access(folder / console_file);
  CHECK(read.url == access.url);
  CHECK(read.address == access.address);
  CHECK(read.tokens == access.tokens);
  CHECK(read.show_options == access.show_options);
  CHECK(read.render_options == access.render_options);
  for (const Role role : {Role::viewer, Role::presenter, Role::operator_}) {
    const std::string& token = read.tokens[static_cast<std::size_t>(role)];
    CHECK(token.size() == 64);
    CHECK(role_of_token(read, token) == role);
    CHECK(login_url(read, role) == access.url + "#" + token);
    CHECK(nlohmann::json::parse(to_text(access)).at("tokens").at(std::string(name_of(role))) ==
          token);
  }
}

TEST_CASE("what is no token of this show has no role", "[console]") {
  const ConsoleAccess access = access_at("http://127.0.0.1:1/");
  const std::string& token = access.tokens.back();
  CHECK_FALSE(role_of_token(access, ""));
  CHECK_FALSE(role_of_token(access, token.substr(1)));
  CHECK_FALSE(role_of_token(access, token + "0"));
  CHECK_FALSE(role_of_token(access, std::string(64, '0')));
  CHECK_FALSE(role_of_token(access, std::string(64, '\0')));
  const ConsoleAccess other = access_at("http://127.0.0.1:1/");
  for (const std::string& one : other.tokens) CHECK_FALSE(role_of_token(access, one));
  CHECK(std::set<std::string>(access.tokens.begin(), access.tokens.end()).size() == 3);
}

TEST_CASE("a file of tokens that is wrong is refused in one line", "[console]") {
  const std::string token(32, 'a');
  CHECK(file_refusal("{}") == ": address: expected a text, found none");
  CHECK(file_refusal("[]") == ": address: expected a text, found none");
  CHECK(file_refusal(R"({"address": "a", "url": 5})") == ": url: expected a text, found none");
  CHECK(file_refusal(R"({"address": "a", "url": "u"})") == ": viewer: expected a text, found none");
  CHECK(file_refusal(R"({"address": "a", "url": "u", "tokens": ["a", "b", "c"]})") ==
        ": viewer: expected a text, found none");
  CHECK(file_refusal(R"({"address": "a", "url": "u", "tokens": {"viewer": ")" + token +
                     R"(", "presenter": "short", "operator": ")" + token + "\"}}") ==
        ": presenter: expected a token of 32 characters or more, found a shorter one");
  CHECK(file_refusal("not JSON") != "none");
  CHECK(file_refusal("") != "none");
  CHECK_THROWS_AS(read_access("/nowhere/console.json"), InputError);
}
