// Operators whose results are computed while a graph is compiled.
#include <popart/ces/castce.hpp>
#include <popart/ces/concatce.hpp>
#include <popart/ces/constexpr.hpp>
#include <popart/ces/elementwisece.hpp>
#include <popart/ces/flattence.hpp>
#include <popart/ces/floorce.hpp>
#include <popart/ces/gatherce.hpp>
#include <popart/ces/reduceprodce.hpp>
#include <popart/ces/reshapece.hpp>
#include <popart/ces/scalece.hpp>
#include <popart/ces/slicece.hpp>
#include <popart/ces/squeezece.hpp>
#include <popart/ces/transposece.hpp>
#include <popart/ces/unsqueezece.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/tensor.hpp>
#include <popart/topocons.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

#include "popart/ir_calls.hpp"

namespace popart {
namespace {

using Factory = ConstExprOpManager::ConstExprOpFactoryFunc;

template <class CE>
std::unique_ptr<ConstExprOp> made(Op* op) {
  return std::make_unique<CE>(op);
}

/// The products over axes of what an array of a shape holds.
struct Products {
  template <class T>
  std::vector<char> operator()(const std::vector<char>& data, const Shape& shape,
                               const std::vector<int64_t>& axes) const {
    const std::size_t rank = shape.size();
    std::vector<int64_t> strides(rank);  // among the results: 0 of an axis that is reduced
    int64_t results = 1;
    for (std::size_t i = rank; i-- > 0;) {
      if (std::count(axes.begin(), axes.end(), static_cast<int64_t>(i)) != 0) continue;
      strides[i] = results;
      results *= shape[i];
    }
    std::vector<char> bytes(static_cast<std::size_t>(results) * sizeof(T));
    auto* products = reinterpret_cast<T*>(bytes.data());
    std::fill_n(products, results, static_cast<T>(1.0f));
    const auto* values = reinterpret_cast<const T*>(data.data());
    for (std::size_t e = 0; e < data.size() / sizeof(T); ++e) {
      int64_t result = 0;
      auto rest = static_cast<int64_t>(e);
      for (std::size_t i = rank; i-- > 0; rest /= shape[i]) result += rest % shape[i] * strides[i];
      products[result] = static_cast<T>(products[result] * values[e]);
    }
    return bytes;
  }
};

std::map<std::string, Factory>& factories() {
  static std::map<std::string, Factory> registered = {
      {"Add", made<ConstExprAdd>},
      {"Cast", made<ConstExprCast>},
      {"Concat", made<ConstExprConcat>},
      {"ConcatInplace", made<ConstExprConcat>},
      {"Div", made<ConstExprDiv>},
      {"Flatten", made<ConstExprFlatten>},
      {"Floor", made<ConstExprFloor>},
      {"Fmod", made<ConstExprFmod>},
      {"Gather", made<ConstExprGather>},
      {"Identity", made<ConstExprIdentity>},
      {"Mul", made<ConstExprMul>},
      {"ReduceProd", made<ConstExprReduceProd>},
      {"Reshape", made<ConstExprReshape>},
      {"Scale", made<ConstExprScale>},
      {"Slice", made<ConstExprSlice>},
      {"Squeeze", made<ConstExprSqueeze>},
      {"Sub", made<ConstExprSub>},
      {"Transpose", made<ConstExprTranspose>},
      {"Unsqueeze", made<ConstExprUnsqueeze>},
  };
  return registered;
}

}  // namespace

ConstExprOp::~ConstExprOp() = default;
CompilerConstExprOp::~CompilerConstExprOp() = default;
ConstExprAdd::~ConstExprAdd() = default;
ConstExprCast::~ConstExprCast() = default;
ConstExprConcat::~ConstExprConcat() = default;
ConstExprDiv::~ConstExprDiv() = default;
ConstExprFlatten::~ConstExprFlatten() = default;
ConstExprFloor::~ConstExprFloor() = default;
ConstExprFmod::~ConstExprFmod() = default;
ConstExprGather::~ConstExprGather() = default;
ConstExprIdentity::~ConstExprIdentity() = default;
ConstExprMul::~ConstExprMul() = default;
ConstExprReduceProd::~ConstExprReduceProd() = default;
ConstExprReshape::~ConstExprReshape() = default;
ConstExprScale::~ConstExprScale() = default;
ConstExprSlice::~ConstExprSlice() = default;
ConstExprSqueeze::~ConstExprSqueeze() = default;
ConstExprSub::~ConstExprSub() = default;
ConstExprTranspose::~ConstExprTranspose() = default;
ConstExprUnsqueeze::~ConstExprUnsqueeze() = default;

const TensorInfo& ConstExprOp::inInfo(InIndex index) const { return inTensor(index)->info; }
const Shape& ConstExprOp::inShape(InIndex index) const { return inInfo(index).shape(); }
const TensorInfo& ConstExprOp::outInfo0() const { return getBaseOp()->outInfo(0); }

std::vector<char> ConstExprOp::computedByCompiler() const {
  for (const auto& in : op_->input->tensorMap())
    if (!in.second->hasTensorData())
      throw error("{}: input {}, '{}', has no value, so the operator cannot be computed",
                  op_->debugName(), in.first, in.second->id);
  const std::vector<std::string> results = popir::irCalls().evaluate(*op_);
  if (results.empty())
    throw error("{}: the compiler computes no operators of this type from constants",
                op_->debugName());
  return {results.front().begin(), results.front().end()};
}

std::vector<char> CompilerConstExprOp::compute() { return computedByCompiler(); }

std::vector<char> ConstExprIdentity::compute() { return inTensor(0)->getDataViaGraphTraversal(); }

std::vector<char> ConstExprReduceProd::compute() {
  return callOpFunctor<Products>(inInfo(0).dataType(), inTensor(0)->getDataViaGraphTraversal(),
                                 inShape(0), getOp<ReduceProdOp>().getAxes());
}

bool ConstExprUtil::isComputable(Op* op, Graph& graph) {
  if (op->input->n() == 0 || !ConstExprOpManager::hasConstExprOp(op)) return false;
  const bool trains = graph.getIr().canTrain();
  for (const auto& in : op->input->tensorMap()) {
    const TensorType type = in.second->tensorType();
    const bool isKnown = type == TensorType::Const || (type == TensorType::Variable && !trains);
    if (!isKnown || !in.second->hasTensorData()) return false;
  }
  return true;
}

bool ConstExprUtil::shouldBeFolded(Op* op, Graph& graph) {
  if (graph.getIr().getSessionOptions().enableConstantFoldingOfMultipleConsumers) return true;
  const auto inputs = op->input->tensorMap();
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const auto& in) { return in.second->consumers.getTotal() == 1; });
}

void ConstExprUtil::processOp(Op* op, Graph& graph) {
  const std::vector<char> data = ConstExprOpManager::createConstExprOp(op)->compute();
  const Tensor* out = op->outTensor(0);
  const TensorInfo info = out->info;
  const TensorId id = out->id;
  if (data.size() != static_cast<std::size_t>(info.nbytes()))
    throw error("{}: its ConstExprOp computed {} bytes; the output has {}", op->debugName(),
                data.size(), info.nbytes());
  const bool isEnd = out->isGraphOutput();
  const OutIndex end = isEnd ? out->getGraphOutputIndex() : 0;
  std::vector<std::pair<Op*, int>> readers;
  for (Op* reader : out->consumers.getOps())
    for (const int in : reader->input->indices(op->outTensor(0))) readers.emplace_back(reader, in);
  for (const auto& [reader, in] : readers) reader->disconnectInTensor(in, op->outTensor(0));
  if (isEnd) graph.removeOutput(end);
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.topoCons->remove(op);
  graph.eraseOp(op->id);
  graph.getTensors().remove(id);
  graph.addConstInit(id, info, data.data());
  for (const auto& [reader, in] : readers) reader->connectInTensor(in, id);
  if (isEnd) graph.markAsOutput(end, id, false);
}

void ConstExprUtil::foldConstants(Graph& graph) {
  for (bool found = true; found;) {
    found = false;
    for (const OpId id : graph.getOpIds()) {
      Op* op = graph.getOp(id);
      if (!isComputable(op, graph) || !shouldBeFolded(op, graph)) continue;
      processOp(op, graph);
      found = true;
    }
  }
}

void ConstExprOpManager::registerConstExprOp(const std::string& type, ConstExprOpFactoryFunc func) {
  factories()[type] = std::move(func);
}

std::unique_ptr<ConstExprOp> ConstExprOpManager::createConstExprOp(Op* op) {
  const auto found = factories().find(op->opid.type);
  if (found == factories().end())
    throw error("{}: there is no ConstExprOp for operators of this type", op->debugName());
  return found->second(op);
}

bool ConstExprOpManager::hasConstExprOp(Op* op) { return factories().count(op->opid.type) != 0; }

}  // namespace popart
