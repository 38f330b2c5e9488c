#include "net/clock/boot_id.hpp"

#include <sodium.h>

#include <cstring>
#include <tuple>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall {

std::uint64_t fold_boot_id(std::string_view text) noexcept {
  std::ignore = ::sodium_init();  // cannot fail for hashes; idempotent
  unsigned char hash[crypto_generichash_BYTES_MIN];
  ::crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(text.data()),
                       text.size(), nullptr, 0);
  std::uint64_t id = 0;
  std::memcpy(&id, hash, sizeof id);
  return id == 0 ? 1 : id;
}

std::uint64_t boot_id() {
  constexpr const char* path = "/proc/sys/kernel/random/boot_id";
  try {
    return fold_boot_id(read_text_file(path, 64));
  } catch (const InputError& error) {
    throw JobError(error.what());
  }
}

}  // namespace tilewall
