// Operators that are lowered by the classes of popart/popx/op/ for those that models have, and operators
// of a step: seeds, automatic loss scaling, synchronization.
#include <popart/graph.hpp>
#include <popart/op/addbias.hpp>
#include <popart/op/argextrema.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/getrandomseed.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/init.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/lossscaleupdate.hpp>
#include <popart/op/modifyrandomseed.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/printtensor.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/split.hpp>
#include <popart/op/sync.hpp>
#include <popart/op/topk.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/op/addbiasx.hpp>
#include <popart/popx/op/argmaxx.hpp>
#include <popart/popx/op/argminx.hpp>
#include <popart/popx/op/cumsumx.hpp>
#include <popart/popx/op/expandx.hpp>
#include <popart/popx/op/getrandomseedx.hpp>
#include <popart/popx/op/incrementmodx.hpp>
#include <popart/popx/op/initx.hpp>
#include <popart/popx/op/l1x.hpp>
#include <popart/popx/op/logsoftmaxx.hpp>
#include <popart/popx/op/lossscaleupdatex.hpp>
#include <popart/popx/op/modifyrandomseedx.hpp>
#include <popart/popx/op/onehotx.hpp>
#include <popart/popx/op/padx.hpp>
#include <popart/popx/op/printtensorx.hpp>
#include <popart/popx/op/reversex.hpp>
#include <popart/popx/op/softmaxx.hpp>
#include <popart/popx/op/splitx.hpp>
#include <popart/popx/op/syncx.hpp>
#include <popart/popx/op/tanhx.hpp>
#include <popart/popx/op/tilex.hpp>
#include <popart/popx/op/topkx.hpp>
#include <popart/popx/op/wherex.hpp>
#include <popart/popx/op/zerosx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/popx/preparedtensor.hpp>
#include <popart/tensornames.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace popart;

namespace {

OperatorIdentifier named(const std::string& type) { return {"test", type, 1}; }

template <class T>
T attribute(const OpCreatorInfo& info, const std::string& name) {
  return info.attributes.getAttribute<T>(name);
}
std::vector<int64_t> ints(const OpCreatorInfo& info, const std::string& name) {
  return attribute<Attributes::Ints>(info, name);
}

/// An operator of a class of PopART's whose output has the shape of the attribute "to", or that of the
/// input, and the type of the attribute "type", or that of the input.
template <class OP>
struct Shaped : OP {
  using OP::OP;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Shaped>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { return {}; }
  void setup() override {
    this->outInfo(0) = {type.empty() ? this->inInfo(of).dataType() : dataTypeFromString(type),
                        isGiven ? to : this->inShape(of)};
  }

  Shape to;
  bool isGiven = false;
  std::string type;
  InIndex of = 0;
};

struct Plain : Op {
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Plain>(*this); }
  void setup() override {}
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

template <class OP>
struct Own : OP {
  using OP::OP;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Own>(*this); }
};

template <class OP>
std::unique_ptr<Op> shaped(const OpCreatorInfo& info, std::unique_ptr<Shaped<OP>> op) {
  op->isGiven = info.attributes.hasAttribute("to");
  if (op->isGiven) op->to = ints(info, "to");
  if (info.attributes.hasAttribute("type")) op->type = attribute<Attributes::String>(info, "type");
  if (info.attributes.hasAttribute("of"))
    op->of = static_cast<InIndex>(attribute<Attributes::Int>(info, "of"));
  return op;
}

/// An operator of a class of PopART's that has a type of its own there, under a name of the test's.
template <class OP>
std::unique_ptr<Op> renamed(const std::string& type, std::unique_ptr<OP> op) {
  op->opid = named(type);
  return op;
}

/// Operators with gradients of PopART's classes, which are lowered by those of popart/popx/op/, too.
struct TrainedL1 : L1Op {
  using L1Op::L1Op;
  std::unique_ptr<Op> clone() const final { return std::make_unique<TrainedL1>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(renamed("L1Grad", std::make_unique<L1GradOp>(*this)));
    return made;
  }
};

struct TrainedCumSum : Shaped<CumSumOp> {
  using Shaped<CumSumOp>::Shaped;
  std::unique_ptr<Op> clone() const final { return std::make_unique<TrainedCumSum>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(renamed("CumSumGrad", std::make_unique<CumSumGradOp>(
                                             *this, getExclusive(), getReverse(), gradientAxis)));
    return made;
  }

  /// The operator itself sums along axis 0, having no other input that says one.
  int64_t gradientAxis = 0;
};

struct TrainedOnehot : Shaped<OnehotOp> {
  using Shaped<OnehotOp>::Shaped;
  std::unique_ptr<Op> clone() const final { return std::make_unique<TrainedOnehot>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(renamed("OnehotGrad", std::make_unique<OnehotGradOp>(*this)));
    return made;
  }
};

struct TrainedAddBias : Shaped<Plain> {
  using Shaped<Plain>::Shaped;
  std::unique_ptr<Op> clone() const final { return std::make_unique<TrainedAddBias>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    const AddBiasOp of(opid, getSettings());
    const std::vector<int64_t> axes = {0, 2};
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(renamed("AddBiasDataGrad", std::make_unique<AddBiasDataGradOp>(of)));
    made.push_back(renamed("AddBiasBiasGrad", std::make_unique<AddBiasBiasGradOp>(of, axes)));
    return made;
  }
};

/// A synchronization of all tiles before the input is passed on.
struct SyncedOpx : popx::Opx {
  using popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    SyncOp sync(op_p->getSettings(), poplar::SyncType::INTERNAL);
    poplar::program::Sequence of;
    popx::SyncOpx(&sync, dv_p).grow(of);
    std::ostringstream text;
    poplar::program::dumpProgram(graph(), of, text);
    written() = text.str();
    prog.add(of);
    setOutTensor(0, cloneNcopy(prog, getInTensor(0)));
  }
  static std::string& written() {
    static std::string text;
    return text;
  }
};

struct Register {
  template <class OPX>
  static void add(const std::string& type, OpManager::OpFactoryFunc factory) {
    static std::vector<std::unique_ptr<OpCreator<Plain>>> ops;
    static std::vector<std::unique_ptr<popx::OpxCreator<OPX>>> lowerings;
    ops.push_back(
        std::make_unique<OpCreator<Plain>>(OpDefinitions({{named(type), {}}}), factory, true));
    lowerings.push_back(std::make_unique<popx::OpxCreator<OPX>>(named(type)));
  }
  /// Of operators that others make.
  template <class OPX>
  static void lowering(const std::string& type) {
    static std::vector<std::unique_ptr<popx::OpxCreator<OPX>>> lowerings;
    lowerings.push_back(std::make_unique<popx::OpxCreator<OPX>>(named(type)));
  }
  template <class OPX>
  static void plain(const std::string& type) {
    add<OPX>(type, [](const OpCreatorInfo& info) {
      return shaped<Plain>(info, std::make_unique<Shaped<Plain>>(info.opid, info.settings));
    });
  }
  template <class OPX>
  static void extremum(const std::string& type) {
    add<OPX>(type, [](const OpCreatorInfo& info) {
      return shaped<ArgExtremaOp>(
          info, std::make_unique<Shaped<ArgExtremaOp>>(
                    info.opid, attribute<Attributes::Int>(info, "axis"), 0, info.settings));
    });
  }

  Register() {
    using namespace popx;
    extremum<ArgMaxOpx>("ArgMax"), extremum<ArgMinOpx>("ArgMin");
    plain<ExpandOpx>("Expand"), plain<ExpandInplaceOpx>("ExpandInplace");
    plain<ExpandGradOpx>("ExpandGrad"), plain<TileOpx>("Tile"), plain<TileGradOpx>("TileGrad");
    plain<WhereOpx>("Where"), plain<WhereXGradOpx>("WhereXGrad");
    plain<WhereYGradOpx>("WhereYGrad"), plain<ZerosOpx>("Zeros");
    plain<TanhOpx>("Tanh"), plain<TanhGradOpx>("TanhGrad");
    plain<AddBiasOpx>("AddBias"), plain<AddBiasInplaceOpx>("AddBiasInplace");
    plain<AddBiasDataGradOpx>("AddBiasDataGrad");
    add<CumSumOpx>("CumSum", [](const OpCreatorInfo& info) {
      return shaped<CumSumOp>(info,
                              std::make_unique<Shaped<CumSumOp>>(
                                  info.opid, attribute<Attributes::Int>(info, "exclusive"),
                                  attribute<Attributes::Int>(info, "reverse"), info.settings));
    });
    add<InitOpx>("Init", [](const OpCreatorInfo& info) {
      return shaped<InitOp>(info, std::make_unique<Shaped<InitOp>>(
                                      info.opid, TensorInfo(DataType::FLOAT, {2, 2}),
                                      TensorType::ActGrad, InitType::Zero, info.settings));
    });
    add<SplitOpx>("Split", [](const OpCreatorInfo& info) {
      return shaped<SplitOp>(info, std::make_unique<Shaped<SplitOp>>(
                                       info.opid, -1, ints(info, "sizes"), info.settings));
    });
    const auto reversed = [](const OpCreatorInfo& info) {
      return shaped<ReverseBaseOp>(info, std::make_unique<Shaped<ReverseBaseOp>>(
                                             info.opid, info.settings, ints(info, "dims")));
    };
    add<ReverseOpx>("Reverse", reversed), add<ReverseInplaceOpx>("ReverseInplace", reversed);
    add<ReverseGradOpx>("ReverseGrad", reversed);
    add<OnehotOpx>("Onehot", [](const OpCreatorInfo& info) {
      return shaped<OnehotOp>(
          info, std::make_unique<Shaped<OnehotOp>>(
                    info.opid, attribute<Attributes::Int>(info, "axis"), info.settings));
    });
    const auto padded = [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Own<BasePadOp>>(
          info.opid, ints(info, "pads"), std::vector<unsigned>{0},
          attribute<Attributes::Float>(info, "value"), attribute<Attributes::String>(info, "mode"),
          info.settings);
    };
    add<PadOpx>("Pad", padded), add<PadInplaceOpx>("PadInplace", padded);
    add<IncrementModOpx>("IncrementMod", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Own<IncrementModOp>>(info.opid, 3, 7, info.settings);
    });
    add<TopKOpx>("TopK", [](const OpCreatorInfo& info) {
      auto op = std::make_unique<Shaped<TopKOp>>(
          info.opid, 2, 1, attribute<Attributes::Int>(info, "largest") != 0, true, info.settings);
      return shaped<TopKOp>(info, std::move(op));
    });
    add<SoftmaxOpx>("Softmax", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Own<SoftmaxOp>>(info.opid, attribute<Attributes::Int>(info, "axis"),
                                              info.settings);
    });
    add<LogSoftmaxOpx>("LogSoftmax", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Own<LogSoftmaxOp>>(
          info.opid, attribute<Attributes::Int>(info, "axis"), info.settings);
    });
    add<SoftmaxOpx>("NoSoftmax", [](const OpCreatorInfo& info) {
      return shaped<Plain>(info, std::make_unique<Shaped<Plain>>(info.opid, info.settings));
    });
    add<L1Opx>("L1", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto reduction = static_cast<ReductionType>(attribute<Attributes::Int>(info, "how"));
      return std::make_unique<Own<L1Op>>(info.opid, 0.25f, reduction, info.settings);
    });
    add<L1Opx>("L1Trained", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto reduction = static_cast<ReductionType>(attribute<Attributes::Int>(info, "how"));
      return std::make_unique<TrainedL1>(info.opid, 0.25f, reduction, info.settings);
    });
    lowering<L1GradOpx>("L1Grad");
    add<CumSumOpx>("CumSumTrained", [](const OpCreatorInfo& info) {
      auto op = std::make_unique<TrainedCumSum>(
          info.opid, attribute<Attributes::Int>(info, "exclusive"),
          attribute<Attributes::Int>(info, "reverse"), info.settings);
      op->gradientAxis = attribute<Attributes::Int>(info, "axis");
      return shaped<CumSumOp>(info, std::move(op));
    });
    lowering<CumSumGradOpx>("CumSumGrad");
    add<OnehotOpx>("OnehotTrained", [](const OpCreatorInfo& info) {
      return shaped<OnehotOp>(
          info, std::make_unique<TrainedOnehot>(info.opid, attribute<Attributes::Int>(info, "axis"),
                                                info.settings));
    });
    lowering<OnehotGradOpx>("OnehotGrad");
    add<AddBiasOpx>("AddBiasTrained", [](const OpCreatorInfo& info) {
      return shaped<Plain>(info, std::make_unique<TrainedAddBias>(info.opid, info.settings));
    });
    lowering<AddBiasBiasGradOpx>("AddBiasBiasGrad");
    add<SoftmaxInplaceOpx>("SoftmaxInplace", [](const OpCreatorInfo& info) {
      const SoftmaxOp of(info.opid, attribute<Attributes::Int>(info, "axis"), info.settings);
      return renamed("SoftmaxInplace", std::make_unique<SoftmaxInplaceOp>(of));
    });
    add<LogSoftmaxInplaceOpx>("LogSoftmaxInplace", [](const OpCreatorInfo& info) {
      const LogSoftmaxOp of(info.opid, attribute<Attributes::Int>(info, "axis"), info.settings);
      return renamed("LogSoftmaxInplace", std::make_unique<LogSoftmaxInplaceOp>(of));
    });
    add<IncrementModInplaceOpx>("IncrementModInplace", [](const OpCreatorInfo& info) {
      const IncrementModOp of(info.opid, 3, 7, info.settings);
      return renamed("IncrementModInplace", std::make_unique<IncrementModInplaceOp>(of));
    });
    add<PrintTensorOpx>("Print", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Own<PrintTensorOp>>(
          info.opid, attribute<Attributes::Int>(info, "self") != 0, false,
          attribute<Attributes::String>(info, "title"),
          PrintTensorFmt(5, 2, 75, 3, PrintTensorFmt::FloatFormat::Fixed, ',', '(', ')'),
          info.settings);
    });
    plain<SyncedOpx>("Synced");
    add<GetRandomSeedOpx>("NextSeed", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<GetRandomSeedOp>(info.opid, info.settings);
    });
    add<ModifyRandomSeedOpx>("SeedOf", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<ModifyRandomSeedOp>(info.opid, info.settings);
    });
    add<LossScaleUpdateOpx>("Scaling", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<LossScaleUpdateOp>(info.opid, DataType::FLOAT, info.settings);
    });
  }
} registered;

/// What classes that say where tensors are answer, without a graph; empty if all is right.
std::string answers() {
  TensorLocationInfo info, same;
  if (info.isRemote() || info.isSharded() || !(info == same)) return "a new location";
  info.setRemote(true);
  info.setSharded(true);
  info.setRemoteBufferInfo(3, 5);
  if (!info.isRemote() || !info.isSharded() || info == same) return "a location";
  if (info.getRemoteBufferInfo().first != 3 || info.getRemoteBufferInfo().second != 5)
    return "a row of a remote buffer";
  if (getRemoteArgTensorId("w") != std::string(reservedRemoteArgPrefix()) + "w") return "an id";
  const popx::PreparedTensorInfo prepared("a", "b", popx::CanAlias::Yes,
                                          popx::RequireParallelWritable::No);
  if (prepared.srcId != "a" || prepared.dstId != "b") return "a prepared tensor";
  if (ModifyRandomSeedOp::getModifiedSeedTensorId(4) !=
      std::string(reservedRandomSeedPrefix()) + "modified4")
    return "a seed's id";
  return "";
}

}  // namespace

/// The program that the last Synced operator has grown, as JSON.
extern "C" __attribute__((visibility("default"))) const char* model_synced() {
  return SyncedOpx::written().c_str();
}

extern "C" __attribute__((visibility("default"))) const char* model_answers() {
  static std::string said;
  said = answers();
  return said.c_str();
}
