// Measures how fast this host reads a medium's own frames from its disk, and decodes them.
//
// Every frame's file is dropped from the page cache before it is read, so that the disk is measured
// and not the memory. What the kernel does not drop makes the reading "not measured cold".
#pragma once

#include <vector>

#include "player/survey/survey_request.hpp"

namespace tilewall::survey {

/// The two checks of a medium, reading and decoding, before they are measured.
[[nodiscard]] std::vector<SurveyCheck> media_checks(const MediaSubject& media);

/// Measures for twice `media.time`, and as long again as a frame takes. Threads: one for each CPU
/// while it decodes. Throws InputError naming what cannot be opened.
[[nodiscard]] std::vector<SurveyCheck> measure_media(const MediaSubject& media);

/// What was measured of reading or decoding.
struct MeasuredRate {
  double frames = 0;  ///< a frame's share for all panels of this host counts as one
  double seconds = 0;
  double units = 0;  ///< bytes, or pixels
};

/// Enters a rate into a check: green from 1.2 times the needed rate on, amber from the needed rate
/// on, else red. `unit`: text of so many units per second. A still (`fps` = 0) needs no rate.
void judge_rate(SurveyCheck& check, const MeasuredRate& rate, Rational fps,
                std::string (*unit)(double per_second));

inline constexpr double comfortable_share = 1.2;

}  // namespace tilewall::survey
