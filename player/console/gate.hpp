// Who comes in at the console: tokens, sessions, and what keeps strangers, other pages and floods
// out.
//
// Threads: one owner.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "player/console/access/rate_limit.hpp"
#include "player/console/access/refusal_log.hpp"
#include "player/console/access/request_origin.hpp"
#include "player/console/access/sessions.hpp"
#include "player/console/access/tokens.hpp"
#include "player/console/web_site.hpp"

namespace tilewall::console {

/// Somebody who may use the console, and how that was proven.
struct Visitor {
  Person person;
  std::string key;  ///< for limits: the session, or the role's token and the address
  bool by_cookie = false;
};

class Gate {
 public:
  /// Adds a line to the log that all can see, about something that a person did.
  using Note = std::function<void(const std::string& by, const std::string& what,
                                  const std::string& result)>;

  /// Reads the tokens and sessions of the run directory. Throws InputError where there are no
  /// tokens.
  Gate(const std::filesystem::path& run_dir, OwnNames own, Note note);

  /// Where the console is, and its tokens.
  [[nodiscard]] const ConsoleAccess& access() const noexcept { return access_; }

  /// Who asks, by a token or a session; empty for a stranger.
  [[nodiscard]] std::optional<Visitor> visitor_of(const WebRequest& request);

  /// The response that refuses a request under another name than the console's.
  [[nodiscard]] std::optional<WebResponse> host_refusal_of(const WebRequest& request);
  /// The response that refuses a stranger, a request under another name or of another page, or too
  /// many requests.
  [[nodiscard]] std::optional<WebResponse> refusal_of(const WebRequest& request,
                                                      const std::optional<Visitor>& visitor);

  /// Begins a session for whoever has a token. The sessions of others may end by that.
  [[nodiscard]] WebResponse log_in(const WebRequest& request);
  void log_out(const WebRequest& request, const Visitor& visitor);
  /// Whether the visitor's session has ended. One that has not is in use.
  [[nodiscard]] bool has_ended(const Visitor& visitor);

  /// Logs what was refused: at once, or with others of its kind as a count.
  void note_refusal(const Refusal& refusal);
  /// Logs the counts of refusals. To be called once a second or so.
  void note_refusal_counts();

 private:
  [[nodiscard]] std::string cookie_name() const;
  [[nodiscard]] WebResponse stranger_refusal_of(const WebRequest& request);
  [[nodiscard]] bool is_of_other_page(const WebRequest& request) const;
  void note(const RefusalLog::Line& line);
  [[nodiscard]] WebResponse wrong_token(const WebRequest& request, const char* what,
                                        const std::string& line);

  const ConsoleAccess access_;
  const OwnNames own_;
  const Note note_;
  Sessions sessions_;
  RateLimit requests_;
  RateLimit logins_;
  RateLimit failed_logins_;
  RefusalLog refusals_;
};

}  // namespace tilewall::console
