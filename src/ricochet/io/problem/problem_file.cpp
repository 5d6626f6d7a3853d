#include "ricochet/io/problem/problem_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/file/output.hpp"
#include "ricochet/io/file/text_file.hpp"
#include "ricochet/io/problem/forms.hpp"

namespace ricochet {

const char* name(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::lcp: return "linear complementarity";
    case ProblemKind::mlcp: return "mixed linear complementarity";
    case ProblemKind::friction: return "friction";
    case ProblemKind::global_friction: return "friction, global";
    case ProblemKind::cone: return "second-order cone";
  }
  return "";
}

namespace detail {

ProblemKind classify(const std::vector<ConeBlock>& blocks) {
  bool free = false, coulomb = false, cone = false;
  for (const ConeBlock& block : blocks) {
    free = free || block.cone == Cone::free;
    coulomb = coulomb || block.cone == Cone::coulomb;
    cone = cone || block.cone == Cone::second_order;
  }
  return coulomb ? ProblemKind::friction : cone ? ProblemKind::cone : free ? ProblemKind::mlcp : ProblemKind::lcp;
}

void condense(ProblemData& data, const std::string& where) {
  if (!ricochet::condense(data.global, data.W, data.b))
    throw InputError(where, "the mass matrix M is singular; accepted: regular");
}

}  // namespace detail

namespace {

std::string contents(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return read_text_file(path, std::max<std::uint64_t>(error ? 0 : size, kLargestPipe), "a problem file");
}

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";

}  // namespace

ProblemData read_problem(const std::filesystem::path& path) {
  std::string text = contents(path);
  ProblemData data;
  if (text.starts_with(kHdf5)) {
    data = detail::read_fclib(path);
  } else {
    if (text.find('\0') != std::string::npos || text.find_first_not_of(" \t\r\n") == std::string::npos)
      throw InputError(path.string(), text.empty() ? "the file is empty"
                                                   : "is no problem file; accepted: fc3d, fc2d, lcp or cones text, "
                                                     "Siconos' .dat, FCLIB's HDF5");
    const bool plain = detail::is_plain_text(text);
    detail::NumberText numbers(path.string(), std::move(text));
    data = plain ? detail::read_plain_text(numbers) : detail::read_siconos(numbers);
  }
  if (data.kind == ProblemKind::global_friction) detail::condense(data, path.string());
  return data;
}

void write_problem(const std::filesystem::path& path, const ProblemData& data) {
  const std::string ending = path.extension().string();
  if (ending == ".hdf5" || ending == ".h5") return detail::write_fclib(path, data);
  std::string text;
  if (ending == ".dat") {
    text = detail::siconos_text(data, path.string());
  } else if (ending == ".fc3d" || ending == ".fc2d" || ending == ".lcp" || ending == ".cones") {
    text = detail::plain_text(data, ending.substr(1), path.string());
  } else {
    throw InputError(path.string(), fmt::format("'{}' is no form of problem files; accepted: .fc3d, .fc2d, .lcp, "
                                                ".cones, .dat, .hdf5, .h5",
                                                ending));
  }
  write_file(path, text);
}

ProblemData problem_data(const Problem& problem) {
  ProblemData data;
  data.blocks = problem.blocks;
  data.kind = detail::classify(data.blocks);
  const int m = problem.rows;
  data.b = Eigen::Map<const VectorXd>(problem.b.data(), m);
  std::vector<Eigen::Triplet<double>> entries;
  problem.W.for_each_entry([&](int i, int j, double value) {
    if (value != 0) entries.emplace_back(i, j, value);
  });
  data.W = detail::compress(m, m, entries);
  return data;
}

LoadedProblem make_problem(const ProblemData& data) {
  LoadedProblem out;
  for (const bool free : {true, false})
    for (std::size_t k = 0; k < data.blocks.size(); ++k) {
      const ConeBlock& block = data.blocks[k];
      if ((block.cone == Cone::free) != free) continue;
      out.block_of.push_back(static_cast<int>(k));
      out.problem.blocks.push_back(block.at(static_cast<int>(out.row_of.size())));
      for (int i = 0; i < block.dim; ++i) out.row_of.push_back(block.row + i);
    }
  Problem& problem = out.problem;
  problem.rows = data.rows();
  problem.b.need(problem.rows);
  std::vector<int> place(out.row_of.size());
  bool moved = false;
  for (std::size_t i = 0; i < place.size(); ++i) {
    problem.b[static_cast<Index>(i)] = data.b[out.row_of[i]];
    place[static_cast<std::size_t>(out.row_of[i])] = static_cast<int>(i);
    moved = moved || out.row_of[i] != static_cast<int>(i);
  }
  if (!moved) {
    store(data.W, problem.blocks, problem.W);
    return out;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < data.W.outerSize(); ++i)
    for (SparseRows::InnerIterator it(data.W, i); it; ++it)
      entries.emplace_back(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(it.col())], it.value());
  store(detail::compress(problem.rows, problem.rows, entries), problem.blocks, problem.W);
  return out;
}

}  // namespace ricochet
