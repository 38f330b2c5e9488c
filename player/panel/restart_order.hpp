// Orders of the director to start processes of this host again. The panel ends them by SIGKILL, and
// whoever keeps them running starts them again as after any death. An end in order (SIGTERM) would
// be final.
//
// Threads: free functions without state.
#pragma once

#include <string>

namespace tilewall::panel {

/// Ends this process for the role "panel", and all of the host's for "caster" and "decoder"; other
/// roles are ignored. Processes of the host are those in the process group of its keeper, to which
/// this one belongs, too. So those of other shows and users are left alone, and a number that
/// belongs to another process by now, or to one of another host, is none.
void obey_restart(const std::string& role);

}  // namespace tilewall::panel
