#include "player/console/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/auth_key.hpp"
#include "player/console/access/browser_text.hpp"
#include "player/console/openapi.hpp"
#include "player/console/page_files.hpp"
#include "player/console/state/outbox.hpp"
#include "player/console/web_responses.hpp"
#include "player/verbs/verb_list.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr Rate message_rate{100, 200};  // A page may send so many messages.
// Operators together have this rate, and all others together have it again.
constexpr Rate question_rate{25, 50};
constexpr std::chrono::milliseconds recent_limit{200};  // a status is as good as a new one
constexpr const char* too_many_questions =
    "too many questions: operators together may ask 25 a second, and all others 25";
// One session may have so many, or one token at one address.
constexpr std::ptrdiff_t most_open_channels = 64;
constexpr std::size_t most_small_body_bytes = 65536;
constexpr std::size_t most_list_bytes = std::size_t{8} << 20;  // 10,000 cues have some 3 MB
constexpr std::chrono::seconds snapshot_limit{90};  // waits, a large wall's pictures, PNG

constexpr std::string_view api_path = "/api/v1/";
constexpr std::string_view tools_path = "tools/";
constexpr std::string_view movies_path = "movies/";

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
        requests_(message_rate, SteadyClock::now()),
        limit_notices_({1, 1}, SteadyClock::now()),
        outbox_(visitor_.person.role == verbs::Role::operator_ ? StateReader::operator_
                                                               : StateReader::guest) {
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
    console_->update_people();
    console_->view_.watch_pictures();
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  std::optional<Outbox::Message> next() override {
    return console_ == nullptr ? std::nullopt : outbox_.next(console_->view_.state());
  }

  void receive(std::string_view text, bool is_text) override {
    if (console_ == nullptr) return;
    const auto now = SteadyClock::now();
    if (!requests_.take(now)) {  // not worth reading
      console_->gate_.note_refusal({person().name, "a message", "too many messages"});
      if (limit_notices_.take(now)) refuse(Json(), "too many messages: 100 a second at most");
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
  /// To be called when the console ends before this object.
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
    for (const auto& [panel, picture] : console_->view_.pictures())
      if (wanted) add_picture(panel, picture);
    console_->view_.watch_pictures();
  }

  void ask(const BrowserMessage& message) {
    Json request = console_->wall_request(message.verb, message.fields, person());
    if (!console_->may_ask(message.verb, person()))
      return refuse(message.id, console_->question_refusal_of(message.verb, person()));
    if (console_->view_.link().is_connected()) send({{"type", "received"}, {"id", message.id}});
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
  TokenBucket limit_notices_;
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
      run_(net::random_nonce_hex()),
      gate_(run_dir_, std::move(own),
            [this](const std::string& by, const std::string& what, const std::string& result) {
              view_.note(by, what, result);
            }),
      questions_(question_rate),
      view_(io, run_dir_,
            {[this] {
               for (Browser* const browser : browsers_) browser->wake();
             },
             [this](const Json& event) { take_event(event); },
             [this](const std::string& panel, const SharedText& picture) {
               for (Browser* const browser : browsers_) browser->add_picture(panel, picture);
             },
             [this] { return !browsers_.empty(); },
             [this] { return std::ranges::any_of(browsers_, &Browser::wants_pictures); },
             [this] {
               keep_sessions();
               gate_.note_refusal_counts();
             }}),
      tools_(io, {run_dir_, gate_.access().show_options, gate_.access().render_options},
             [this] { view_.set("tools", tools_.json()); }),
      path_(io, run_dir_,
            {[this] { view_.set("flight_path", path_.json()); },
             [this](const scene::KeptPath& path) {
               view_.note("flight path", path.answer, path.has_failed ? "failed" : "done");
             }}),
      movies_(io, [this] { view_.set("movies", movies_.json()); }) {
  view_.set("tools", Json::object());
  update_people();
}

Console::~Console() {
  for (Browser* const browser : browsers_) browser->forget_console();
  for (EventReader* const reader : readers_) reader->forget_console();
}

// Requests.

std::size_t Console::most_body_bytes(const WebRequest& request) {
  if (api_name(request) != "show") return most_small_body_bytes;
  // Strangers cannot make the console keep megabytes.
  const std::optional<Visitor> visitor = gate_.visitor_of(request);
  return visitor && visitor->person.role == verbs::Role::operator_ ? most_list_bytes
                                                                   : most_small_body_bytes;
}

void Console::note_refusal(const std::string& address, const std::string& why) {
  gate_.note_refusal({address, "a request", why});
}

Standing Console::standing_of(const WebRequest& request) {
  const std::optional<Visitor> visitor = gate_.visitor_of(request);
  if (!visitor) return Standing::stranger;
  return visitor->person.role == verbs::Role::operator_ ? Standing::trusted : Standing::guest;
}

void Console::answer(const WebRequest& request, Reply reply) {
  if (auto refusal = gate_.host_refusal_of(request)) return reply(std::move(*refusal));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (const PageFile* const file = find_page_file(request.path))
    return reply(reads ? page_response(*file) : error_response(405, "GET it"));
  const std::string_view name = api_name(request);
  if (name == "login") {
    reply(gate_.log_in(request));
    return keep_sessions();  // a new session may have ended another one
  }
  if (name.empty()) return reply(error_response(404, "there is nothing at this address"));
  const std::optional<Visitor> visitor = gate_.visitor_of(request);
  if (auto refusal = gate_.refusal_of(request, visitor)) return reply(std::move(*refusal));
  // A failure may come after the answer.
  const Reply once = [reply, has_replied = std::make_shared<bool>(false)](WebResponse response) {
    if (!std::exchange(*has_replied, true)) reply(std::move(response));
  };
  try {
    answer_visitor(request, *visitor, once);
  } catch (const InputError& error) {  // before anything was asked
    once(error_response(400, error.what()));
  } catch (const JobError& error) {
    once(error_response(503, error.what()));
  } catch (const std::exception& error) {
    once(error_response(500, error.what()));
  }
}

/// An open page or event stream uses its session; those whose session has ended are closed.
void Console::keep_sessions() {
  for (Browser* const browser : browsers_)
    if (gate_.has_ended(browser->visitor())) browser->close();
  for (EventReader* const reader : readers_)
    if (gate_.has_ended(reader->visitor())) reader->close();
}

void Console::answer_visitor(const WebRequest& request, const Visitor& visitor,
                             const Reply& reply) {
  const std::string_view name = api_name(request);
  if (name == "logout" && request.method == "POST") {
    gate_.log_out(request, visitor);
    keep_sessions();
    return reply(json_response(200, Json::object()));
  }
  if (name.starts_with(tools_path)) return answer_tool(request, visitor, reply);
  if (request.method == "POST") return answer_verb(request, visitor, reply);
  if (request.method != "GET" && request.method != "HEAD")
    return reply(error_response(405, "GET or POST it"));
  if (name == "session")
    return reply(json_response(
        200, {{"name", visitor.person.name}, {"role", verbs::name_of(visitor.person.role)}}));
  if (name == "history") return reply(json_response(200, view_.history()));
  if (name == "openapi.json")
    return reply({200, "application/json",
                  std::make_shared<const std::string>(openapi(gate_.access().url).dump(1) + "\n")});
  if (name == "snapshot") return answer_snapshot(visitor, reply);
  if (name == "status") return answer_status(Json::object(), visitor, reply);
  if (name.starts_with(movies_path))
    return answer_picture(name.substr(movies_path.size()), visitor.person, reply);
  const bool is_verb = verbs::find_verb(name) != nullptr;
  reply(is_verb ? error_response(405, "POST it")
                : error_response(404, "there is nothing at this address"));
}

void Console::answer_verb(const WebRequest& request, const Visitor& visitor, const Reply& reply) {
  const std::string_view name = api_name(request);
  const verbs::VerbInfo* const verb = verbs::find_verb(name);
  if (verb == nullptr) return reply(error_response(404, "there is no such verb"));
  if (!is_posted(name))
    return reply(error_response(405, "GET /api/v1/events tells events, and the page pictures"));
  const Json fields = object_of(request.body);
  if (const auto line = role_refusal_of(*verb, fields, visitor.person))
    return reply(error_response(403, *line));
  if (name == "status") return answer_status(fields, visitor, reply);
  Json asked = wall_request(name, fields, visitor.person);
  if (!may_ask(name, visitor.person))
    return reply(error_response(429, question_refusal_of(name, visitor.person)));
  forward(std::move(asked), [reply](const Json& answer) { reply(wall_response(answer)); });
}

void Console::answer_status(const Json& fields, const Visitor& visitor, const Reply& reply) {
  Json asked = wall_request("status", fields, visitor.person);
  const bool has_all = asks_for_all(fields);
  if (!may_ask("status", visitor.person)) {
    if (has_all && recent_status_ && SteadyClock::now() < recent_status_at_ + recent_limit)
      return reply({200, "application/json", recent_status_});
    return reply(error_response(429, question_refusal_of("status", visitor.person)));
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

/// The line that refuses a question after may_ask() did.
std::string Console::question_refusal_of(std::string_view verb, const Person& person) {
  gate_.note_refusal({person.name, std::string(verb), "too many questions"});
  return too_many_questions;
}

/// The line that refuses a verb to a person whose role is too small; empty where it may be asked.
std::optional<std::string> Console::role_refusal_of(const verbs::VerbInfo& verb, const Json& fields,
                                                    const Person& person) {
  const verbs::Role least = verbs::least_role(verb, choice_of(verb.name, fields));
  if (person.role >= least) return std::nullopt;
  return role_refusal_of(verb.name, least, person);
}

std::string Console::role_refusal_of(std::string_view what, verbs::Role least,
                                     const Person& person) {
  const std::string why = fmt::format("expected the role {}, found {}", verbs::name_of(least),
                                      verbs::name_of(person.role));
  gate_.note_refusal({person.name, std::string(what), why});
  return fmt::format("{}: {}", what, why);
}

void Console::forward(Json request, WallLink::Answer answer) {
  if (is_question(request.at("type").get<std::string>()))
    return view_.link().ask(std::move(request), std::move(answer));
  const bool is_snapshot = request.at("type") == "snapshot";
  view_.link().ask(
      std::move(request),
      [this, answer = std::move(answer)](const Json& result) {
        recent_status_ = nullptr;
        answer(result);
      },
      is_snapshot ? snapshot_limit : WallLink::usual_limit);
}

Json Console::wall_request(std::string_view verb, const Json& fields, const Person& person) {
  const verbs::VerbInfo* const info = verbs::find_verb(verb);
  if (info == nullptr || !is_posted(verb))
    throw InputError({"console"}, "verb", "a verb", shown_json(Json(std::string(verb))));
  if (const auto line = role_refusal_of(*info, fields, person)) throw InputError(*line);
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
  const Person& person = visitor.person;
  if (request.method != "POST") return reply(error_response(405, "POST it"));
  if (person.role < verbs::Role::operator_)
    return reply(error_response(403, role_refusal_of(name, verbs::Role::operator_, person)));
  const Json fields = object_of(request.body);
  for (const auto& [field, value] : fields.items())
    if (field != "stop" || !value.is_boolean())
      throw InputError({name}, field, "only \"stop\": true or false", shown_json(value));
  const bool stops = fields.value("stop", false);
  const ToolFiles files{view_.show_file(), path_.file(), view_.scene_mode("bezels"),
                        view_.scene_mode("content")};
  // A rendering goes on only with the same modes, so it does not begin before they are known.
  if (!stops && name == "render" && !files.path.empty() && files.bezels.empty())
    throw InputError({name}, "", "a wall whose state is known", "none yet; try again in a moment");
  if (stops)
    tools_.stop(name);
  else
    tools_.start(name, files, person.name, utc_ms());
  view_.note(person.name, name, stops ? "stopped" : "begun");
  reply(json_response(200, tools_.json()));
}

/// Viewers and presenters of the show see none, as the movies need not be the show's.
void Console::answer_picture(std::string_view name, const Person& person, const Reply& reply) {
  if (person.role < verbs::Role::operator_)
    return reply(error_response(403, role_refusal_of("movies", verbs::Role::operator_, person)));
  WebResponse response{200, "image/png"};
  response.file = movies_.open_picture(name);
  if (response.file.empty()) return reply(error_response(404, "no movie has this picture now"));
  response.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  reply(std::move(response));
}

void Console::answer_snapshot(const Visitor& visitor, const Reply& reply) {
  if (is_taking_snapshot_) {
    gate_.note_refusal({visitor.person.name, "snapshot", "another one is being taken"});
    return reply(error_response(429, "a snapshot is being taken; try again"));
  }
  is_taking_snapshot_ = true;
  // One that came too late was left.
  const std::filesystem::path file = run_dir_ / "console-snapshot.png";
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  const Json request = {{"type", "snapshot"},
                        {"file", file.string()},
                        {"person", visitor.person.name},
                        {"once", net::random_nonce_hex()}};
  const auto take = [this, file, reply](const Json& answer) {
    is_taking_snapshot_ = false;
    if (answer.value("type", "") != "done") return reply(wall_response(answer));
    WebResponse response{200, "image/png"};
    try {
      response.file = open_for_reading(file);
    } catch (const InputError& error) {
      return reply(error_response(503, error.what()));
    }
    std::error_code gone;
    std::filesystem::remove(file, gone);  // what is open stays until it was sent
    response.headers = {{"Content-Disposition", "attachment; filename=\"wall.png\""}};
    reply(std::move(response));
  };
  view_.link().ask(request, take, snapshot_limit);
}

// Connections that stay open.

bool Console::is_stream(const WebRequest& request) const {
  return api_name(request) == "events" && request.method == "GET";
}

std::optional<WebResponse> Console::channel_refusal_of(const WebRequest& request) {
  const std::optional<Visitor> visitor = gate_.visitor_of(request);
  if (auto refusal = gate_.refusal_of(request, visitor)) return refusal;
  if (request.is_upgrade && request.path != "/ws")
    return error_response(404, "the WebSocket is at /ws");
  const auto is_theirs = [&](const auto* channel) {
    return channel->visitor().key == visitor->key;
  };
  if (std::ranges::count_if(browsers_, is_theirs) + std::ranges::count_if(readers_, is_theirs) >=
      most_open_channels) {
    gate_.note_refusal({visitor->person.name, "a page or event stream", "too many are open"});
    return error_response(
        429, fmt::format("this login has {} open pages and event streams", most_open_channels));
  }
  return std::nullopt;
}

std::unique_ptr<ChannelUser> Console::open(const WebRequest& request, Channel& channel) {
  Visitor visitor = gate_.visitor_of(request).value();
  if (!request.is_upgrade) return std::make_unique<EventReader>(*this, channel, std::move(visitor));
  auto browser = std::make_unique<Browser>(*this, channel, std::move(visitor));
  update_people();
  view_.ask_status_soon();
  return browser;
}

void Console::take_event(const Json& event) {
  recent_status_ = nullptr;
  const std::string text =
      fmt::format("event: {}\ndata: {}\n\n", event.value("event", ""), text_of(event));
  for (EventReader* const reader : readers_) reader->send(text);
}

void Console::update_people() {
  std::map<std::pair<std::string, std::string_view>, int> counts;
  for (const Browser* const browser : browsers_)
    ++counts[{browser->person().name, verbs::name_of(browser->person().role)}];
  Json people = Json::array();
  for (const auto& [person, count] : counts)
    people.push_back({{"name", person.first}, {"role", person.second}, {"browsers", count}});
  view_.set("people", std::move(people));
}

}  // namespace tilewall::console
