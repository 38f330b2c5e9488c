#include "net/slab/remote_connection.hpp"

#include <cstdlib>

#include "net/auth_key.hpp"
#include "sync/base/error.hpp"

namespace tilewall {

void use_stream_key(const std::filesystem::path& key_file) {
  const std::string secret = key_file.empty() ? "" : file_secret_hex(key_file);
  ::setenv(stream_secret_variable, secret.c_str(), 1);
}

std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url, const RemoteConnection& how) {
  SlabClientOptions options;
  for (const std::string& server : url.servers) options.servers.push_back(resolve(server, server));
  options.session.key = AuthKey::from_environment(how.key_variable);
  options.session.transport = url.transport;
  options.session.stripes = url.streams;
  options.session.encrypt = url.encrypt;
  options.session.interfaces = url.interfaces;
  options.keep_bytes = how.keep_bytes;
  options.connect_limit = how.limit;
  options.placement = how.receiver;
  return std::make_shared<SlabClient>(std::move(options));
}

}  // namespace tilewall
