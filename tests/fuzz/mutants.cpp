#include "tests/fuzz/mutants.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

namespace tilewall::fuzz {
namespace {

using Json = nlohmann::json;
using Random = std::minstd_rand;  // the same numbers with every library, as taken here
using Use = std::function<void(std::span<const std::byte>)>;

constexpr std::uint64_t odd_numbers[] = {
    0,          1,          0x7f,       0xff,       0x7fff, 0xffff,     0x7fffffff,  0x80000000,
    0xffffffff, 0x40000001, 1ULL << 62, 1ULL << 63, ~0ULL,  ~0ULL >> 1, 0x100000000, 65'507};

std::size_t below(std::size_t end, Random& random) { return end == 0 ? 0 : random() % end; }

/// So that reading a byte too many is seen.
void use_exactly(std::span<const std::byte> bytes, const Use& use) {
  const auto memory = std::make_unique<std::byte[]>(bytes.size());
  std::ranges::copy(bytes, memory.get());
  use({memory.get(), bytes.size()});
}

void change(Bytes& bytes, Random& random) {
  const std::size_t at = below(bytes.size(), random);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (bytes.empty() ? 3 : random() % 5) {
    case 0:
      bytes[at] ^= std::byte{1} << (random() % 8);
      break;
    case 1:
      bytes[at] = static_cast<std::byte>(random() >> 8);
      break;
    case 2:
      bytes.erase(place,
                  place + static_cast<std::ptrdiff_t>(
                              1 + below(std::min<std::size_t>(8, bytes.size() - at), random)));
      break;
    case 3:
      bytes.insert(place, 1 + random() % 8, static_cast<std::byte>(random() >> 8));
      break;
    default: {
      const std::uint64_t number = odd_numbers[random() % std::size(odd_numbers)];
      const std::size_t width = std::size_t{1} << (random() % 4);
      if (at + width <= bytes.size()) std::memcpy(bytes.data() + at, &number, width);
    }
  }
}

Bytes splice(const Bytes& a, const Bytes& b, Random& random) {
  const auto cut = [&](const Bytes& of) {
    return of.begin() + static_cast<std::ptrdiff_t>(below(of.size() + 1, random));
  };
  Bytes joined(a.begin(), cut(a));
  joined.insert(joined.end(), cut(b), b.end());
  return joined;
}

const std::vector<Json>& odd_values() {
  static const std::vector<Json> values = [] {
    std::vector<Json> odd = {nullptr,
                             true,
                             0,
                             -1,
                             INT64_MAX,
                             INT64_MIN,
                             UINT64_MAX,
                             1LL << 32,
                             INT32_MAX,
                             1e300,
                             -1e300,
                             0.5,
                             "",
                             "x",
                             "\xc3\xbc",
                             std::string(5000, 'x'),
                             std::string(1, '\0'),
                             Json::array(),
                             Json::object(),
                             {1, 2, 3, 4},
                             {-1, 0},
                             {{"type", "x"}}};
    odd.push_back({1LL << 48, 1LL << 48});
    odd.push_back({1e300, 1e300, 1e300, 1e300});
    Json deep = 1;
    for (int i = 0; i < 50; ++i) deep = Json::array({std::move(deep)});
    odd.push_back(std::move(deep));
    return odd;
  }();
  return values;
}

void collect(const Json& value, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& all) {
  all.push_back(at);
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) collect(inner, at / key, all);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, all);
}

Bytes change_json(const Bytes& good, Random& random) {
  Json json = Json::parse(text_of(good));
  std::vector<Json::json_pointer> places;
  collect(json, Json::json_pointer(), places);
  const auto& place = places[random() % places.size()];
  if (random() % 8 == 0 && !place.empty() && json[place.parent_pointer()].is_object())
    json[place.parent_pointer()].erase(place.back());
  else
    json[place] = odd_values()[random() % odd_values().size()];
  return bytes_of(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void for_each_mutant(const Decoder& decoder, const MutantCounts& counts, const Use& use) {
  Random random(1);
  const std::vector<Bytes> seeds = decoder.seeds();
  const auto any = [&]() -> const Bytes& { return seeds[random() % seeds.size()]; };
  for (const Bytes& good : seeds) {
    const std::size_t step = good.size() / std::max<std::size_t>(counts.truncated, 1) + 1;
    for (std::size_t size = 0; size < good.size(); size += step)
      use_exactly(std::span(good).first(size), use);
  }
  for (std::size_t i = 0; i < counts.changed; ++i) {
    Bytes bytes = any();
    for (std::size_t times = 1 + random() % 3; times > 0; --times) change(bytes, random);
    use_exactly(bytes, use);
  }
  for (std::size_t i = 0; i < counts.spliced; ++i) use_exactly(splice(any(), any(), random), use);
  for (std::size_t i = 0; decoder.is_json && i < counts.json; ++i)
    use_exactly(change_json(any(), random), use);
}

}  // namespace tilewall::fuzz
