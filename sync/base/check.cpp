#include "sync/base/check.hpp"

#include <cstring>

namespace tilewall {

void throw_check_failed(const char* file, int line, const char* condition,
                        std::string_view values) {
  throw InternalError(fmt::format("internal error at {}:{}: {} is false{}{}", file, line, condition,
                                  values.empty() ? "" : ": ", values));
}

void throw_errno(std::string_view call, int error_number) {
  throw JobError(fmt::format("{}: {}", call, std::strerror(error_number)));
}

}  // namespace tilewall
