#include "player/director/trace_role.hpp"

#include <nlohmann/json.hpp>

#include "player/director/show_options.hpp"
#include "player/trace/trace_messages.hpp"

namespace tilewall::director {

TraceRole::TraceRole(const ShowOptions& options, ControlServer& server) : server_(server) {
  if (!options.trace_file.empty())
    trace_.emplace(options.trace_file, panel_names(options.wall),
                   static_cast<int>(options.memory.deaths_s.size()));
}

void TraceRole::welcome(const RoleMessage& message) {
  const trace::TraceHello hello = trace::trace_hello_from_json(message.json);
  server_.join(message.from, trace_ ? trace::longest_batch_bytes : 0);
  if (trace_) trace_->welcome(message.from, hello);
}

void TraceRole::take(RoleMessage& message) {
  trace_->take(message.from, trace::trace_batch_from(message.json, message.blob));
}

void TraceRole::lose(ConnectionId id) {
  if (trace_) trace_->lose(id);
}

}  // namespace tilewall::director
