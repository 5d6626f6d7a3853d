#include <algorithm>
#include <cassert>

#include "ricochet/math/expression/program.hpp"

namespace ricochet::tape {
namespace {

Micro micro(Op f) {
  switch (f) {
    case Op::sin: return Micro::sin;
    case Op::cos: return Micro::cos;
    case Op::tan: return Micro::tan;
    case Op::asin: return Micro::asin;
    case Op::acos: return Micro::acos;
    case Op::atan: return Micro::atan;
    case Op::sinh: return Micro::sinh;
    case Op::cosh: return Micro::cosh;
    case Op::tanh: return Micro::tanh;
    case Op::exp: return Micro::exp;
    case Op::log: return Micro::log;
    case Op::sqrt: return Micro::sqrt;
    case Op::abs: return Micro::abs;
    case Op::sign: return Micro::sign;
    case Op::step: return Micro::step;
    case Op::pow: return Micro::pow;
    case Op::atan2: return Micro::atan2;
    case Op::hypot: return Micro::hypot;
    case Op::min: return Micro::min;
    case Op::max: return Micro::max;
    default: assert(false); return Micro::neg;
  }
}

bool is_leaf(const Value& v) { return v.kind == Kind::input || v.kind == Kind::constant; }

}  // namespace

Emitter::Emitter(const Program& program, std::span<const Ref> outputs)
    : program_(program),
      uses_(static_cast<std::size_t>(program.size())),
      place_(static_cast<std::size_t>(program.size()), -1),
      group_(static_cast<std::size_t>(program.size()), -1),
      target_(static_cast<std::size_t>(program.size()), -1),
      next_(program.size() + static_cast<int>(outputs.size())) {
  count_uses(outputs);
  pair_groups();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Ref r = outputs[k];
    const int home = output_operand(static_cast<int>(k));
    int& target = target_[static_cast<std::size_t>(r.value)];
    if (!is_leaf(program[r.value]) && !r.negative && target < 0)
      target = home;
    else
      copies_.emplace(r, home);
  }
  for (const Ref& r : outputs) {
    if (program[r.value].kind == Kind::constant) continue;  // set once, by Tape::prepare
    if (target_[static_cast<std::size_t>(r.value)] >= 0) place(r.value);
    if (copies_.contains({r.value, false}) || copies_.contains({r.value, true})) store_copies(r.value);
  }
}

/// To every output that is this value once more, or its negative.
void Emitter::store_copies(int v) {
  if (const Ref plain{v, false}; copies_.contains(plain) || !inlined(v)) {
    to_accumulator(v);
    for (auto [it, end] = copies_.equal_range(plain); it != end; ++it) emit(Micro::store, it->second);
    copies_.erase(plain);
    if (copies_.contains({v, true})) emit(Micro::neg);
  } else {
    to_accumulator(v, true);
  }
  const Ref negative{v, true};
  for (auto [it, end] = copies_.equal_range(negative); it != end; ++it) emit(Micro::store, it->second);
  copies_.erase(negative);
}

void Emitter::count_uses(std::span<const Ref> outputs) {
  std::vector<int> reached;
  const auto use = [&](int v) {
    if (uses_[static_cast<std::size_t>(v)]++ == 0) reached.push_back(v);
  };
  for (const Ref& r : outputs) use(r.value);
  std::map<Ref, int> by_argument;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int v = reached[i];
    const Value& value = program_[v];
    if (value.kind == Kind::function && (value.function == Op::sin || value.function == Op::cos)) {
      const auto [it, is_new] = by_argument.try_emplace(value.operands[0], static_cast<int>(groups_.size()));
      if (is_new) groups_.push_back({value.operands[0]});
      group_[static_cast<std::size_t>(v)] = it->second;
      Trigonometry& group = groups_[static_cast<std::size_t>(it->second)];
      (value.function == Op::sin ? group.sine : group.cosine) = v;
      if (!is_new) continue;  // sine and cosine together read their argument once
    }
    for (const Ref& r : value.operands) use(r.value);
  }
}

/// Two by two those whose arguments are made of inputs alone, so that no argument waits for the other's result.
void Emitter::pair_groups() {
  int waiting = -1;
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
    Trigonometry& group = groups_[static_cast<std::size_t>(g)];
    const Value& argument = program_[group.argument.value];
    const bool is_simple =
        argument.kind == Kind::input ||
        (argument.kind != Kind::function &&
         std::ranges::all_of(argument.operands, [&](const Ref& r) { return is_leaf(program_[r.value]); }));
    if (!is_simple) continue;
    if (waiting >= 0) {
      group.paired = waiting;
      groups_[static_cast<std::size_t>(waiting)].paired = g;
      waiting = -1;
    } else {
      waiting = g;
    }
  }
}

/// Sine or cosine that is computed with others, and so has a place.
bool Emitter::is_joint(int v) const {
  const int g = group_[static_cast<std::size_t>(v)];
  if (g < 0) return false;
  const Trigonometry& group = groups_[static_cast<std::size_t>(g)];
  return group.paired >= 0 || (group.sine >= 0 && group.cosine >= 0);
}

int Emitter::home(int v) const {
  const int target = target_[static_cast<std::size_t>(v)];
  return target >= 0 ? target : v;
}

void Emitter::place_group(int g) {
  const auto result = [this](int v) { return v < 0 ? next_++ : where(v) = home(v); };
  Trigonometry& first = groups_[static_cast<std::size_t>(g)];
  if (first.paired < 0) {
    argument_to_accumulator(first.argument);
    const int sine = result(first.sine), cosine = result(first.cosine);
    emit(Micro::sincos, sine, cosine);
    return;
  }
  Trigonometry& second = groups_[static_cast<std::size_t>(first.paired)];
  const int a = place(first.argument), b = place(second.argument);
  MicroOp both{Micro::sincos2, {a, b}};
  both.operand[2] = result(first.sine);
  both.operand[3] = result(first.cosine);
  both.operand[4] = result(second.sine);
  both.operand[5] = result(second.cosine);
  code.push_back(both);
}

/// Computed where it is used, without a place of its own.
bool Emitter::inlined(int v) const {
  const auto i = static_cast<std::size_t>(v);
  return uses_[i] == 1 && place_[i] < 0 && !is_joint(v) && !is_leaf(program_[v]);
}

int Emitter::place(int v) {
  if (where(v) >= 0) return where(v);
  const Value& value = program_[v];
  if (is_leaf(value)) return where(v) = v;
  if (is_joint(v)) {
    place_group(group_[static_cast<std::size_t>(v)]);
    return where(v);
  }
  switch (value.kind) {
    case Kind::sum: sum_to_accumulator(value, false); break;
    case Kind::product: product_to_accumulator(value); break;
    case Kind::quotient: quotient_to_accumulator(value); break;
    default: function_to_accumulator(value); break;
  }
  where(v) = home(v);
  emit(Micro::store, where(v));
  if (copies_.contains({v, false}) || copies_.contains({v, true})) store_copies(v);
  return where(v);
}

int Emitter::place(Ref r) {
  if (!r.negative) return place(r.value);
  const int fresh = next_++;
  if (program_[r.value].kind == Kind::constant) {
    extra_constants.emplace(fresh, -program_[r.value].number);
  } else {
    to_accumulator(r.value, true);
    emit(Micro::store, fresh);
  }
  return fresh;
}

void Emitter::to_accumulator(int v, bool negative) {
  const Value& value = program_[v];
  if (value.kind == Kind::constant && negative) {
    emit(Micro::load, place(Ref{v, true}));
    return;
  }
  if (!inlined(v)) {
    const int from = place(v);
    // still in the accumulator if it was stored last
    if (code.empty() || code.back().op != Micro::store || code.back().operand[0] != from) emit(Micro::load, from);
  } else if (value.kind == Kind::sum) {
    return sum_to_accumulator(value, negative);
  } else if (value.kind == Kind::product) {
    negative = product_to_accumulator(value, negative);
  } else if (value.kind == Kind::quotient) {
    quotient_to_accumulator(value);
  } else {
    function_to_accumulator(value);
  }
  if (negative) emit(Micro::neg);
}

void Emitter::argument_to_accumulator(Ref r) { to_accumulator(r.value, r.negative); }

/// A product that a multiply-add can take: two places.
bool Emitter::is_pair(Ref term) const { return inlined(term.value) && program_[term.value].kind == Kind::product; }

void Emitter::sum_to_accumulator(const Value& v, bool negative) {
  std::vector<Ref> terms = v.operands;
  const bool flip = negative && std::ranges::any_of(terms, [](const Ref& r) { return r.negative; });
  if (flip)
    for (Ref& r : terms) r.negative = !r.negative;

  // what starts in the accumulator: something that has no other way, else a positive product, else a positive place
  const auto rank = [this](const Ref& r) {
    if (is_pair(r)) return r.negative ? 5 : 2;
    if (inlined(r.value)) return r.negative ? 1 : 0;
    return r.negative ? 5 : 3;
  };
  const auto first = std::ranges::min_element(terms, {}, rank);
  std::rotate(terms.begin(), first, first + 1);
  if (terms[0].negative) {  // a positive term is next, to be subtracted from
    const auto positive = std::find_if(terms.begin() + 1, terms.end(), [](const Ref& r) { return !r.negative; });
    if (positive != terms.end()) std::rotate(terms.begin() + 1, positive, positive + 1);
  }

  struct Operands {
    int a, b;
  };
  std::vector<Operands> operands(terms.size(), {-1, -1});
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (!is_pair(terms[i])) {
      operands[i].a = place(terms[i].value);
      continue;
    }
    // all factors but the last become one place
    const Value& product = program_[terms[i].value];
    Value head = product;
    head.operands.pop_back();
    operands[i].b = place(product.operands.back().value);
    if (head.operands.size() == 1) {
      operands[i].a = place(head.operands[0].value);
    } else {
      product_to_accumulator(head);
      operands[i].a = next_++;
      emit(Micro::store, operands[i].a);
    }
  }

  bool is_negative = terms[0].negative;
  to_accumulator(terms[0].value, false);
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const auto [a, b] = operands[i];
    if (is_negative && !terms[i].negative) {
      b < 0 ? emit(Micro::rsub, a) : emit(Micro::rsubmul, a, b);
      is_negative = false;
    } else if (terms[i].negative == is_negative) {
      b < 0 ? emit(Micro::add, a) : emit(Micro::addmul, a, b);
    } else {
      b < 0 ? emit(Micro::sub, a) : emit(Micro::submul, a, b);
    }
  }
  if (is_negative != (negative && !flip)) emit(Micro::neg);
}

/// A constant among the factors takes the sign. Returns whether it is still to be changed.
bool Emitter::product_to_accumulator(const Value& v, bool negative) {
  std::vector<Ref> factors = v.operands;
  const auto constant =
      std::ranges::find(factors, Kind::constant, [this](const Ref& r) { return program_[r.value].kind; });
  if (negative && constant != factors.end()) {
    constant->negative = true;
    negative = false;
  }
  // (expression)^2, needed nowhere else: no place, the accumulator times itself
  for (std::size_t i = 0; i + 1 < factors.size(); ++i) {
    const int x = factors[i].value;
    const auto k = static_cast<std::size_t>(x);
    if (factors[i + 1].value != x || uses_[k] != 2 || place_[k] >= 0 || is_joint(x) || is_leaf(program_[x])) continue;
    factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i),
                  factors.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    std::vector<int> places;
    for (const Ref& r : factors) places.push_back(place(r));
    if (place_[k] >= 0) {  // the other factors needed it after all
      emit(Micro::load, place_[k]);
    } else {
      uses_[k] = 1;
      to_accumulator(x);
    }
    emit(Micro::sqr);
    for (int p : places) emit(Micro::mul, p);
    return negative;
  }
  const auto complex = std::ranges::find_if(factors, [this](const Ref& r) { return inlined(r.value); });
  if (complex != factors.end()) std::rotate(factors.begin(), complex, complex + 1);
  std::vector<int> places;
  for (std::size_t i = 1; i < factors.size(); ++i) places.push_back(place(factors[i]));
  to_accumulator(factors[0].value, factors[0].negative);
  for (int p : places) emit(Micro::mul, p);
  return negative;
}

void Emitter::quotient_to_accumulator(const Value& v) {
  const int over = v.operands[0].value, under = v.operands[1].value;
  if (!inlined(over) && inlined(under)) {
    const int numerator = place(over);
    to_accumulator(under);
    emit(Micro::rdiv, numerator);
  } else {
    const int denominator = place(under);
    to_accumulator(over);
    emit(Micro::div, denominator);
  }
}

void Emitter::function_to_accumulator(const Value& v) {
  const int second = v.operands.size() > 1 ? place(v.operands[1]) : -1;
  argument_to_accumulator(v.operands[0]);
  emit(micro(v.function), second);
}

}  // namespace ricochet::tape
