// Pictures that wait for a client which reads slowly: of each panel only the newest one.
//
// Threads: one owner, the director's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "net/control/message_stream.hpp"

namespace tilewall::director {

/// A picture as it is sent; shared by the clients that wait for it.
using PictureMessage = std::shared_ptr<const net::Message>;

class NewestPictures {
 public:
  /// Pictures of more than `most_bytes` are not kept: the oldest ones are dropped.
  explicit NewestPictures(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Replaces the panel's waiting picture, which keeps its place in the order.
  void put(std::size_t panel, PictureMessage picture) {
    bytes_ += size_of(picture);
    const auto found = std::ranges::find(waiting_, panel, &Waiting::panel);
    if (found != waiting_.end())
      bytes_ -= size_of(std::exchange(found->picture, std::move(picture)));
    else
      waiting_.push_back({panel, std::move(picture)});
    while (bytes_ > most_bytes_) static_cast<void>(take());
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

  /// Removes and returns the picture of the panel that has waited longest. @pre not empty
  [[nodiscard]] PictureMessage take() {
    PictureMessage picture = std::move(waiting_.front().picture);
    waiting_.pop_front();
    bytes_ -= size_of(picture);
    return picture;
  }

 private:
  struct Waiting {
    std::size_t panel = 0;
    PictureMessage picture;
  };
  [[nodiscard]] static std::size_t size_of(const PictureMessage& picture) noexcept {
    return picture->text.size() + picture->blob.size();
  }

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace tilewall::director
