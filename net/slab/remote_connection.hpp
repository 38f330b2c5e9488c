// Sessions with the servers that a tilewall:// address names.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "net/secret_variables.hpp"
#include "net/slab/remote_url.hpp"
#include "net/slab/slab_client.hpp"

namespace tilewall {

/// From now on this process and those it starts know servers by the key in the file; "" = none.
/// Throws InputError.
void use_stream_key(const std::filesystem::path& key_file);

struct RemoteConnection {
  std::chrono::milliseconds limit{2000};              ///< for each server
  ThreadPlace receiver = {};                          ///< where the session's thread runs
  std::size_t keep_bytes = std::size_t{8} << 20;      ///< of memory for what comes next
  const char* key_variable = stream_secret_variable;  ///< of the environment
};

/// A session with the servers of a URL. Throws InputError or JobError naming them.
[[nodiscard]] std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url,
                                                         const RemoteConnection& how = {});

}  // namespace tilewall
