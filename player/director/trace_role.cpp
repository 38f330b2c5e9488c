#include "player/director/trace_role.hpp"

#include <nlohmann/json.hpp>

#include "player/director/show_options.hpp"
#include "player/trace/trace_messages.hpp"

namespace tilewall::director {

TraceRole::TraceRole(const ShowOptions& options, Authenticator& authenticator)
    : authenticator_(authenticator) {
  if (!options.trace_file.empty())
    trace_.emplace(options.trace_file, panel_names(options.wall),
                   static_cast<int>(options.memory.deaths_s.size()));
}

void TraceRole::welcome(const RoleMessage& message) {
  const trace::TraceHello hello = trace::trace_hello_from_json(message.json);
  const scene::Challenge& challenge = authenticator_.challenge_of(message.from);
  authenticator_.admit(message.from, trace::trace_hello_text(challenge, hello), hello.tag);
  if (trace_) trace_->welcome(message.from, hello);
}

void TraceRole::take(RoleMessage& message) {
  trace_->take(message.from, trace::trace_batch_from(message.json, message.blob));
}

void TraceRole::lose(ConnectionId id) {
  if (trace_) trace_->lose(id);
}

}  // namespace tilewall::director
