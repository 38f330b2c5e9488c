#include "player/movie/frames/image_question.hpp"

#include <sys/socket.h>

#include <array>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t most_descriptors = 2;

struct alignas(cmsghdr) DescriptorSpace {
  std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> bytes = {};
};

}  // namespace

bool send_question(int socket, const ImageQuestion& question, std::span<const int> descriptors) {
  TW_CHECK(!descriptors.empty() && descriptors.size() <= most_descriptors);
  iovec data = {const_cast<ImageQuestion*>(&question), sizeof question};
  DescriptorSpace space;
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.bytes.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  return retry_eintr([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); }) ==
         ssize_t{sizeof question};
}

std::optional<ReceivedQuestion> receive_question(int socket) {
  ReceivedQuestion received;
  iovec data = {&received.question, sizeof received.question};
  DescriptorSpace space;
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.bytes.data();
  message.msg_controllen = space.bytes.size();
  const ssize_t got = retry_eintr([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
  if (got != ssize_t{sizeof received.question}) return std::nullopt;
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(at) + i * sizeof fd, sizeof fd);
      received.descriptors.emplace_back(fd);
    }
  }
  if (received.descriptors.empty()) return std::nullopt;
  return received;
}

}  // namespace tilewall::movie
