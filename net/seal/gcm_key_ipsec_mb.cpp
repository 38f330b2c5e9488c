// GcmKey with Intel's IPsec library (Debian's libipsec-mb-dev).

#include <intel-ipsec-mb.h>
#include <sodium.h>

#include "net/seal/gcm_key.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

struct EndManager {
  void operator()(IMB_MGR* manager) const noexcept { ::free_mb_mgr(manager); }
};

/// The library's functions for this machine's processor. Immutable once made, so all threads share
/// it.
IMB_MGR* manager() {
  static const std::unique_ptr<IMB_MGR, EndManager> made = [] {
    std::unique_ptr<IMB_MGR, EndManager> fresh(::alloc_mb_mgr(0));
    if (fresh != nullptr) ::init_mb_mgr_auto(fresh.get(), nullptr);
    return fresh;
  }();
  if (made == nullptr || made->gcm256_enc == nullptr)
    throw JobError("libIPSec_MB: expected AES-256-GCM, found none");
  return made.get();
}

}  // namespace

struct GcmKey::State {
  const IMB_MGR* library = nullptr;
  alignas(64) gcm_key_data key;  // the library's header aligns it only if LINUX is defined
};

GcmKey::GcmKey(const Key& key) : state_(std::make_unique<State>()) {
  state_->library = manager();
  IMB_AES256_GCM_PRE(state_->library, key.data(), &state_->key);
}

GcmKey::GcmKey(GcmKey&&) noexcept = default;
GcmKey& GcmKey::operator=(GcmKey&&) noexcept = default;
GcmKey::~GcmKey() = default;

GcmKey::Tag GcmKey::encrypt(const Nonce& nonce, std::span<const std::byte> header,
                            std::span<const std::byte> plain, std::byte* cipher) noexcept {
  alignas(64) gcm_context_data context;
  Tag tag;
  IMB_AES256_GCM_ENC(
      state_->library, &state_->key, &context, reinterpret_cast<std::uint8_t*>(cipher),
      reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(), nonce.data(),
      reinterpret_cast<const std::uint8_t*>(header.data()), header.size(), tag.data(), tag.size());
  return tag;
}

bool GcmKey::decrypt(const Nonce& nonce, std::span<const std::byte> header,
                     std::span<std::byte> text, const Tag& tag) noexcept {
  alignas(64) gcm_context_data context;
  Tag expected;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
  IMB_AES256_GCM_DEC(state_->library, &state_->key, &context, bytes, bytes, text.size(),
                     nonce.data(), reinterpret_cast<const std::uint8_t*>(header.data()),
                     header.size(), expected.data(), expected.size());
  return ::sodium_memcmp(expected.data(), tag.data(), tag.size()) == 0;
}

GcmKey::Tag GcmKey::authenticate(const Nonce& nonce, std::span<const std::byte> header,
                                 std::span<const std::byte> payload) noexcept {
  alignas(64) gcm_context_data context;
  Tag tag;
  IMB_AES256_GMAC_INIT(state_->library, &state_->key, &context, nonce.data(), nonce.size());
  for (const auto& part : {header, payload})
    if (!part.empty())
      IMB_AES256_GMAC_UPDATE(state_->library, &state_->key, &context,
                             reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
  IMB_AES256_GMAC_FINALIZE(state_->library, &state_->key, &context, tag.data(), tag.size());
  return tag;
}

}  // namespace tilewall::net
