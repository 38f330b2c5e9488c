// Runs checks in child processes, because a disk or a display that hangs may never give a thread
// back. A child that gives no answer in time is killed and left to the kernel; another one goes on
// with the checks after it.
//
// Threads: the caller's only. The calling process has one thread, because children are forked.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "player/survey/survey_answer.hpp"

namespace tilewall::survey {

struct SurveyTask {
  /// What is checked, in the order of the answer. Where the check gives no result, these are red.
  std::vector<SurveyCheck> subjects;
  std::chrono::milliseconds limit;
  /// Fills in the subjects; runs in a child, whose standard streams are /dev/null. What it throws
  /// becomes the text of a red light.
  std::function<std::vector<SurveyCheck>()> run;
  bool alone = false;  ///< a measurement: nothing else runs meanwhile
};

/// Runs all tasks, those that are `alone` one after the other at the end. Returns their checks in
/// the order of the tasks, after `limit` at the latest. Throws JobError where no child can be
/// started.
[[nodiscard]] std::vector<SurveyCheck> run_tasks(const std::vector<SurveyTask>& tasks,
                                                 std::chrono::milliseconds limit);

}  // namespace tilewall::survey
