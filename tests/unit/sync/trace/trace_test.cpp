// The recorder, on a clock that is moved by hand.

#include "sync/trace/trace.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "sync/trace/trace_batch.hpp"

using namespace tilewall;
using namespace tilewall::sync;

namespace {

std::atomic<std::int64_t> test_time_ns{0};
LocalInstant test_now() noexcept { return {Nanos(test_time_ns.load())}; }

constexpr std::size_t enough = 1000;

ClockMapping identity() { return {}; }

/// Global time is local time, times 1 + `rate_ppb`, plus `offset`.
ClockMapping mapping_of(Nanos offset, double rate_ppb) {
  ClockMapping mapping;
  mapping.anchor_global = GlobalInstant{offset};
  mapping.rate_ppb = rate_ppb;
  return mapping;
}

TraceBatch collect(TraceRecorder& recorder) {
  return TraceCollector(recorder).collect(test_now(), identity(), enough);
}

}  // namespace

TEST_CASE("a thread that takes no part records nothing", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  {
    const TraceThread thread(nullptr, "nobody");
    const TraceSpan span("stage", {1, 2});
    trace_instant("moment");
    trace_counter("level", 3);
    trace_span("by hand", {}, {}, {});
  }
  CHECK(collect(recorder).events.empty());
}

TEST_CASE("spans, instants and counters keep their times, names and labels", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  test_time_ns = 1000;
  {
    const TraceThread thread(&recorder, "c0r0 decode");
    const TraceSpan span("decode", {7, 9});
    test_time_ns = 1500;
    trace_counter("level", 2.5);
    trace_instant("damaged");
    test_time_ns = 4000;
  }
  const TraceBatch batch = collect(recorder);
  REQUIRE(batch.events.size() == 3);
  REQUIRE(batch.tracks == std::vector<TrackName>{{1, "c0r0 decode"}});
  const auto name = [&](std::size_t i) { return batch.names.at(batch.events[i].name); };
  CHECK(name(0) == "level");
  CHECK(batch.events[0].kind == TraceKind::counter);
  CHECK(batch.events[0].value == 2.5);
  CHECK(batch.events[0].labels == TraceLabels{7, 9});
  CHECK(batch.events[0].start.since_epoch == Nanos(1500));
  CHECK(name(1) == "damaged");
  CHECK(batch.events[1].kind == TraceKind::instant);
  CHECK(batch.events[1].labels == TraceLabels{7, 9});
  CHECK(batch.events[1].start.since_epoch == Nanos(1500));
  CHECK(name(2) == "decode");
  CHECK(batch.events[2].kind == TraceKind::span);
  CHECK(batch.events[2].start.since_epoch == Nanos(1000));
  CHECK(batch.events[2].duration == Nanos(3000));
}

TEST_CASE("events with labels of their own, and after the last span, have these", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  const TraceThread thread(&recorder, "decode");
  test_time_ns = 2000;
  {
    const TraceSpan outer("picture", {3, 4});
    trace_instant("key", {5, 6});
    trace_span("by hand", {Nanos(100)}, {Nanos(350)}, {7, 8});
  }
  trace_counter("level", 1);
  trace_instant("moment");
  const TraceBatch batch = collect(recorder);
  REQUIRE(batch.events.size() == 5);
  CHECK(batch.events[0].labels == TraceLabels{5, 6});
  CHECK(batch.events[1].labels == TraceLabels{7, 8});
  CHECK(batch.events[1].start.since_epoch == Nanos(100));
  CHECK(batch.events[1].duration == Nanos(250));
  CHECK(batch.events[2].labels == TraceLabels{3, 4});
  CHECK(batch.events[3].labels == TraceLabels{});
  CHECK(batch.events[4].labels == TraceLabels{});
}

TEST_CASE("a span inside another is about the same frame, one after it is not", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  const TraceThread thread(&recorder, "decode");
  {
    const TraceSpan outer("picture", {3, 4});
    const TraceSpan inner("read");
  }
  { const TraceSpan later("wait"); }
  const TraceBatch batch = collect(recorder);
  REQUIRE(batch.events.size() == 3);
  CHECK(batch.events[0].labels == TraceLabels{3, 4});
  CHECK(batch.events[1].labels == TraceLabels{3, 4});
  CHECK(batch.events[2].labels == TraceLabels{});
}

TEST_CASE("threads that a traced thread starts take part under its name, others do not",
          "[sync][trace]") {
  TraceRecorder recorder(test_now);
  const auto run = [](const TraceParent& parent) {
    std::jthread([&] {
      const TraceThread thread(parent, "read");
      const TraceSpan span("read", {1, TraceLabels::none});
    }).join();
  };
  run(trace_parent());
  CHECK(recorder.tracks().empty());
  const TraceThread thread(&recorder, "c0r0 decode");
  run(trace_parent());
  REQUIRE(recorder.tracks().size() == 2);
  CHECK(recorder.tracks()[1]->name() == "c0r0 decode read");
  CHECK(collect(recorder).events.size() == 1);
}

TEST_CASE("a track without room drops the newest events and counts them", "[sync][trace]") {
  TraceRecorder recorder(test_now, 4);
  const TraceThread thread(&recorder, "decode");
  const auto record = [](int count) {
    for (int i = 0; i < count; ++i) trace_counter("level", i);
  };
  record(10);
  const TraceBatch first = collect(recorder);
  REQUIRE(first.events.size() == 4);
  CHECK(first.events.back().value == 3);
  CHECK(first.dropped == 6);
  record(3);
  const TraceBatch second = collect(recorder);
  CHECK(second.events.size() == 3);
  CHECK(second.dropped == 6);
}

TEST_CASE("a batch takes no more than asked for, and the next one the rest", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  const TraceThread thread(&recorder, "decode");
  for (int i = 0; i < 10; ++i) trace_counter("level", i);
  TraceCollector collector(recorder);
  CHECK(collector.collect(test_now(), identity(), 7).events.size() == 7);
  const TraceBatch rest = collector.collect(test_now(), identity(), 7);
  REQUIRE(rest.events.size() == 3);
  CHECK(rest.events.front().value == 7);
}

TEST_CASE("a track that ended is used again by its name", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  for (int i = 0; i < 3; ++i) {
    const TraceThread thread(&recorder, "decode");
    trace_instant("begun");
  }
  { const TraceThread thread(&recorder, "other"); }
  CHECK(recorder.tracks().size() == 2);
  CHECK(collect(recorder).events.size() == 3);
}

TEST_CASE("threads of one name at the same time have tracks of their own, up to a limit",
          "[sync][trace]") {
  TraceRecorder recorder(test_now);
  TraceTrack* const first = recorder.open_track("decode");
  TraceTrack* const second = recorder.open_track("decode");
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(first != second);
  CHECK(first->id() == 1);
  CHECK(second->id() == 2);
  recorder.close_track(first);
  CHECK(recorder.open_track("decode") == first);
  for (int i = 2; i < 256; ++i) CHECK(recorder.open_track(std::to_string(i)) != nullptr);
  CHECK(recorder.open_track("one more") == nullptr);
  recorder.close_track(second);
  CHECK(recorder.open_track("decode") == second);
}

TEST_CASE("a batch's limit is for the events of all tracks", "[sync][trace]") {
  TraceRecorder recorder(test_now);
  for (const char* const name : {"a", "b", "c"})
    for (int i = 0; i < 4; ++i)
      recorder.open_track(name + std::to_string(i))->put({name, {}, {}, 0, {}, TraceKind::instant});
  TraceCollector collector(recorder);
  CHECK(collector.collect(test_now(), identity(), 7).events.size() == 7);
  CHECK(collector.collect(test_now(), identity(), 7).events.size() == 5);
}

TEST_CASE("nothing is lost or torn between a writing and a reading thread", "[sync][trace]") {
  constexpr int count = 200'000;
  TraceRecorder recorder(local_now, 256);
  std::jthread writer([&] {
    const TraceThread thread(&recorder, "writer");
    for (int i = 0; i < count; ++i) trace_span("work", {}, {}, {i, i});
  });
  TraceCollector collector(recorder);
  std::int64_t last = -1;
  std::uint64_t seen = 0;
  std::uint64_t dropped = 0;
  while (seen + dropped < count) {
    const TraceBatch batch = collector.collect(local_now(), identity(), enough);
    dropped = batch.dropped;
    seen += batch.events.size();
    for (const BatchEvent& event : batch.events) {
      if (event.labels.frame <= last || event.labels.frame != event.labels.tick) FAIL("torn");
      last = event.labels.frame;
    }
  }
  CHECK(seen + dropped == count);
  CHECK(seen > 0);
}

TEST_CASE("between two looks at the clock events lie on the line through both", "[sync][trace]") {
  // 100 ppm at the first look; by the second one the clock was steered to 300 ppm fast.
  TraceTimeMap map;
  const LocalInstant a{Nanos(1'000'000'000)};
  const LocalInstant b{Nanos(1'200'000'000)};
  ClockMapping second;
  second.anchor_local = b;
  second.anchor_global = GlobalInstant{Nanos(6'200'160'000)};
  second.rate_ppb = 300'000;
  ClockMapping first;
  first.anchor_local = a;
  first.anchor_global = GlobalInstant{Nanos(6'000'100'000)};
  first.rate_ppb = 100'000;
  map.add(a, first);
  map.add(b, second);
  const auto global_ns = [&](std::int64_t local_ns) {
    return map.to_global(LocalInstant{Nanos(local_ns)}).since_epoch.count();
  };
  CHECK(global_ns(1'000'000'000) == 6'000'100'000);
  CHECK(global_ns(1'100'000'000) == 6'100'130'000);
  CHECK(global_ns(1'200'000'000) == 6'200'160'000);
  CHECK(global_ns(900'000'000) == 5'900'090'000);    // before: by the first line
  CHECK(global_ns(1'300'000'000) == 6'300'190'000);  // after: by the last one
}

TEST_CASE("where the axis stepped between two looks events are on the new one", "[sync][trace]") {
  TraceTimeMap map;
  map.add(LocalInstant{Nanos(0)}, mapping_of(Nanos(0), 0));
  map.add(LocalInstant{Nanos(1'000'000)}, mapping_of(Nanos(5'000'000'000), 0));
  CHECK(map.to_global(LocalInstant{Nanos(500'000)}).since_epoch == Nanos(5'000'500'000));
  map.add(LocalInstant{Nanos(2'000'000)}, mapping_of(Nanos(1'000'000'000), 0));  // back
  CHECK(map.to_global(LocalInstant{Nanos(1'500'000)}).since_epoch == Nanos(1'001'500'000));
}

TEST_CASE("hosts whose clocks drift apart agree on when something happened", "[sync][trace]") {
  // Ten minutes of looks every 100 ms, 100 ppm fast and 2 s ahead; an event in each interval.
  constexpr double drift = 1e-4;
  TraceTimeMap map;
  Nanos worst{0};
  for (std::int64_t i = 1; i <= 6000; ++i) {
    const auto local = [&](double global_s) {
      return LocalInstant{Nanos(std::llround((global_s * (1 + drift) + 2) * 1e9))};
    };
    const double look_s = static_cast<double>(i) * 0.1;
    ClockMapping exact;
    exact.anchor_local = local(look_s);
    exact.anchor_global = GlobalInstant{Nanos(std::llround(look_s * 1e9))};
    exact.rate_ppb = -drift / (1 + drift) * 1e9;
    map.add(exact.anchor_local, exact);
    const double event_s = look_s - 0.03;
    const Nanos error =
        map.to_global(local(event_s)).since_epoch - Nanos(std::llround(event_s * 1e9));
    worst = std::max(worst, Nanos(std::abs(error.count())));
  }
  CHECK(worst <= Nanos(2));
}

TEST_CASE("spans that follow each other without a gap do so on global time as well",
          "[sync][trace]") {
  TraceRecorder recorder(test_now);
  const TraceThread thread(&recorder, "present");
  TraceCollector collector(recorder);
  std::optional<GlobalInstant> last_end;
  ClockMapping mapping = mapping_of(Nanos(5), 80'000);
  for (std::int64_t i = 1; i <= 100; ++i) {
    const LocalInstant begin{Nanos(i * 33'000'001)};
    const LocalInstant middle = begin + Nanos(7'654'321);
    const LocalInstant end{Nanos((i + 1) * 33'000'001)};
    trace_span("wait", begin, middle, {});
    trace_span("swap", middle, end, {});
    mapping.anchor_global = mapping.to_global(end);  // steered without a step
    mapping.anchor_local = end;
    mapping.rate_ppb = static_cast<double>(i % 7) * 50'000;
    const TraceBatch batch = collector.collect(end, mapping, enough);
    REQUIRE(batch.events.size() == 2);
    for (const BatchEvent& event : batch.events) {
      if (last_end && event.start != *last_end) FAIL("a gap or an overlap");
      last_end = event.start + event.duration;
    }
  }
}

TEST_CASE("what tracing costs", "[.][benchmark]") {
  constexpr int count = 1'000'000;
  const auto measure = [&](const char* what, auto&& body) {
    const LocalInstant begin = local_now();
    for (int i = 0; i < count; ++i) body();
    const double ns = static_cast<double>((local_now() - begin).count()) / count;
    WARN(what << ": " << ns << " ns");
  };
  measure("span, off", [] { const TraceSpan span("stage"); });
  TraceRecorder recorder(local_now, 1 << 20);
  const TraceThread thread(&recorder, "bench");
  measure("reading the clock", [] { static_cast<void>(local_now()); });
  measure("span, on", [] { const TraceSpan span("stage"); });
  TraceCollector collector(recorder);
  static_cast<void>(collector.collect(local_now(), identity(), 1 << 20));
  measure("counter, on", [] { trace_counter("level", 1); });
  measure("span, on, no room", [] { const TraceSpan span("stage"); });
}
