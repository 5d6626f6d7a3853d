// A direct-threaded accumulator machine: each instruction ends in a jump to the next one's label, which stands in the
// code itself. An operation costs its operand's index, its arithmetic, and a share of two instructions of dispatch.
#include "ricochet/math/expression/interpreter.hpp"

#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/sincos.hpp"

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values

namespace ricochet::tape {
namespace {

template <Micro m, int at>
[[gnu::always_inline]] inline double apply_one(double acc, double* w, const Tape::Word* ip) {
  constexpr int n = operand_count(m);
  const auto slot = [ip](int k) { return ip[1 + (at + k) / 2].slot[(at + k) % 2]; };
  const std::uint32_t a = n > 0 ? slot(0) : 0, b = n > 1 ? slot(1) : 0;
  if constexpr (m == Micro::load) return w[a];
  if constexpr (m == Micro::add) return acc + w[a];
  if constexpr (m == Micro::sub) return acc - w[a];
  if constexpr (m == Micro::rsub) return w[a] - acc;
  if constexpr (m == Micro::mul) return acc * w[a];
  if constexpr (m == Micro::div) return acc / w[a];
  if constexpr (m == Micro::rdiv) return w[a] / acc;
  if constexpr (m == Micro::addmul) return acc + w[a] * w[b];
  if constexpr (m == Micro::submul) return acc - w[a] * w[b];
  if constexpr (m == Micro::rsubmul) return w[a] * w[b] - acc;
  if constexpr (m == Micro::sqr) return acc * acc;
  if constexpr (m == Micro::neg) return -acc;
  if constexpr (m == Micro::store) {
    w[a] = acc;
    return acc;
  }
  if constexpr (m == Micro::sincos) {
    const SineCosine both = sine_cosine(acc);
    w[a] = both.sine;
    w[b] = both.cosine;
    return both.cosine;
  }
  if constexpr (m == Micro::sincos2) {  // arguments, then sines and cosines in turn
    const SineCosine2 both = sine_cosine_pair(w[a], w[b]);
    w[slot(2)] = both.sine[0];
    w[slot(3)] = both.cosine[0];
    w[slot(4)] = both.sine[1];
    w[slot(5)] = both.cosine[1];
    return both.cosine[1];
  }
  if constexpr (m == Micro::sin) return sine_cosine(acc).sine;
  if constexpr (m == Micro::cos) return sine_cosine(acc).cosine;
  if constexpr (m == Micro::tan) return elementary::tan(acc);
  if constexpr (m == Micro::asin) return elementary::asin(acc);
  if constexpr (m == Micro::acos) return elementary::acos(acc);
  if constexpr (m == Micro::atan) return elementary::atan(acc);
  if constexpr (m == Micro::sinh) return elementary::sinh(acc);
  if constexpr (m == Micro::cosh) return elementary::cosh(acc);
  if constexpr (m == Micro::tanh) return elementary::tanh(acc);
  if constexpr (m == Micro::exp) return elementary::exp(acc);
  if constexpr (m == Micro::log) return elementary::log(acc);
  if constexpr (m == Micro::sqrt) return std::sqrt(acc);
  if constexpr (m == Micro::abs) return std::abs(acc);
  if constexpr (m == Micro::sign) return apply(Op::sign, acc);
  if constexpr (m == Micro::step) return apply(Op::step, acc);
  if constexpr (m == Micro::pow) return elementary::pow(acc, w[a]);
  if constexpr (m == Micro::atan2) return elementary::atan2(acc, w[a]);
  if constexpr (m == Micro::hypot) return elementary::hypot(acc, w[a]);
  if constexpr (m == Micro::min) return acc < w[a] ? acc : w[a];
  if constexpr (m == Micro::max) return acc > w[a] ? acc : w[a];
}

template <int at, Micro m, Micro... rest>
[[gnu::always_inline]] inline double apply_all(double acc, const Tape::Word* ip, double* w) {
  acc = apply_one<m, at>(acc, w, ip);
  if constexpr (sizeof...(rest) > 0) return apply_all<at + operand_count(m), rest...>(acc, ip, w);
  return acc;
}

template <Micro... all>
constexpr int words() {
  return 1 + ((operand_count(all) + ... + 0) + 1) / 2;
}

struct Sequence {
  constexpr Sequence(std::initializer_list<Micro> list) {
    for (Micro m : list) micro[length++] = m;
  }
  Micro micro[8] = {};
  int length = 0;
};

// clang-format off
// H(name, micro-operations...) for every instruction: the chains of one or two of the seven common operations, begun by
// a load or not, ended by a store or not; sums that begin with a product, of up to three; a value that goes to several
// outputs, also with the other sign; everything by itself.
#define RICOCHET_CHAIN2(H, A, B) \
  H(c_##A##_##B, A, B) H(cs_##A##_##B, A, B, store) H(l_##A##_##B, load, A, B) H(ls_##A##_##B, load, A, B, store)
#define RICOCHET_CHAIN1(H, A) \
  H(c_##A, A) H(cs_##A, A, store) H(l_##A, load, A) H(ls_##A, load, A, store) \
  H(css_##A, A, store, store) H(lss_##A, load, A, store, store) \
  H(cns_##A, A, neg, store) H(lns_##A, load, A, neg, store) \
  H(csns_##A, A, store, neg, store) H(lsns_##A, load, A, store, neg, store) \
  RICOCHET_CHAIN2(H, A, add) RICOCHET_CHAIN2(H, A, sub) RICOCHET_CHAIN2(H, A, rsub) RICOCHET_CHAIN2(H, A, mul) \
  RICOCHET_CHAIN2(H, A, addmul) RICOCHET_CHAIN2(H, A, submul) RICOCHET_CHAIN2(H, A, rsubmul)
#define RICOCHET_SUM3(H, B, C) H(m_##B##_##C, load, mul, B, C) H(ms_##B##_##C, load, mul, B, C, store)
#define RICOCHET_SUM2(H, B) \
  RICOCHET_SUM3(H, B, add) RICOCHET_SUM3(H, B, sub) RICOCHET_SUM3(H, B, mul) RICOCHET_SUM3(H, B, addmul) \
  RICOCHET_SUM3(H, B, submul)
#define RICOCHET_FUNCTION(H, F) H(f_##F, F) H(fs_##F, F, store)
#define RICOCHET_INSTRUCTIONS(H) \
  RICOCHET_CHAIN1(H, add) RICOCHET_CHAIN1(H, sub) RICOCHET_CHAIN1(H, rsub) RICOCHET_CHAIN1(H, mul) \
  RICOCHET_CHAIN1(H, addmul) RICOCHET_CHAIN1(H, submul) RICOCHET_CHAIN1(H, rsubmul) \
  RICOCHET_SUM2(H, add) RICOCHET_SUM2(H, sub) RICOCHET_SUM2(H, mul) RICOCHET_SUM2(H, addmul) RICOCHET_SUM2(H, submul) \
  H(l, load) H(ls, load, store) H(lss, load, store, store) H(lsns, load, store, neg, store) \
  H(s, store) H(ss, store, store) H(sss, store, store, store) H(ssss, store, store, store, store) \
  H(nss, neg, store, store) H(nssss, neg, store, store, store, store) H(sns, store, neg, store) \
  H(snssss, store, neg, store, store, store, store) H(snss, store, neg, store, store) \
  H(ssns, store, store, neg, store) H(ssnss, store, store, neg, store, store) \
  H(l_mul_mul_ns, load, mul, mul, neg, store) H(l_mul_ssnss, load, mul, store, store, neg, store, store) \
  H(sincos2, sincos2) H(l_sincos, load, sincos) H(l_sub_sincos, load, sub, sincos) H(l_add_sincos, load, add, sincos) \
  H(sincos, sincos) H(l_div, load, div) H(ls_div, load, div, store) H(l_mul_div, load, mul, div) \
  H(ls_mul_div, load, mul, div, store) H(l_neg, load, neg) H(ls_neg, load, neg, store) \
  RICOCHET_FUNCTION(H, div) RICOCHET_FUNCTION(H, rdiv) RICOCHET_FUNCTION(H, sqr) RICOCHET_FUNCTION(H, neg) \
  RICOCHET_FUNCTION(H, sqrt) RICOCHET_FUNCTION(H, abs) RICOCHET_FUNCTION(H, sin) RICOCHET_FUNCTION(H, cos) \
  RICOCHET_FUNCTION(H, tan) RICOCHET_FUNCTION(H, asin) RICOCHET_FUNCTION(H, acos) RICOCHET_FUNCTION(H, atan) \
  RICOCHET_FUNCTION(H, sinh) RICOCHET_FUNCTION(H, cosh) RICOCHET_FUNCTION(H, tanh) RICOCHET_FUNCTION(H, exp) \
  RICOCHET_FUNCTION(H, log) RICOCHET_FUNCTION(H, sign) RICOCHET_FUNCTION(H, step) RICOCHET_FUNCTION(H, pow) \
  RICOCHET_FUNCTION(H, atan2) RICOCHET_FUNCTION(H, hypot) RICOCHET_FUNCTION(H, min) RICOCHET_FUNCTION(H, max)
// clang-format on

/// Runs the code; without code, answers with the labels in the order of RICOCHET_INSTRUCTIONS, halt last.
const void* const* machine(const Tape::Word* ip, double* w) {
  using enum Micro;
#define RICOCHET_LABEL(NAME, ...) &&on_##NAME,
  static const void* const labels[] = {RICOCHET_INSTRUCTIONS(RICOCHET_LABEL) && on_halt};
#undef RICOCHET_LABEL
  if (ip == nullptr) return labels;
  double acc = 0;
  goto * ip->label;
#define RICOCHET_HANDLER(NAME, ...)                        \
  on_##NAME : acc = apply_all<0, __VA_ARGS__>(acc, ip, w); \
  ip += words<__VA_ARGS__>();                              \
  goto * ip->label;
  RICOCHET_INSTRUCTIONS(RICOCHET_HANDLER)
#undef RICOCHET_HANDLER
on_halt:
  return nullptr;
}

}  // namespace

std::vector<Instruction> instructions() {
  using enum Micro;
  // a table, not a list of calls: the compiler tracks it in no time
#define RICOCHET_SEQUENCE(NAME, ...) Sequence({__VA_ARGS__}),
  static constexpr Sequence kSequences[] = {RICOCHET_INSTRUCTIONS(RICOCHET_SEQUENCE) Sequence({halt})};
#undef RICOCHET_SEQUENCE
  const void* const* label = machine(nullptr, nullptr);
  std::vector<Instruction> all;
  for (const Sequence& s : kSequences) all.push_back({{s.micro, s.micro + s.length}, *label++});
  return all;
}

void interpret(const Tape::Word* code, double* work) { machine(code, work); }

}  // namespace ricochet::tape
