#include "player/bench/net_table.hpp"

#include <fmt/format.h>

#include <string>

namespace tilewall {
namespace {

using Json = nlohmann::json;

std::string number_or_dash(const Json& value, int digits) {
  return value.is_number() ? fmt::format("{:.{}f}", value.get<double>(), digits) : "-";
}

std::string peer_text(const Json& row, const char* key) {
  if (row.at(key).is_null()) return "-";
  return fmt::format("{:.2f} {}", row.at(key).at("goodput_gbit_s").get<double>(),
                     number_or_dash(row.at(std::string("ratio_to_") + key), 2));
}

void print_more(const Json& report) {
  if (report.contains("disk"))
    for (const Json& disk : report.at("disk"))
      fmt::print(
          "{} frames of a movie, checked: {:.2f} Gbit/s; disk alone {:.2f}, net alone {:.2f}, "
          "ratio to the lesser {:.2f}; {} wrong\n",
          disk.at("cache").get<std::string>(), disk.at("goodput_gbit_s").get<double>(),
          disk.at("disk_gbit_s").get<double>(), disk.at("net_gbit_s").get<double>(),
          disk.at("ratio_to_lesser").get<double>(), disk.at("wrong_slabs").get<int>());
  if (!report.contains("control")) return;
  const auto us = [&](const char* key, const char* rank) {
    return report.at("control").at(key).at(rank).get<double>();
  };
  fmt::print(
      "a question, p50 / p99: idle {:.0f} / {:.0f} us, under {:.1f} Gbit/s {:.0f} / {:.0f} us\n",
      us("idle_us", "p50"), us("idle_us", "p99"),
      report.at("control").at("loaded_gbit_s").get<double>(), us("loaded_us", "p50"),
      us("loaded_us", "p99"));
}

}  // namespace

void print_net_table(const Json& report) {
  fmt::print("{:<9} {:<9} {:>7} {:>8} {:>8} {:>13} {:>13} {:>8} {:>12} {:>12}\n", "transport",
             "seal", "streams", "Gbit/s", "loss", "Gbit/rx CPU s", "Gbit/tx CPU s", "of plain",
             "iperf3 ratio", "nuttcp ratio");
  for (const auto& row : report.at("rows"))
    fmt::print("{:<9} {:<9} {:>7} {:>8.2f} {:>8.5f} {:>13} {:>13} {:>8} {:>12} {:>12}\n",
               row.at("transport").get<std::string>(), row.at("seal").get<std::string>(),
               row.at("streams").get<int>(), row.at("goodput_gbit_s").get<double>(),
               row.at("loss").get<double>(), number_or_dash(row.at("rx_gbit_per_cpu_s"), 1),
               number_or_dash(row.at("tx_gbit_per_cpu_s"), 1),
               number_or_dash(row.at("ratio_to_plain"), 2), peer_text(row, "peer"),
               peer_text(row, "nuttcp"));
  for (const auto& row : report.at("rows"))
    if (row.contains("window_bytes"))
      fmt::print("tcp, {} streams: {}, window {:.1f} MiB{}\n", row.at("streams").get<int>(),
                 row.at("congestion_control").get<std::string>(),
                 row.at("window_bytes").get<double>() / (1 << 20),
                 row.at("window_bytes") < row.at("wanted_window_bytes")
                     ? fmt::format(" (the kernel gives no more; {:.1f} MiB are wanted)",
                                   row.at("wanted_window_bytes").get<double>() / (1 << 20))
                     : "");
  print_more(report);
  fmt::print("every byte is checked; {} runs, medians; {}, {} cores; commit {}\n",
             report.at("runs").get<int>(), report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

}  // namespace tilewall
