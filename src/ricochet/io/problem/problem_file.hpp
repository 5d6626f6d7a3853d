#pragma once
// Complementarity and friction problems as files; docs/problem-files.md describes the forms.
//
//   fc3d, fc2d, lcp        plain text, triplets
//   cones                  the same for any mixture of cones
//   .dat                   Siconos' text: FC3D, FC2D, GFC3D (dense, sparse-block or CSparse), MLCP, SOCLCP
//   .hdf5, .h5             FCLIB, local or global
//
// What a file is follows from its contents, not from its name. Damaged, truncated, non-finite or wrongly sized files
// are an InputError with file and line, or with the path inside an HDF5 file. Solutions and guesses stored in a file
// are not read: they are not part of the problem.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ricochet/solver/global.hpp"

namespace ricochet {

enum class ProblemKind : std::uint8_t { lcp, mlcp, friction, global_friction, cone };
const char* name(ProblemKind kind);

/// The contents of a file, rows in its order.
struct ProblemData {
  ProblemKind kind = ProblemKind::lcp;
  std::string title;
  std::vector<ConeBlock> blocks;  ///< rows contiguous; free rows may stand anywhere
  SparseRows W;
  VectorXd b;
  GlobalProblem global;  ///< for global_friction; W and b are condensed from it

  int rows() const { return static_cast<int>(b.size()); }
};

ProblemData read_problem(const std::filesystem::path& path);

/// By the file's ending: .fc3d .fc2d .lcp .cones .dat .hdf5 .h5. InputError if the form cannot hold the problem.
void write_problem(const std::filesystem::path& path, const ProblemData& data);

/// A problem out of a run.
ProblemData problem_data(const Problem& problem);

/// The problem that solvers take: free rows first.
struct LoadedProblem {
  Problem problem;
  std::vector<int> row_of;    ///< row in the file of each row of the problem
  std::vector<int> block_of;  ///< block in the file of each block of the problem
};
LoadedProblem make_problem(const ProblemData& data);

}  // namespace ricochet
