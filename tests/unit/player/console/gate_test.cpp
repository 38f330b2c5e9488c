// Who comes in at the console: by tokens, by sessions, and what is refused to whom.

#include "player/console/gate.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using verbs::Role;
using Json = nlohmann::json;

namespace {

struct GateNote {
  std::string by;
  std::string what;
  std::string result;
  bool operator==(const GateNote&) const = default;
};

/// A gate at 127.0.0.1:4711, whose tokens are 32 times the first letter of the role.
class GateOfTest {
 public:
  explicit GateOfTest(const std::string& url = "http://127.0.0.1:4711/") {
    const ConsoleAccess access{
        "127.0.0.1:4711", url, {token('v'), token('p'), token('o')}, {"--wall", "w.toml"}};
    write_private_file(folder_ / console_file, to_text(access));
    gate_.emplace(
        folder_.path(), OwnNames{{"127.0.0.1", "localhost"}, 4711, false},
        [this](const std::string& by, const std::string& what, const std::string& result) {
          notes.push_back({by, what, result});
        });
  }
  Gate* operator->() { return &*gate_; }

  [[nodiscard]] static std::string token(char letter) { return std::string(32, letter); }

  /// The cookie of somebody who has logged in.
  std::string cookie_after_login(char letter) {
    WebRequest request = login_request(token(letter), "Ann");
    const WebResponse response = (*this)->log_in(request);
    REQUIRE(response.status == 200);
    const std::string& set = response.headers.at(0).second;
    return set.substr(0, set.find(';'));
  }

  [[nodiscard]] static WebRequest login_request(const std::string& token, const std::string& name) {
    WebRequest request = own_request("POST", "/api/v1/login");
    request.body = Json{{"token", token}, {"name", name}}.dump();
    return request;
  }
  [[nodiscard]] static WebRequest own_request(const std::string& method, const std::string& path) {
    WebRequest request;
    request.method = method;
    request.path = path;
    request.host = "127.0.0.1:4711";
    request.address = "10.0.0.7";
    return request;
  }

  std::vector<GateNote> notes;

 private:
  TemporaryFolder folder_;
  std::optional<Gate> gate_;
};

std::string error_of(const WebResponse& response) {
  return Json::parse(*response.body).at("error").get<std::string>();
}

WebRequest status_request() { return GateOfTest::own_request("GET", "/api/v1/status"); }

/// The status of the refusal, or 0 for a request that may go on.
unsigned refusal_status(GateOfTest& gate, const WebRequest& request) {
  const auto refusal = gate->refusal_of(request, gate->visitor_of(request));
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("a token tells the role of a program, and a header its name", "[console]") {
  GateOfTest gate;
  CHECK(gate->access().show_options == std::vector<std::string>{"--wall", "w.toml"});
  WebRequest request = status_request();
  request.authorization = "Bearer " + GateOfTest::token('p');
  const auto program = gate->visitor_of(request);
  REQUIRE(program);
  CHECK(program->person.role == Role::presenter);
  CHECK(program->person.name == "a program (presenter)");
  CHECK(program->key == "token presenter 10.0.0.7");
  CHECK_FALSE(program->by_cookie);
  request.person = "  Ann ";
  CHECK(gate->visitor_of(request)->person.name == "Ann");
  request.authorization = "Bearer " + GateOfTest::token('x');
  CHECK_FALSE(gate->visitor_of(request));
  request.authorization = GateOfTest::token('p');  // of no scheme
  CHECK_FALSE(gate->visitor_of(request));
}

TEST_CASE("a login begins a session, which the cookie of the show's port carries", "[console]") {
  GateOfTest gate;
  const WebResponse response =
      gate->log_in(GateOfTest::login_request(GateOfTest::token('o'), " Ann "));
  CHECK(response.status == 200);
  CHECK(Json::parse(*response.body) == Json{{"name", "Ann"}, {"role", "operator"}});
  REQUIRE(response.headers.size() == 1);
  CHECK(response.headers[0].first == "Set-Cookie");
  const std::string& set = response.headers[0].second;
  const std::string begin = "tilewall_console_4711=";
  CHECK(set.starts_with(begin));
  CHECK(set.substr(begin.size() + 64) == "; HttpOnly; SameSite=Strict; Path=/");
  CHECK(gate.notes == std::vector<GateNote>{{"Ann", "login as operator from 10.0.0.7", "done"}});

  WebRequest request = status_request();
  request.cookie = "other=1; " + set.substr(0, set.find(';'));
  const auto visitor = gate->visitor_of(request);
  REQUIRE(visitor);
  CHECK(visitor->person.name == "Ann");
  CHECK(visitor->person.role == Role::operator_);
  CHECK(visitor->key == set.substr(begin.size(), 64));
  CHECK(visitor->by_cookie);
  CHECK_FALSE(gate->has_ended(*visitor));
  gate->log_out(request, *visitor);
  CHECK(gate->has_ended(*visitor));
  CHECK_FALSE(gate->visitor_of(request));
  CHECK(gate.notes.back() == GateNote{"Ann", "logout from 10.0.0.7", "done"});

  WebRequest program = status_request();
  program.authorization = "Bearer " + GateOfTest::token('v');
  CHECK_FALSE(gate->has_ended(*gate->visitor_of(program)));
}

TEST_CASE("who gives no name is called by the role, and TLS makes the cookie secure", "[console]") {
  GateOfTest gate("https://wall.example.org/");
  const WebResponse response = gate->log_in(GateOfTest::login_request(GateOfTest::token('v'), ""));
  CHECK(Json::parse(*response.body) == Json{{"name", "viewer"}, {"role", "viewer"}});
  CHECK(response.headers.at(0).second.ends_with("; Path=/; Secure"));
  // The show's own URL is a name of the console too.
  WebRequest request = status_request();
  request.host = "wall.example.org";
  CHECK_FALSE(gate->host_refusal_of(request));
}

TEST_CASE("a login that is none is refused, and says what is wrong with it", "[console]") {
  GateOfTest gate;
  WebRequest request = GateOfTest::login_request(GateOfTest::token('o'), "Ann");
  request.method = "GET";
  CHECK(gate->log_in(request).status == 405);
  request.method = "POST";
  request.origin = "http://evil.example.org";
  const WebResponse other_page = gate->log_in(request);
  CHECK(other_page.status == 403);
  CHECK(error_of(other_page) == "the request does not come from the console's own page");
  CHECK(gate.notes ==
        std::vector<GateNote>{{"10.0.0.7", "login", "refused: it came from another page"}});
  request.origin = "http://127.0.0.1:4711";
  CHECK(gate->log_in(request).status == 200);
  request.body = "[]";
  CHECK(gate->log_in(request).status == 400);
  request.body = R"({"token": 5})";
  const WebResponse no_text = gate->log_in(request);
  CHECK(no_text.status == 400);
  CHECK(error_of(no_text) == "body: token, name: expected texts");
}

TEST_CASE("an address may try ten wrong tokens, then it waits", "[console]") {
  GateOfTest gate;
  const WebRequest request = GateOfTest::login_request(GateOfTest::token('x'), "Eve");
  int refused = 0;
  WebResponse response = gate->log_in(request);
  for (; response.status == 401 && refused < 100; ++refused) response = gate->log_in(request);
  CHECK(refused >= 10);
  CHECK(refused <= 12);  // on a machine that stands still for seconds
  CHECK(response.status == 429);
  CHECK(error_of(response) == "too many wrong tokens; wait a minute");
  CHECK(gate.notes ==
        std::vector<GateNote>{{"10.0.0.7", "login", "refused: no token of this wall"},
                              {"10.0.0.7", "login", "refused: too many wrong tokens"}});
  WebRequest elsewhere = request;
  elsewhere.address = "10.0.0.8";
  CHECK(error_of(gate->log_in(elsewhere)) ==
        "the token is not of this wall's show: open the address that the show printed when it "
        "began");
  // A right token is not a wrong one.
  CHECK(gate->log_in(GateOfTest::login_request(GateOfTest::token('v'), "Ann")).status == 200);
  // Programs that guess share the limit.
  WebRequest program = status_request();
  program.authorization = "Bearer " + GateOfTest::token('x');
  CHECK(refusal_status(gate, program) == 429);
  program.address = "10.0.0.9";
  CHECK(refusal_status(gate, program) == 401);
  CHECK(gate.notes.back() == GateNote{"10.0.0.9", "a request", "refused: no token of this wall"});
}

TEST_CASE("an address may log in twenty times at once, then every three seconds", "[console]") {
  GateOfTest gate;
  const WebRequest request = GateOfTest::login_request(GateOfTest::token('v'), "Ann");
  int logins = 0;
  WebResponse response = gate->log_in(request);
  for (; response.status == 200 && logins < 100; ++logins) response = gate->log_in(request);
  CHECK(logins >= 20);
  CHECK(logins <= 30);  // a busy machine takes seconds for them
  CHECK(response.status == 429);
  CHECK(error_of(response) == "too many logins; wait a few seconds");
  CHECK(gate.notes.back() == GateNote{"10.0.0.7", "login", "refused: too many logins"});
}

TEST_CASE("strangers and other names are refused, each for its reason", "[console]") {
  GateOfTest gate;
  WebRequest request = status_request();
  const auto stranger = gate->refusal_of(request, std::nullopt);
  REQUIRE(stranger);
  CHECK(stranger->status == 401);
  CHECK(error_of(*stranger) == "log in with a token of this wall's show");
  CHECK(gate.notes.back() == GateNote{"10.0.0.7", "a request", "refused: not logged in"});
  CHECK_FALSE(gate->host_refusal_of(request));
  request.host = "evil.example.org:4711";
  const auto other_name = gate->host_refusal_of(request);
  REQUIRE(other_name);
  CHECK(other_name->status == 403);
  CHECK(gate.notes.back() ==
        GateNote{"10.0.0.7", "a request", "refused: another name than the console's"});
  request.authorization = "Bearer " + GateOfTest::token('o');
  CHECK(refusal_status(gate, request) == 403);  // even with a token
}

TEST_CASE("a cookie counts in requests of the console's own page alone", "[console]") {
  GateOfTest gate;
  const std::string cookie = gate.cookie_after_login('o');
  const auto status_of = [&](const std::string& method, const std::string& origin,
                             const std::string& site, bool is_upgrade = false) {
    WebRequest request = GateOfTest::own_request(method, "/api/v1/status");
    request.cookie = cookie;
    request.origin = origin;
    request.fetch_site = site;
    request.is_upgrade = is_upgrade;
    return refusal_status(gate, request);
  };
  const std::string own = "http://127.0.0.1:4711";
  const std::string other = "http://evil.example.org";
  CHECK(status_of("POST", own, "") == 0);
  CHECK(status_of("POST", "", "same-origin") == 0);
  CHECK(status_of("POST", "", "") == 403);
  CHECK(status_of("POST", other, "") == 403);
  CHECK(status_of("POST", own, "cross-site") == 403);
  CHECK(status_of("DELETE", "", "") == 403);
  for (const char* const reads : {"GET", "HEAD"}) {
    CHECK(status_of(reads, "", "") == 0);  // somebody has typed the address
    CHECK(status_of(reads, own, "same-origin") == 0);
    CHECK(status_of(reads, other, "") == 403);
    CHECK(status_of(reads, "", "same-site") == 403);
    CHECK(status_of(reads, "", "cross-site") == 403);
    CHECK(status_of(reads, "", "", true) == 403);  // a WebSocket changes things
    CHECK(status_of(reads, own, "", true) == 0);
  }
  CHECK(gate.notes.back() == GateNote{"Ann", "a request", "refused: it came from another page"});
  // A program's token is its own, wherever it is.
  WebRequest program = GateOfTest::own_request("POST", "/api/v1/pause");
  program.authorization = "Bearer " + GateOfTest::token('o');
  program.origin = other;
  CHECK(refusal_status(gate, program) == 0);
}

TEST_CASE("a visitor may ask two hundred times at once, and others all the same", "[console]") {
  GateOfTest gate;
  WebRequest request = status_request();
  request.authorization = "Bearer " + GateOfTest::token('o');
  int asked = 0;
  while (asked < 20'000 && refusal_status(gate, request) == 0) ++asked;
  CHECK(asked >= 200);
  CHECK(asked < 20'000);
  CHECK(gate.notes.back() ==
        GateNote{"a program (operator)", "a request", "refused: too many requests"});
  request.address = "10.0.0.8";
  CHECK(refusal_status(gate, request) == 0);
}

TEST_CASE("a refusal that comes again is counted, not logged again", "[console]") {
  GateOfTest gate;
  for (int i = 0; i < 5; ++i) gate->note_refusal({"10.0.0.7", "a request", "malformed HTTP"});
  gate->note_refusal_counts();  // the time in which they are counted is not over
  CHECK(gate.notes == std::vector<GateNote>{{"10.0.0.7", "a request", "refused: malformed HTTP"}});
}

TEST_CASE("a run directory without tokens has no gate", "[console]") {
  const TemporaryFolder empty;
  CHECK_THROWS_AS(Gate(empty.path(), OwnNames{}, [](const auto&, const auto&, const auto&) {}),
                  InputError);
}
