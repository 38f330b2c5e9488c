// The console of one wall: its page, its interface for programs, and what all browsers are told.
// PROTOCOL.md has what it speaks.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "player/console/access/rate_limit.hpp"
#include "player/console/access/request_origin.hpp"
#include "player/console/access/sessions.hpp"
#include "player/console/access/tokens.hpp"
#include "player/console/state/history.hpp"
#include "player/console/state/told_log.hpp"
#include "player/console/state/wall_state.hpp"
#include "player/console/tool_runs.hpp"
#include "player/console/wall_link.hpp"
#include "player/console/web_site.hpp"

namespace tilewall::console {

class Console final : public WebSite {
 public:
  /// A console for the show of `run_dir`, reached by the names of `own`. The io_context outlives
  /// this object. Throws InputError where the run directory has no tokens.
  Console(boost::asio::io_context& io, std::filesystem::path run_dir, OwnNames own);
  ~Console() override;

  [[nodiscard]] Standing standing_of(const WebRequest& request) override;
  void answer(const WebRequest& request, Reply reply) override;
  [[nodiscard]] bool is_stream(const WebRequest& request) const override;
  [[nodiscard]] std::optional<WebResponse> channel_refusal_of(const WebRequest& request) override;
  [[nodiscard]] std::unique_ptr<ChannelUser> open(const WebRequest& request,
                                                  Channel& channel) override;
  [[nodiscard]] std::size_t most_body_bytes(const WebRequest& request) override;

 private:
  class Browser;
  class EventReader;

  /// Somebody who may use the console, and how that was proven.
  struct Visitor {
    Person person;
    std::string key;  ///< for the limit of requests: the session, or the role's token
    bool by_cookie = false;
  };

  [[nodiscard]] std::optional<Visitor> visitor_of(const WebRequest& request);
  [[nodiscard]] std::string session_of(const WebRequest& request) const;
  /// The response that refuses a request under another name than the console's.
  [[nodiscard]] std::optional<WebResponse> host_refusal_of(const WebRequest& request) const;
  /// The response that refuses a stranger: somebody without a session or a token.
  [[nodiscard]] WebResponse stranger_refusal_of(const WebRequest& request);
  /// Whether a request with a cookie was made by another page.
  [[nodiscard]] bool is_of_other_page(const WebRequest& request) const;
  /// The response that refuses a request of another page, another name, or too many requests.
  [[nodiscard]] std::optional<WebResponse> refusal_of(const WebRequest& request,
                                                      const std::optional<Visitor>& visitor);

  [[nodiscard]] WebResponse log_in(const WebRequest& request);
  void answer_visitor(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_verb(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_tool(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_snapshot(const Visitor& visitor, const Reply& reply);
  void answer_status(const nlohmann::json& fields, const Visitor& visitor, const Reply& reply);

  /// Whether the verb, if it is a question, may be asked now. All clients share a limit, as an
  /// answer may be long.
  [[nodiscard]] bool may_ask(std::string_view verb, const Person& person);
  /// Asks the director what a person has asked.
  void forward(nlohmann::json request, WallLink::Answer answer);

  /// The request to the director; throws InputError where the person may not ask it.
  [[nodiscard]] nlohmann::json wall_request(std::string_view verb, const nlohmann::json& fields,
                                            const Person& person) const;

  void take_event(const nlohmann::json& event);
  void take_picture(const nlohmann::json& head, const std::vector<std::uint8_t>& jpeg);
  void take_status(nlohmann::json status);
  void take_connection();
  void lose_connection();
  void keep_sessions();
  void ask_wall();
  void ask_status();
  void ask_status_soon();
  void watch_pictures();
  void tell();
  void tell_time();
  void tell_people();
  void note(const std::string& by, const std::string& what, const std::string& result);

  const std::filesystem::path run_dir_;
  const ConsoleAccess access_;
  const OwnNames own_;
  const std::string run_;  // another one after each start
  const std::chrono::steady_clock::time_point began_;
  Sessions sessions_;
  RateLimit requests_;
  RateLimit logins_;
  RateLimit failed_logins_;
  RateLimit page_notes_;  // of requests of other pages
  RateLimit questions_;   // of operators, and of all others
  WallState state_;
  ToldLog told_;
  History history_;
  std::uint64_t cues_edition_ = 0;
  SharedText recent_status_;  // a whole answer; null where something has changed since
  std::chrono::steady_clock::time_point recent_status_at_;
  std::set<Browser*> browsers_;
  std::set<EventReader*> readers_;
  std::map<std::string, SharedText> pictures_;  // the last one of each panel
  bool is_watching_ = false;                    // the director was asked for pictures
  bool is_watching_refused_ = false;            // the last time
  bool asks_status_ = false;                    // an answer is awaited
  bool is_taking_snapshot_ = false;
  boost::asio::steady_timer status_timer_;
  ToolRuns tools_;
  std::optional<WallLink> link_;  // set once everything that its callbacks use is there
};

}  // namespace tilewall::console
