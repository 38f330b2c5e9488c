#include "player/volume/caster/live_receiver.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/live/live_messages.hpp"
#include "net/show_keys.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds connect_pause{500};
constexpr std::chrono::milliseconds report_interval{200};
constexpr std::chrono::milliseconds longest_turn{100};
constexpr std::chrono::seconds shortest_log_gap{10};  // between lines about one address
constexpr std::size_t most_logged = 256;
constexpr std::uint32_t longest_answer_bytes = 1u << 20;  // of a rank's control messages
constexpr std::size_t kept_slab_bytes = std::size_t{64} << 20;
constexpr std::size_t most_skipped = 16;  // in a report
constexpr std::size_t longest_refused_bytes = 400;

LiveAssemblyOptions assembly_options(const VolumeJob& job, const LiveRoom& room) {
  LiveAssemblyOptions options;
  options.field = job.live->field;
  options.policy = job.live->policy;
  options.stride = static_cast<std::uint64_t>(job.live->nth);
  options.wait_s = job.live->wait_s;
  options.quantise = job.live->quantise;
  options.room = room;
  return options;
}

void wake_up(const UniqueFd& event) {
  const std::uint64_t one = 1;
  static_cast<void>(::write(event.get(), &one, sizeof one));
}

net::SlabSessionOptions session_options() {
  net::SlabSessionOptions options;
  options.key = net::outer_key_of(net::Protocol::stream);
  options.longest_answer_bytes = longest_answer_bytes;
  return options;
}

/// The longest answer to a request that a rank may send.
std::uint64_t most_bytes(const net::LiveRequest& request) {
  const bool is_head = request.kind == static_cast<std::uint8_t>(net::LiveRequestKind::head);
  const std::uint64_t body = is_head ? net::largest_live_body_bytes : request.bytes;
  return sizeof(net::LiveAnswerHeader) + std::max<std::uint64_t>(body, net::longest_live_line);
}

}  // namespace

/// The session with a rank.
struct LiveReceiver::Session {
  LiveConnection connection = 0;
  net::SocketAddress from;
  std::unique_ptr<net::ClientSession> session;  // null: it has ended
  std::map<std::uint32_t, net::LiveRequest> fetched;
  std::vector<std::string> asked;  // types of the questions without an answer, in order
};

LiveReceiver::LiveReceiver(const VolumeJob& job, const std::string& source,
                           const std::string& director, LiveStore& store,
                           sync::TraceRecorder* recorder)
    : job_(*job.live),
      store_(store),
      pool_(kept_slab_bytes),
      session_options_(session_options()),
      director_{LiveLink(director, net::key_of(net::Protocol::control),
                         {::getpid(), host_name(), source}),
                {},
                {},
                {}},
      assembly_(assembly_options(job, store.room())),
      wake_(std::make_shared<const UniqueFd>(
          check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))),
      handshakes_(session_options_, pool_, [wake = wake_] { wake_up(*wake); }) {
  if (!job_.listen.empty())
    acceptor_.emplace(net::SlabAcceptorOptions{net::resolve(job_.listen, "--live-listen"),
                                               session_options_.key,
                                               [this](const std::string& line) {
                                                 lines_.refused = line;
                                                 log_line("tilewall-caster: {}", line);
                                               }});
  for (const std::string& rank : job_.ranks) places_.push_back({net::resolve(rank, "live source")});
  thread_ = std::jthread([this, recorder](const std::stop_token& stop) { run(stop, recorder); });
}

LiveReceiver::~LiveReceiver() {
  thread_.request_stop();
  wake_up(*wake_);
}

LiveReceiver::Figures LiveReceiver::figures() const noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {figures_.received_bytes.load(relaxed), figures_.lost_packets.load(relaxed),
          figures_.repaired_packets.load(relaxed)};
}

void LiveReceiver::run(const std::stop_token& stop, sync::TraceRecorder* recorder) {
  name_this_thread("live");
  const sync::TraceThread thread(recorder, "volume live");
  while (!stop.stop_requested()) {
    wait(stop);
    const LocalInstant now = local_now();
    try {
      if (acceptor_) accept(now);
      connect(now);
      take_handshakes();
      for (Session& session : sessions_) serve(session, now);
      assembly_.step(now);
      follow_director(now);
      heed_order(now);
      carry_out_orders();
      forget_ended();
      take_news();
      report(now);
    } catch (const std::exception& error) {  // no memory, for instance
      log_at_times("", error.what());
    }
    forget_ended();  // also those that ended before something was thrown
  }
}

void LiveReceiver::wait(const std::stop_token& stop) {
  std::vector<pollfd> waiting = {{wake_->get(), POLLIN, 0}};
  LocalInstant due = std::min(assembly_.due(), director_.told_at + report_interval);
  if (acceptor_) {
    const std::vector<pollfd> watched = acceptor_->watched();
    waiting.insert(waiting.end(), watched.begin(), watched.end());
    due = std::min(due, acceptor_->due());
  }
  if (const auto watched = director_.link.watched()) waiting.push_back(*watched);
  for (const Session& session : sessions_) {
    const std::vector<pollfd> watched = session.session->watched();
    waiting.insert(waiting.end(), watched.begin(), watched.end());
    due = std::min(due, session.session->due());
  }
  if (stop.stop_requested()) return;
  const Nanos left = std::clamp<Nanos>(due - local_now(), Nanos{0}, longest_turn);
  const timespec limit = {0, left.count()};
  ::ppoll(waiting.data(), waiting.size(), &limit, nullptr);
  std::uint64_t count = 0;
  static_cast<void>(::read(wake_->get(), &count, sizeof count));
}

// --- ranks come and go

void LiveReceiver::accept(LocalInstant now) {
  acceptor_->step(now);
  for (net::Offered& offered : acceptor_->take()) {
    try {
      const net::LiveOffer offer = net::parse_live_offer(offered.provides);
      if (offer.name != job_.name)
        throw InputError({"live source"}, "name", job_.name + ", which this wall waits for",
                         offer.name);
    } catch (const InputError& error) {
      log_at_times(offered.from, error.what());
      offered.refuse(error.what());
      continue;
    }
    handshakes_.begin(std::move(offered));
  }
}

void LiveReceiver::connect(LocalInstant now) {
  for (Place& place : places_) {
    const bool is_there = place.connection != 0 && find(place.connection) != nullptr;
    if (place.is_beginning || is_there || now < place.next_try) continue;
    place.connection = handshakes_.begin(place.address);
    place.is_beginning = place.connection != 0;
  }
}

void LiveReceiver::take_handshakes() {
  for (RankHandshakes::Result& handshake : handshakes_.take()) {
    const auto place = std::ranges::find(places_, handshake.number, &Place::connection);
    if (place != places_.end()) {
      place->is_beginning = false;
      place->next_try = local_now() + connect_pause;
      // Where nobody listens yet, the wall shows that it waits.
      if (handshake.is_absent) continue;
    }
    if (handshake.session)
      begin(std::move(handshake));
    else
      log_at_times(handshake.from, handshake.fault);
  }
}

void LiveReceiver::begin(RankHandshakes::Result handshake) {
  Session& begun = sessions_.emplace_back();
  begun.connection = handshake.number;
  begun.from = handshake.from;
  begun.session = std::move(handshake.session);
  begun.asked.emplace_back("describe");
  begun.session->ask({{"type", "describe"}});
}

LiveReceiver::Session* LiveReceiver::find(LiveConnection connection) {
  const auto session = std::ranges::find(sessions_, connection, &Session::connection);
  return session == sessions_.end() || !session->session ? nullptr : &*session;
}

void LiveReceiver::forget_ended() {
  std::erase_if(sessions_, [](const Session& session) { return session.session == nullptr; });
}

void LiveReceiver::end(Session& session, const std::string& why) {
  if (!session.session) return;
  if (!why.empty()) {
    log_at_times(session.from, why);
    tell_refused(session, why);
  }
  const net::ReceiveCounters counters = session.session->counters();
  ended_.received_bytes += counters.received_bytes;
  ended_.lost_packets += counters.lost_packets;
  ended_.repaired_packets += counters.repaired_packets;
  session.session.reset();
  assembly_.leave(session.connection);
}

/// Tells a rank why its session ends, as far as that can be sent at once.
void LiveReceiver::tell_refused(Session& session, const std::string& why) {
  try {
    net::ClientSession::Events events;
    session.session->ask({{"type", "refused"}, {"line", why.substr(0, net::longest_live_line)}});
    static_cast<void>(session.session->step(local_now(), events));
  } catch (const std::exception&) {  // what came from it meanwhile is wrong, too
  }
}

// --- what ranks say

void LiveReceiver::serve(Session& session, LocalInstant now) {
  if (!session.session) return;
  net::ClientSession::Events events;
  try {
    const bool is_there = session.session->step(now, events);
    for (const Json& answer : events.answers) take_answer(session, answer, now);
    for (const Json& told : events.told)
      if (json_field<std::string>(told, "type") == "reached")
        assembly_.take_reached(session.connection, net::live_reached_from_json(told), now);
    for (net::FinishedSlab& slab : events.slabs) take_slab(session, std::move(slab), now);
    if (!is_there) end(session, "");
  } catch (const std::exception& error) {  // what a rank sends, or no memory for it
    end(session, error.what());
  }
}

void LiveReceiver::take_answer(Session& session, const Json& message, LocalInstant now) {
  if (session.asked.empty()) throw InputError({"message"}, "", "an answer to a question", "none");
  const std::string asked = session.asked.front();
  session.asked.erase(session.asked.begin());
  if (asked == "skipped") return;  // a rank of an older library refuses it
  const Json answer = net::parse_answer(message);
  if (asked != "describe") return;
  const net::LiveDescription description = net::live_description_from_json(answer);
  if (description.name != job_.name)
    throw InputError({"live source"}, "name", job_.name, description.name);
  assembly_.describe(session.connection, description, now);
}

void LiveReceiver::take_slab(Session& session, net::FinishedSlab slab, LocalInstant now) {
  const auto fetched = session.fetched.find(slab.request);
  if (fetched == session.fetched.end()) return;
  const net::LiveRequest request = fetched->second;
  session.fetched.erase(fetched);
  assembly_.take_answer(session.connection, request, slab.slab.bytes(), now);
  pool_.give_back(std::move(slab.slab));
}

// --- what the assembly orders

void LiveReceiver::carry_out_orders() {
  // An order may end a session, which may give further orders.
  for (std::vector<RankOrder> orders = assembly_.take_orders(); !orders.empty();
       orders = assembly_.take_orders())
    for (const RankOrder& order : orders) carry_out(order);
}

void LiveReceiver::carry_out(const RankOrder& order) {
  Session* const session = find(order.connection);
  if (session == nullptr) return;
  switch (order.kind) {
    case RankOrder::Kind::describe:
      session->asked.emplace_back("describe");
      session->session->ask({{"type", "describe"}});
      break;
    case RankOrder::Kind::want:
      session->asked.emplace_back("want");
      session->session->ask(net::to_json(assembly_.wanted()));
      break;
    case RankOrder::Kind::fetch:
      session->fetched.emplace(
          session->session->fetch(net::bytes_of(order.request), net::ClientSession::no_deadline,
                                  net::RequestKind::standing, most_bytes(order.request)),
          order.request);
      break;
    case RankOrder::Kind::cancel: {
      std::vector<std::uint32_t> cancelled;
      for (const auto& [number, request] : session->fetched)
        if (request.timestep == order.request.timestep) cancelled.push_back(number);
      session->session->cancel(cancelled);
      for (const std::uint32_t number : cancelled) session->fetched.erase(number);
      break;
    }
    case RankOrder::Kind::tell:
      session->asked.emplace_back("skipped");
      session->session->ask(
          {{"type", "skipped"}, {"line", order.why.substr(0, net::longest_live_line)}});
      break;
    case RankOrder::Kind::drop:
      end(*session, order.why);
      break;
  }
}

void LiveReceiver::take_news() {
  if (std::exchange(outcomes_.resolved_run, assembly_.run()) != assembly_.run())
    outcomes_.resolved = scene::no_timestep;
  for (LiveNews& news : assembly_.take_news()) {
    const auto timestep = static_cast<std::int64_t>(news.timestep);
    if (news.run == outcomes_.resolved_run)
      outcomes_.resolved = std::max(outcomes_.resolved, timestep);
    if (news.whole) {
      sync::trace_instant("timestep whole", {timestep, sync::TraceLabels::none});
      const LiveMeaning meaning = meaning_of(*news.whole);
      const LocalInstant began = local_now();
      store_.add(news.run, std::move(news.whole), meaning);
      outcomes_.adding_s += std::chrono::duration<double>(local_now() - began).count();
      continue;
    }
    sync::trace_instant("timestep skipped", {timestep, sync::TraceLabels::none});
    if (outcomes_.skipped.size() < most_skipped)
      outcomes_.skipped.push_back({timestep, news.skip, news.cause});
  }
}

LiveMeaning LiveReceiver::meaning_of(const LiveTimestep& timestep) const {
  const net::LiveDescription& source = *assembly_.description();
  LiveMeaning meaning;
  meaning.name = source.name;
  meaning.field = assembly_.wanted().field;
  const auto field = std::ranges::find(source.fields, meaning.field, &net::LiveField::name);
  const bool is_known = field != source.fields.end();
  if (is_known) meaning.units = field->units;
  meaning.place.spacing = {source.spacing[0], source.spacing[1], source.spacing[2]};
  meaning.place.origin = {source.origin[0], source.origin[1], source.origin[2]};
  // Ranks send f32 as it is where another wall wants other numbers.
  const bool is_quantised = job_.quantise && timestep.type() == render::VoxelType::u8 && is_known &&
                            field->type == net::LiveType::f32;
  if (is_quantised) {
    const auto& [least, greatest] = *job_.quantise;
    meaning.scale = {(greatest - least) / 255, least};
  }
  return meaning;
}

// --- the director

void LiveReceiver::follow_director(LocalInstant now) {
  try {
    if (auto order = director_.link.step(now)) director_.order = std::move(*order);
  } catch (const std::exception& error) {  // its name is unknown, or there are no descriptors
    log_at_times("director", fmt::format("director: {}", error.what()));
  }
}

/// The order may be older than the ranks' connections, and is heeded once they are there.
void LiveReceiver::heed_order(LocalInstant now) {
  store_.set_on_wall(director_.order.on_wall);
  if (director_.order.run == assembly_.run() && director_.order.wanted != scene::no_timestep)
    assembly_.want(static_cast<std::uint64_t>(director_.order.wanted), now);
}

scene::LiveReport LiveReceiver::make_report() const {
  scene::LiveReport report;
  report.shape = assembly_.shape();
  report.run = assembly_.run();
  if (const auto reached = assembly_.reached())
    report.reached = static_cast<std::int64_t>(*reached);
  LiveStore::Kept kept = store_.kept();
  report.kept = std::move(kept.timesteps);
  report.newest_time = kept.newest_time;
  report.resolved = outcomes_.resolved;
  report.skipped = outcomes_.skipped;
  report.waits_for = assembly_.waits_for();
  report.refused = lines_.refused.substr(0, longest_refused_bytes);
  net::ReceiveCounters sums = ended_;
  for (const Session& session : sessions_) {
    const net::ReceiveCounters counters = session.session->counters();
    sums.received_bytes += counters.received_bytes;
    sums.lost_packets += counters.lost_packets;
    sums.repaired_packets += counters.repaired_packets;
  }
  report.received_bytes = sums.received_bytes;
  report.lost_packets = sums.lost_packets;
  report.repaired_packets = sums.repaired_packets;
  report.received = assembly_.counters().received;
  report.work = assembly_.counters().work;
  report.work.tiles_s += outcomes_.adding_s;
  report.work.after_s += outcomes_.adding_s;
  return report;
}

void LiveReceiver::report(LocalInstant now) {
  if (!director_.link.is_greeted()) return;
  const bool is_new = director_.link.take_is_new();
  scene::LiveReport report = make_report();
  figures_.received_bytes = report.received_bytes;
  figures_.lost_packets = report.lost_packets;
  figures_.repaired_packets = report.repaired_packets;
  const scene::LiveReport& before = director_.told;
  // What the director decides by is told at once, all else at intervals.
  const bool is_news = is_new || report.kept != before.kept || report.run != before.run ||
                       report.resolved != before.resolved || report.shape != before.shape ||
                       report.waits_for != before.waits_for || report.refused != before.refused ||
                       !outcomes_.skipped.empty();
  if (!is_news && now < director_.told_at + report_interval) return;
  director_.link.send(report);
  outcomes_.skipped.clear();
  director_.told = std::move(report);
  director_.told_at = now;
}

void LiveReceiver::log_at_times(const net::SocketAddress& rank, const std::string& line) {
  lines_.refused = fmt::format("{}: {}", net::to_string(rank), line);
  log_at_times(net::to_string(net::with_port(rank, 0)),
               fmt::format("{}: {}", net::to_string(rank), line));
}

/// Logs a line, but no two in a short time about the same thing.
void LiveReceiver::log_at_times(const std::string& about, const std::string& line) {
  const LocalInstant now = local_now();
  if (const auto last = lines_.logged.find(about);
      last != lines_.logged.end() && now - last->second < shortest_log_gap)
    return;
  if (lines_.logged.size() >= most_logged) lines_.logged.clear();
  lines_.logged[about] = now;
  log_line("tilewall-caster: live:{}: {}", job_.name, line);
}

}  // namespace tilewall::volume
