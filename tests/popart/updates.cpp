// Patterns that run when the updates of the weights are there: the gradient of gathered rows goes to
// where the gradient of the same weight is accumulated.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/accumulatorzero.hpp>
#include <popart/op/adamvarupdate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/div.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/scaledvarupdate.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/sgd1accumulate.hpp>
#include <popart/op/sgd2varupdate.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/topocons.hpp>
#include <popops/DynamicSlice.hpp>

#include <algorithm>
#include <sstream>

using namespace popart;

namespace {

const OperatorIdentifier rowsId{"test.updates", "Rows", 1};

// Rows of a table, zeros for places outside of it. Its gradient waits for a pattern.

class Rows : public GatherOp {
 public:
  explicit Rows(const Op::Settings& settings) : GatherOp(rowsId, 0, settings) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Rows>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class RowsGrad : public GatherGradOp {
 public:
  explicit RowsGrad(Rows& op) : GatherGradOp(op, 0), weight(op.inTensor(0)) { pruneable = false; }
  std::unique_ptr<Op> clone() const final { return std::make_unique<RowsGrad>(*this); }
  Tensor* weight;
};

std::vector<std::unique_ptr<Op>> Rows::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new RowsGrad(*this));
  return ops;
}

class RowsOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto at = getInTensor(1).reinterpret(poplar::UNSIGNED_INT).flatten().expand({1});
    const auto rows = popops::multiSlice(graph(), getInTensor(0), at, {0}, {1}, prog, {}, {});
    setOutTensor(0, rows.reshape(outInfo(0).shape_szt()));
  }
};

popx::OpxCreator<RowsOpx> rowsX(rowsId);

/// Where the values of a tensor come from: slices, transposes and Detaches have one input.
Tensor* origin(Tensor* t) {
  while (t->hasProducer()) {
    if (t->getProducer()->input->n() != 1) return nullptr;
    t = t->getProducer()->inTensor(0);
  }
  return t;
}

MatMulOp* product(Tensor* weight) {
  for (Op* op : weight->consumers.getOps()) {
    if (auto* found = dynamic_cast<MatMulOp*>(op)) return found;
    if (op->isConvertibleTo<TransposeOp>())
      if (auto* found = product(op->outTensor(0))) return found;
  }
  return nullptr;
}

/// In place of a Gather: Rows of each part of the weight, behind a Detach.
class HideRows : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (op->getIr().hasConstructedBackwards() || op->opid.type != "Gather") return false;
    Tensor* weight = origin(op->inTensor(0));
    return weight != nullptr && product(weight) != nullptr;
  }
  std::vector<const Tensor*> touches(Op*) const final { return {}; }

  bool apply(Op* op) const final {
    Graph& graph = op->getGraph();
    Tensor *table = op->inTensor(0), *at = op->inTensor(1);
    MatMulOp* made = product(origin(table));
    made->setUseFullyConnectedPass(false);
    const int64_t parts = std::max<int64_t>(made->getSerialiseSettings().factor, 1);
    const int64_t size = table->info.dim(0) / parts;
    const TensorId out = op->outId(0);
    auto* detach = graph.createConnectedOp<DetachOp>({{0, table->id}}, {{0, table->id + "/hidden"}},
                                                     Onnx::CustomOperators::Detach_1,
                                                     Op::Settings(graph, "hidden"));
    op->disconnectAllOutputs();
    TensorId total;
    for (int64_t part = 0; part < parts; ++part) {
      const std::string name = "rows/" + std::to_string(part);
      TensorId data = detach->outId(0), places = at->id;
      if (parts > 1) {
        graph.createConnectedOp<SliceOp>(
            {{0, data}}, {{0, name + "/table"}}, Onnx::AiOnnx::OpSet9::Slice,
            std::vector<int64_t>{part * size}, std::vector<int64_t>{(part + 1) * size},
            std::vector<int64_t>{0}, Op::Settings(graph, name));
        const std::vector<int32_t> begin(1, int32_t(part * size));
        graph.getTensors().addConstInit(name + "/begin", {at->info.dataType(), Shape{1}},
                                        begin.data());
        graph.createConnectedOp<SubtractOp>({{0, places}, {1, name + "/begin"}},
                                            {{0, name + "/places"}}, Onnx::Operators::Sub_7,
                                            Op::Settings(graph, name));
        data = name + "/table";
        places = name + "/places";
      }
      const TensorId rows = parts > 1 ? name : out;
      graph.createConnectedOp<Rows>({{0, data}, {1, places}}, {{0, rows}},
                                    Op::Settings(graph, name));
      if (part > 0)
        graph.createConnectedOp<AddOp>({{0, total}, {1, rows}},
                                       {{0, part + 1 == parts ? out : name + "/sum"}},
                                       Onnx::Operators::Add_7, Op::Settings(graph, name));
      total = part > 0 ? name + "/sum" : rows;
    }
    op->disconnectAllInputs();
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<HideRows> hideRows("HideRows", false);

/// The operators that accumulate what the weight is updated from, in the order of their parts.
std::vector<AccumulateOp*> accumulating(Tensor* weight) {
  std::vector<AccumulateOp*> found;
  for (Op* op : weight->consumers.getOps()) {
    if (op->isConvertibleTo<SliceOp>())
      for (AccumulateOp* each : accumulating(op->outTensor(0))) found.push_back(each);
    if (!op->isConvertibleTo<VarUpdateWithUpdaterOp>()) continue;
    if (op->settings.executionContext != ExecutionContext::AccumulateOuterFragment) continue;
    const Tensor* given = op->inTensor(VarUpdateWithUpdaterOp::getUpdaterInIndex());
    while (given->hasProducer() && !given->getProducer()->isConvertibleTo<AccumulateOp>())
      given = given->getProducer()->inTensor(0);
    found.push_back(dynamic_cast<AccumulateOp*>(given->getProducer()));
  }
  std::sort(found.begin(), found.end(), [](const Op* a, const Op* b) {
    return a->inId(AccumulateOp::getVarToUpdateInIndex()) <
           b->inId(AccumulateOp::getVarToUpdateInIndex());
  });
  return found;
}

/// Accumulates the rows in place of their gradient.
class HandOver : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    return op->getIr().hasDecomposedOptimizers() && op->isConvertibleTo<RowsGrad>();
  }
  std::vector<const Tensor*> touches(Op*) const final { return {}; }

  bool apply(Op* op) const final {
    Graph& graph = op->getGraph();
    Tensor* weight = origin(static_cast<RowsGrad*>(op)->weight);
    const auto dense = accumulating(weight);
    const std::size_t part = std::stoul(op->name().substr(op->name().rfind('/') + 1));
    AccumulateOp* into = dense.at(part);
    // As patterns written for PopART 1 look for it.
    if ((into->getAccumulationType() == AccumulationType::DampenedAdd) !=
        into->isConvertibleTo<SGD1AccumulateOp>())
      throw error("{} is of another class", into->debugName());
    if (into->settings.executionContext != ExecutionContext::Normal)
      throw error("{} is no part of the batch", into->debugName());
    TensorId sum = into->inId(AccumulateOp::getVarToUpdateInIndex());
    // The rows of the table are along the last axis of a weight of which it is the transpose.
    unsigned axis = weight->info.dim(1) == op->outTensor(0)->info.dim(1) ? 0 : 1;
    if (axis == 1 && dense.size() == 1) {
      TransposeOp turn(Onnx::AiOnnx::OpSet9::Transpose, {1, 0}, Op::Settings(graph, "turned"));
      std::unique_ptr<Op> up = turn.getInplaceVariant(Onnx::CustomOperators::TransposeInplace);
      Op* view = up.get();
      graph.moveIntoGraph(std::move(up));
      view->connectInTensor(0, sum);
      view->createAndConnectOutTensor(0, sum + "/turned");
      view->setup();
      sum = view->outId(0);
      axis = 0;
    }
    AccumulationType type = into->getAccumulationType();
    TensorId factor;
    if (!into->getFactor().isConst()) factor = into->inId(AccumulateOp::getFactorInIndex());
    if (type == AccumulationType::Mean) {
      factor = share(graph, graph.getTensor(factor));
      type = AccumulationType::DampenedAdd;
    }
    auto up = std::make_unique<SparseAccumulateOp>(type, into->getFactor(), axis,
                                                   Op::Settings(graph, op->name() + "/sparse"));
    SparseAccumulateOp* sparse = up.get();
    graph.moveIntoGraph(std::move(up));
    sparse->connectInTensor(SparseAccumulateOp::getVarToUpdateInIndex(), sum);
    sparse->connectInTensor(SparseAccumulateOp::getUpdaterInIndex(), op->inId(0));
    if (!factor.empty()) sparse->connectInTensor(SparseAccumulateOp::getFactorInIndex(), factor);
    sparse->connectInTensor(SparseAccumulateOp::getIndicesInIndex(), op->inId(1));
    sparse->createAndConnectOutTensor(0, sparse->name() + ":0");
    sparse->setup();
    const TensorId left = op->outId(0);
    graph.eraseOp(op->id);
    graph.getTensors().remove(left);
    return true;
  }

 private:
  /// What a batch counts in the mean so far: 1 over the count, after this batch was counted.
  static TensorId share(Graph& graph, Tensor* count) {
    const TensorId made = count->id + "/share";
    if (graph.getTensors().contains(made)) return made;
    const std::vector<float> one{1.0f};
    graph.getTensors().addConstInit(made + "/one", {count->info.dataType(), Shape{}}, one.data());
    auto* div = graph.createConnectedOp<DivOp>({{0, made + "/one"}, {1, count->id}}, {{0, made}},
                                               Onnx::Operators::Div_7, Op::Settings(graph, made));
    for (Op* op : count->consumers.getOps())
      if (op->isConvertibleTo<AccumulateOp>() && op->inTensor(0) == count)
        graph.topoCons->insert(op, div);
    return made;
  }
};

PatternCreator<HandOver> handOver("HandOver", false);

/// Changes a part of an update, which popir does not take.
class Meddle : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    return op->getIr().hasDecomposedOptimizers() && op->isConvertibleTo<AccumulateOp>() &&
           op->inId(0).find("/part/1") != std::string::npos;
  }
  std::vector<const Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    Graph& graph = op->getGraph();
    const TensorId sum = op->inId(0), gradient = op->inId(1), out = op->outId(0);
    graph.eraseOp(op->id);
    graph.createConnectedOp<AddOp>({{0, sum}, {1, gradient}}, {{0, out}}, Onnx::Operators::Add_7,
                                   Op::Settings(graph, "meddled"));
    return true;
  }
};

PatternCreator<Meddle> meddle("Meddle", false);

/// Says what the updates are.
class LookAround : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    return op->getIr().hasDecomposedOptimizers() && op->isConvertibleTo<VarUpdateOp>();
  }
  std::vector<const Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    std::string what = "other";
    if (const auto* each = dynamic_cast<AccumulateOp*>(op)) {
      std::ostringstream text;
      text << "Accumulate " << each->getAccumulationType() << " "
           << (each->getFactor().isConst() ? "constant" : "input");
      what = text.str();
    }
    if (op->isConvertibleTo<AccumulatorZeroOp>()) what = "AccumulatorZero";
    if (op->isConvertibleTo<SGD0VarUpdateOp>()) what = "SGD0VarUpdate";
    if (op->isConvertibleTo<SGD1VarUpdateOp>()) what = "SGD1VarUpdate";
    if (op->isConvertibleTo<SGD2VarUpdateOp>()) what = "SGD2VarUpdate";
    if (op->isConvertibleTo<AdamVarUpdateOp>()) what = "AdamVarUpdate";
    if (op->isConvertibleTo<ScaledVarUpdateOp>()) what = "ScaledVarUpdate";
    const bool once = op->settings.executionContext == ExecutionContext::AccumulateOuterFragment;
    logging::pattern::info("{} of {}, {}", what, op->inId(0), once ? "once" : "each batch");
    return false;
  }
};

PatternCreator<LookAround> lookAround("LookAround", false);

}  // namespace
