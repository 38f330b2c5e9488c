// Commands that the console runs for its operators: they write the show file, try out what a show
// needs, or render its flight path. Each is a process of its own, as if it was typed in a shell.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::console {

/// What the commands are run with.
struct ToolPlace {
  std::filesystem::path run_dir;
  std::vector<std::string>
      show_options;  ///< Options of the running show, such as {"--wall", "w.toml"}
  std::vector<std::string> render_options = {};  ///< ConsoleAccess::render_options
};

/// What commands are run with of the running show, as it is now.
struct ToolFiles {
  std::string show;          ///< the show file; "" = the show is no presentation
  std::string path;          ///< the flight path; "" = the show keeps none
  std::string bezels = {};   ///< the wall's bezel mode; "" = not known
  std::string content = {};  ///< the wall's content mode; "" = not known
};

/// The folder of the movie that `render` makes of the show's flight path, beside the path's file.
/// It is another one where the path, the volume, the wall or how it draws have changed, so that no
/// movie is replaced. As long as all are as they were, a rendering that was stopped goes on.
[[nodiscard]] std::filesystem::path rendered_folder(const ToolFiles& files, const ToolPlace& place);

class ToolRuns {
 public:
  /// `changed` is called when a run begins or ends. The io_context outlives this object.
  ToolRuns(boost::asio::io_context& io, ToolPlace place, std::function<void()> changed);
  ~ToolRuns();
  ToolRuns(const ToolRuns&) = delete;
  ToolRuns& operator=(const ToolRuns&) = delete;

  /// The names of all tools, with what each does.
  struct Tool {
    std::string_view name;
    std::string_view help;
  };
  [[nodiscard]] static const std::vector<Tool>& tools();

  /// Begins a run for a person. Throws InputError for a name that is no tool, for one that runs
  /// already, and without the file that it works on.
  void start(std::string_view name, const ToolFiles& files, const std::string& person,
             std::int64_t at_utc_ms);
  /// Asks a run to end (SIGTERM). Throws InputError where none runs.
  void stop(std::string_view name);

  /// {"save": {"state": "running", "done", "failed" or "stopped", "by", "at_utc_ms", "text"}, ...}:
  /// the newest run of each tool. `text` is the end of what it printed.
  [[nodiscard]] nlohmann::json json() const;

 private:
  struct Run {
    pid_t pid = 0;  // 0: it has ended
    std::string state;
    bool is_stopped = false;  // somebody has asked it to end
    std::string by;
    std::int64_t at_utc_ms = 0;
    std::string text;
  };

  [[nodiscard]] std::filesystem::path output_of(const std::string& name) const;
  void await_ends();
  void take_ends();

  const ToolPlace place_;
  const std::function<void()> changed_;
  boost::asio::signal_set child_ends_;
  std::map<std::string, Run, std::less<>> runs_;
};

}  // namespace tilewall::console
