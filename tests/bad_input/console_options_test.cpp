// Options of a show's console that are refused before the show begins, and TLS.

#include <arpa/inet.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/unused_port.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

/// A certificate of its own in cert.pem with key.pem; other.pem is another key, locked.pem has a
/// passphrase, text.pem is no PEM file. False where openssl is not installed.
bool make_certificate(const TemporaryFolder& folder) {
  const auto openssl = [&](const Words& more) {
    Words words = {"openssl"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, std::chrono::seconds(20), {{}, folder.path()}).exit_code == 0;
  };
  std::ofstream(folder / "text.pem") << "no certificate\n";
  const std::string curve = "prime256v1";
  return openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:" + curve,
                  "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj",
                  "/CN=localhost"}) &&
         openssl({"ecparam", "-genkey", "-name", curve, "-noout", "-out", "other.pem"}) &&
         openssl({"ec", "-in", "key.pem", "-aes128", "-passout", "pass:abc", "-out", "locked.pem"});
}

/// What a show with these options prints when it is refused. It ends after a frame otherwise.
std::string console_refusal(const Words& options) {
  Words words = play_words("pattern:grid", "two-by-one.toml", {"--headless", "--frames", "1"});
  words.insert(words.end(), options.begin(), options.end());
  const ProgramResult result = run_program(words);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("a console's options that cannot be are refused in one line", "[console]") {
  CHECK(console_refusal({"--console", "nonsense"}) ==
        "tilewall: --console: expected HOST:PORT with a port in [0, 65535], found \"nonsense\"\n");
  CHECK(console_refusal({"--console", "0.0.0.0:0"}) ==
        "tilewall: --console: expected an address of loopback; any other one needs --console-cert "
        "and --console-key, or --console-plain behind a proxy of your own, found 0.0.0.0:0\n");
  CHECK(console_refusal({"--console", "192.0.2.1:80", "--console-plain"}) ==
        "tilewall: --console: expected a free address of this machine, found 192.0.2.1:80: "
        "expected an address of this host\n");
  for (const char* const url :
       {"wall.example.org", "ftp://wall", "https://", "https://wall/page", "https://ann@wall"})
    CHECK(console_refusal({"--console", "--console-url", url}) ==
          std::string("tilewall: --console-url: expected http[s]://NAME[:PORT], found ") + url +
              "\n");
  CHECK(console_refusal({"--console-url", "https://wall"}) ==
        "tilewall: --console-url: expected --console beside it, found nothing\n");
  CHECK(console_refusal({"--console-plain"}) ==
        "tilewall: --console-plain: expected --console beside it, found nothing\n");
  CHECK(console_refusal({"--console", "--console-key", "key.pem"}) ==
        "tilewall: --console-key: expected certificate and key together, found one of them\n");
  CHECK(console_refusal({"--console", "--console-cert", "cert.pem"}) ==
        "tilewall: --console-cert: expected certificate and key together, found one of them\n");
  CHECK(console_refusal({"--console-cert", "cert.pem", "--console-key", "key.pem"}) ==
        "tilewall: --console-cert: expected --console beside it, found nothing\n");
  CHECK(console_refusal(
            {"--console", "--console-cert", "/nowhere/cert.pem", "--console-key", "key.pem"}) ==
        "tilewall: --console-cert: expected a PEM file that can be read, found /nowhere/cert.pem: "
        "expected a readable file, found No such file or directory\n");
  const UniqueFd taken(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(::bind(taken.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
  REQUIRE(::listen(taken.get(), 1) == 0);
  REQUIRE(::getsockname(taken.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const std::string in_use = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  CHECK(
      console_refusal({"--console", in_use}) ==
      "tilewall: --console: expected a free address of this machine, found cannot listen on TCP " +
          in_use + ": Address already in use\n");
}

TEST_CASE("files that TLS cannot use are refused before the show begins", "[console]") {
  const TemporaryFolder folder;
  if (!make_certificate(folder)) {
    WARN("skipped: openssl makes no certificate here");
    return;
  }
  const auto refusal = [&](const std::string& certificate, const std::string& key) {
    return console_refusal({"--console", "--console-cert", (folder / certificate).string(),
                            "--console-key", (folder / key).string()});
  };
  const std::string bad_key =
      "tilewall: --console-key: expected the certificate's private key in a PEM file, without a "
      "passphrase, found ";
  CHECK_THAT(refusal("text.pem", "key.pem"),
             Catch::StartsWith("tilewall: --console-cert: expected a certificate in a PEM file, "
                               "found " +
                               (folder / "text.pem").string()));
  CHECK(refusal("cert.pem", "other.pem") ==
        bad_key + (folder / "other.pem").string() + " (key values mismatch)\n");
  CHECK_THAT(refusal("cert.pem", "locked.pem"),
             Catch::StartsWith(bad_key + (folder / "locked.pem").string()));
  CHECK_THAT(refusal("cert.pem", "text.pem"),
             Catch::StartsWith(bad_key + (folder / "text.pem").string()));
}

TEST_CASE("a console with a certificate speaks TLS alone", "[console]") {
  const TemporaryFolder folder;
  if (!make_certificate(folder)) {
    WARN("skipped: openssl makes no certificate here");
    return;
  }
  if (run_program({"curl", "--version"}).exit_code != 0) {
    WARN("skipped: curl is not installed");
    return;
  }
  write_numbered_movie(folder / "movie", pair_canvas_px, 24);
  // Beyond loopback, where it is reached under each address of this machine.
  ControlledShow show(
      folder / "movie", "two-by-one.toml",
      {"--console", "0.0.0.0:" + std::to_string(unused_port()), "--console-cert",
       (folder / "cert.pem").string(), "--console-key", (folder / "key.pem").string()});
  const ConsoleClient console(show.run_dir());
  const std::string url = "https://localhost:" + std::to_string(console.port());
  const auto access = nlohmann::json::parse(read_text_file(show.run_dir() / "console.json", 65536));
  CHECK(access.at("url") == "https://" + host_name() + ":" + std::to_string(console.port()) + "/");
  const auto curl = [&](const Words& more) {
    Words words = {"curl", "-sk", "--max-time", "10", "--noproxy", "*"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const std::string bearer = "Authorization: Bearer " + console.token();
  const ProgramResult done = curl({"-H", bearer, "-d", R"({"frame": 5})", url + "/api/v1/seek"});
  CHECK(nlohmann::json::parse(done.out, nullptr, false).value("type", "") == "done");
  const ProgramResult login =
      curl({"-i", "-H", "Origin: " + url, "-d",
            R"({"name": "Ann", "token": ")" + console.token() + "\"}", url + "/api/v1/login"});
  CHECK_THAT(login.out, Catch::Contains("HttpOnly; SameSite=Strict; Path=/; Secure"));
  CHECK_THAT(curl({"-H", "Origin: http" + url.substr(5), "-d", "{}", url + "/api/v1/login"}).out,
             Catch::Contains("the request does not come from the console's own page"));
  CHECK_THAT(curl({url + "/"}).out, Catch::StartsWith("<!doctype html>"));
  // An event stream and a plain request.
  const ProgramResult events =
      curl({"-N", "--max-time", "2", "-i", "-H", bearer, url + "/api/v1/events"});
  CHECK_THAT(events.out, Catch::Contains("text/event-stream"));
  WebConnection plain(console.port());
  plain.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(plain.is_closed());
  CHECK_THAT(curl({url + "/"}).out, Catch::StartsWith("<!doctype html>"));
}
