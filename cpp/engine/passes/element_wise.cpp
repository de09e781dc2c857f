#include "engine/passes/element_wise.hpp"

#include <algorithm>

#include "kernels/elementwise/expression.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/reduction/channel_sums.hpp"
#include "poplar/view.hpp"

namespace popir {
namespace {

/// `t` of shape [channels], broadcast to the shape of `activations`, [n, channels, field...].
poplar::Tensor overChannels(poplar::Tensor t, const poplar::Tensor& activations) {
  std::vector<std::size_t> shape(activations.rank(), 1);
  shape[1] = t.dim(0);
  t = t.reshape(shape);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != 1) t = t.broadcast(static_cast<unsigned>(activations.dim(d)), d);
  return t;
}

/// The type of each input of the program; none for an input that it does not use.
std::vector<std::optional<Lane>> inputLanes(const MapProgram& program) {
  std::vector<std::optional<Lane>> lanes(program.inputCount());
  for (const auto& v : program.values())
    if (v.kind == MapProgram::Kind::Input) lanes[v.data] = v.lane;
  return lanes;
}

/// Whether the values of the program begin with its inputs, each a view of its own, in order: as a
/// fusion makes them.
bool beginsWithInputs(const ElementWise& work) {
  const auto& values = work.program.values();
  const std::size_t n = work.inputs.size();
  if (n != work.program.inputCount() || values.size() < n) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i].kind != MapProgram::Kind::Input || values[i].data != i) return false;
    for (std::size_t k = 0; k < i; ++k)
      if (sameView(work.inputs[i], work.inputs[k])) return false;
  }
  return true;
}

/// Builds the fusion of two programs. An input that both read becomes one input.
class Joint {
 public:
  int input(const poplar::Tensor& t, Lane lane) {
    auto& tensors = result.inputs;
    std::size_t i = 0;
    while (i < tensors.size() && !sameView(tensors[i], t)) ++i;
    if (i == tensors.size()) tensors.push_back(t);
    return result.program.input(static_cast<unsigned>(i), lane);
  }
  void output(int value, const poplar::Tensor& t) {
    result.program.output(value);
    result.outputs.push_back(t);
  }
  /// \pre all outputs are there
  void sum(int value, const poplar::Tensor& t) {
    result.program.output(value);
    result.sums.push_back(t);
  }

  ElementWise result;
};

}  // namespace

std::vector<int> append(MapProgram& to, const MapProgram& from, const std::vector<int>& inputs) {
  std::vector<int> renamed;
  for (MapProgram::Value v : from.values()) {
    if (v.kind == MapProgram::Kind::Input) {
      renamed.push_back(inputs[v.data]);
      continue;
    }
    for (int a = 0; a < v.count; ++a) {
      int& arg = v.args[static_cast<std::size_t>(a)];
      arg = renamed[static_cast<std::size_t>(arg)];
    }
    renamed.push_back(to.add(v));
  }
  std::vector<int> outputs;
  for (int v : from.outputs()) outputs.push_back(renamed[static_cast<std::size_t>(v)]);
  return outputs;
}

const poplar::Tensor* ElementWise::writes(const poplar::Tensor& t) const {
  for (const auto& out : outputs)
    if (sameView(out, t)) return &out;
  return nullptr;
}

bool sameView(const poplar::Tensor& a, const poplar::Tensor& b) {
  return a.elementType() == b.elementType() && a.view().sameElements(b.view());
}

namespace {

// Removes the inputs that no value of the program uses. Each of them still has a tensor, which the
// vertex would read for nothing.
ElementWise withoutUnused(ElementWise work) {
  const auto lanes = inputLanes(work.program);
  if (std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.has_value(); }))
    return work;
  Joint used;
  std::vector<int> values(lanes.size(), -1);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i]) values[i] = used.input(work.inputs[i], *lanes[i]);
  const auto results = append(used.result.program, work.program, values);
  const std::size_t outputs = work.outputs.size();
  for (std::size_t k = 0; k < outputs; ++k) used.output(results[k], work.outputs[k]);
  for (std::size_t k = 0; k < work.sums.size(); ++k) used.sum(results[outputs + k], work.sums[k]);
  return std::move(used.result);
}

}  // namespace

std::optional<ElementWise> elementWiseOf(const BulkVertex& vertex) {
  const auto summing = vertex.kernel->summing();
  const auto plain = vertex.kernel->elementWise();
  if (!summing && !plain) return std::nullopt;
  const auto* form = summing ? &summing->map : plain.get();
  ElementWise work;
  work.program = form->program;
  if (summing)
    for (const auto o : summing->sums) work.sums.push_back(vertex.operands[o].tensor);
  for (const auto o : form->outputs) work.outputs.push_back(vertex.operands[o].tensor);
  for (const auto& input : form->inputs) {
    const auto& t = vertex.operands[input.operand].tensor;
    work.inputs.push_back(input.perChannel ? overChannels(t, work.outputs.front()) : t);
  }
  return withoutUnused(std::move(work));
}

bool hasKernel(const ElementWise& work) {
  if (work.sums.empty()) return true;
  const auto& values = work.program.values();
  const auto shape = work.shape();
  if (!ChannelSumsKernel::fits({shape.begin(), shape.end()}) ||
      std::any_of(values.begin(), values.end(), isRounding))
    return false;
  for (std::size_t k = 0; k < work.sums.size(); ++k) {
    const int value = work.program.outputs()[work.outputs.size() + k];
    if (work.program[value].lane != Lane::F32 || work.sums[k].elementType() != poplar::FLOAT)
      return false;
  }
  return std::all_of(values.begin(), values.end(), [&](const auto& v) {
    return v.kind != MapProgram::Kind::Input ||
           v.lane == storageLane(work.inputs[v.data].elementType());
  });
}

BulkVertex vertexOf(ElementWise work, std::string name) {
  BulkVertex vertex;
  std::vector<std::size_t> inputs, outputs;
  for (const auto& t : work.outputs) {
    outputs.push_back(vertex.operands.size());
    vertex.operands.push_back({t, Access::Write});
  }
  for (const auto& t : work.inputs) {
    std::size_t o = 0;
    while (o < vertex.operands.size() && !sameView(vertex.operands[o].tensor, t)) ++o;
    if (o == vertex.operands.size())
      vertex.operands.push_back({t, Access::Read});
    else if (o < outputs.size())
      vertex.operands[o].access = Access::ReadWrite;
    inputs.push_back(o);
  }
  if (work.sums.empty()) {
    vertex.kernel =
        std::make_shared<MapKernel>(std::move(work.program), std::move(inputs), std::move(outputs));
  } else {
    SummingForm form{{std::move(work.program), {}, std::move(outputs)}, {}};
    for (const auto i : inputs) form.map.inputs.push_back({i, false});
    for (const auto& t : work.sums) {
      form.sums.push_back(vertex.operands.size());
      vertex.operands.push_back({t, Access::Write});
    }
    vertex.kernel = std::make_shared<ChannelSumsKernel>(std::move(form));
  }
  vertex.name = std::move(name);
  return vertex;
}

ElementWise joined(const ElementWise& first, const ElementWise& second,
                   const std::vector<bool>& dropped) {
  Joint joint;
  const auto read = [&](const ElementWise& work, const std::vector<int>* made) {
    const auto lanes = inputLanes(work.program);
    std::vector<int> values(work.inputs.size(), -1);
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      if (!lanes[k]) continue;
      for (std::size_t o = 0; made && o < first.outputs.size(); ++o)
        if (sameView(first.outputs[o], work.inputs[k])) values[k] = (*made)[o];
      if (values[k] < 0) values[k] = joint.input(work.inputs[k], *lanes[k]);
    }
    return append(joint.result.program, work.program, values);
  };
  std::vector<int> made;
  if (beginsWithInputs(first)) {
    // Nothing would change. A chain grows by a step at a time, and to add the values of all earlier
    // ones again at each would be quadratic.
    joint.result.inputs = first.inputs;
    joint.result.program = {first.program.values(), {}, first.program.inputCount()};
    made = first.program.outputs();
  } else {
    made = read(first, nullptr);
  }
  const auto last = read(second, &made);
  for (std::size_t o = 0; o < first.outputs.size(); ++o)
    if (!dropped[o] && !second.writes(first.outputs[o])) joint.output(made[o], first.outputs[o]);
  for (std::size_t o = 0; o < second.outputs.size(); ++o) joint.output(last[o], second.outputs[o]);
  const auto sum = [&](const ElementWise& work, const std::vector<int>& values) {
    for (std::size_t k = 0; k < work.sums.size(); ++k)
      joint.sum(values[work.outputs.size() + k], work.sums[k]);
  };
  sum(first, made);
  sum(second, last);
  return std::move(joint.result);
}

bool separate(const ElementWise& work) {
  for (std::size_t o = 0; o < work.outputs.size(); ++o) {
    const auto apart = [&](const poplar::Tensor& t) {
      return sameView(work.outputs[o], t) || !work.outputs[o].intersectsWith(t);
    };
    if (!std::all_of(work.inputs.begin(), work.inputs.end(), apart)) return false;
    for (std::size_t k = 0; k < o; ++k)
      if (work.outputs[o].intersectsWith(work.outputs[k])) return false;
  }
  for (std::size_t k = 0; k < work.sums.size(); ++k) {
    const auto overlaps = [&](const poplar::Tensor& t) { return work.sums[k].intersectsWith(t); };
    if (std::any_of(work.inputs.begin(), work.inputs.end(), overlaps) ||
        std::any_of(work.outputs.begin(), work.outputs.end(), overlaps) ||
        std::any_of(work.sums.begin() + static_cast<std::ptrdiff_t>(k) + 1, work.sums.end(),
                    overlaps))
      return false;
  }
  return true;
}

std::optional<std::size_t> writtenOperand(const BulkVertex& vertex) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < vertex.operands.size(); ++i) {
    if (vertex.operands[i].access == Access::Read) continue;
    if (found || vertex.operands[i].access != Access::Write) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace popir
