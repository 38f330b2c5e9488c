// Size, date and hash of files, taken on the requester's machine and on each host, and compared.
//
// Threads: free functions without state. Every function may block for as long as a disk does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/survey/survey_request.hpp"

namespace tilewall::survey {

enum class Hashing { none, contents };

/// Facts about a file, a folder with all that is below it, or the files `names` of a folder. The
/// hash of several files covers their names below `path`, in order of names, sizes and contents.
/// Throws InputError naming a file that is missing or cannot be read, and one that is neither file
/// nor folder.
[[nodiscard]] FileFacts facts_of(const std::filesystem::path& path,
                                 const std::vector<std::string>& names, Hashing hashing);

/// The check of a subject whose files have these facts here. Another number or size of files, or
/// another hash, is red. Where there is no hash, another date is amber, because copies may have
/// one.
[[nodiscard]] SurveyCheck compare_files(const FileSubject& subject, const FileFacts& found);

/// Looks at the subject's files and compares them.
[[nodiscard]] SurveyCheck check_files(const FileSubject& subject);

/// Dates of file systems that differ by less are equal: FAT counts in steps of two seconds.
inline constexpr std::int64_t same_date_ns = 2'000'000'000;

/// The name of a subject for people: "/media/a.mp4", "/stills/a.jpg and 11 more".
[[nodiscard]] std::string subject_name(const std::filesystem::path& path,
                                       const std::vector<std::string>& names);

/// "1.4 GB", "12 bytes".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace tilewall::survey
