// Another user of this machine, who may do what no user of a show expects.
#pragma once

#include <grp.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

namespace tilewall::test {

inline constexpr uid_t nobody = 65534;

/// Whether this test can become another user; says that it is skipped otherwise.
[[nodiscard]] inline bool may_be_other_user() {
  if (::geteuid() == 0) return true;
  WARN("skipped: only root can act as another user");
  return false;
}

/// Runs `act` as user nobody, in a process of its own. Returns whether it returned true.
[[nodiscard]] inline bool as_other_user(const std::function<bool()>& act) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool is_other =
        ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
    ::_exit(is_other && act() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tilewall::test
