// The secrets of shows: key files, what a client of the control port proves with one, and a secret
// for processes that a test starts without a show.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "net/show_keys.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

/// Adds to the first request of a connection the tag that the control port asks for.
inline void sign(nlohmann::json& request, const std::string& nonce,
                 const std::filesystem::path& run_dir) {
  const auto key = net::key_from_file(run_dir / "control.secret", net::Protocol::control);
  const std::string text = request.at("type").get<std::string>() + " " + nonce;
  request["tag"] = net::to_hex(key.tag(std::as_bytes(std::span(text))));
}

/// A secret that this process and the programs that it starts have, as those of one show.
class OwnSecret {
 public:
  OwnSecret() { write_private_file(folder_ / "secret", "a secret of this test alone"); }

 private:
  const TemporaryFolder folder_;
  const ScopedEnvironment file_{secret_file_variable, folder_ / "secret"};
};

}  // namespace tilewall::test
