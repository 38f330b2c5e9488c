#include "player/supervisor/console_service.hpp"

#include <fmt/format.h>

#include <optional>

#include "net/socket.hpp"
#include "player/console/access/tls_files.hpp"
#include "player/supervisor/run_dir.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

namespace tilewall::supervisor {
namespace {

/// From the death of a console to the start of the next one. Its pages try to connect meanwhile.
constexpr std::chrono::milliseconds console_rest{1000};

UniqueFd listening_socket(const ConsoleOptions& options) {
  const net::SocketAddress address =
      net::resolve(options.address.empty() ? "127.0.0.1:0" : options.address, "--console");
  const bool has_tls = !options.certificate.empty();
  if (!address.loopback() && !has_tls && !options.plain)
    throw InputError(
        {"--console"}, "",
        "an address of loopback; any other one needs --console-cert and --console-key, "
        "or --console-plain behind a proxy of your own",
        options.address);
  if (has_tls) console::check_tls_files({options.certificate, options.key});
  if (options.address.empty()) return net::listen_tcp(address);
  try {
    return net::listen_tcp(address);
  } catch (const std::exception& error) {
    throw InputError({"--console"}, "", "a free address of this machine", error.what());
  }
}

/// What browsers call the console: its address, or this machine's name where it listens at all
/// addresses.
std::string authority_of(int socket) {
  const net::SocketAddress at = net::local_address(socket);
  const std::string address = net::to_string(at);
  const bool is_any = address.starts_with("0.0.0.0:") || address.starts_with("[::]:");
  return is_any ? fmt::format("{}:{}", host_name(), at.port()) : address;
}

/// The console of a show that is resumed; empty where there was none.
std::optional<console::ConsoleAccess> access_before(const std::filesystem::path& file) try {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  return console::read_access(file);
} catch (const InputError&) {  // the file was damaged with the show
  return std::nullopt;
}

/// A socket at the address of the console before, so that its pages go on; none where it is taken.
UniqueFd socket_at(const std::string& address) try {
  const net::SocketAddress at = net::resolve(address, "console.json");
  return at.loopback() ? net::listen_tcp(at) : UniqueFd();
} catch (const std::exception&) {
  return UniqueFd();
}

}  // namespace

ConsoleService::ConsoleService(const ConsoleOptions& options, const RunDir& run_dir,
                               std::vector<std::string> show_options,
                               std::vector<std::string> render_options)
    : options_(options), run_dir_(run_dir) {
  const auto before = access_before(run_dir.path() / console::console_file);
  if (before && options.address.empty()) listening_ = socket_at(before->address);
  if (listening_.empty()) listening_ = listening_socket(options);
  access_ = console::new_access();
  if (before) access_.tokens = before->tokens;
  access_.address = net::to_string(net::local_address(listening_.get()));
  access_.url = options.url.empty()
                    ? fmt::format("{}://{}/", options.certificate.empty() ? "http" : "https",
                                  authority_of(listening_.get()))
                    : options.url + "/";
  access_.show_options = std::move(show_options);
  access_.render_options = std::move(render_options);
  run_dir.write_secret(console::console_file, console::to_text(access_));
}

std::string ConsoleService::operator_url() const {
  return console::login_url(access_, verbs::Role::operator_);
}

void ConsoleService::open_browser() const {
  constexpr const char* opener = "xdg-open";
  if (!program_exists(opener)) return;
  constexpr const char* page = "console.html";
  run_dir_.write_secret(page, fmt::format("<!doctype html><meta http-equiv=\"refresh\" "
                                          "content=\"0; url={0}\"><a href=\"{0}\">{1}</a>\n",
                                          operator_url(), access_.url));
  ChildOptions options;
  options.output = run_dir_.log("browser");
  options.own_group = true;
  try {
    static_cast<void>(start_program({opener, (run_dir_.path() / page).string()}, options));
  } catch (const JobError&) {
    // The show goes on without it; the address is printed.
  }
}

host::ProgramStart ConsoleService::start() const {
  host::ProgramStart start;
  start.arguments = {own_program("tilewall-console").string(), "--run-dir",
                     run_dir_.path().string(), "--listen-fd", std::to_string(listening_.get())};
  if (!options_.certificate.empty())
    start.arguments.insert(start.arguments.end(), {"--certificate", options_.certificate.string(),
                                                   "--key", options_.key.string()});
  start.options.output = run_dir_.log("console");
  start.options.own_group = true;
  start.options.inherited = {listening_.get()};
  start.pid_file = run_dir_.path() / "pids" / "console";
  return start;
}

host::RestartLimits console_restarts() {
  host::RestartLimits limits;
  limits.orderly_end = host::OrderlyEnd::none;
  limits.rest = limits.least_rest = console_rest;
  return limits;
}

}  // namespace tilewall::supervisor
