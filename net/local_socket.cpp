#include "net/local_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

constexpr int backlog = 128;

/// A socket address holds at most 108 bytes. A longer path is reached through the open folder.
struct LocalAddress {
  UniqueFd folder;  // the address is good while this is open
  sockaddr_un address = {};
};

std::optional<LocalAddress> address_of(const std::filesystem::path& path) {
  LocalAddress local;
  local.folder = UniqueFd(retry_eintr(
      [&] { return ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  if (local.folder.empty()) return std::nullopt;
  const std::string name =
      fmt::format("/proc/self/fd/{}/{}", local.folder.get(), path.filename().string());
  local.address.sun_family = AF_UNIX;
  if (name.size() >= sizeof local.address.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  std::memcpy(local.address.sun_path, name.c_str(), name.size() + 1);
  return local;
}

UniqueFd local_socket() {
  return UniqueFd(check_sys(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                            "socket AF_UNIX"));
}

const sockaddr* raw(const LocalAddress& local) {
  return reinterpret_cast<const sockaddr*>(&local.address);
}

/// Room for one descriptor beside a packet.
union FileControl {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

UniqueFd file_of(msghdr& message) {
  UniqueFd file;
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(at), sizeof fd);
    file = UniqueFd(fd);
  }
  return file;
}

}  // namespace

UniqueFd listen_local(const std::filesystem::path& path) {
  const auto local = address_of(path);
  if (!local) throw JobError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  UniqueFd socket = local_socket();
  ::unlink(path.c_str());  // a killed service leaves its socket file behind
  if (::bind(socket.get(), raw(*local), sizeof local->address) != 0 ||
      ::listen(socket.get(), backlog) != 0)
    throw JobError(fmt::format("{}: cannot listen: {}", path.string(), std::strerror(errno)));
  return socket;
}

UniqueFd try_connect_local(const std::filesystem::path& path) {
  const auto local = address_of(path);
  if (!local) return {};
  UniqueFd socket = local_socket();
  if (retry_eintr([&] { return ::connect(socket.get(), raw(*local), sizeof local->address); }) != 0)
    return {};
  return socket;
}

UniqueFd accept_local(int listening) {
  return UniqueFd(retry_eintr(
      [&] { return ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }));
}

bool send_packet(int socket, std::span<const std::byte> bytes, int file) {
  iovec part = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  FileControl control = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  return retry_eintr([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); }) ==
         static_cast<ssize_t>(bytes.size());
}

ReceivedPacket receive_packet(int socket, std::span<std::byte> buffer) {
  iovec part = {buffer.data(), buffer.size()};
  FileControl control = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t got =
      retry_eintr([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT); });
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
  if (got <= 0) return {PacketStatus::closed, 0, {}};
  return {PacketStatus::received, static_cast<std::size_t>(got), file_of(message)};
}

}  // namespace tilewall::net
