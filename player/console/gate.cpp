#include "player/console/gate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/console/access/browser_text.hpp"
#include "player/console/web_responses.hpp"
#include "player/verbs/verb_list.hpp"
#include "sync/base/error.hpp"

namespace tilewall::console {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Rate request_rate{100, 200};
constexpr Rate login_rate{1.0 / 3, 20};
constexpr Rate failed_login_rate{0.2, 10};

constexpr const char* another_page = "the request does not come from the console's own page";
constexpr const char* too_many_wrong = "too many wrong tokens; wait a minute";

/// The names with that of the show's own URL, which ends with a slash.
OwnNames with_url(OwnNames own, const std::string& url) {
  own.url = url.substr(0, url.size() - 1);
  return own;
}

}  // namespace

Gate::Gate(const std::filesystem::path& run_dir, OwnNames own, Note note)
    : access_(read_access(run_dir / console_file)),
      own_(with_url(std::move(own), access_.url)),
      note_(std::move(note)),
      sessions_(run_dir / sessions_file),
      requests_(request_rate),
      logins_(login_rate),
      failed_logins_(failed_login_rate) {}

std::string Gate::cookie_name() const { return fmt::format("tilewall_console_{}", own_.port); }

std::optional<Visitor> Gate::visitor_of(const WebRequest& request) {
  constexpr std::string_view bearer = "Bearer ";
  if (request.authorization.starts_with(bearer)) {
    const auto role =
        role_of_token(access_, std::string_view(request.authorization).substr(bearer.size()));
    if (!role) return std::nullopt;
    std::string name = person_name(request.person);
    if (name.empty()) name = fmt::format("a program ({})", verbs::name_of(*role));
    return Visitor{{std::move(name), *role},
                   fmt::format("token {} {}", verbs::name_of(*role), request.address),
                   false};
  }
  const std::string session = cookie_of(request.cookie, cookie_name());
  const Person* const person = sessions_.find(session, std::chrono::system_clock::now());
  if (person == nullptr) return std::nullopt;
  return Visitor{*person, session, true};
}

void Gate::note(const RefusalLog::Line& line) {
  note_(line.refusal.by, line.refusal.what, result_of(line));
}

void Gate::note_refusal(const Refusal& refusal) {
  if (const auto line = refusals_.add(refusal, SteadyClock::now())) note(*line);
}

void Gate::note_refusal_counts() {
  for (const RefusalLog::Line& line : refusals_.finished(SteadyClock::now())) note(line);
}

std::optional<WebResponse> Gate::host_refusal_of(const WebRequest& request) {
  if (is_own_host(own_, request.host)) return std::nullopt;
  note_refusal({request.address, "a request", "another name than the console's"});
  return error_response(
      403, "expected the address that the show printed in the header Host, found another name");
}

WebResponse Gate::stranger_refusal_of(const WebRequest& request) {
  // A cookie may be of the show before this one; a token is either typed or guessed.
  if (!request.authorization.empty())
    return wrong_token(request, "a request", "the token is not of this wall's show");
  note_refusal({request.address, "a request", "not logged in"});
  return error_response(401, "log in with a token of this wall's show");
}

/// The response to a token that is none, of which an address may try few.
WebResponse Gate::wrong_token(const WebRequest& request, const char* what,
                              const std::string& line) {
  const bool is_limited = !failed_logins_.take(request.address, SteadyClock::now());
  note_refusal(
      {request.address, what, is_limited ? "too many wrong tokens" : "no token of this wall"});
  return is_limited ? error_response(429, too_many_wrong) : error_response(401, line);
}

/// Whether a request with a cookie was made by another page.
bool Gate::is_of_other_page(const WebRequest& request) const {
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (changes || request.is_upgrade)
    return !is_own_page(own_, {request.origin, request.fetch_site});
  // Somebody may have typed the address; browsers tell no origin then.
  if (request.fetch_site == "same-site" || request.fetch_site == "cross-site") return true;
  return !request.origin.empty() && !is_own_page(own_, {request.origin, ""});
}

std::optional<WebResponse> Gate::refusal_of(const WebRequest& request,
                                            const std::optional<Visitor>& visitor) {
  if (auto refusal = host_refusal_of(request)) return refusal;
  if (!visitor) return stranger_refusal_of(request);
  // A browser adds the cookie to requests of any page; a program's token is its own. Another page
  // shall neither fill the log nor use up what the person may ask.
  if (visitor->by_cookie && is_of_other_page(request)) {
    note_refusal({visitor->person.name, "a request", "it came from another page"});
    return error_response(403, another_page);
  }
  if (!requests_.take(visitor->key, SteadyClock::now())) {
    note_refusal({visitor->person.name, "a request", "too many requests"});
    return error_response(429, "too many requests: 100 a second at most");
  }
  return std::nullopt;
}

WebResponse Gate::log_in(const WebRequest& request) {
  if (request.method != "POST") return error_response(405, "POST it");
  if (!request.origin.empty() && !is_own_page(own_, {request.origin, request.fetch_site})) {
    note_refusal({request.address, "login", "it came from another page"});
    return error_response(403, another_page);
  }
  std::string token;
  std::string name;
  try {
    const nlohmann::json body = object_of(request.body);
    token = body.value("token", "");
    name = person_name(body.value("name", ""));
  } catch (const InputError& error) {
    return error_response(400, error.what());
  } catch (const nlohmann::json::exception&) {
    return error_response(400, "body: token, name: expected texts");
  }
  const auto role = role_of_token(access_, token);
  if (!role)
    return wrong_token(request, "login",
                       "the token is not of this wall's show: open the address that the show "
                       "printed when it began");
  if (!logins_.take(request.address, SteadyClock::now())) {
    note_refusal({request.address, "login", "too many logins"});
    return error_response(429, "too many logins; wait a few seconds");
  }
  if (name.empty()) name = std::string(verbs::name_of(*role));
  note_(name, fmt::format("login as {} from {}", verbs::name_of(*role), request.address), "done");
  WebResponse response = json_response(200, {{"name", name}, {"role", verbs::name_of(*role)}});
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/{}", cookie_name(),
                                sessions_.open({name, *role}, std::chrono::system_clock::now()),
                                own_.url.starts_with("https") ? "; Secure" : ""));
  return response;
}

void Gate::log_out(const WebRequest& request, const Visitor& visitor) {
  sessions_.close(cookie_of(request.cookie, cookie_name()));
  note_(visitor.person.name, fmt::format("logout from {}", request.address), "done");
}

bool Gate::has_ended(const Visitor& visitor) {
  return visitor.by_cookie &&
         sessions_.find(visitor.key, std::chrono::system_clock::now()) == nullptr;
}

}  // namespace tilewall::console
