#include "net/mpi/mpi_job.hpp"

#include <mpi.h>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

void check_mpi(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw JobError(fmt::format("{}: {}", call, text));
}

}  // namespace

MpiJob::MpiJob() {
  check_mpi(MPI_Init(nullptr, nullptr), "MPI_Init");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
}

MpiJob::~MpiJob() { MPI_Finalize(); }

void MpiJob::barrier() { check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

std::int64_t MpiJob::broadcast(std::int64_t value) {
  check_mpi(MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return value;
}

std::vector<std::int64_t> MpiJob::gather(const std::vector<std::int64_t>& values) {
  std::vector<std::int64_t> all(rank_ == 0 ? values.size() * static_cast<std::size_t>(size_) : 0);
  const int count = static_cast<int>(values.size());
  check_mpi(MPI_Gather(values.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, 0,
                       MPI_COMM_WORLD),
            "MPI_Gather");
  return all;
}

}  // namespace tilewall::net
