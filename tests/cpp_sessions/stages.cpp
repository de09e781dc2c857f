// What operators say of pipelines, shards and streaming memory. What is printed, test_stages.py
// compares.
#include <onnx/onnx_pb.h>
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/onnxdebuginfo.hpp>
#include <popart/op/add.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/copyvarupdate.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/init.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/restore.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/updateinplaceprioritiesforipu.hpp>
#include <popart/popx/exchangebundle.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/replicatedtensorsharding.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/overlapio.hpp>
#include <popart/transforms/pipeline.hpp>
#include <popart/transforms/preautomaticlossscaling.hpp>
#include <popart/transforms/streamingmemory.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo four(DataType::FLOAT, {4});

/// An operator in a stage, on an IPU: its output is as its input.
IdentityOp* add(Graph& graph, const TensorId& in, const TensorId& out, int stage, int ipu = -1,
                bool isBehind = false) {
  Op::Settings settings(graph, out);
  settings.pipelineStage = stage;
  if (ipu >= 0) settings.vgraphId = ipu;
  auto* op = graph.createConnectedOp<IdentityOp>({{0, in}}, {{0, out}}, Onnx::Operators::Identity_1,
                                                 settings);
  op->scheduledPreLoss = isBehind ? ScheduledPreLoss::No : ScheduledPreLoss::Yes;
  return op;
}

/// The cycles in which each of three stages runs, of which the last two run as one.
void cycles() {
  const PipelineInfo info(9, 5, 3, true, {{0, 0}, {1, 1}, {2, 1}});
  std::cout << info.fillPhase.start << info.fillPhase.end << " " << info.mainPhase.start
            << info.mainPhase.end << " " << info.flushPhase.start << info.flushPhase.end << " "
            << info.getMainCycles() << info.numIndependentStages(0, 3) << info.executeWithStage(2)
            << "\n";
  for (int stage = 0; stage < 4; ++stage) {
    for (int cycle = 0; cycle < 7; ++cycle) std::cout << info.doStage(cycle, stage);
    std::cout << " ";
  }
  std::cout << "\n";
  failsWithError([] { PipelineInfo(2, 1, 3, false, {}); });

  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", four);
  add(graph, "x", "a", 0, 0);
  add(graph, "a", "b", 1, 1);
  add(graph, "b", "c", 2, 1);
  add(graph, "c", "d", 3, 0);
  for (const auto& [stage, with] : Pipeline::withStages(ir)) std::cout << stage << with << " ";
  std::cout << ir.pipelineInfo().numStages << " ";
  ir.getSessionOptions().enablePipelining = true;
  ir.getSessionOptions().accumulationFactor = 4;
  ir.getSessionOptions().enableGradientAccumulation = true;
  std::cout << ir.pipelineInfo().numStages << ir.pipelineInfo().getMainCycles()
            << Pipeline().getStashSize(ir, 0, 3) << Pipeline().getStashSize(ir, 1, 2) << "\n";
  failsWithError([&] { ir.applyTransform(Pipeline::id(), graph); });
  failsWithError([&] { Pipeline().addDynamicStashAndRestoreOps(graph); });
  failsWithError([&] { Pipeline().contiguateIpuCopies(graph); });
}

/// a (kept) - b (again) - c (kept) - d (again) - the loss; e (again) reads a alone.
void recomputed() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", four);
  const char* const ids[] = {"x", "a", "b", "c", "d"};
  for (int i = 1; i < 5; ++i)
    add(graph, ids[i - 1], ids[i], 0)->settings.recomputeType =
        i % 2 == 1 ? RecomputeType::Checkpoint : RecomputeType::Recompute;
  add(graph, "a", "e", 0)->settings.recomputeType = RecomputeType::Recompute;
  Op* behind = add(graph, "d", "f", 0, -1, true);
  Pipeline::setFinalFwdStageRecomputation(graph);
  for (const char* id : {"a", "b", "c", "d", "e"})
    std::cout << (graph.getTensor(id)->getProducer()->settings.recomputeType ==
                  RecomputeType::Checkpoint);
  std::cout << "\n";
  for (const char* id : {"a", "b", "c", "d", "e"})
    graph.getTensor(id)->getProducer()->settings.recomputeType = RecomputeType::Recompute;
  failsWithError([&] { Pipeline::setFinalFwdStageRecomputation(graph); });
  add(graph, "f", "g", 1, -1, true);
  add(graph, "x", "h", 1);
  failsWithError([&] { Pipeline::setFinalFwdStageRecomputation(graph); });
  behind->setPipelineStage(-2);
  failsWithError([&] { Pipeline::checkOpsPipelineStage(graph); });
}

/// Stages by IPUs; a copy has that of what it copies, and runs first there.
void staged() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", four);
  IdentityOp* a = add(graph, "x", "a", 0, 0);
  a->setPipelineStage({});
  Op::Settings settings(graph, "copy");
  IpuCopyOp* copy = graph.createOp<IpuCopyOp>(Onnx::CustomOperators::IpuCopy, 1, settings);
  Op* base = copy;
  base->connectInTensor(0, "a", 0);
  copy->createAndConnectOutTensor(0, "a1");
  copy->setup();
  IdentityOp* b = add(graph, "a1", "b", 0, 1);
  b->setPipelineStage({});
  Pipeline::checkOpsPipelineStage(graph);
  std::cout << a->getPipelineStage() << copy->getPipelineStage() << b->getPipelineStage()
            << graph.topoCons->contains(a, copy) << graph.topoCons->contains(b, copy) << "\n";
  std::cout << Pipeline::checkIsFullRecompute(graph) << Pipeline::checkIsFullCheckpoint(graph)
            << Pipeline::inplaceRestoreRequiredForRecompute(a);
  RestoreInplaceOp* restore = graph.createOp<RestoreInplaceOp>(
      Onnx::CustomOperators::RestoreInplace, 2, Op::Settings(graph, "restore"));
  restore->requiredForRecompute = true;
  std::cout << Pipeline::inplaceRestoreRequiredForRecompute(restore) << "\n";
  ir.unsetAllVirtualGraphIds();
  std::cout << a->hasVirtualGraphId() << b->hasVirtualGraphId() << "\n";

  // What is computed again, shown by what is copied.
  Ir other;
  Graph& next = other.getMainGraph();
  next.addStream("x", four);
  IdentityOp* again = add(next, "x", "a", 0, 0);
  ReluOp* relu = next.createConnectedOp<ReluOp>({{0, "a"}}, {{0, "b"}}, Onnx::Operators::Relu_6,
                                                Op::Settings(next, "relu"));
  IpuCopyOp* away = next.createOp<IpuCopyOp>(Onnx::CustomOperators::IpuCopy, 1, settings);
  static_cast<Op*>(away)->connectInTensor(0, "b", 0);
  away->createAndConnectOutTensor(0, "b1");
  std::cout << Pipeline::inplaceRecomputationConflict(relu, 0, 0);
  again->settings.recomputeType = RecomputeType::Recompute;
  std::cout << next.getTensor("a")->isImplicitRecomputeTensor()
            << Pipeline::inplaceRecomputationConflict(relu, 0, 0)
            << next.getTensor("a")->getBatchAxis() << next.getTensor("a")->isRestoreInplaceTensor()
            << next.getTensor("a")->getInplaceModifiers().size() << "\n";
}

/// Shards of two variables that lie in rows of remote buffers: w and v in one, u in another.
void shards() {
  using Info = ReplicatedTensorShardingOpInfo;
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo shard(DataType::FLOAT, {2}, {8});
  std::vector<ExchangeDescriptor> loads;
  std::map<InIndex, TensorId> in;
  std::map<OutIndex, TensorId> out;
  const char* const names[] = {"w", "v", "u"};
  for (int i = 0; i < 3; ++i) {
    const std::string name = names[i];
    auto* init = graph.createConnectedOp<InitOp>(
        {}, {{0, name + "Init"}}, Onnx::CustomOperators::Init_1, TensorInfo(DataType::FLOAT, {2}),
        TensorType::ActGrad, InitType::NoInit, Op::Settings(graph, name));
    init->outInfo(0) = shard;
    const int32_t row = i;
    graph.addConstInit(name + "Row", TensorInfo(DataType::INT32, {1}), &row);
    in[2 * i] = name + "Init";
    in[2 * i + 1] = name + "Row";
    out[i] = name;
    loads.emplace_back(ExchangeDirection::Load, RemoteBufferId(i == 2 ? 7 : 3), OptionalVGraphId(),
                       TileSet::Compute, 2, 1, false);
  }
  auto* load = graph.createConnectedOp<MultiExchangeOp>(
      in, out, Onnx::CustomOperators::MultiExchange, Op::Settings(graph, "load"), loads);
  for (int i = 0; i < 3; ++i) load->outInfo(i) = shard;
  auto* sum = graph.createConnectedOp<IdentityOp>(
      {{0, "w"}}, {{0, "w2"}}, Onnx::Operators::Identity_1, Op::Settings(graph, "next"));
  sum->outInfo(0) = shard;
  auto* gather = graph.createConnectedOp<ReplicatedAllGatherOp>(
      {{0, "w2"}}, {{0, "whole"}}, Onnx::CustomOperators::ReplicatedAllGather,
      CommGroup(CommGroupType::All, 4), Op::Settings(graph, "gather"),
      TensorInfo(DataType::FLOAT, {8}));
  auto* store = graph.createConnectedOp<RemoteStoreOp>(
      {{RemoteStoreOp::getLocalTensorInIndex(), "w2"},
       {RemoteStoreOp::getRemoteBufferOffsetInIndex(), "wRow"}},
      {}, Onnx::CustomOperators::RemoteStore, Op::Settings(graph, "store"), RemoteBufferId(3));

  ReplicatedTensorShardingTracer tracer(ir);
  tracer.trace({graph.getTensor("w")});
  tracer.trace({graph.getTensor("v")});
  tracer.trace({graph.getTensor("u")});
  for (const char* id : {"w", "v", "u", "w2", "wInit", "whole"})
    std::cout << (tracer.hasGroup(TensorId(id)) ? tracer.getGroup(TensorId(id)).id : -1) << " ";
  std::cout << "\n";
  const auto& group = tracer.getGroup(TensorId("w"));
  for (const TensorId& id : group.shardedTensorIds) std::cout << id << " ";
  std::cout << group.exchangeOpIds.count(load->id) << group.exchangeOpIds.count(store->id)
            << group.collectiveOpIds.count(gather->id) << "\n";
  for (const InIndex index : group.exchangeOpIds.at(load->id).inIndices) std::cout << index;
  std::cout << " ";
  for (const OutIndex index : group.exchangeOpIds.at(load->id).outIndices) std::cout << index;
  std::cout << " " << tracer.hasGroup(Info(load->id, {0, 2}, {1}))
            << tracer.hasGroup(Info(load->id, {4}, {}))
            << tracer.hasGroup(Info(load->id, {0, 4}, {})) << "\n";
  failsWithError([&] { tracer.getGroup(TensorId("whole")); });
  failsWithError([&] { tracer.getGroup(Info(load->id, {0, 4}, {})); });
  failsWithError([&] { tracer.trace({graph.getTensor("w"), graph.getTensor("u")}); });

  const popx::ExchangeBundle bundle(ir);
  std::cout << bundle.getRemoteBufferSeparateLoadStorePadsRequired(3)
            << bundle.getRemoteBufferSeparateLoadStorePadsRequired(7) << "\n";
  failsWithError([&] { bundle.getRemoteBufferSeparateLoadStorePadsRequired(1); });
}

/// Rows that a program of Poplar's own copies out of a buffer, and back behind them.
void buffers() {
  auto device = DeviceManager::createDeviceManager().createCpuDevice();
  Ir ir;
  ir.setRemoteBufferInfo(5, RemoteBufferInfo(four, 4));
  popx::IrLowering lowering(ir, device);
  popx::ExchangeBundle& bundle = lowering.getExchangeBundle();
  std::cout << (&bundle == &lowering.getExchangeBundle()) << bundle.hasRemoteBuffer(5) << "\n";
  poplar::Graph& graph = lowering.graph();
  poplar::Tensor row = graph.addVariable(poplar::FLOAT, {4}, "row");
  graph.setTileMapping(row, 0);
  failsWithError([&] { bundle.getRemoteBuffer(5); });
  failsWithError([&] { bundle.createRemoteBuffer(graph, 6, {row}); });
  failsWithError([&] { bundle.createRemoteBuffer(graph, 5, {}); });
  bundle.createRemoteBuffer(graph, 5, {row});
  failsWithError([&] { bundle.createRemoteBuffer(graph, 5, {row}); });
  failsWithError([&] { bundle.getStreamTensor("x"); });
  bundle.setStreamTensor("x", row);
  std::cout << bundle.hasStreamTensor("x") << bundle.getStreamTensor("x").numElements()
            << popx::ExchangeBundle::getRemoteBufferName(5) << "\n";
  const auto& [buffer, rows] = bundle.getRemoteBuffer(5);
  poplar::Tensor one = graph.addConstant(poplar::UNSIGNED_INT, {1}, 1u);
  poplar::Tensor three = graph.addConstant(poplar::UNSIGNED_INT, {1}, 3u);
  graph.setTileMapping(one, 0);
  graph.setTileMapping(three, 0);
  poplar::Engine engine(graph,
                        poplar::program::Sequence({poplar::program::Copy(buffer, rows[0], one),
                                                   poplar::program::Copy(rows[0], buffer, three)}));
  engine.load(poplar::Device::createCPUDevice());
  float values[4] = {1, 2, 3, 4};
  engine.copyToRemoteBuffer(values, "RB_5", 1);
  engine.run();
  float found[4];
  engine.copyFromRemoteBuffer("RB_5", found, 3);
  for (const float each : found) std::cout << each << " ";
  std::cout << "\n";

  poplar::Graph other(poplar::Target::createCPUTarget());
  failsWithError([&] { popx::IrLowering(other).getExchangeBundle(); });
}

/// Which copies overlap, and what the transforms refuse.
void transforms() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", four);
  graph.getTensor("x")->setInputSettings(
      InputSettings(TileSet::IO, ExchangeStrategy::OverlapInnerLoop));
  Op::Settings settings(graph, "load");
  settings.tileSet = TileSet::IO;
  settings.pipelineStage = 2;
  graph.createConnectedOp<InitOp>({}, {{0, "start"}}, Onnx::CustomOperators::Init_1, four,
                                  TensorType::ActGrad, InitType::NoInit, settings);
  graph.createConnectedOp<HostLoadOp>({{HostLoadOp::getLocalTensorInIndex(), "start"}},
                                      {{HostLoadOp::getLocalTensorOutIndex(), "loaded"}},
                                      Onnx::CustomOperators::HostLoad, settings, "x");
  for (const auto& [strategy, stages] : OverlapIO::overlapIORequired(ir))
    std::cout << strategy << " " << stages.size() << *stages.begin() << "\n";
  std::cout << OverlapIO().apply(graph) << StreamingMemory(1).apply(graph) << "\n";
  std::cout << OverlapIO().getName() << " " << StreamingMemory(2).getName() << " "
            << (StreamingMemory::id(1) != StreamingMemory::id(2)) << "\n";
  ir.getSessionOptions().executionPhaseSettings.phases = 2;
  failsWithError([&] { ir.applyTransform(StreamingMemory::id(1), graph); });
  ir.getSessionOptions().executionPhaseSettings.phases = 0;
  ir.getSessionOptions().weightTensorLocationSettings.location = TensorStorage::OffChip;
  failsWithError([&] { ir.applyTransform(StreamingMemory::id(2), graph); });
  ir.getSessionOptions().weightTensorLocationSettings.location = TensorStorage::OnChip;
  ir.getSessionOptions().tensorLocationSettingsOverride["x"] = TensorStorage::OffChip;
  failsWithError([&] { ir.applyTransform(StreamingMemory::id(2), graph); });

  Ir looped;
  Graph& main = looped.getMainGraph();
  looped.setDataFlow(DataFlow(3));
  main.addStream("x", four);
  main.getTensor("x")->setInputSettings(
      InputSettings(TileSet::IO, ExchangeStrategy::OverlapInnerLoop));
  Op::Settings inside(main, "load");
  inside.tileSet = TileSet::IO;
  main.createConnectedOp<InitOp>({}, {{0, "start"}}, Onnx::CustomOperators::Init_1, four,
                                 TensorType::ActGrad, InitType::NoInit, inside);
  main.createConnectedOp<HostLoadOp>({{HostLoadOp::getLocalTensorInIndex(), "start"}},
                                     {{HostLoadOp::getLocalTensorOutIndex(), "loaded"}},
                                     Onnx::CustomOperators::HostLoad, inside, "x");
  looped.applyTransform(MainLoops::id(), main);
  failsWithError([&] { looped.applyTransform(OverlapIO::id(), main); });
}

/// (a + b) * a, of which a and the sum are tracked.
void tracked() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  for (const char* id : {"a", "b"}) graph.addStream(id, four);
  graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "sum"}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, "add"));
  auto* product = graph.createConnectedOp<MulOp>(
      {{0, "sum"}, {1, "a"}}, {{0, "out"}}, Onnx::Operators::Mul_7, Op::Settings(graph, "mul"));
  std::cout << PreAutomaticLossScale().apply(graph);
  auto& settings = ir.getSessionOptions().automaticLossScalingSettings;
  settings.toTrackTensors = std::vector<TensorId>{};
  failsWithError([&] { PreAutomaticLossScale().apply(graph); });
  settings.toTrackTensors = std::vector<TensorId>{"a", "c", "d"};
  failsWithError([&] { PreAutomaticLossScale().apply(graph); });
  std::cout << graph.getOpIds().size();
  settings.toTrackTensors = std::vector<TensorId>{"a", "sum", "a"};
  ir.applyTransform(PreAutomaticLossScale::id(), graph);
  std::cout << graph.getOpIds().size() << " " << product->inId(0) << " " << product->inId(1)
            << "\n";
  for (const char* id : {"a", "sum"})
    for (const Op* reader : graph.getTensor(id)->consumers.getOps())
      std::cout << id << " " << reader->opid.type << "\n";
}

/// Sums of x * y, as it is and behind an identity, and z.
void priorities() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo square(DataType::FLOAT, {2, 2});
  for (const char* id : {"x", "y", "z"}) graph.addStream(id, square);
  const Op::Settings settings(graph, "op");
  graph.createConnectedOp<MatMulOp>(
      {{0, "x"}, {1, "y"}}, {{0, "product"}}, Onnx::Operators::MatMul_9, settings, nonstd::nullopt,
      MatMulOp::SerialiseSettings(), OptionalDataType(), MatMulPartialsType::FLOAT);
  graph.createConnectedOp<IdentityOp>({{0, "product"}}, {{0, "same"}}, Onnx::Operators::Identity_1,
                                      settings);
  graph.createConnectedOp<ReluOp>({{0, "product"}}, {{0, "other"}}, Onnx::Operators::Relu_6,
                                  settings);
  const UpdateInplacePrioritiesForIpu pattern;
  for (const char* id : {"product", "same", "other"}) {
    auto* sum = graph.createConnectedOp<AddOp>({{0, "z"}, {1, id}}, {{0, std::string(id) + "Sum"}},
                                               Onnx::Operators::Add_7, settings);
    const auto print = [&] {
      std::cout << sum->getInplacePriority(Onnx::CustomOperators::AddLhsInplace) << " "
                << sum->getInplacePriority(Onnx::CustomOperators::AddRhsInplace) << " ";
    };
    print();
    pattern.apply(sum);
    print();
  }
  pattern.apply(graph.getTensor("same")->getProducer());
  std::cout << pattern.getPatternName() << "\n";
}

/// What a node and tensors say of themselves, in a file.
void debug() {
  poplar::DebugInfo::initializeStreamer("debug.json", poplar::DebugSerializationFormat::JSON);
  {
    onnx::NodeProto node;
    node.set_name("sum");
    node.set_op_type("Add");
    node.add_input("a");
    node.add_input("b");
    node.add_output("c");
    onnx::AttributeProto* axis = node.add_attribute();
    axis->set_name("axes");
    axis->set_type(onnx::AttributeProto::INTS);
    axis->add_ints(1);
    axis->add_ints(-2);
    onnx::AttributeProto* alpha = node.add_attribute();
    alpha->set_name("words");
    alpha->set_type(onnx::AttributeProto::STRINGS);
    alpha->add_strings("x");
    alpha->add_strings("y");
    OnnxOpDebugInfo op(DebugContext("op"), node);
    onnx::TensorProto weight;
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT16);
    weight.add_dims(2);
    weight.add_dims(3);
    OnnxVariableDebugInfo variable(DebugContext("weight"), weight);
    onnx::ValueInfoProto input;
    input.set_name("a");
    input.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(4);
    OnnxVariableDebugInfo given(DebugContext("input"), input);
    OnnxVariableDebugInfo shaped(DebugContext("shaped"), input, TensorInfo(DataType::FLOAT, {5}));
  }
  poplar::DebugInfo::closeStreamer();
  std::cout << std::ifstream("debug.json").rdbuf() << "\n";
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> programs = {
      {"cycles", cycles},   {"recomputed", recomputed}, {"staged", staged},
      {"shards", shards},   {"buffers", buffers},       {"transforms", transforms},
      {"tracked", tracked}, {"debug", debug},           {"priorities", priorities}};
  programs.at(arguments[1])();
}
