#include "ricochet/io/problem/dump.hpp"

#include <fmt/format.h>

#include <charconv>

#include "ricochet/io/error.hpp"
#include "ricochet/math/orthogonal.hpp"

namespace ricochet {
namespace {

[[noreturn]] void refuse(const std::string& part) {
  throw InputError(
      "--dump-problems",
      fmt::format("'{}' is no rule; accepted: all, failed, every=N, steps=A:B, time=A:B, contacts=N, joined "
                  "by commas",
                  part));
}

template <class Number>
Number number(std::string_view text, const std::string& part) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0)) refuse(part);
  return value;
}

/// "A:B"; either may be missing.
template <class Number>
void range(std::string_view text, const std::string& part, Number& from, Number& to) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(part);
  if (colon > 0) from = number<Number>(text.substr(0, colon), part);
  if (colon + 1 < text.size()) to = number<Number>(text.substr(colon + 1), part);
  if (colon + 1 < text.size() && to < from) refuse(part);
}

}  // namespace

DumpRule parse_dump_rule(const std::string& text) {
  DumpRule rule;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string word = part.substr(0, equal);
    const std::string_view value = equal < part.size() ? std::string_view(part).substr(equal + 1) : std::string_view{};
    if (part == "failed") {
      rule.failed = true;
    } else if (word == "every") {
      rule.every = number<std::int64_t>(value, part);
      if (rule.every == 0) refuse(part);
    } else if (word == "steps") {
      range(value, part, rule.first, rule.last);
    } else if (word == "time") {
      rule.to = std::numeric_limits<double>::infinity();
      range(value, part, rule.from, rule.to);
    } else if (word == "contacts") {
      rule.contacts = number<int>(value, part);
    } else if (part != "all") {
      refuse(part);
    }
    at = comma + 1;
  }
  return rule;
}

void check_dump_form(const std::string& form) {
  static const std::string kForms[] = {"cones", "fc3d", "fc2d", "lcp", "dat", "hdf5", "h5"};
  if (std::find(std::begin(kForms), std::end(kForms), form) == std::end(kForms))
    throw InputError("--dump-form", unknown_word("form", form, kForms));
}

ProblemDump::ProblemDump(const DumpRule& rule, std::filesystem::path folder, std::string form)
    : rule_(rule), folder_(std::move(folder)), form_(std::move(form)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw InputError(folder_.string(), "the folder cannot be made: " + error.message());
}

bool ProblemDump::wanted(const Problem& problem, const Solution& solution) const {
  int contacts = 0;
  for (const ConeBlock& block : problem.blocks) contacts += block.cone != Cone::free ? 1 : 0;
  return (!rule_.failed || solution.status != SolveStatus::converged) && step_ % rule_.every == 0 &&
         step_ >= rule_.first && (rule_.last < 0 || step_ <= rule_.last) &&
         (rule_.to == rule_.from || (t_ >= rule_.from && t_ <= rule_.to)) && contacts >= std::max(1, rule_.contacts);
}

void ProblemDump::solved(const Problem& problem, const Solution& solution) {
  ++in_step_;
  if (!wanted(problem, solution)) return;
  if (written_ == kMost) {
    ++skipped_;
    return;
  }
  ProblemData data = problem_data(problem);
  data.title = fmt::format("step {} at t = {:.17g}, problem {}", step_, t_, in_step_);
  if (form_ != "cones" && form_ != "dat") data = without_joints(data);
  try {
    write_problem(folder_ / fmt::format("step{:06}-{}.{}", step_, in_step_, form_), data);
    ++written_;
  } catch (const InputError&) {
    ++skipped_;  // not of this form: other cones
  }
}

void ProblemDump::step_done(double t) {
  ++step_;
  t_ = t;
  in_step_ = 0;
}

ProblemData without_joints(const ProblemData& data) {
  std::vector<int> joints, contacts;
  ProblemData out;
  out.title = data.title;
  for (const ConeBlock& block : data.blocks) {
    if (block.cone != Cone::free) out.blocks.push_back(block.at(static_cast<int>(contacts.size())));
    for (int i = block.row; i < block.row + block.dim; ++i) (block.cone == Cone::free ? joints : contacts).push_back(i);
  }
  if (joints.empty()) return data;
  const Eigen::MatrixXd W(data.W);
  const Eigen::MatrixXd Wcj = W(contacts, joints);
  const Orthogonal inner(W(joints, joints));
  const Eigen::MatrixXd X = inner.solve(Eigen::MatrixXd(W(joints, contacts)));
  const VectorXd y = inner.solve(VectorXd(data.b(joints)));
  out.W = Eigen::MatrixXd(W(contacts, contacts) - Wcj * X).sparseView(0, 0);
  out.b = data.b(contacts) - Wcj * y;
  bool friction = false, cone = false;
  for (const ConeBlock& block : out.blocks) {
    friction = friction || block.cone == Cone::coulomb;
    cone = cone || block.cone == Cone::second_order;
  }
  out.kind = friction ? ProblemKind::friction : cone ? ProblemKind::cone : ProblemKind::lcp;
  return out;
}

}  // namespace ricochet
