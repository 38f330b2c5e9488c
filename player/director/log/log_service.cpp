#include "player/director/log/log_service.hpp"

#include <ctime>
#include <exception>
#include <iterator>
#include <utility>

#include "player/director/connections/request_fields.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_pending = 4;
constexpr std::chrono::seconds answer_limit{2};
constexpr std::size_t most_answer_bytes = 4 * 1024 * 1024;
constexpr std::size_t longest_role = 200;
constexpr std::size_t most_crash_files = 100;

std::string role_of(const Json& request) {
  RequestFields fields(request);
  std::string role = fields.text_or("role", "");
  fields.check_all_known();
  if (role.size() > longest_role || role.find('/') != std::string::npos)
    fields.refuse("role", "a role's name, such as panel-3 or decoder", '"' + role + '"');
  return role;
}

std::int64_t utc_now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

LogService::LogService(ControlServer& server, std::filesystem::path run_dir, Callbacks callbacks)
    : server_(server), run_dir_(std::move(run_dir)), callbacks_(std::move(callbacks)) {}

LogService::~LogService() = default;

void LogService::take(ConnectionId from, const Json& request) {
  const std::string role = role_of(request);
  if (pending_.size() >= max_pending) throw InputError({"logs"}, "", "4 at a time at most", "more");
  const std::uint64_t number = ++last_number_;
  Pending& pending = pending_[number];
  pending.from = from;
  pending.id = request.value("id", Json(nullptr));
  pending.until = std::chrono::steady_clock::now() + answer_limit;
  for (const HostPanel& panel : callbacks_.hosts()) {
    pending.waits_for.emplace(panel.connection, panel.host);
    server_.send(panel.connection, {{"type", "logs"}, {"number", number}, {"role", role}});
  }
  pending.reader = std::jthread([this, number, role, mapping = callbacks_.mapping()] {
    sync::use_background_priority();
    trace::HostLog log;
    try {
      log = trace::read_host_log(run_dir_, role, mapping);
    } catch (const std::exception&) {  // a folder that cannot be read to its end, or no memory
      log.is_cut = true;
    }
    const std::scoped_lock lock(mutex_);
    read_.emplace(number, std::move(log));
  });
}

void LogService::add(ConnectionId panel, const Json& answer) {
  trace::LogAnswer came = trace::log_answer_from_json(answer);
  const auto found = pending_.find(came.number);
  if (found == pending_.end() || found->second.waits_for.erase(panel) == 0) return;
  found->second.logs.push_back(std::move(came.log));
}

void LogService::step(std::chrono::steady_clock::time_point now) {
  if (pending_.empty()) return;
  take_read();
  for (auto at = pending_.begin(); at != pending_.end();) {
    Pending& pending = at->second;
    const bool is_complete = pending.is_read && pending.waits_for.empty();
    if ((is_complete || now >= pending.until) && !std::exchange(pending.is_answered, true))
      answer(pending);
    // A request whose reader is held up by a disk stays, because its end is not waited for here.
    at = pending.is_answered && pending.is_read ? pending_.erase(at) : std::next(at);
  }
}

void LogService::keep_crash(trace::CrashMessage message) {
  const std::string name = message.host + "-" + message.role;
  if (crash_writers_.size() == most_crash_files && !crash_writers_.contains(name)) return;
  std::jthread& writer = crash_writers_[name];
  writer = {};  // joins the thread that writes the role's last report, before the next one starts
  writer = std::jthread(
      [run_dir = run_dir_, message = std::move(message)] { trace::keep_crash(run_dir, message); });
}

/// Gives requests the logs that their readers have read.
void LogService::take_read() {
  const std::scoped_lock lock(mutex_);
  for (auto& [number, log] : std::exchange(read_, {})) {
    const auto found = pending_.find(number);
    if (found == pending_.end()) continue;
    found->second.logs.push_back(std::move(log));
    found->second.is_read = true;
  }
}

void LogService::answer(Pending& pending) {
  Json missing = Json::array();
  if (!pending.is_read) missing.push_back(host_name());
  for (const auto& [connection, host] : pending.waits_for) missing.push_back(host);
  const trace::HostLog log = trace::merged(std::move(pending.logs), most_answer_bytes);
  Json lines = Json::array();
  for (const trace::LogLine& line : log.lines)
    lines.push_back({{"at_ns", line.at.since_epoch.count()},
                     {"host", line.host},
                     {"role", line.role},
                     {"text", line.text}});
  const ClockMapping mapping = callbacks_.mapping();
  server_.send(pending.from, {{"type", "logs"},
                              {"id", pending.id},
                              {"now_ns", mapping.to_global(local_now()).since_epoch.count()},
                              {"utc_ns", utc_now_ns()},
                              {"lines", std::move(lines)},
                              {"is_cut", log.is_cut},
                              {"missing", std::move(missing)}});
}

}  // namespace tilewall::director
