// Sole owners of C handles: one template, one traits struct per kind of handle.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tilewall {

/// Owns one C handle; a moved-from owner holds Traits::null(). Traits have Raw, null() and close().
template <typename Traits>
class UniqueHandle {
 public:
  using Raw = typename Traits::Raw;

  UniqueHandle() noexcept = default;
  explicit UniqueHandle(Raw raw) noexcept : raw_(raw) {}
  UniqueHandle(UniqueHandle&& other) noexcept : raw_(std::exchange(other.raw_, Traits::null())) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    UniqueHandle taken(std::move(other));
    std::swap(raw_, taken.raw_);
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  [[nodiscard]] Raw get() const noexcept { return raw_; }
  [[nodiscard]] bool empty() const noexcept { return raw_ == Traits::null(); }
  [[nodiscard]] Raw release() noexcept { return std::exchange(raw_, Traits::null()); }
  void reset() noexcept {
    if (raw_ != Traits::null()) Traits::close(std::exchange(raw_, Traits::null()));
  }
  explicit operator bool() const = delete;  // descriptor 0 is valid, so callers ask empty()

 private:
  Raw raw_ = Traits::null();
};

struct FdTraits {
  using Raw = int;
  static constexpr int null() noexcept { return -1; }
  static void close(int fd) noexcept { ::close(fd); }
};
using UniqueFd = UniqueHandle<FdTraits>;

struct FileTraits {
  using Raw = std::FILE*;
  static constexpr std::FILE* null() noexcept { return nullptr; }
  static void close(std::FILE* file) noexcept { std::fclose(file); }
};
using UniqueFile = UniqueHandle<FileTraits>;

}  // namespace tilewall
