// Fusion of two steps. Two reductions of the same, as its minimum and its maximum, read it once
// (withReduction). Others are an element-wise step (the reader) and a step that computes one of its
// inputs (the writer). There are three forms:
//  - withTail: the writer is, say, a convolution, and its kernel applies the reader as a tail.
//  - withElementWise: the writer is element-wise with the same shape. Either of the two may sum what
//    it computes for each channel. A reader that does nothing else takes the writer's place.
//  - intoProduct: the writer is a matrix product, and the reader adds its result to a variable, as
//    in the update of a weight by its gradient.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "engine/passes/accumulate.hpp"
#include "engine/passes/element_wise.hpp"
#include "engine/passes/passes.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/reduction/extrema.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

using Extent = Tail::Extent;

// Limits of a fused element-wise step: enough for common chains, few enough to compile quickly.
// Fuse::contract() names them.
constexpr std::size_t kMostOperands = 12, kMostValues = 64;

/// How a tensor is broadcast: Scalar, one element for all; Channel and Column, one for each of these;
/// Full, not broadcast. Nothing for any other broadcast.
std::optional<Extent> extentOf(const poplar::Tensor& t) {
  const auto affine = t.view().affine();
  if (!affine) return std::nullopt;
  const unsigned last = t.rank() - 1;
  bool one = true, channels = true, columns = true, own = true;
  for (unsigned d = 0; d < t.rank(); ++d) {
    if (t.dim(d) == 1) continue;
    const bool isRepeated = affine->strides[d] == 0;
    (isRepeated ? own : one) = false;
    channels = channels && isRepeated == (d != 1);
    columns = columns && isRepeated == (d != last);
  }
  if (own) return Extent::Full;
  if (one) return Extent::Scalar;
  if (columns && last != 0) return Extent::Column;
  return channels ? std::optional<Extent>(Extent::Channel) : std::nullopt;
}

/// The tensor before it was broadcast: a scalar as [1], channels as [channels], columns as [columns].
poplar::Tensor unrepeated(poplar::Tensor t, Extent extent) {
  if (extent == Extent::Full) return t;
  const unsigned kept = extent == Extent::Column ? t.rank() - 1 : 1;
  for (unsigned d = 0; d < t.rank(); ++d)
    if (d != kept || extent == Extent::Scalar) t = t.slice(0, 1, d);
  return t.flatten();
}

class Fuser {
 public:
  Fuser(Plan& plan, std::size_t program, const std::vector<std::vector<Use>>& uses,
        const std::vector<Lifetime>& lifetimes)
      : program_(plan.programs[program]),
        lifetimes_(lifetimes),
        uses_(uses.size()),
        writes_(uses.size()),
        sections_(sectionsOf(program_)) {
    for (unsigned v = 0; v < uses.size(); ++v) {
      uses_[v].reserve(uses[v].size());
      for (const auto& use : uses[v]) {
        if (use.program != program) continue;
        uses_[v].push_back({use.step, use.write});
        if (use.write) writes_[v].push_back(use.step);
      }
    }
  }

  /// \returns how many steps were fused into another one.
  std::size_t run() {
    std::size_t joined = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      while (fuseInto(s)) ++joined;
    return joined;
  }

 private:
  struct Touch {
    std::size_t step;
    bool write;
  };

  template <class Visit>
  void eachUse(std::size_t s, Visit visit) const {
    const auto& step = program_.steps[s];
    const auto look = [&](const poplar::Tensor& t, bool write) {
      if (t.valid()) t.view().eachVariable([&](unsigned v) { visit(v, write); });
    };
    look(step.src, false);
    look(step.dst, true);
    if (step.vertex)
      for (const auto& o : step.vertex->operands) {
        if (o.access != Access::Write) look(o.tensor, false);
        if (o.access != Access::Read) look(o.tensor, true);
      }
  }

  /// The first use of a variable at step `s` or later, by binary search. A variable may have a use
  /// in every step of a program, so a linear search each time would be quadratic.
  std::vector<Touch>::const_iterator from(unsigned v, std::size_t s) const {
    return std::lower_bound(uses_[v].begin(), uses_[v].end(), s,
                            [](const Touch& u, std::size_t step) { return u.step < step; });
  }

  void addUses(std::size_t s) {
    eachUse(s, [&](unsigned v, bool write) {
      uses_[v].insert(from(v, s + 1), {s, write});
      if (write) writes_[v].insert(std::upper_bound(writes_[v].begin(), writes_[v].end(), s), s);
    });
  }
  void removeUses(std::size_t s) {
    eachUse(s, [&](unsigned v, bool) {
      uses_[v].erase(from(v, s), from(v, s + 1));
      auto& writes = writes_[v];
      writes.erase(std::lower_bound(writes.begin(), writes.end(), s),
                   std::upper_bound(writes.begin(), writes.end(), s));
    });
  }

  /// Whether one of the steps `p` and `c`, p < c, may move next to the other; `moved` says which.
  /// Both must always run together. No step between them may use what `moved` writes, or write what
  /// it reads.
  bool canMove(std::size_t moved, std::size_t p, std::size_t c) const {
    if (sections_[p] != sections_[c]) return false;
    bool free = true;
    eachUse(moved, [&](unsigned v, bool write) {
      const auto end = from(v, c);
      for (auto u = from(v, p + 1); free && u != end; ++u) free = !write && !u->write;
    });
    return free;
  }

  bool usedBetween(unsigned v, std::size_t p, std::size_t c) const {
    return from(v, p + 1) != from(v, c);
  }

  /// Whether the variable's lifetime ends at step `c`: no later step reads this value.
  bool diesAt(unsigned v, std::size_t c) const {
    if (lifetimes_[v].kind != Lifetime::Kind::Steps) return false;
    const auto& uses = uses_[v];  // in the order of steps, and so of sections
    return uses.empty() || (uses.back().step <= c && sections_[uses.front().step] == sections_[c]);
  }

  /// The last step before `s` that writes a variable of `t`: one, or several as of a concatenation.
  std::optional<std::size_t> writerOf(const poplar::Tensor& t, std::size_t s) const {
    std::optional<std::size_t> last;
    if (t.numElements() == 0) return last;
    t.view().eachVariable([&](unsigned v) {
      const auto& writes = writes_[v];
      const auto after = std::lower_bound(writes.begin(), writes.end(), s);
      if (after != writes.begin()) last = std::max(last.value_or(0), *std::prev(after));
    });
    return last;
  }

  /// Fuses step `s` with the nearest of its writers for which this is possible.
  bool fuseInto(std::size_t s) {
    const auto& step = program_.steps[s];
    if (step.kind != Step::Kind::Run) return false;
    if (withReduction(s)) return true;
    const auto reader = elementWiseOf(*step.vertex);
    if (!reader || isForNext(*reader, s)) return false;
    std::map<std::size_t, const poplar::Tensor*, std::greater<>> writers;
    for (const auto& t : reader->inputs)
      if (const auto p = writerOf(t, s)) writers[*p] = &t;
    for (const auto& [p, t] : writers) {
      const auto& before = program_.steps[p];
      if (before.kind != Step::Kind::Run || before.rounding != step.rounding) continue;
      if (auto sum = intoProduct(*before.vertex, *reader, *t, p, s)) {
        replace(s, p, std::move(*sum));
        return true;
      }
      // Sums go up to what they sum: its operands end there, and others may read it in between.
      if (reader->outputs.empty() && canMove(s, p, s))
        if (auto sums = withElementWise(*before.vertex, *reader, p, s)) {
          replace(s, p, std::move(*sums));
          return true;
        }
      if (!canMove(p, p, s)) continue;
      auto joined = withTail(*before.vertex, *reader, *t, s);
      if (!joined) joined = withElementWise(*before.vertex, *reader, p, s);
      if (!joined) continue;
      replace(p, s, std::move(*joined));
      return true;
    }
    return false;
  }

  /// Fuses step `s` with one before it that reads the same, if one kernel computes both. It takes the
  /// place of the first.
  bool withReduction(std::size_t s) {
    const auto& step = program_.steps[s];
    const auto& operands = step.vertex->operands;
    if (operands.size() != 2 || operands[0].access != Access::Read) return false;
    const auto v = operands[0].tensor.view().wholeVariable();
    if (!v) return false;
    constexpr int kMostBefore = 4;  // uses that are looked at
    auto use = from(*v, s);
    for (int n = 0; n < kMostBefore && use != uses_[*v].begin(); ++n) {
      const auto p = (--use)->step;
      const auto& before = program_.steps[p];
      if (use->write) return false;
      if (before.kind != Step::Kind::Run || before.rounding != step.rounding ||
          before.vertex->operands.size() != 2)
        continue;
      const auto& first = before.vertex->operands;
      const auto kernel = extremaOf(*before.vertex->kernel, *step.vertex->kernel);
      if (!kernel || !sameView(first[0].tensor, operands[0].tensor) ||
          first[1].tensor.intersectsWith(operands[1].tensor) || !canMove(s, p, s))
        continue;
      BulkVertex both;
      both.kernel = kernel;
      both.operands = {first[0], first[1], operands[1]};
      replace(s, p, std::move(both));
      return true;
    }
    return false;
  }

  /// Whether step `s` widens what stays in memory, such as bytes that others read too, for one
  /// element-wise step, the next one to use the result. That one had better do it itself.
  bool isForNext(const ElementWise& work, std::size_t s) const {
    if (work.outputs.size() != 1 || !work.sums.empty()) return false;
    const auto bytes = [](const poplar::Tensor& t) { return t.elementType().sizeInBytes(); };
    const auto& out = work.outputs.front();
    bool widens = false;
    for (const auto& t : work.inputs) {
      if (extentOf(t) != Extent::Full) continue;
      const auto v = t.view().wholeVariable();
      if (!v || bytes(t) >= bytes(out) || diesAt(*v, s)) return false;
      widens = true;
    }
    const auto made = out.view().wholeVariable();
    if (!widens || !made || lifetimes_[*made].kind != Lifetime::Kind::Steps) return false;
    const auto& uses = uses_[*made];
    auto use = from(*made, s + 1);
    if (use == uses.end()) return false;
    const std::size_t next = use->step;
    bool isReplaced = false;  // in place: later uses are of another value
    for (; use != uses.end() && use->step == next; ++use) isReplaced = isReplaced || use->write;
    if ((use != uses.end() && !isReplaced) || sections_[next] != sections_[s]) return false;
    const auto& step = program_.steps[next];
    const auto reader = step.kind == Step::Kind::Run ? elementWiseOf(*step.vertex) : std::nullopt;
    return reader && reader->shape() == work.shape();
  }

  /// Puts the fused vertex `joined` at step `stays`, and removes step `gone`.
  void replace(std::size_t gone, std::size_t stays, BulkVertex joined) {
    removeUses(gone);
    removeUses(stays);
    auto& step = program_.steps[stays];
    auto names = std::move(program_.steps[std::min(gone, stays)].names);
    if (names == std::vector<std::string>{""}) names.clear();
    const auto& more = program_.steps[std::max(gone, stays)].names;
    names.insert(names.end(), more.begin(), more.end());
    step.names = std::move(names);
    program_.steps[gone] = Step();
    joined.name = step.name();
    step.joined = std::make_shared<const BulkVertex>(std::move(joined));
    step.vertex = step.joined.get();
    addUses(stays);
  }

  /// The fusion of matrix product `p` and reader `s`, which adds the product to a variable. Nothing
  /// if that is not possible. The fused step takes the place of the product, and the product needs
  /// no memory: for example the gradient of a weight, which is added to the weight.
  std::optional<BulkVertex> intoProduct(const BulkVertex& before, const ElementWise& second,
                                        const poplar::Tensor& read, std::size_t p,
                                        std::size_t s) const {
    auto v = read.view().wholeVariable();
    if (!v && read.rank() == 2) v = read.transpose().view().wholeVariable();
    if (!second.sums.empty() || !v || usedBetween(*v, p, s) || !diesAt(*v, s) || !canMove(s, p, s))
      return std::nullopt;
    return accumulated(before, second, read);
  }

  std::optional<BulkVertex> withElementWise(const BulkVertex& before, const ElementWise& second,
                                            std::size_t p, std::size_t s) const {
    // A quick lower bound of the fused step's operands, because to fuse and count them is slow.
    if (before.operands.size() >= kMostOperands + second.outputs.size() + second.sums.size())
      return std::nullopt;
    const auto first = elementWiseOf(before);
    if (!first || second.inputs.size() > kMostOperands + first->outputs.size()) return std::nullopt;
    if (first->shape() != second.shape()) return std::nullopt;
    std::vector<bool> dropped;
    for (const auto& out : first->outputs) {
      bool isRead = false;
      out.view().eachVariable(
          [&](unsigned v) { isRead = isRead || !diesAt(v, s) || usedBetween(v, p, s); });
      dropped.push_back(!isRead);
      // The second step must not use another part of this output, or another order of its elements.
      const auto apart = [&](const poplar::Tensor& t) {
        return sameView(out, t) || !out.intersectsWith(t);
      };
      if (!std::all_of(second.inputs.begin(), second.inputs.end(), apart) ||
          !std::all_of(second.outputs.begin(), second.outputs.end(), apart))
        return std::nullopt;
    }
    auto work = joined(*first, second, dropped);
    const auto operands = work.inputs.size() + work.outputs.size() + work.sums.size();
    if (!separate(work) || !hasKernel(work) || operands > kMostOperands ||
        work.program.values().size() > kMostValues)
      return std::nullopt;
    return vertexOf(std::move(work), {});
  }

  /// The vertex `before` with `second` as its kernel's tail; nothing if that is not possible.
  std::optional<BulkVertex> withTail(const BulkVertex& before, const ElementWise& second,
                                     const poplar::Tensor& read, std::size_t s) const {
    const auto first = before.kernel->tail();
    const auto written = first ? writtenOperand(before) : std::nullopt;
    if (!written) return std::nullopt;
    const auto shape = before.operands[*written].tensor.shape();
    auto result = before.operands[*written].tensor;
    if (result.numElements() == read.numElements()) result = result.reshape(read.shape());
    if (second.outputs.size() != 1 || !second.sums.empty() || !sameView(result, read))
      return std::nullopt;
    auto out = second.outputs.front();
    const auto v = result.view().wholeVariable();
    const bool inPlace = sameView(out, result);
    if (!v || (!inPlace && !diesAt(*v, s))) return std::nullopt;

    std::vector<BulkOperand> operands(before.operands.begin(), before.operands.end());
    Tail tail;
    tail.extents = first->extents;
    if (!compose(first->program, second, result, operands, tail)) return std::nullopt;
    if (out.shape() != shape) {
      // The reader has the result in another shape: then only what goes by columns is the same.
      const auto isOther = [](Extent e) { return e == Extent::Channel || e == Extent::Full; };
      if (out.rank() == 0 || out.dim(out.rank() - 1) != shape.back() ||
          std::any_of(tail.extents.begin() + 1, tail.extents.end(), isOther))
        return std::nullopt;
      out = out.reshape(shape);
    }
    operands[*written] = {out, Access::Write};
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (i != *written && operands[i].tensor.intersectsWith(out)) return std::nullopt;
    BulkVertex vertex;
    vertex.kernel = before.kernel->withTail(tail);
    if (!vertex.kernel) return std::nullopt;
    vertex.operands = std::move(operands);
    return vertex;
  }

  /// Makes `tail` the composition of the present tail, `first`, and of `second`. The inputs of
  /// `second` other than `result` become further operands, each with an extent. False if one of
  /// them is broadcast in a way that no extent describes.
  static bool compose(const MapProgram& first, const ElementWise& second,
                      const poplar::Tensor& result, std::vector<BulkOperand>& operands,
                      Tail& tail) {
    auto& program = tail.program;
    std::vector<int> values(first.inputCount(), -1);
    for (const auto& v : first.values())
      if (v.kind == MapProgram::Kind::Input)
        values[v.data] = program.input(static_cast<unsigned>(v.data), v.lane);
    const int before = append(program, first, values).front();
    values.assign(second.program.inputCount(), -1);
    for (const auto& v : second.program.values()) {
      if (v.kind != MapProgram::Kind::Input) continue;
      const auto& t = second.inputs[v.data];
      if (sameView(t, result)) {
        values[v.data] = before;
        continue;
      }
      const auto extent = extentOf(t);
      if (!extent) return false;
      values[v.data] = program.input(static_cast<unsigned>(tail.extents.size()), v.lane);
      tail.extents.push_back(*extent);
      operands.push_back({unrepeated(t, *extent), Access::Read});
    }
    program.output(append(program, second.program, values).front());
    return true;
  }

  FlatProgram& program_;
  const std::vector<Lifetime>& lifetimes_;
  std::vector<std::vector<Touch>> uses_;          // by variable, in order
  std::vector<std::vector<std::size_t>> writes_;  // by variable: the steps that write it, in order
  const std::vector<std::size_t> sections_;
};

}  // namespace

std::string Fuse::run(Plan& plan) const {
  const auto& graph = *plan.graph;
  const auto uses = usesOf(graph, plan.programs);
  const auto lifetimes = lifetimesOf(graph, plan.programs, uses);
  std::size_t joined = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    joined += Fuser(plan, p, uses, lifetimes).run();
  return joined == 0 ? "" : counted(joined, "step", "steps") + " joined to others";
}

}  // namespace popir
