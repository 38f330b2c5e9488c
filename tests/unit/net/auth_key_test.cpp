#include "net/auth_key.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "net/show_keys.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

AuthTag tag_by(const AuthKey& key) { return key.tag(bytes_of("x")); }

}  // namespace

TEST_CASE("a tag survives hexadecimal, and nothing else is one", "[net]") {
  const AuthKey key(bytes_of("sixteen bytes ok"));
  const AuthTag tag = key.tag(bytes_of("hello"));
  CHECK(tag_from_hex(to_hex(tag)) == tag);
  CHECK(key.matches(bytes_of("hello"), tag));
  CHECK_FALSE(key.matches(bytes_of("hallo"), tag));
  const std::string hex = to_hex(tag);
  CHECK_FALSE(tag_from_hex(""));
  CHECK_FALSE(tag_from_hex(hex.substr(1)));
  CHECK_FALSE(tag_from_hex(hex.substr(2)));
  CHECK_FALSE(tag_from_hex(hex + "00"));
  CHECK_FALSE(tag_from_hex("zz" + hex.substr(2)));
}

TEST_CASE("each protocol has a key of its own, of one secret file", "[net]") {
  const test::TemporaryFolder folder;
  write_private_file(folder / "key", "0123456789abcdef");
  const auto key = [&](Protocol protocol) { return key_from_file(folder / "key", protocol); };
  const AuthTag control = tag_by(key(Protocol::control));
  CHECK(control == tag_by(key(Protocol::control)));
  CHECK(control != tag_by(key(Protocol::clock)));
  CHECK(control != tag_by(key(Protocol::stream)));
  CHECK(tag_by(key(Protocol::clock)) != tag_by(key(Protocol::stream)));
  const AuthKey secret(bytes_of("0123456789abcdef"));
  CHECK(control != tag_by(secret));
  CHECK(control == tag_by(protocol_key(secret, Protocol::control)));
}

TEST_CASE("a show's secret reaches its processes as the path of a file", "[net]") {
  const test::TemporaryFolder folder;
  const test::ScopedEnvironment file(secret_file_variable, "");
  const test::ScopedEnvironment keyless(keyless_variable, "");
  CHECK_THROWS_WITH(key_of(Protocol::control), Catch::Contains(secret_file_variable));
  CHECK_FALSE(outer_key_of(Protocol::stream));

  write_private_file(folder / "key", random_secret_hex());
  const AuthTag clock = tag_by(key_from_file(folder / "key", Protocol::clock));
  use_secret_file(folder / "key");  // --key-file: everybody has it
  CHECK(tag_by(key_of(Protocol::clock)) == clock);
  CHECK(tag_by(outer_key_of(Protocol::clock).value()) == clock);
  CHECK(outer_key_of(Protocol::stream));

  use_secret_file(folder / "key", SecretOwner::show, ClockOwner::show);
  CHECK(tag_by(outer_key_of(Protocol::clock).value()) == clock);
  CHECK_FALSE(outer_key_of(Protocol::stream));
  CHECK_NOTHROW(key_of(Protocol::stream));

  hold_secret();
  std::filesystem::remove(folder / "key");
  CHECK(tag_by(key_of(Protocol::clock)) == clock);
  CHECK(tag_by(outer_key_of(Protocol::clock).value()) == clock);
  write_private_file(folder / "other", random_secret_hex());
  use_secret_file(folder / "other", SecretOwner::show, ClockOwner::wall);
  CHECK(tag_by(key_of(Protocol::clock)) != clock);
  CHECK_FALSE(outer_key_of(Protocol::clock));
  use_secret_file({});
  CHECK_FALSE(outer_key_of(Protocol::clock));
}

TEST_CASE("a secret file that others may read is refused, with what to do", "[net]") {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const fs::path key = folder / "key";
  write_private_file(key, "0123456789abcdef");
  CHECK_NOTHROW(AuthKey::from_file(key));
  for (const fs::perms more : {fs::perms::group_read, fs::perms::others_read,
                               fs::perms::group_write, fs::perms::others_exec}) {
    fs::permissions(key, fs::perms::owner_read | more);
    CHECK_THROWS_WITH(AuthKey::from_file(key),
                      Catch::Contains("chmod 600 " + key.string()) && Catch::Contains("mode 04"));
  }
  fs::permissions(key, fs::perms::owner_read);
  CHECK_NOTHROW(AuthKey::from_file(key));
  CHECK_THROWS_AS(AuthKey::from_file(folder.path()), InputError);
  CHECK_THROWS_AS(AuthKey::from_file("/dev/null"), InputError);
  write_private_file(folder / "short", "0123456789abcde");
  CHECK_THROWS_WITH(AuthKey::from_file(folder / "short"), Catch::Contains("found 15 bytes"));
}

TEST_CASE("a secret that somebody could guess is refused", "[net]") {
  const test::TemporaryFolder folder;
  for (const char* const weak : {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "passwordpassword",
                                 "0101010101010101010101010101010101010101010101"}) {
    write_private_file(folder / "key", weak);
    CHECK_THROWS_WITH(AuthKey::from_file(folder / "key"),
                      Catch::Contains("tilewall key new FILE") && Catch::Contains("bits"));
  }
  for (int i = 0; i < 100; ++i) {
    write_private_file(folder / "key", random_secret_hex());
    CHECK_NOTHROW(AuthKey::from_file(folder / "key"));
  }
}

namespace {

constexpr std::size_t secret_bytes = 32;
constexpr unsigned char disguise = 0xA5;
using Secret = std::array<unsigned char, secret_bytes>;

/// A file with a secret that was never in this process's memory.
std::filesystem::path foreign_secret(const std::filesystem::path& folder) {
  const auto file = folder / "key";
  const std::string command =
      fmt::format("umask 077; head -c {} /dev/urandom > {}", secret_bytes, file.string());
  REQUIRE(std::system(command.c_str()) == 0);
  return file;
}

/// The file's bytes, each with all bits of the disguise turned over.
Secret disguised(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  Secret secret{};
  REQUIRE(::read(fd.get(), secret.data(), secret.size()) == ssize_t{secret_bytes});
  for (unsigned char& byte : secret) byte ^= disguise;
  return secret;
}

/// How often this process's writable memory has the secret, or its second half: free() writes over
/// the beginning of what it frees.
int traces_of(const Secret& disguised_secret) {
  const auto is_here = [&](const unsigned char* at) {
    for (std::size_t i = secret_bytes / 2; i < secret_bytes; ++i)
      if ((at[i] ^ disguise) != disguised_secret[i]) return false;
    return true;
  };
  int traces = 0;
  constexpr std::uint64_t largest_bytes = std::uint64_t{64} << 20;
  std::vector<unsigned char> copy(largest_bytes);  // lies in a mapping that is larger
  std::ifstream maps("/proc/self/maps");
  const UniqueFd memory = open_for_reading("/proc/self/mem");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, access) != 3 || access[1] != 'w' ||
        end - begin > largest_bytes)
      continue;
    const ssize_t got = ::pread(memory.get(), copy.data(), end - begin, static_cast<off_t>(begin));
    for (ssize_t i = 0; i + ssize_t{secret_bytes} <= got; ++i)
      if (is_here(copy.data() + i)) ++traces;
  }
  return traces;
}

}  // namespace

TEST_CASE("a key that has ended leaves no trace of its secret or of keys derived from it",
          "[net][attack]") {
  const test::TemporaryFolder folder;
  const auto file = foreign_secret(folder.path());
  const Secret secret = disguised(file);
  std::string kept = read_private_file(file, secret_bytes);
  CHECK(traces_of(secret) == 1);
  std::ranges::fill(kept, '\0');
  REQUIRE(traces_of(secret) == 0);
  Secret derived{};
  {
    const AuthKey key = key_from_file(file, Protocol::clock);
    std::memcpy(derived.data(), &key, sizeof derived);
    for (unsigned char& byte : derived) byte ^= disguise;
    CHECK(traces_of(derived) >= 1);
  }
  CHECK(traces_of(secret) == 0);
  CHECK(traces_of(derived) == 0);
}
