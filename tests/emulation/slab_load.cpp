#include "tests/emulation/slab_load.hpp"

#include <time.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::test {

using namespace net;
namespace {

constexpr Nanos longest_look = std::chrono::milliseconds(20);

double cpu_s_so_far() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A client with the slabs that it asked for; they come in any order.
class AskingClient {
 public:
  AskingClient(const SlabLoad& load, const NumberedSlabs& slabs)
      : slabs_(slabs), of_use_(load.of_use), client_(load.client) {}

  void ask() {
    const LocalInstant until =
        of_use_ == Nanos{0} ? SlabClient::no_deadline : local_now() + of_use_;
    asked_.push_back({number_, client_.fetch(NumberedSlabs::payload(number_), until)});
    ++number_;
  }

  [[nodiscard]] bool have_all_come() const {
    return std::all_of(asked_.begin(), asked_.end(),
                       [&](const Asked& asked) { return client_.has(asked.ticket); });
  }

  /// Takes what has come, and asks for as many again.
  void turn(SlabLoadResult& result) {
    for (std::size_t i = 0; i < asked_.size();) {
      auto slab = client_.take(asked_[i].ticket);
      if (!slab) {
        ++i;
        continue;
      }
      const std::uint64_t number = asked_[i].number;
      asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
      ask();  // before the check, so that the way is never idle for it
      if (slabs_.is_right(number, slab->bytes())) {
        result.bytes += slab->size();
        ++result.slabs;
      } else {
        ++result.wrong_slabs;
      }
      client_.give_back(std::move(*slab));
    }
  }

  SlabClient& client() noexcept { return client_; }

 private:
  struct Asked {
    std::uint64_t number;
    SlabClient::Ticket ticket;
  };
  const NumberedSlabs& slabs_;
  const Nanos of_use_;
  SlabClient client_;
  std::deque<Asked> asked_;
  std::uint64_t number_ = 0;
};

}  // namespace

SlabLoadResult run_slab_load(const SlabLoad& load, const NumberedSlabs& slabs) {
  AskingClient asking(load, slabs);
  SlabLoadResult result;
  const LocalInstant first_request = local_now();
  for (int i = 0; i < load.in_flight; ++i) asking.ask();
  while (load.fill_first && !asking.have_all_come()) {
    const std::uint64_t known = asking.client().news();
    asking.client().wait_for_news(known, local_now() + longest_look);
  }
  LocalInstant period_ends = first_request + Nanos(slab_load_period);
  std::uint64_t bytes_before = 0;
  std::uint64_t all_bytes = 0;
  const auto run_until = [&](LocalInstant until) {
    for (LocalInstant now = local_now(); now < until; now = local_now()) {
      const std::uint64_t known = asking.client().news();
      const std::uint64_t had = result.bytes;
      asking.turn(result);
      all_bytes += result.bytes - had;
      for (; period_ends <= local_now(); period_ends = period_ends + Nanos(slab_load_period)) {
        result.gbit_s_each.push_back(static_cast<double>(all_bytes - bytes_before) * 8 /
                                     as_double(Nanos(slab_load_period)));
        bytes_before = all_bytes;
      }
      asking.client().wait_for_news(known, std::min(until, local_now() + longest_look));
    }
  };
  run_until(first_request + Nanos(load.warm_up));
  result.bytes = 0;
  result.slabs = 0;
  const double cpu_before = cpu_s_so_far();
  const LocalInstant start = load.warm_up.count() == 0 ? first_request : local_now();
  run_until(start + Nanos(load.counted));
  result.seconds = as_double(local_now() - start) * 1e-9;
  result.cpu_s = cpu_s_so_far() - cpu_before;
  const SlabClientStatus status = asking.client().status();
  result.received = status.received;
  result.round_trip_ms = as_double(status.round_trip) * 1e-6;
  result.tuning = status.tuning;
  result.switches = status.switches;
  return result;
}

namespace {

constexpr std::size_t different_slabs = 3;

void fill_at_random(SlabBuffer& slab, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (std::size_t i = 0; i + sizeof state <= slab.size(); i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(slab.data() + i, &state, sizeof state);
  }
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return ::XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

NumberedSlabs::NumberedSlabs(std::size_t slab_bytes) : slabs_(different_slabs) {
  for (std::size_t i = 0; i < slabs_.size(); ++i) {
    slabs_[i].resize(slab_bytes);
    fill_at_random(slabs_[i], i + 1);
    hashes_.push_back(hash_of(slabs_[i].bytes()));
  }
}

std::vector<std::byte> NumberedSlabs::payload(std::uint64_t number) {
  std::vector<std::byte> payload(sizeof number);
  std::memcpy(payload.data(), &number, sizeof number);
  return payload;
}

bool NumberedSlabs::is_right(std::uint64_t number, std::span<const std::byte> bytes) const {
  const std::size_t i = number % slabs_.size();
  return bytes.size() == slabs_[i].size() && hash_of(bytes) == hashes_[i];
}

nlohmann::json NumberedSlabs::call(const nlohmann::json&) { return "here"; }

std::shared_ptr<const SlabBuffer> NumberedSlabs::read(std::span<const std::byte> request) {
  std::uint64_t number = 0;
  if (request.size() != sizeof number) throw InputError("a slab's number was expected");
  std::memcpy(&number, request.data(), sizeof number);
  return {std::shared_ptr<const SlabBuffer>(), &slabs_[number % slabs_.size()]};  // outlives all
}

}  // namespace tilewall::test
