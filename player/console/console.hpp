// The console of one wall: its page, its interface for programs, and the state that
// browsers receive.
// PROTOCOL.md has what it speaks.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "player/console/access/rate_limit.hpp"
#include "player/console/gate.hpp"
#include "player/console/path_watch.hpp"
#include "player/console/tool_runs.hpp"
#include "player/console/wall_view.hpp"
#include "player/console/web_site.hpp"
#include "player/console/written_movies.hpp"
#include "player/verbs/verb_list.hpp"

namespace tilewall::console {

class Console final : public WebSite {
 public:
  /// A console for the show of `run_dir`, reached by the names of `own`. The io_context outlives
  /// this object. Throws InputError where the run directory has no tokens.
  Console(boost::asio::io_context& io, std::filesystem::path run_dir, OwnNames own);
  ~Console() override;

  void note_refusal(const std::string& address, const std::string& why) override;
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

  void answer_visitor(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_verb(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_tool(const WebRequest& request, const Visitor& visitor, const Reply& reply);
  void answer_picture(std::string_view name, const Person& person, const Reply& reply);
  void answer_snapshot(const Visitor& visitor, const Reply& reply);
  void answer_status(const nlohmann::json& fields, const Visitor& visitor, const Reply& reply);

  /// Whether the verb, if it is a question, may be asked now. All clients share a limit, as an
  /// answer may be long.
  [[nodiscard]] bool may_ask(std::string_view verb, const Person& person);
  [[nodiscard]] std::string question_refusal_of(std::string_view verb, const Person& person);
  [[nodiscard]] std::optional<std::string> role_refusal_of(const verbs::VerbInfo& verb,
                                                           const nlohmann::json& fields,
                                                           const Person& person);
  [[nodiscard]] std::string role_refusal_of(std::string_view what, verbs::Role least,
                                            const Person& person);
  /// Asks the director what a person has asked.
  void forward(nlohmann::json request, WallLink::Answer answer);

  /// The request to the director; throws InputError where the person may not ask it.
  [[nodiscard]] nlohmann::json wall_request(std::string_view verb, const nlohmann::json& fields,
                                            const Person& person);

  void take_event(const nlohmann::json& event);
  void keep_sessions();
  void update_people();

  const std::filesystem::path run_dir_;
  const std::string run_;  // another one after each start
  Gate gate_;
  RateLimit questions_;       // Operators share one limit, and all others another one.
  SharedText recent_status_;  // a whole answer; null where something has changed since
  std::chrono::steady_clock::time_point recent_status_at_;
  std::set<Browser*> browsers_;
  std::set<EventReader*> readers_;
  bool is_taking_snapshot_ = false;
  WallView view_;
  ToolRuns tools_;
  PathWatch path_;
  WrittenMovies movies_;
};

}  // namespace tilewall::console
