#include "sync/base/sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

#ifdef TILEWALL_SANITIZED
constexpr bool is_sanitized = true;  // its runtime reads /proc/self and traces its own threads
#else
constexpr bool is_sanitized = false;
#endif

constexpr rlim_t most_files = 1024;

constexpr std::uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t write_rights =
    read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
// Rights that hold for a file itself; the others hold for folders alone.
constexpr std::uint64_t file_rights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE;
// Debian 12's headers do not name these two rights.
constexpr std::uint64_t right_to_refer = std::uint64_t{1} << 13;     // from version 2 on
constexpr std::uint64_t right_to_truncate = std::uint64_t{1} << 14;  // from version 3 on

/// All rights that a version of Landlock knows; those that no rule grants are refused.
std::uint64_t rights_of(long version) {
  std::uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (version >= 2) rights |= right_to_refer;
  if (version >= 3) rights |= right_to_truncate;
  return rights;
}

void allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const UniqueFd fd(retry_eintr([&] { return ::open(path.c_str(), O_PATH | O_CLOEXEC); }));
  if (fd.empty()) return;  // what does not exist need not be opened
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & file_rights;
  rule.parent_fd = fd.get();
  check_sys(static_cast<int>(
                ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)),
            "landlock_add_rule");
}

void allow_devices(int ruleset) {
  constexpr std::uint64_t load_rights = read_rights | LANDLOCK_ACCESS_FS_EXECUTE;
  for (const char* folder : {"/usr", "/lib", "/lib64", "/opt", "/sys", "/proc", "/etc/OpenCL",
                             "/etc/vulkan", "/etc/ld.so.cache"})
    allow(ruleset, folder, load_rights);
  allow(ruleset, "/dev", read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE);
}

/// Files by which the names of hosts are resolved.
void allow_names(int ruleset) {
  for (const char* file :
       {"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"})
    allow(ruleset, file, read_rights);
}

/// Returns false where the kernel has no Landlock.
bool confine_files(const Sandbox& sandbox) {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = rights_of(version);
  const UniqueFd ruleset(check_sys(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)),
      "landlock_create_ruleset"));
  for (const auto& path : sandbox.readable) allow(ruleset.get(), path, read_rights);
  for (const auto& path : sandbox.writable) allow(ruleset.get(), path, write_rights);
  const std::uint64_t truncate = attributes.handled_access_fs & right_to_truncate;
  for (const auto& path : sandbox.replaceable)
    allow(ruleset.get(), path, write_rights | LANDLOCK_ACCESS_FS_REMOVE_FILE | truncate);
  if (sandbox.sockets) allow_names(ruleset.get());
  if (sandbox.devices) allow_devices(ruleset.get());
  if (is_sanitized) allow(ruleset.get(), "/proc/self", read_rights);
  check_sys(static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset.get(), 0)),
            "landlock_restrict_self");
  return true;
}

/// Refused to every reader. No reader starts programs, changes users or the metadata of files,
/// looks into other processes, or speaks to parts of the kernel that foreign files have no use for.
constexpr int refused_calls[] = {SCMP_SYS(execve),
                                 SCMP_SYS(execveat),
                                 SCMP_SYS(fork),
                                 SCMP_SYS(vfork),
                                 SCMP_SYS(process_vm_readv),
                                 SCMP_SYS(process_vm_writev),
                                 SCMP_SYS(kill),
                                 SCMP_SYS(tkill),
                                 SCMP_SYS(rt_sigqueueinfo),
                                 SCMP_SYS(pidfd_open),
                                 SCMP_SYS(pidfd_getfd),
                                 SCMP_SYS(pidfd_send_signal),
                                 SCMP_SYS(kcmp),
                                 SCMP_SYS(socketpair),
                                 SCMP_SYS(bind),
                                 SCMP_SYS(listen),
                                 SCMP_SYS(accept),
                                 SCMP_SYS(accept4),
                                 SCMP_SYS(chmod),
                                 SCMP_SYS(fchmod),
                                 SCMP_SYS(fchmodat),
                                 SCMP_SYS(chown),
                                 SCMP_SYS(fchown),
                                 SCMP_SYS(lchown),
                                 SCMP_SYS(fchownat),
                                 SCMP_SYS(utime),
                                 SCMP_SYS(utimes),
                                 SCMP_SYS(utimensat),
                                 SCMP_SYS(futimesat),
                                 SCMP_SYS(setxattr),
                                 SCMP_SYS(lsetxattr),
                                 SCMP_SYS(fsetxattr),
                                 SCMP_SYS(removexattr),
                                 SCMP_SYS(lremovexattr),
                                 SCMP_SYS(fremovexattr),
                                 SCMP_SYS(setuid),
                                 SCMP_SYS(setgid),
                                 SCMP_SYS(setreuid),
                                 SCMP_SYS(setregid),
                                 SCMP_SYS(setresuid),
                                 SCMP_SYS(setresgid),
                                 SCMP_SYS(setgroups),
                                 SCMP_SYS(capset),
                                 SCMP_SYS(chroot),
                                 SCMP_SYS(pivot_root),
                                 SCMP_SYS(mount),
                                 SCMP_SYS(umount2),
                                 SCMP_SYS(open_tree),
                                 SCMP_SYS(move_mount),
                                 SCMP_SYS(fsopen),
                                 SCMP_SYS(unshare),
                                 SCMP_SYS(setns),
                                 SCMP_SYS(sethostname),
                                 SCMP_SYS(open_by_handle_at),
                                 SCMP_SYS(bpf),
                                 SCMP_SYS(perf_event_open),
                                 SCMP_SYS(userfaultfd),
                                 SCMP_SYS(add_key),
                                 SCMP_SYS(request_key),
                                 SCMP_SYS(keyctl),
                                 SCMP_SYS(io_uring_setup),
                                 SCMP_SYS(init_module),
                                 SCMP_SYS(finit_module),
                                 SCMP_SYS(delete_module),
                                 SCMP_SYS(kexec_load),
                                 SCMP_SYS(reboot),
                                 SCMP_SYS(syslog),
                                 SCMP_SYS(acct),
                                 SCMP_SYS(quotactl),
                                 SCMP_SYS(swapon),
                                 SCMP_SYS(swapoff),
                                 SCMP_SYS(settimeofday),
                                 SCMP_SYS(clock_settime),
                                 SCMP_SYS(adjtimex),
                                 SCMP_SYS(clock_adjtime),
                                 SCMP_SYS(mknod),
                                 SCMP_SYS(mknodat),
                                 SCMP_SYS(shmget),
                                 SCMP_SYS(shmat),
                                 SCMP_SYS(msgget),
                                 SCMP_SYS(semget),
                                 SCMP_SYS(mq_open),
                                 SCMP_SYS(personality),
                                 SCMP_SYS(truncate)};

class CallFilter {
 public:
  CallFilter() : context_(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release) {
    if (!context_) throw JobError("out of memory for a seccomp filter");
    // Without the right to filter, the kernel asks for no_new_privs, which is set.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 1), "no_new_privs");
    // Threads that a GPU's driver has started are filtered too.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1), "all threads");
    // Kernels before 5.16 switch speculation off in filtered processes, which would slow decoding.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_SSB, 1), "speculation");
    // load() returns the kernel's error.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_API_SYSRAWRC, 1), "errors");
    // A binary tree: each call passes about seven comparisons in place of a hundred.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "a tree");
  }

  template <typename... Conditions>
  void refuse(int call, int error, Conditions... conditions) {
    check(::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call,
                             sizeof...(conditions), conditions...),
          "a rule");
  }

  /// Returns false where the kernel or a container has no filters.
  bool load() {
    const int error = ::seccomp_load(context_.get());
    if (error == -EINVAL || error == -ENOSYS || error == -EACCES || error == -EPERM) return false;
    check(error, "load");
    return true;
  }

 private:
  static void check(int error, const char* what) {
    if (error < 0) throw_errno(std::string("seccomp: ") + what, -error);
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> context_;
};

bool confine_calls(const Sandbox& sandbox) {
  CallFilter filter;
  for (const int call : refused_calls)
    if (call >= 0) filter.refuse(call, EPERM);  // negative: this architecture lacks the call
  if (!is_sanitized) filter.refuse(SCMP_SYS(ptrace), EPERM);
  if (!sandbox.sockets && !sandbox.devices) {
    filter.refuse(SCMP_SYS(socket), EPERM);
    filter.refuse(SCMP_SYS(connect), EPERM);
  } else if (!sandbox.devices) {
    filter.refuse(SCMP_SYS(socket), EPERM, SCMP_A0(SCMP_CMP_LT, AF_INET));
    filter.refuse(SCMP_SYS(socket), EPERM, SCMP_A0(SCMP_CMP_GT, AF_INET6));
  }
  // abort() and raise() signal this process. Signals to others are refused.
  const auto self = static_cast<scmp_datum_t>(::getpid());
  filter.refuse(SCMP_SYS(tgkill), EPERM, SCMP_A0(SCMP_CMP_NE, self));
  // Threads may start, processes may not. A filter cannot see the flags of clone3, and glibc falls
  // back to clone where it is missing.
  if (!is_sanitized)
    filter.refuse(SCMP_SYS(clone), EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  filter.refuse(SCMP_SYS(clone3), ENOSYS);
  return filter.load();
}

void limit_files(bool writes_files) {
  const rlimit files = {most_files, most_files};
  ::setrlimit(RLIMIT_NOFILE, &files);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (!writes_files && !is_sanitized) ::setrlimit(RLIMIT_FSIZE, &none);
}

/// The path with "~/" replaced by this user's home, as glob() does.
std::filesystem::path home_expanded(const std::filesystem::path& path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || !path.native().starts_with("~/")) return path;
  return std::filesystem::path(home) / path.native().substr(2);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return path;
  const bool exists = std::filesystem::exists(path, error);
  std::filesystem::path folder;
  for (const auto& part : path.parent_path()) {
    if (!exists && part.native().find_first_of("*?[%") != std::string::npos) break;
    folder /= part;
  }
  return folder.empty() ? "." : folder;
}

constexpr int most_entries = 2000;  // that linked_files() looks at, which takes 1 to 2 ms

/// Appends the files to which links among the entries lead. `left` counts entries down.
template <typename Entries>
void append_linked(const std::filesystem::path& folder, int& left,
                   std::vector<std::filesystem::path>& to) {
  std::error_code error;
  for (auto entry = Entries(folder, error); !error && entry != Entries() && left-- > 0;
       entry.increment(error)) {
    std::error_code no_file;
    if (!entry->is_symlink(no_file)) continue;
    const auto real = std::filesystem::canonical(entry->path(), no_file);
    if (!no_file && std::filesystem::is_regular_file(real, no_file)) to.push_back(real);
  }
}

}  // namespace

Confinement enter_sandbox(const Sandbox& sandbox) {
  check_sys(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
  limit_files(sandbox.writes_files);
  Confinement confinement;
  confinement.files = confine_files(sandbox);
  confinement.system_calls = confine_calls(sandbox);
  return confinement;
}

std::string missing_confinement(const Confinement& confinement) {
  if (!confinement.files && !confinement.system_calls) return "Landlock and seccomp";
  if (!confinement.files) return "Landlock";
  return confinement.system_calls ? "" : "seccomp";
}

std::vector<std::filesystem::path> folders_to_read(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> folders = {folder_of(home_expanded(path))};
  std::error_code error;  // a pattern has no real path
  const auto real = std::filesystem::canonical(path, error);
  if (!error) folders.push_back(folder_of(real));
  return folders;
}

std::vector<std::filesystem::path> linked_files(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  int left = most_entries;
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  for (const std::filesystem::path& folder : folders_to_read(path))
    if (is_folder)
      append_linked<std::filesystem::recursive_directory_iterator>(folder, left, files);
    else
      append_linked<std::filesystem::directory_iterator>(folder, left, files);
  return files;
}

}  // namespace tilewall
