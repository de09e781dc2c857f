#include "poplar/fuse.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "kernels/conv_tail.hpp"
#include "poplar/accumulate.hpp"
#include "poplar/element_wise.hpp"
#include "poplar/lifetimes.hpp"

namespace popir {
namespace {

using Extent = ConvTailKernel::Extent;

// Of a joined element-wise step: enough for what follows one another, few enough to plan quickly.
constexpr std::size_t kMostOperands = 12, kMostValues = 64;

// Between the names of joined steps; popir/profile/host.py takes them apart.
constexpr const char* kJoined = " + ";

/// How far a tensor is repeated, if it is one element, one for each channel, or all its own.
std::optional<Extent> extentOf(const poplar::Tensor& t) {
  const auto affine = t.view().affine();
  if (!affine) return std::nullopt;
  bool one = true, channels = true, own = true;
  for (unsigned d = 0; d < t.rank(); ++d) {
    if (t.dim(d) == 1) continue;
    (affine->strides[d] == 0 ? own : one) = false;
    channels = channels && (affine->strides[d] != 0) == (d == 1);
  }
  if (own) return Extent::Full;
  if (one) return Extent::Scalar;
  return channels ? std::optional<Extent>(Extent::Channel) : std::nullopt;
}

/// What is repeated, once.
poplar::Tensor unrepeated(poplar::Tensor t, Extent extent) {
  if (extent == Extent::Full) return t;
  for (unsigned d = 0; d < t.rank(); ++d)
    if (d != 1 || extent == Extent::Scalar) t = t.slice(0, 1, d);
  return t.flatten();
}

class Fuser {
 public:
  Fuser(const GraphImpl& graph, FlatProgram& program, const std::vector<Lifetime>& lifetimes)
      : program_(program),
        lifetimes_(lifetimes),
        uses_(graph.variables.size()),
        writes_(uses_.size()) {
    std::size_t section = 0;
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      const auto& step = program.steps[s];
      const bool control = step.kind == Step::Kind::RepeatBegin ||
                           step.kind == Step::Kind::RepeatEnd || step.kind == Step::Kind::Jump ||
                           step.kind == Step::Kind::JumpUnless;
      for (const auto* ranges : {&program.loops, &program.conditionals})
        for (const auto& r : *ranges)
          if (r.begin == s || r.end == s) section = s;
      sections_.push_back(section);
      if (control) section = s + 1;
      addUses(s);
    }
  }

  void run() {
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      while (fuseInto(s)) {
      }
  }

 private:
  struct Place {
    std::size_t step;
    bool write;
  };

  template <class Visit>
  void eachUse(std::size_t s, Visit visit) const {
    const auto& step = program_.steps[s];
    const auto look = [&](const poplar::Tensor& t, bool write) {
      if (t.valid())
        for (auto v : t.view().variables()) visit(v, write);
    };
    look(step.src, false);
    look(step.dst, true);
    if (step.vertex)
      for (const auto& o : step.vertex->operands) {
        if (o.access != Access::Write) look(o.tensor, false);
        if (o.access != Access::Read) look(o.tensor, true);
      }
  }

  /// The first use of a variable at step `s` or later. Variables may have as many uses as the
  /// program has steps, so nothing here looks at all of them.
  std::vector<Place>::const_iterator from(unsigned v, std::size_t s) const {
    return std::lower_bound(uses_[v].begin(), uses_[v].end(), s,
                            [](const Place& u, std::size_t step) { return u.step < step; });
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

  /// Whether `moved`, one of the steps `p` and `c`, may run right beside the other one instead:
  /// nobody in between touches what it writes, or writes what it reads, and both always run
  /// together.
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

  /// Whether nobody reads what the variable holds after step `c`.
  bool diesAt(unsigned v, std::size_t c) const {
    if (lifetimes_[v].kind != Lifetime::Kind::Steps) return false;
    const auto& uses = uses_[v];  // in order, as sections are
    return uses.empty() || (uses.back().step <= c && sections_[uses.front().step] == sections_[c]);
  }

  /// The last step before `s` that writes `t`, if `t` is all of a variable.
  std::optional<std::size_t> writerOf(const poplar::Tensor& t, std::size_t s) const {
    const auto affine = t.view().affine();
    if (!affine || t.numElements() == 0) return std::nullopt;
    const auto& writes = writes_[affine->variable];
    const auto after = std::lower_bound(writes.begin(), writes.end(), s);
    if (after == writes.begin()) return std::nullopt;
    return *std::prev(after);
  }

  /// Joins step `s` with one of those that it reads from, the nearest that can be.
  bool fuseInto(std::size_t s) {
    const auto& step = program_.steps[s];
    if (step.kind != Step::Kind::Run) return false;
    const auto reader = elementWiseOf(*step.vertex);
    if (!reader) return false;
    std::map<std::size_t, const poplar::Tensor*, std::greater<>> writers;
    for (const auto& t : reader->inputs)
      if (const auto p = writerOf(t, s)) writers[*p] = &t;
    for (const auto& [p, t] : writers) {
      const auto& before = program_.steps[p];
      if (before.kind != Step::Kind::Run || before.rounding != step.rounding) continue;
      const auto name = before.name.empty() ? step.name : before.name + kJoined + step.name;
      if (auto sum = intoProduct(*before.vertex, *reader, *t, p, s)) {
        sum->name = name;
        replace(s, p, std::make_shared<const BulkVertex>(std::move(*sum)));
        return true;
      }
      if (!canMove(p, p, s)) continue;
      auto joined = withConvolution(*before.vertex, *reader, *t, s);
      if (!joined) joined = withElementWise(*before.vertex, *reader, s);
      if (!joined) continue;
      joined->name = name;
      replace(p, s, std::make_shared<const BulkVertex>(std::move(*joined)));
      return true;
    }
    return false;
  }

  /// Step `gone` is done by `joined`, which stands at `stays`.
  void replace(std::size_t gone, std::size_t stays, std::shared_ptr<const BulkVertex> joined) {
    removeUses(gone);
    removeUses(stays);
    program_.steps[gone] = Step();
    auto& step = program_.steps[stays];
    step.joined = std::move(joined);
    step.vertex = step.joined.get();
    step.name = step.joined->name;
    addUses(stays);
  }

  /// The update of a weight where its gradient is made, so that no gradient is kept.
  std::optional<BulkVertex> intoProduct(const BulkVertex& before, const ElementWise& second,
                                        const poplar::Tensor& read, std::size_t p,
                                        std::size_t s) const {
    const auto v = read.view().wholeVariable();
    if (!v || usedBetween(*v, p, s) || !diesAt(*v, s) || !canMove(s, p, s)) return std::nullopt;
    return accumulated(before, second, read);
  }

  std::optional<BulkVertex> withElementWise(const BulkVertex& before, const ElementWise& second,
                                            std::size_t s) const {
    // A joined step reads what the first one does, and writes. Joining to find out takes long.
    if (before.operands.size() >= kMostOperands + second.outputs.size()) return std::nullopt;
    const auto first = elementWiseOf(before);
    if (!first || second.inputs.size() > kMostOperands + first->outputs.size()) return std::nullopt;
    if (first->outputs.front().shape() != second.outputs.front().shape()) return std::nullopt;
    std::vector<bool> dropped;
    for (const auto& out : first->outputs) {
      const auto v = out.view().wholeVariable();
      dropped.push_back(v && diesAt(*v, s));
      // What the second step does with another part or another order of it has to be kept apart.
      const auto apart = [&](const poplar::Tensor& t) {
        return sameView(out, t) || !out.intersectsWith(t);
      };
      if (!std::all_of(second.inputs.begin(), second.inputs.end(), apart) ||
          !std::all_of(second.outputs.begin(), second.outputs.end(), apart))
        return std::nullopt;
    }
    auto work = joined(*first, second, dropped);
    if (!separate(work) || work.inputs.size() + work.outputs.size() > kMostOperands ||
        work.program.values().size() > kMostValues)
      return std::nullopt;
    return vertexOf(std::move(work), {});
  }

  std::optional<BulkVertex> withConvolution(const BulkVertex& before, const ElementWise& second,
                                            const poplar::Tensor& read, std::size_t s) const {
    constexpr std::size_t kOut = 2;
    MapProgram first;
    std::vector<Extent> extents{Extent::Full};
    auto conv = std::dynamic_pointer_cast<const ConvKernel>(before.kernel);
    if (const auto* tail = dynamic_cast<const ConvTailKernel*>(before.kernel.get())) {
      conv = tail->conv();
      first = tail->tail();
      extents = tail->extents();
    } else if (conv) {
      first.output(first.input(0, Lane::F32));
    } else {
      return std::nullopt;
    }
    const auto& result = before.operands[kOut].tensor;
    if (second.outputs.size() != 1 || !sameView(result, read)) return std::nullopt;
    const auto& out = second.outputs.front();
    const auto v = result.view().wholeVariable();
    const bool inPlace = sameView(out, result);
    if (!v || (!inPlace && !diesAt(*v, s))) return std::nullopt;

    std::vector<BulkOperand> operands(before.operands.begin(), before.operands.end());
    operands[kOut] = {out, Access::Write};
    MapProgram program;
    if (!compose(first, second, result, program, operands, extents)) return std::nullopt;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (i != kOut && operands[i].tensor.intersectsWith(out)) return std::nullopt;
    BulkVertex vertex;
    vertex.kernel = ConvTailKernel::make(std::move(conv), program, std::move(extents));
    if (!vertex.kernel) return std::nullopt;
    vertex.operands = std::move(operands);
    return vertex;
  }

  /// The tail so far, then `second`, whose other inputs become operands and get extents.
  static bool compose(const MapProgram& tail, const ElementWise& second,
                      const poplar::Tensor& result, MapProgram& program,
                      std::vector<BulkOperand>& operands, std::vector<Extent>& extents) {
    std::vector<int> values(tail.inputCount(), -1);
    for (const auto& v : tail.values())
      if (v.kind == MapProgram::Kind::Input)
        values[v.data] = program.input(static_cast<unsigned>(v.data), v.lane);
    const int before = append(program, tail, values).front();
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
      values[v.data] = program.input(static_cast<unsigned>(extents.size()), v.lane);
      extents.push_back(*extent);
      operands.push_back({unrepeated(t, *extent), Access::Read});
    }
    program.output(append(program, second.program, values).front());
    return true;
  }

  FlatProgram& program_;
  const std::vector<Lifetime>& lifetimes_;
  std::vector<std::vector<Place>> uses_;          // by variable, in order
  std::vector<std::vector<std::size_t>> writes_;  // the same: the steps that write
  std::vector<std::size_t> sections_;  // by step: equal where one never runs without the other
};

}  // namespace

void fuse(const GraphImpl& graph, std::vector<FlatProgram>& programs) {
  const auto lifetimes = lifetimesOf(graph, programs, usesOf(graph, programs));
  for (auto& program : programs) Fuser(graph, program, lifetimes).run();
}

}  // namespace popir
