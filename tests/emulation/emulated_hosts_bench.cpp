// A show on emulated hosts, measured: `tests/bench/run hosts` runs it for ten minutes.
//
//   $ build/release/emulated_hosts --seconds 600 --hosts 5 --json

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "tests/emulation/emulated_show.hpp"

namespace tilewall::test {
namespace {

nlohmann::json percentiles_us(std::vector<std::int64_t> values_ns) {
  if (values_ns.empty()) return nullptr;
  std::sort(values_ns.begin(), values_ns.end());
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values_ns.size() - 1));
    return static_cast<double>(values_ns[rank]) / 1e3;
  };
  return {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", at(1)}};
}

nlohmann::json json_of(const EmulatedShowOptions& options, const EmulatedShowResult& result) {
  nlohmann::json json = {{"hosts", options.hosts},
                         {"panels", 15},
                         {"seconds", options.seconds},
                         {"fps", options.fps},
                         {"delay_us", static_cast<double>(options.path.delay.count()) / 1e3},
                         {"loss", options.path.loss},
                         {"exit_code", result.exit_code},
                         {"clock_skew_us", percentiles_us(result.skews_ns)},
                         {"clock_error_us", percentiles_us(result.errors_ns)},
                         {"clock_bound_us", percentiles_us(result.bounds_ns)},
                         {"bound_violations", result.violations},
                         {"clock_samples", result.skews_ns.size()},
                         {"pictures", result.pictures},
                         {"wrong_pictures", result.wrong_pictures}};
  if (!result.report.is_object()) return json;
  for (const char* key :
       {"frames_scheduled", "frames_shown", "frames_late", "skew_us", "clock", "restarts", "error"})
    if (result.report.contains(key)) json[key] = result.report.at(key);
  return json;
}

void print_text(const nlohmann::json& json) {
  const auto line = [&](const char* name, const char* key) {
    const nlohmann::json& values = json.at(key);
    if (values.is_object())
      std::printf("%-12s p50 %.2f p99 %.2f max %.2f us\n", name, values.at("p50").get<double>(),
                  values.at("p99").get<double>(), values.at("max").get<double>());
  };
  line("clock skew", "clock_skew_us");
  line("clock error", "clock_error_us");
  line("clock bound", "clock_bound_us");
  std::printf("bound violated %lld of %zu, wrong pictures %lld of %lld, frames late %lld of %lld\n",
              json.at("bound_violations").get<long long>(),
              json.at("clock_samples").get<std::size_t>(),
              json.at("wrong_pictures").get<long long>(), json.at("pictures").get<long long>(),
              json.value("frames_late", -1LL), json.value("frames_scheduled", -1LL));
}

int run(int argc, char** argv) {
  CLI::App app("Plays a movie on 15 panels of emulated hosts and measures their clocks");
  EmulatedShowOptions options;
  double delay_ms = 1;
  bool json = false;
  app.add_option("--hosts", options.hosts)->check(CLI::Range(1, 5))->capture_default_str();
  app.add_option("--seconds", options.seconds)->check(CLI::Range(1.0, 86400.0));
  app.add_option("--fps", options.fps)->check(CLI::Range(1, 240))->capture_default_str();
  app.add_option("--delay-ms", delay_ms, "one way")->check(CLI::Range(0.0, 1000.0));
  app.add_option("--loss", options.path.loss, "share of datagrams")->check(CLI::Range(0.0, 0.9));
  app.add_option("--date-step-at", options.date_step_at_s,
                 "seconds after which one host's date is set on by a second");
  app.add_flag("--json", json);
  CLI11_PARSE(app, argc, argv);
  options.path.delay = Nanos(static_cast<Nanos::rep>(delay_ms * 1e6));
  std::string reason;
  const auto result = play_on_emulated_hosts(options, reason);
  if (!result) {
    std::fprintf(stderr, "emulated_hosts: skipped: %s\n", reason.c_str());
    return 77;
  }
  const nlohmann::json measured = json_of(options, *result);
  json ? static_cast<void>(std::printf("%s\n", measured.dump().c_str())) : print_text(measured);
  std::fputs(result->err.c_str(), stderr);
  return result->exit_code == 0 && result->wrong_pictures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilewall::test

int main(int argc, char** argv) {
  try {
    return tilewall::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulated_hosts: %s\n", error.what());
    return tilewall::exit_failed;
  }
}
