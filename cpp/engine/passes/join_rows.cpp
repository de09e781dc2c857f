// Joins runs of neighbouring steps by rows. A step is added to the run before it as long as there
// is a number of rows that suits all of them:
//  - each kernel computes so many rows apart (Kernel::rows());
//  - rows of a variable that one step writes and another uses are the same elements for both, so
//    that a block of rows needs no other block.
#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "engine/passes/passes.hpp"
#include "kernels/joined_rows.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

constexpr std::size_t kMostParts = 32;
constexpr std::int64_t kRowsPerThread = 4;     // at least: fewer are shared badly
constexpr std::int64_t kLeastElements = 1024;  // of a block: less is computed faster than begun

using Division = JoinedRowsKernel::Division;
using RowDimension = JoinedRowsKernel::RowDimension;

/// An operand of a part, and its place in a variable.
struct Place {
  const BulkOperand* operand;
  unsigned variable;
  std::int64_t offset;
  Layout layout;
  std::size_t had;  // Rows::hadBy()
  /// Where dimension 0 has no stride: the two dimensions of which it consists.
  std::vector<RowDimension> split;

  /// The operand as one strided box.
  BulkOperand box() const {
    if (split.empty()) return *operand;
    auto shape = operand->tensor.shape();
    shape[0] = static_cast<std::size_t>(split[1].size);
    shape.insert(shape.begin(), static_cast<std::size_t>(split[0].size));
    return {operand->tensor.reshape(shape), operand->access};
  }

  /// Whether rows do not go over a border of `split`. `shape` has the leading dimensions of the
  /// operand's part.
  bool isDivided(const std::vector<std::int64_t>& shape, const Division& by) const {
    const bool isSplit = by.dimensions == 1 && had > 0 && !split.empty();
    return (isSplit ? split.back().size : shape[by.dimensions - 1]) % by.each == 0;
  }

  /// JoinedRowsKernel::Operand::rows of the operand, where isDivided().
  std::vector<RowDimension> rows(const std::vector<std::int64_t>& shape, const Division& by) const {
    std::vector<RowDimension> found;
    for (std::size_t d = 0; d < by.dimensions; ++d) {
      if (d == 0 && had > 0 && !split.empty())
        found = split;
      else
        found.push_back({shape[d], d < had ? layout.strides[d] : 0});
    }
    auto& last = found.back();
    last = {last.size / by.each, last.stride * by.each};
    return found;
  }
};

struct Part {
  std::size_t step;
  std::shared_ptr<const Kernel> kernel;
  Rows rows;
  std::vector<Place> places;
  std::map<std::int64_t, bool> known = {};  // what suits() has found

  /// How the leading dimensions divide into `count` rows; nothing if they do not.
  std::optional<Division> division(std::int64_t count) const {
    std::int64_t before = 1;
    for (std::size_t d = 0; d < rows.dimensions; before *= shape()[d++])
      if (before * shape()[d] % count == 0) {
        if (count % before != 0) return std::nullopt;
        return Division{d + 1, before * shape()[d] / count};
      }
    return std::nullopt;
  }
  /// The numbers of indices of the leading dimensions.
  std::set<std::int64_t> counts() const {
    std::set<std::int64_t> found;
    std::int64_t n = 1;
    for (std::size_t d = 0; d < rows.dimensions; ++d) found.insert(n *= shape()[d]);
    return found;
  }
  /// Whether the kernel takes its operands as they lie, `count` neighbouring rows at a time.
  bool accepts(const Division& by, std::int64_t count) const {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& place = places[i];
      if (!kernel->accepts(i, JoinedRowsKernel::ofRows(place.layout, place.had, by, count)))
        return false;
    }
    return true;
  }

  /// Whether the part alone has so many rows.
  bool suits(std::int64_t count) {
    const auto [at, isNew] = known.emplace(count, false);
    if (isNew) {
      const auto by = division(count);
      at->second = by && accepts(*by, 1) &&
                   std::all_of(places.begin(), places.end(),
                               [&](const Place& place) { return place.isDivided(shape(), *by); });
    }
    return at->second;
  }

  /// Has the leading dimensions.
  const std::vector<std::int64_t>& shape() const { return places.front().layout.shape; }
};

/// Whether the rows of an operand are in the `rows` equal parts of its variable, in order.
bool areParts(const Part& part, const Place& place, std::int64_t rows, std::int64_t elements) {
  const auto by = *part.division(rows);
  if (place.had < by.dimensions || elements % rows != 0 || place.offset < 0) return false;
  const auto nest = place.rows(part.shape(), by);
  std::int64_t step = elements / rows, last = place.offset;
  for (auto d = nest.rbegin(); d != nest.rend(); step *= d->size, ++d)
    if (d->size != 1 && d->stride != step) return false;
  const auto row = JoinedRowsKernel::ofRows(place.layout, place.had, by, 1);
  for (std::size_t d = 0; d < row.shape.size(); ++d) {
    if (row.shape[d] != 1 && row.strides[d] < 0) return false;
    last += (row.shape[d] - 1) * row.strides[d];
  }
  return last < elements / rows;
}

/// The place of an operand, if it is one strided box, or one apart from a dimension 0 that consists
/// of two.
std::optional<Place> placeOf(const BulkOperand& operand, std::size_t had) {
  const auto& view = operand.tensor.view();
  Place place{&operand, 0, 0, Layout::rowMajor(operand.tensor.elementType(), view.shape()),
              had,      {}};
  auto affine = view.affine();
  const auto set = [&] {
    place.variable = affine->variable;
    place.offset = affine->offset;
    return place;
  };
  if (affine) {
    place.layout.strides = affine->strides;
    return set();
  }
  if (had == 0) return std::nullopt;
  const auto size = view.shape()[0];
  for (std::int64_t inner = size / 2; inner > 1; --inner) {
    if (size % inner != 0) continue;
    auto shape = view.shape();
    shape[0] = inner;
    shape.insert(shape.begin(), size / inner);
    affine = view.reshape(shape)->affine();
    if (!affine) continue;
    place.split = {{shape[0], affine->strides[0]}, {inner, affine->strides[1]}};
    place.layout.strides.assign(affine->strides.begin() + 1, affine->strides.end());
    return set();
  }
  return std::nullopt;
}

/// Neighbouring steps that may become one.
class Run {
 public:
  /// A use of a variable.
  struct Used {
    const Part* part;
    const Place* place;
  };

  Run(const GraphImpl& graph, unsigned threads) : graph_(graph), threads_(threads) {}

  const std::list<Part>& parts() const { return parts_; }
  std::int64_t rows() const { return rows_; }
  /// The uses of each variable, in order.
  const std::map<unsigned, std::vector<Used>>& variables() const { return variables_; }

  /// Begins with a part, whatever number of rows suits it.
  void begin(Part part) {
    parts_.clear();
    variables_.clear();
    append(part);
  }

  /// Adds a part if the run has begun and can have it. The number of rows becomes the greatest that
  /// suits all parts and allows blocks of kLeastElements, else the one that allows the longest
  /// blocks. A part that is not added stays as it is.
  bool add(Part& part) {
    if (parts_.empty() || parts_.size() == kMostParts || !touches(part)) return false;
    append(part);
    std::set<std::int64_t> counts;
    for (const auto& each : parts_) counts.merge(each.counts());
    std::int64_t most = 0;
    for (auto rows = counts.rbegin(); rows != counts.rend() && most < kLeastElements; ++rows)
      if (suits(*rows)) {
        const auto some = neighbours(*rows);
        if (some > most) rows_ = *rows;
        most = std::max(most, some);
      }
    if (most > 0) return true;
    for (const auto& place : parts_.back().places) {
      const auto at = variables_.find(place.variable);
      at->second.pop_back();
      if (at->second.empty()) variables_.erase(at);
    }
    part = std::move(parts_.back());
    parts_.pop_back();
    return false;
  }

  /// Whether the first use of a variable writes all of it. Then what it held before is not read.
  bool beginsWith(unsigned variable) const {
    const auto& first = *variables_.at(variable).front().place->operand;
    return first.access == Access::Write && first.tensor.view().wholeVariable().has_value();
  }

 private:
  void append(Part& part) {
    parts_.push_back(std::move(part));
    for (const auto& place : parts_.back().places)
      variables_[place.variable].push_back({&parts_.back(), &place});
  }

  /// Whether the run and the part use the same variable.
  bool touches(const Part& part) const {
    return std::any_of(part.places.begin(), part.places.end(), [&](const Place& place) {
      return place.had > 0 && variables_.count(place.variable) != 0;
    });
  }

  bool suits(std::int64_t rows) {
    if (rows < kRowsPerThread * threads_) return false;
    // From the last one on, which is new.
    if (!std::all_of(parts_.rbegin(), parts_.rend(), [&](Part& part) { return part.suits(rows); }))
      return false;
    for (const auto& [variable, uses] : variables_) {
      const auto isWritten = [](const Used& u) { return u.place->operand->access != Access::Read; };
      if (uses.size() == 1 || std::none_of(uses.begin(), uses.end(), isWritten)) continue;
      for (const auto& [part, place] : uses)
        if (!areParts(*part, *place, rows, graph_.variables[variable].elements)) return false;
      // What the run writes first and reads later must be written as a whole: see join().
      if (uses.front().place->operand->access == Access::Write && !beginsWith(variable))
        return false;
    }
    return true;
  }

  /// How many elements of the largest operand the longest block has, if there are `rows` rows. The
  /// rows of a block are neighbours in all operands.
  std::int64_t neighbours(std::int64_t rows) const {
    std::int64_t run = rows, elements = 0;
    for (const auto& part : parts_) {
      const auto by = *part.division(rows);
      for (const auto& place : part.places) {
        run = std::gcd(run, place.rows(part.shape(), by).back().size);
        elements = std::max(elements, static_cast<std::int64_t>(place.layout.elements()));
      }
    }
    return run * std::max<std::int64_t>(elements / rows, 1);
  }

  const GraphImpl& graph_;
  const std::int64_t threads_;
  std::int64_t rows_ = 0;
  std::list<Part> parts_;  // its elements stay where they are
  std::map<unsigned, std::vector<Used>> variables_;
};

class Joiner {
 public:
  /// `uses` are those before any steps were joined.
  Joiner(Plan& plan, std::size_t program, const std::vector<std::vector<Use>>& uses)
      : plan_(plan),
        graph_(*plan.graph),
        p_(program),
        program_(plan.programs[program]),
        uses_(uses) {
    for (const auto& concat : plan.assignment.concats)
      concats_.insert(concat.begin(), concat.end());
    for (const auto* ranges : {&program_.loops, &program_.conditionals})
      for (const auto& r : *ranges) borders_.insert({r.begin, r.end});
    for (const auto& groups : program_.sideBySide) borders_.insert(groups.begin(), groups.end());
  }

  /// \returns how many steps became part of another one.
  std::size_t run() {
    std::size_t joined = 0;
    std::optional<Run> run;
    run.emplace(graph_, plan_.threads);
    const auto finish = [&] {
      if (run->parts().size() > 1) {
        join(*run);
        joined += run->parts().size();
      }
      run.emplace(graph_, plan_.threads);
    };
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (borders_.count(s) != 0) finish();
      if (program_.steps[s].kind == Step::Kind::None) continue;
      auto part = partOf(s);
      if (part && run->add(*part)) continue;
      finish();
      if (part) run->begin(std::move(*part));
    }
    finish();
    return joined;
  }

 private:
  /// The step as a part; nothing if its kernel computes no rows apart, or not where they lie.
  std::optional<Part> partOf(std::size_t s) const {
    const auto& step = program_.steps[s];
    if (step.kind != Step::Kind::Run || step.draws() || step.vertex->kernel->hasEffects())
      return std::nullopt;
    std::vector<OperandInfo> infos;
    for (const auto& [tensor, access] : step.vertex->operands)
      infos.push_back({tensor.elementType(), tensor.view().shape(), access});
    const auto rows = step.vertex->kernel->rows(infos);
    if (rows.dimensions == 0) return std::nullopt;
    Part part{s, step.vertex->kernel, rows, {}};
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const auto& operand = step.vertex->operands[i];
      if (operand.tensor.numElements() == 0) return std::nullopt;
      auto place = placeOf(operand, rows.hadBy(i));
      if (!place || plan_.assignment.buffers[place->variable].channelBlock != Layout::kPlain)
        return std::nullopt;
      part.places.push_back(std::move(*place));
    }
    return part;
  }

  /// Whether only the steps of the run use the variable, and the run writes all of it first.
  bool isInner(const Run& run, unsigned variable) const {
    const auto& buffer = plan_.assignment.buffers[variable];
    if (!buffer.shared() || concats_.count(variable) != 0 || !run.beginsWith(variable))
      return false;
    const auto first = run.parts().front().step, last = run.parts().back().step;
    const auto& uses = uses_[variable];
    return run.variables().at(variable).size() > 1 &&
           std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
             return use.program == p_ && first <= use.step && use.step <= last;
           });
  }

  /// Makes one step of the run, in the place of its last one. A variable that the run writes before
  /// it reads it is one operand, written; its readers find it by that operand.
  void join(const Run& run) {
    std::map<unsigned, std::size_t> operandOf, innerOf;
    std::vector<std::size_t> inner;
    std::vector<BulkOperand> operands;
    std::vector<JoinedRowsKernel::Part> parts;
    std::vector<std::string> names;
    std::vector<Step> gone;  // they own vertices that the run refers to
    const auto last = run.parts().back().step;
    for (const auto& [variable, places] : run.variables()) {
      auto& buffer = plan_.assignment.buffers[variable];
      if (isInner(run, variable)) {
        innerOf[variable] = inner.size();
        inner.push_back(graph_.variables[variable].bytes() / static_cast<std::size_t>(run.rows()));
        buffer = Buffer();
      } else if (!buffer.alwaysLive && buffer.kind != Buffer::Kind::Constant) {
        buffer.last = std::max(buffer.last, last);
      }
    }
    for (const auto& part : run.parts()) {
      const auto by = *part.division(run.rows());
      JoinedRowsKernel::Part made{part.kernel, {}, by, part.rows.least};
      std::int64_t most = run.rows();
      for (const auto& place : part.places) {
        const auto v = place.variable;
        JoinedRowsKernel::Operand operand{
            place.layout, operands.size(), false, 0, place.had, place.rows(part.shape(), by)};
        most = std::min(most, operand.rows.back().size);
        if (const auto found = innerOf.find(v); found != innerOf.end()) {
          operand.memory = found->second;
          operand.isInner = true;
          operand.offset = place.offset;
        } else if (const auto known = operandOf.find(v); known != operandOf.end()) {
          operand.memory = known->second;
          operand.offset = place.offset;
        } else {
          if (run.beginsWith(v)) operandOf[v] = operands.size();
          operands.push_back(place.box());
        }
        made.operands.push_back(std::move(operand));
      }
      made.oneByOne = !part.accepts(by, most);
      parts.push_back(std::move(made));
      auto& step = program_.steps[part.step];
      names.insert(names.end(), step.names.begin(), step.names.end());
      if (part.step != last) gone.push_back(std::exchange(step, Step()));
    }
    auto& step = program_.steps[last];
    BulkVertex vertex{std::make_shared<JoinedRowsKernel>(run.rows(), std::move(parts), inner),
                      std::move(operands), labelOf(names), nullptr};
    step.names = std::move(names);
    step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
    step.vertex = step.joined.get();
  }

  Plan& plan_;
  const GraphImpl& graph_;
  const std::size_t p_;
  FlatProgram& program_;
  const std::vector<std::vector<Use>>& uses_;
  std::set<unsigned> concats_;
  std::set<std::size_t> borders_;  // no run goes on over the beginning or end of a body
};

}  // namespace

std::string JoinRows::run(Plan& plan) const {
  const auto uses = usesOf(*plan.graph, plan.programs);
  std::size_t joined = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    joined += Joiner(plan, p, uses).run();
  return joined == 0 ? "" : counted(joined, "step", "steps") + " run by rows";
}

}  // namespace popir
