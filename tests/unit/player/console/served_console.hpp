// A console over a director that the test plays, as a web server asks it, with its visitors.
#pragma once

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <future>
#include <thread>

#include "net/control/control_place.hpp"
#include "player/console/console.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

using console::Channel;
using console::ChannelUser;
using console::Console;
using console::ConsoleAccess;
using console::OwnNames;
using console::WebRequest;
using console::WebResponse;
using Json = nlohmann::json;

/// The run directory of a show with a console, whose tokens are 32 times the first letter of the
/// role.
struct ShowFolder {
  ShowFolder() {
    write_private_file(folder / net::control_secret_file, "a secret of sixteen bytes or more");
    const ConsoleAccess access{"127.0.0.1:4711",
                               "http://127.0.0.1:4711/",
                               {std::string(32, 'v'), std::string(32, 'p'), std::string(32, 'o')}};
    write_private_file(folder / console::console_file, console::to_text(access));
  }
  const TemporaryFolder folder;
};

inline WebRequest site_request(const std::string& method, const std::string& path,
                               char letter = 'o', const std::string& body = "") {
  WebRequest request;
  request.method = method;
  request.path = path;
  request.host = "127.0.0.1:4711";
  request.address = "10.0.0.7";
  if (letter != ' ') request.authorization = "Bearer " + std::string(32, letter);
  request.person = "Ann";
  request.body = body;
  return request;
}

/// A console and the thread that runs it.
class ServedConsole {
 public:
  enum class Director { none, listens };

  explicit ServedConsole(Director with = Director::none) {
    if (with == Director::listens)
      write_file_atomically(show_.folder / net::control_address_file, director.address() + "\n");
    console_.emplace(io_, show_.folder.path(), OwnNames{{"127.0.0.1"}, 4711, false});
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ServedConsole() {
    io_.stop();
    thread_.join();
  }

  /// Calls with the console in its thread, and returns what that returns.
  template <typename Call>
  auto in_thread(Call call) {
    std::packaged_task<decltype(call(std::declval<Console&>()))()> task(
        [&] { return call(*console_); });
    auto result = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return result.get();
  }

  /// The response, which may come later.
  std::future<WebResponse> ask(const WebRequest& request) {
    auto response = std::make_shared<std::promise<WebResponse>>();
    auto future = response->get_future();
    boost::asio::post(io_, [this, request, response] {
      console_->answer(request,
                       [response](WebResponse one) { response->set_value(std::move(one)); });
    });
    return future;
  }
  WebResponse answer(const WebRequest& request) {
    auto response = ask(request);
    REQUIRE(response.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    return response.get();
  }
  [[nodiscard]] std::filesystem::path folder() const { return show_.folder.path(); }

 private:
  const ShowFolder show_;

 public:
  ListeningDirector director{net::ControlPlace(show_.folder.path()).key()};

 private:
  boost::asio::io_context io_;
  std::optional<Console> console_;
  std::thread thread_;
};

inline std::string line_of(const WebResponse& response) {
  return Json::parse(*response.body).at("error").get<std::string>();
}

/// A page or event stream that is open at a console.
class OpenChannel final : public Channel {
 public:
  OpenChannel(ServedConsole& console, const WebRequest& request) : console_(console) {
    user_ = console.in_thread([&](Console& site) {
      REQUIRE_FALSE(site.channel_refusal_of(request));
      return site.open(request, *this);
    });
  }
  ~OpenChannel() override {
    console_.in_thread([this](Console&) { user_.reset(); });
  }

  void wake() override { ++wakes; }
  void close() override { is_closed = true; }

  /// The next message as JSON; null where none waits.
  Json next() {
    const std::string text = next_text();
    return text.empty() ? Json() : Json::parse(text);
  }
  std::string next_text() {
    return console_.in_thread([this](Console&) {
      const auto message = user_->next();
      return message ? *message->data : std::string();
    });
  }
  /// Waits for a message of the type, and takes the state from those before it; null without one.
  Json next_of(const std::string& type) {
    Json found;
    static_cast<void>(eventually([&] {
      for (Json json = next(); !json.is_null(); json = next()) {
        take(json);
        if (json.at("type") != type) continue;
        found = json;
        break;
      }
      return !found.is_null();
    }));
    return found;
  }
  /// Whether the state becomes so.
  bool sees(const std::function<bool(const Json&)>& condition) {
    return eventually([&] {
      for (Json json = next(); !json.is_null(); json = next()) take(json);
      return condition(state);
    });
  }
  void receive(const std::string& text, bool is_text = true) {
    console_.in_thread([&](Console&) { user_->receive(text, is_text); });
  }

  std::atomic<int> wakes = 0;
  std::atomic<bool> is_closed = false;
  Json state = Json::object();
  std::vector<std::string> directors;  // what the state said of the director, one after the other

 private:
  void take(const Json& message) {
    if (message.at("type") == "state") state = message.at("state");
    if (message.at("type") == "patch") state.merge_patch(message.at("patch"));
    const std::string director = state.value("director", "");
    if (!director.empty() && (directors.empty() || directors.back() != director))
      directors.push_back(director);
  }

  ServedConsole& console_;
  std::unique_ptr<ChannelUser> user_;
};

inline WebRequest page_request(char letter = 'o') {
  WebRequest request = site_request("GET", "/ws", letter);
  request.is_upgrade = true;
  return request;
}

}  // namespace tilewall::test
