#include "net/slab/slab_outbox.hpp"

#include <sys/eventfd.h>

#include <utility>

#include "net/slab/slab_source.hpp"
#include "sync/base/check.hpp"

namespace tilewall::net {

SlabOutbox::SlabOutbox() : wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

// One write wakes the network thread for thousands of slabs that are given in one go.
template <typename Item>
void SlabOutbox::add(std::vector<Item> Contents::*list, Item item) {
  const std::scoped_lock lock(mutex_);
  if (is_closed_) return;
  (contents_.*list).push_back(std::move(item));
  wake();
}

void SlabOutbox::wake() {
  if (!std::exchange(is_awake_, true)) ::eventfd_write(wake_.get(), 1);
}

void SlabOutbox::put(Slab slab) { add(&Contents::slabs, std::move(slab)); }

void SlabOutbox::put(Answer answer) { add(&Contents::answers, std::move(answer)); }

void SlabOutbox::tell(nlohmann::json message) {
  const auto type_of = [](const nlohmann::json& told) {
    const auto type = told.find("type");  // the end where it is no object
    return type == told.end() ? nlohmann::json() : *type;
  };
  const nlohmann::json type = type_of(message);
  const std::scoped_lock lock(mutex_);
  if (is_closed_) return;
  std::erase_if(contents_.told, [&](const nlohmann::json& told) { return type_of(told) == type; });
  contents_.told.push_back(std::move(message));
  wake();
}

SlabOutbox::Contents SlabOutbox::take() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(is_awake_, false)) {
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
  return std::exchange(contents_, {});
}

void SlabOutbox::close() {
  Contents dropped;  // destroyed without the lock: the application may release slabs under its own
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  std::swap(dropped, contents_);
}

SlabReply::SlabReply(std::shared_ptr<SlabOutbox> outbox, std::uint64_t session,
                     std::uint32_t request, std::weak_ptr<const void> wanted) noexcept
    : outbox_(std::move(outbox)),
      session_(session),
      request_(request),
      wanted_(std::move(wanted)) {}

SlabReply& SlabReply::operator=(SlabReply&& other) noexcept {
  if (this == &other) return *this;
  refuse();
  outbox_ = std::move(other.outbox_);
  session_ = other.session_;
  request_ = other.request_;
  wanted_ = std::move(other.wanted_);
  return *this;
}

SlabReply::~SlabReply() { refuse(); }

void SlabReply::give(std::shared_ptr<const SlabBuffer> slab) {
  const bool wanted = is_wanted();
  const auto outbox = std::exchange(outbox_, nullptr);
  if (!wanted) return;
  if (!slab) slab = std::make_shared<const SlabBuffer>();
  outbox->put(SlabOutbox::Slab{session_, request_, std::move(slab)});
}

void SlabReply::refuse() noexcept {
  if (!is_wanted()) return;
  try {
    give(nullptr);
  } catch (const std::exception&) {  // out of memory: the client repeats its request in vain
  }
}

nlohmann::json SlabSource::call_from(std::uint64_t, const nlohmann::json& question) {
  return call(question);
}

void SlabSource::session_ended(std::uint64_t) {}

std::uint64_t SlabSource::answer_bytes(std::span<const std::byte>) { return 0; }

bool SlabSource::is_slow_request(std::span<const std::byte>) { return false; }

bool SlabSource::is_slow_question(const nlohmann::json&) { return false; }

void SlabSource::answer(std::vector<std::byte> request, SlabReply reply) {
  reply.give(read(request));
}

}  // namespace tilewall::net
