#include "player/console/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/auth_key.hpp"
#include "player/console/access/browser_text.hpp"
#include "player/console/openapi.hpp"
#include "player/console/page_files.hpp"
#include "player/console/state/outbox.hpp"
#include "player/verbs/verb_list.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr Rate request_rate{100, 200};
constexpr Rate question_rate{25, 50};                   // of operators, and again of all others
constexpr std::chrono::milliseconds recent_limit{200};  // a status is as good as a new one
constexpr const char* too_many_questions =
    "too many questions of all together: 50 a second at most";
constexpr Rate login_rate{1.0 / 3, 20};
constexpr Rate failed_login_rate{0.2, 10};
constexpr Rate page_note_rate{1.0 / 60, 1};
constexpr std::ptrdiff_t most_open_channels = 64;  // of one session, or one token and address
constexpr std::size_t most_small_body_bytes = 65536;
constexpr std::size_t most_list_bytes = std::size_t{8} << 20;  // 10,000 cues have some 3 MB
constexpr std::size_t most_snapshot_bytes = std::size_t{1} << 30;
constexpr std::chrono::milliseconds status_interval{1000};  // sooner after events
constexpr std::chrono::milliseconds event_pause{50};  // of status, after an event; many may follow

constexpr const char* content_policy =
    "default-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'";

std::int64_t utc_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

WebResponse json_response(unsigned status, const Json& json) {
  return {status, "application/json", std::make_shared<const std::string>(text_of(json) + "\n")};
}

WebResponse error_response_of(unsigned status, const std::string& line) {
  return json_response(status, {{"error", line}});
}

WebResponse page_response(const PageFile& file) {
  WebResponse response{200, std::string(file.type), std::make_shared<const std::string>(file.data)};
  response.headers = {{"Content-Security-Policy", content_policy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

/// The director's answer as a response.
WebResponse wall_response(const Json& answer) {
  const std::string type = answer.value("type", "");
  return json_response(type == "refused" ? 422 : type == "away" ? 503 : 200, answer);
}

/// The names with that of the show's own URL, which ends with a slash.
OwnNames with_url(OwnNames own, const std::string& url) {
  own.url = url.substr(0, url.size() - 1);
  return own;
}

std::string role_line(std::string_view verb, verbs::Role least, verbs::Role found) {
  return fmt::format("{}: expected the role {}, found {}", verb, verbs::name_of(least),
                     verbs::name_of(found));
}

constexpr std::string_view api_path = "/api/v1/";
constexpr std::string_view tools_path = "tools/";

/// What follows the API's path; "" for other paths.
std::string_view api_name(const WebRequest& request) {
  const std::string_view path = request.path;
  return path.starts_with(api_path) ? path.substr(api_path.size()) : "";
}

/// Whether the request names a value that changes nothing, so that repeating it does no harm.
bool is_question(std::string_view verb) {
  constexpr std::string_view questions[] = {"status", "logs", "wall", "cues"};
  return std::ranges::find(questions, verb) != std::end(questions);
}

/// Whether a status with these fields has everything.
bool asks_for_all(const Json& fields) {
  return std::ranges::all_of(fields.items(), [](const auto& field) {
    return (field.key() == "per_panel" || field.key() == "lists") && field.value() == true;
  });
}

}  // namespace

/// A page that is open: a WebSocket.
class Console::Browser final : public ChannelUser {
 public:
  Browser(Console& console, Channel& channel, Visitor visitor)
      : console_(&console),
        channel_(channel),
        visitor_(std::move(visitor)),
        requests_(request_rate, SteadyClock::now()),
        told_limits_({1, 1}, SteadyClock::now()) {
    send({{"type", "hello"},
          {"name", visitor_.person.name},
          {"role", verbs::name_of(visitor_.person.role)},
          {"run", console.run_}});
    console.browsers_.insert(this);
  }
  // NOLINTNEXTLINE(bugprone-exception-escape): a lack of memory ends the process in any case.
  ~Browser() override {
    if (console_ == nullptr) return;
    console_->browsers_.erase(this);
    console_->tell_people();
    console_->watch_pictures();
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  std::optional<Outbox::Message> next() override {
    return console_ == nullptr ? std::nullopt : outbox_.next(console_->state_);
  }

  void receive(std::string_view text, bool is_text) override {
    if (console_ == nullptr) return;
    const auto now = SteadyClock::now();
    if (!requests_.take(now)) {  // not worth reading
      if (told_limits_.take(now)) refuse(Json(), "too many messages: 100 a second at most");
      return;
    }
    if (!is_text) return refuse(Json(), "message: expected a text frame, found a binary one");
    BrowserMessage message = read_browser_message(text);
    try {
      take(message);
    } catch (const std::exception& error) {
      refuse(message.id, error.what());
    }
  }

  void send(const Json& message) {
    if (!outbox_.add_answer(text_of(message))) return channel_.close();
    channel_.wake();
  }
  void add_picture(const std::string& panel, const SharedText& picture) {
    outbox_.add_picture(panel, picture);
    channel_.wake();
  }
  void wake() { channel_.wake(); }
  /// The console ends before this does.
  void forget_console() noexcept { console_ = nullptr; }

  void close() { channel_.close(); }

  [[nodiscard]] const Person& person() const noexcept { return visitor_.person; }
  [[nodiscard]] const Visitor& visitor() const noexcept { return visitor_; }
  [[nodiscard]] bool wants_pictures() const noexcept { return wants_pictures_; }

 private:
  void refuse(const Json& id, const std::string& line) {
    send({{"type", "answer"}, {"id", id}, {"answer", {{"type", "refused"}, {"error", line}}}});
  }

  void take(BrowserMessage& message) {
    switch (message.kind) {
      case MessageKind::unknown:
        return refuse(message.id, message.error);
      case MessageKind::full:
        outbox_.forget_state();
        return channel_.wake();
      case MessageKind::pictures:
        return want_pictures(message.on);
      case MessageKind::request:
        return ask(message);
    }
  }

  void want_pictures(bool wanted) {
    wants_pictures_ = wanted;
    outbox_.want_pictures(wanted);
    for (const auto& [panel, picture] : console_->pictures_)
      if (wanted) add_picture(panel, picture);
    console_->watch_pictures();
  }

  void ask(const BrowserMessage& message) {
    Json request = console_->wall_request(message.verb, message.fields, person());
    if (!console_->may_ask(message.verb, person())) return refuse(message.id, too_many_questions);
    if (console_->link_->is_connected()) send({{"type", "received"}, {"id", message.id}});
    // The page may be closed when the answer comes, and another one may have taken its memory.
    console_->forward(std::move(request),
                      [self = std::weak_ptr<Browser*>(self_), id = message.id](const Json& answer) {
                        if (const auto alive = self.lock())
                          (*alive)->send({{"type", "answer"}, {"id", id}, {"answer", answer}});
                      });
  }

  Console* console_;  // null once it has ended
  Channel& channel_;
  const Visitor visitor_;
  TokenBucket requests_;
  TokenBucket told_limits_;
  Outbox outbox_;
  bool wants_pictures_ = false;
  const std::shared_ptr<Browser*> self_ = std::make_shared<Browser*>(this);
};

/// A program that reads events.
class Console::EventReader final : public ChannelUser {
 public:
  EventReader(Console& console, Channel& channel, Visitor visitor)
      : console_(&console), channel_(channel), visitor_(std::move(visitor)) {
    console.readers_.insert(this);
  }
  ~EventReader() override {
    if (console_ != nullptr) console_->readers_.erase(this);
  }
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  std::optional<Outbox::Message> next() override {
    if (waiting_.empty()) return std::nullopt;
    return Outbox::Message{std::make_shared<const std::string>(std::exchange(waiting_, "")), false};
  }
  void receive(std::string_view, bool) override {}

  void send(const std::string& event) {
    waiting_ += event;
    if (waiting_.size() > Outbox::most_answer_bytes) return channel_.close();
    channel_.wake();
  }
  void forget_console() noexcept { console_ = nullptr; }

  void close() { channel_.close(); }

  [[nodiscard]] const Visitor& visitor() const noexcept { return visitor_; }

 private:
  Console* console_;  // null once it has ended
  Channel& channel_;
  const Visitor visitor_;
  std::string waiting_;
};

Console::Console(boost::asio::io_context& io, std::filesystem::path run_dir, OwnNames own)
    : run_dir_(std::move(run_dir)),
      access_(read_access(run_dir_ / console_file)),
      own_(with_url(std::move(own), access_.url)),
      run_(net::random_nonce_hex()),
      began_(SteadyClock::now()),
      sessions_(run_dir_ / sessions_file),
      requests_(request_rate),
      logins_(login_rate),
      failed_logins_(failed_login_rate),
      page_notes_(page_note_rate),
      questions_(question_rate),
      status_timer_(io),
      tools_(io, {run_dir_, access_.show_options}, [this] {
        state_.set("tools", tools_.json());
        tell();
      }) {
  state_.set("tools", Json::object());
  state_.set("director", "away");
  state_.set("cues_edition", cues_edition_);
  tell_people();
  link_.emplace(
      io, run_dir_,
      WallLink::Callbacks{[this] { take_connection(); }, [this] { lose_connection(); },
                          [this](const Json& event) { take_event(event); },
                          [this](const Json& head, const std::vector<std::uint8_t>& jpeg) {
                            take_picture(head, jpeg);
                          }});
  ask_status();
}

Console::~Console() {
  for (Browser* const browser : browsers_) browser->forget_console();
  for (EventReader* const reader : readers_) reader->forget_console();
}

// Who asks.

std::string Console::session_of(const WebRequest& request) const {
  return cookie_of(request.cookie, fmt::format("tilewall_console_{}", own_.port));
}

std::optional<Console::Visitor> Console::visitor_of(const WebRequest& request) {
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
  const std::string session = session_of(request);
  const Person* const person = sessions_.find(session, std::chrono::system_clock::now());
  if (person == nullptr) return std::nullopt;
  return Visitor{*person, session, true};
}

std::optional<WebResponse> Console::host_refusal_of(const WebRequest& request) const {
  if (is_own_host(own_, request.host)) return std::nullopt;
  return error_response_of(
      403, "expected the address that the show printed in the header Host, found another name");
}

WebResponse Console::stranger_refusal_of(const WebRequest& request) {
  // A cookie may be of the show before this one; a token is either typed or guessed.
  if (request.authorization.empty())
    return error_response_of(401, "log in with a token of this wall's show");
  if (!failed_logins_.take(request.address, SteadyClock::now()))
    return error_response_of(429, "too many wrong tokens; wait a minute");
  note(request.address, "a request", "refused: no token of this wall");
  return error_response_of(401, "the token is not of this wall's show");
}

bool Console::is_of_other_page(const WebRequest& request) const {
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (changes || request.is_upgrade)
    return !is_own_page(own_, {request.origin, request.fetch_site});
  // Somebody may have typed the address; browsers tell no origin then.
  if (request.fetch_site == "same-site" || request.fetch_site == "cross-site") return true;
  return !request.origin.empty() && !is_own_page(own_, {request.origin, ""});
}

std::optional<WebResponse> Console::refusal_of(const WebRequest& request,
                                               const std::optional<Visitor>& visitor) {
  if (auto refusal = host_refusal_of(request)) return refusal;
  if (!visitor) return stranger_refusal_of(request);
  // A browser adds the cookie to requests of any page; a program's token is its own. Another page
  // shall neither fill the log nor use up what the person may ask.
  if (visitor->by_cookie && is_of_other_page(request)) {
    if (page_notes_.take(request.address, SteadyClock::now()))
      note(visitor->person.name, "a request of another page", "refused");
    return error_response_of(403, "the request does not come from the console's own page");
  }
  if (!requests_.take(visitor->key, SteadyClock::now()))
    return error_response_of(429, "too many requests: 100 a second at most");
  return std::nullopt;
}

WebResponse Console::log_in(const WebRequest& request) {
  if (request.method != "POST") return error_response_of(405, "POST it");
  if (!request.origin.empty() && !is_own_page(own_, {request.origin, request.fetch_site}))
    return error_response_of(403, "the request does not come from the console's own page");
  std::string token;
  std::string name;
  try {
    const Json body = object_of(request.body);
    token = body.value("token", "");
    name = person_name(body.value("name", ""));
  } catch (const InputError& error) {
    return error_response_of(400, error.what());
  } catch (const Json::exception&) {
    return error_response_of(400, "body: token, name: expected texts");
  }
  const auto role = role_of_token(access_, token);
  if (!role) {
    if (!failed_logins_.take(request.address, SteadyClock::now()))
      return error_response_of(429, "too many wrong tokens; wait a minute");
    note(request.address, "login", "refused: no token of this wall");
    return error_response_of(401,
                             "the token is not of this wall's show: open the address that "
                             "the show printed when it began");
  }
  if (!logins_.take(request.address, SteadyClock::now()))
    return error_response_of(429, "too many logins; wait a few seconds");
  if (name.empty()) name = std::string(verbs::name_of(*role));
  note(name, fmt::format("login as {} from {}", verbs::name_of(*role), request.address), "done");
  WebResponse response = json_response(200, {{"name", name}, {"role", verbs::name_of(*role)}});
  response.headers.emplace_back(
      "Set-Cookie",
      fmt::format("tilewall_console_{}={}; HttpOnly; SameSite=Strict; Path=/{}", own_.port,
                  sessions_.open({name, *role}, std::chrono::system_clock::now()),
                  own_.url.starts_with("https") ? "; Secure" : ""));
  keep_sessions();  // the new one may have ended another one
  return response;
}

// Requests.

std::size_t Console::most_body_bytes(const WebRequest& request) {
  if (api_name(request) != "show") return most_small_body_bytes;
  // Strangers cannot make the console keep megabytes.
  const std::optional<Visitor> visitor = visitor_of(request);
  return visitor && visitor->person.role == verbs::Role::operator_ ? most_list_bytes
                                                                   : most_small_body_bytes;
}

Standing Console::standing_of(const WebRequest& request) {
  const std::optional<Visitor> visitor = visitor_of(request);
  if (!visitor) return Standing::stranger;
  return visitor->person.role == verbs::Role::operator_ ? Standing::host : Standing::guest;
}

void Console::answer(const WebRequest& request, Reply reply) {
  if (auto refusal = host_refusal_of(request)) return reply(std::move(*refusal));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (const PageFile* const file = find_page_file(request.path))
    return reply(reads ? page_response(*file) : error_response_of(405, "GET it"));
  const std::string_view name = api_name(request);
  if (name == "login") return reply(log_in(request));
  if (name.empty()) return reply(error_response_of(404, "there is nothing at this address"));
  const std::optional<Visitor> visitor = visitor_of(request);
  if (auto refusal = refusal_of(request, visitor)) return reply(std::move(*refusal));
  // A failure may come after the answer.
  const Reply once = [reply, has_replied = std::make_shared<bool>(false)](WebResponse response) {
    if (!std::exchange(*has_replied, true)) reply(std::move(response));
  };
  try {
    answer_visitor(request, *visitor, once);
  } catch (const InputError& error) {  // before anything was asked
    once(error_response_of(400, error.what()));
  } catch (const JobError& error) {
    once(error_response_of(503, error.what()));
  } catch (const std::exception& error) {
    once(error_response_of(500, error.what()));
  }
}

/// An open page or event stream uses its session; those whose session has ended are closed.
void Console::keep_sessions() {
  const auto now = std::chrono::system_clock::now();
  const auto has_ended = [&](const Visitor& visitor) {
    return visitor.by_cookie && sessions_.find(visitor.key, now) == nullptr;
  };
  for (Browser* const browser : browsers_)
    if (has_ended(browser->visitor())) browser->close();
  for (EventReader* const reader : readers_)
    if (has_ended(reader->visitor())) reader->close();
}

void Console::answer_visitor(const WebRequest& request, const Visitor& visitor,
                             const Reply& reply) {
  const std::string_view name = api_name(request);
  if (name == "logout" && request.method == "POST") {
    sessions_.close(session_of(request));
    keep_sessions();
    return reply(json_response(200, Json::object()));
  }
  if (name.starts_with(tools_path)) return answer_tool(request, visitor, reply);
  if (request.method == "POST") return answer_verb(request, visitor, reply);
  if (request.method != "GET" && request.method != "HEAD")
    return reply(error_response_of(405, "GET or POST it"));
  if (name == "session")
    return reply(json_response(
        200, {{"name", visitor.person.name}, {"role", verbs::name_of(visitor.person.role)}}));
  if (name == "history") return reply(json_response(200, history_.json()));
  if (name == "openapi.json")
    return reply({200, "application/json",
                  std::make_shared<const std::string>(openapi(access_.url).dump(1) + "\n")});
  if (name == "snapshot") return answer_snapshot(visitor, reply);
  if (name == "status") return answer_status(Json::object(), visitor, reply);
  const bool is_verb = verbs::find_verb(name) != nullptr;
  reply(is_verb ? error_response_of(405, "POST it")
                : error_response_of(404, "there is nothing at this address"));
}

void Console::answer_verb(const WebRequest& request, const Visitor& visitor, const Reply& reply) {
  const std::string_view name = api_name(request);
  const verbs::VerbInfo* const verb = verbs::find_verb(name);
  if (verb == nullptr) return reply(error_response_of(404, "there is no such verb"));
  if (!is_posted(name))
    return reply(error_response_of(405, "GET /api/v1/events tells events, and the page pictures"));
  const Json fields = object_of(request.body);
  const verbs::Role least = verbs::least_role(*verb, choice_of(name, fields));
  if (visitor.person.role < least)
    return reply(error_response_of(403, role_line(name, least, visitor.person.role)));
  if (name == "status") return answer_status(fields, visitor, reply);
  Json asked = wall_request(name, fields, visitor.person);
  if (!may_ask(name, visitor.person)) return reply(error_response_of(429, too_many_questions));
  forward(std::move(asked), [reply](const Json& answer) { reply(wall_response(answer)); });
}

void Console::answer_status(const Json& fields, const Visitor& visitor, const Reply& reply) {
  Json asked = wall_request("status", fields, visitor.person);
  const bool has_all = asks_for_all(fields);
  if (!may_ask("status", visitor.person)) {
    if (has_all && recent_status_ && SteadyClock::now() < recent_status_at_ + recent_limit)
      return reply({200, "application/json", recent_status_});
    return reply(error_response_of(429, too_many_questions));
  }
  forward(std::move(asked), [this, has_all, reply](const Json& answer) {
    WebResponse response = wall_response(answer);
    if (has_all && answer.value("type", "") == "status") {
      recent_status_ = response.body;
      recent_status_at_ = SteadyClock::now();
    }
    reply(std::move(response));
  });
}

bool Console::may_ask(std::string_view verb, const Person& person) {
  if (!is_question(verb)) return true;
  // Whoever only looks keeps no operator from asking.
  return questions_.take(person.role == verbs::Role::operator_ ? "operators" : "others",
                         SteadyClock::now());
}

void Console::forward(Json request, WallLink::Answer answer) {
  if (is_question(request.at("type").get<std::string>()))
    return link_->ask(std::move(request), std::move(answer));
  link_->ask(std::move(request), [this, answer = std::move(answer)](const Json& told) {
    recent_status_ = nullptr;
    answer(told);
  });
}

Json Console::wall_request(std::string_view verb, const Json& fields, const Person& person) const {
  const verbs::VerbInfo* const info = verbs::find_verb(verb);
  if (info == nullptr || !is_posted(verb))
    throw InputError({"console"}, "verb", "a verb", shown_json(Json(std::string(verb))));
  const verbs::Role least = verbs::least_role(*info, choice_of(verb, fields));
  if (person.role < least) throw InputError(role_line(verb, least, person.role));
  if (!fields.is_object())
    throw InputError({std::string(verb)}, "fields", "an object", shown_json(fields));
  Json request = fields;
  request["type"] = verb;
  for (const char* const name : {"tag", "as", "person"}) request.erase(name);
  if (is_question(info->name)) return request;
  request["person"] = person.name;
  if (!request.contains("once")) request["once"] = net::random_nonce_hex();
  return request;
}

void Console::answer_tool(const WebRequest& request, const Visitor& visitor, const Reply& reply) {
  const std::string name(api_name(request).substr(tools_path.size()));
  if (request.method != "POST") return reply(error_response_of(405, "POST it"));
  if (visitor.person.role < verbs::Role::operator_)
    return reply(
        error_response_of(403, role_line(name, verbs::Role::operator_, visitor.person.role)));
  const Json presentation = state_.part("status").is_object()
                                ? state_.part("status").value("presentation", Json::object())
                                : Json::object();
  const Json file = presentation.value("file", Json());
  const bool stops = object_of(request.body).value("stop", Json(false)) == true;
  if (stops)
    tools_.stop(name);
  else
    tools_.start(name, file.is_string() ? file.get<std::string>() : "", visitor.person.name,
                 utc_ms());
  note(visitor.person.name, name, stops ? "stopped" : "begun");
  reply(json_response(200, tools_.json()));
}

void Console::answer_snapshot(const Visitor& visitor, const Reply& reply) {
  if (is_taking_snapshot_)
    return reply(error_response_of(429, "a snapshot is being taken; try again"));
  is_taking_snapshot_ = true;
  const std::filesystem::path file = run_dir_ / "console-snapshot.png";
  const Json request = {{"type", "snapshot"},
                        {"file", file.string()},
                        {"person", visitor.person.name},
                        {"once", net::random_nonce_hex()}};
  link_->ask(request, [this, file, reply](const Json& answer) {
    is_taking_snapshot_ = false;
    if (answer.value("type", "") != "done") return reply(wall_response(answer));
    try {
      WebResponse response{
          200, "image/png",
          std::make_shared<const std::string>(read_text_file(file, most_snapshot_bytes))};
      response.headers = {{"Content-Disposition", "attachment; filename=\"wall.png\""}};
      reply(std::move(response));
    } catch (const InputError& error) {
      reply(error_response_of(503, error.what()));
    }
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  });
}

// Connections that stay open.

bool Console::is_stream(const WebRequest& request) const {
  return api_name(request) == "events" && request.method == "GET";
}

std::optional<WebResponse> Console::channel_refusal_of(const WebRequest& request) {
  const std::optional<Visitor> visitor = visitor_of(request);
  if (auto refusal = refusal_of(request, visitor)) return refusal;
  if (request.is_upgrade && request.path != "/ws")
    return error_response_of(404, "the WebSocket is at /ws");
  const auto is_theirs = [&](const auto* channel) {
    return channel->visitor().key == visitor->key;
  };
  if (std::ranges::count_if(browsers_, is_theirs) + std::ranges::count_if(readers_, is_theirs) >=
      most_open_channels)
    return error_response_of(
        429, fmt::format("this login has {} open pages and event streams", most_open_channels));
  return std::nullopt;
}

std::unique_ptr<ChannelUser> Console::open(const WebRequest& request, Channel& channel) {
  Visitor visitor = visitor_of(request).value();
  if (!request.is_upgrade) return std::make_unique<EventReader>(*this, channel, std::move(visitor));
  auto browser = std::make_unique<Browser>(*this, channel, std::move(visitor));
  tell_people();
  ask_status_soon();
  return browser;
}

// The wall.

void Console::take_connection() {
  state_.set("director", "connected");
  asks_status_ = false;
  is_watching_ = false;
  ask_wall();
  ask_status();
  watch_pictures();
}

void Console::lose_connection() {
  if (state_.part("director") != "ended") state_.set("director", "away");
  recent_status_ = nullptr;
  is_watching_ = false;
  tell();
}

void Console::ask_wall() {
  link_->ask({{"type", "wall"}}, [this](const Json& answer) {
    if (answer.value("type", "") != "wall") return;
    Json wall = answer;
    wall.erase("type");
    wall.erase("id");
    state_.set("wall", std::move(wall));
    tell();
  });
}

/// Asks for the status, and again after a while.
void Console::ask_status() {
  keep_sessions();
  watch_pictures();
  const bool is_watched = !browsers_.empty();
  status_timer_.expires_after(status_interval);
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) ask_status();
  });
  // A director that hangs answers nothing, but the console is there.
  if (!link_->is_connected() || asks_status_) return tell_time();
  asks_status_ = true;
  link_->ask({{"type", "status"}, {"per_panel", is_watched}, {"lists", is_watched}},
             [this](const Json& answer) {
               asks_status_ = false;
               if (answer.value("type", "") == "status") take_status(answer);
             });
}

/// Asks for the status once the events that have just come are over.
void Console::ask_status_soon() {
  if (status_timer_.expiry() < SteadyClock::now() + event_pause) return;
  status_timer_.expires_after(event_pause);
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) ask_status();
  });
}

void Console::take_status(Json status) {
  history_.add(status, utc_ms());
  for (const char* const name : {"type", "id"}) status.erase(name);
  Json panels = Json::object();
  for (Json& panel : status["per_panel"]) {
    const std::string name = panel.is_object() ? panel.value("panel", "") : "";
    if (!name.empty()) panels[name] = std::move(panel);
  }
  status["per_panel"] = std::move(panels);
  // Where panels lie on the canvas depends on these.
  const auto modes = [](const Json& of) {
    const Json scene = of.is_object() ? of.value("scene", Json::object()) : Json::object();
    return std::pair(scene.value("bezels", Json()), scene.value("content", Json()));
  };
  if (modes(state_.part("status")) != modes(status)) ask_wall();
  state_.set("status", std::move(status));
  state_.set(
      "received_ms",
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began_).count());
  tell_time();
}

/// Tells the state with the time, by which browsers know that the connection is alive.
void Console::tell_time() {
  state_.set("utc_ms", utc_ms());
  tell();
}

void Console::take_event(const Json& event) {
  const std::string name = event.value("event", "");
  if (name == "end") state_.set("director", "ended");
  recent_status_ = nullptr;
  told_.add(event, utc_ms());
  state_.set("commands", told_.json());
  const Json request = event.value("request", Json::object());
  const std::string verb = request.is_object() ? request.value("type", "") : "";
  if (name == "show" || (name == "command" && (verb == "cue" || verb == "show")))
    state_.set("cues_edition", ++cues_edition_);
  const std::string text = fmt::format("event: {}\ndata: {}\n\n", name, text_of(event));
  for (EventReader* const reader : std::set(readers_)) reader->send(text);
  tell();
  ask_status_soon();
}

void Console::take_picture(const Json& head, const std::vector<std::uint8_t>& jpeg) {
  const std::string panel = head.value("panel", "");
  Json told = head;
  told.erase("type");
  const std::string text = text_of(told);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string frame;
  frame.reserve(sizeof size + text.size() + jpeg.size());
  for (unsigned byte = 0; byte < sizeof size; ++byte)
    frame.push_back(static_cast<char>((size >> (8 * byte)) & 0xFFU));
  frame += text;
  frame.append(jpeg.begin(), jpeg.end());
  auto shared = std::make_shared<const std::string>(std::move(frame));
  pictures_[panel] = shared;
  for (Browser* const browser : browsers_) browser->add_picture(panel, shared);
}

/// Asks the director for pictures while somebody wants to see them.
void Console::watch_pictures() {
  const bool wanted = std::ranges::any_of(
      browsers_, [](const Browser* browser) { return browser->wants_pictures(); });
  if (wanted == is_watching_ || !link_ || !link_->is_connected()) return;
  is_watching_ = wanted;
  if (!wanted) pictures_.clear();
  link_->ask_this_one({{"type", "watch"}, {"pictures", wanted}},
                      [this, wanted](const Json& answer) {
                        const std::string type = answer.value("type", "");
                        if (type == "done") is_watching_refused_ = false;
                        if (type != "refused") return;
                        is_watching_ = !wanted;  // asked again with the next status
                        if (!std::exchange(is_watching_refused_, true))
                          log_line("pictures: {}", answer.value("error", ""));
                      });
}

void Console::tell() {
  if (!state_.commit()) return;
  for (Browser* const browser : browsers_) browser->wake();
}

void Console::tell_people() {
  std::map<std::pair<std::string, std::string_view>, int> counts;
  for (const Browser* const browser : browsers_)
    ++counts[{browser->person().name, verbs::name_of(browser->person().role)}];
  Json people = Json::array();
  for (const auto& [person, count] : counts)
    people.push_back({{"name", person.first}, {"role", person.second}, {"browsers", count}});
  state_.set("people", std::move(people));
  tell();
}

/// Notes something that a person did in the log of this process, and for all to see.
void Console::note(const std::string& by, const std::string& what, const std::string& result) {
  log_line("{}: {}: {}", by, what, result);
  told_.add_line(by, what, result, utc_ms());
  state_.set("commands", told_.json());
  tell();
}

}  // namespace tilewall::console
