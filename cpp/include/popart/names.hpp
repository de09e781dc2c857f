// Type names for integers and strings of the compiler. After popart/names.hpp of PopART 3.
#ifndef popart_names_hpp
#define popart_names_hpp

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <popart/graphid.hpp>

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
namespace ONNX_NAMESPACE {
class AttributeProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace ONNX_NAMESPACE

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Ir;
class Op;
class Tensor;

/// Sizes of the dimensions, outermost first. Empty for a scalar.
using Shape = std::vector<int64_t>;
using Rank = int;

using TensorId = std::string;
/// Lists of tensors: all those of one of them.
using DnfTensorIds = std::vector<std::set<TensorId>>;
using OnnxTensors = std::map<TensorId, ONNX_NAMESPACE::TensorProto>;
using OpName = std::string;
using OpDomain = std::string;
using OpType = std::string;
using OpVersion = unsigned;
/// Unique in a graph; -1 for an operator that is in no graph.
using OpId = int;
/// The order of operators' ids.
struct POpCmp {
  bool operator()(const Op* a, const Op* b) const;
};
/// Operators, and those that run before them.
using OpsBeforeKey = std::map<Op*, std::vector<Op*>, POpCmp>;
using InIndex = int;
using OutIndex = int;
/// Which of the graphs that an operator calls.
using SubgraphIndex = int;
using SubgraphPartIndex = int;
using RandomReferenceId = int64_t;
using RemoteBufferId = int64_t;
/// A row of one.
using RemoteBufferIndex = int64_t;
/// A part of a lowering that grows in several.
using OpxGrowPartId = int;

/// A node of a model, and its attributes.
using Node = ONNX_NAMESPACE::NodeProto;
using NodeAttributes = std::vector<ONNX_NAMESPACE::AttributeProto>;

using VGraphId = int64_t;
using PipelineStage = int64_t;
using PipelineCycle = int64_t;
using ExecutionPhase = int64_t;
using BatchSerializedPhase = int64_t;

/// Groups of inputs and outputs that are sharded over replicas in the same way.
using ReplicatedTensorShardingIndices = std::set<std::pair<std::set<InIndex>, std::set<OutIndex>>>;
using ReplicatedTensorShardingIndicesIndex = int;
using ReplicatedTensorShardingGroupId = int;

/// Whether a value is the same on all replicas, and that of inputs and outputs.
using IsReplicaEqual = bool;
using ReplEqInputMap = std::map<InIndex, IsReplicaEqual>;
using ReplEqOutputMap = std::map<OutIndex, IsReplicaEqual>;
using ReplEqModifiedInputMap = std::map<InIndex, IsReplicaEqual>;

namespace view {
class Region;
using Regions = std::vector<Region>;
/// Maps a region of one tensor to the corresponding regions of another.
using RegMap = std::function<Regions(const Region&)>;
}  // namespace view

// Attributes of a node that control the compiler, not the operator.
static constexpr const char* sVirtualGraphAttribute = "__ipu_number";
static constexpr const char* sPipelineStageAttribute = "__pipeline_stage";
static constexpr const char* sExecutionPhaseAttribute = "__execution_phase";
static constexpr const char* sRecomputeOutputAttribute = "__recompute_output_in_backward_pass";
static constexpr const char* sExcludePatternsAttribute = "__exclude_patterns";
static constexpr const char* sInplaceOpNames = "__inplace_op_names";
static constexpr const char* sInplaceOpPriorities = "__inplace_op_priorities";
static constexpr const char* sSchedulePriority = "__schedule_priority";
static constexpr const char* sOutlineAttribute = "__outline";
static constexpr const char* sAvailMemAttribute = "__available_memory";
static constexpr const char* sPartialsTypeAttribute = "__partials_type";
static constexpr const char* sDebugInfoId = "__debug_info_id";
static constexpr const char* sSerializeMatMulModeAttribute = "__serialize_matmul_mode";
static constexpr const char* sSerializeMatMulFactorAttribute = "__serialize_matmul_factor";
static constexpr const char* sSerializeMatMulPrecisionAttribute = "__serialize_matmul_precision";
static constexpr const char* sSerializeMatMulMode_None = "none";
static constexpr const char* sSerializeMatMulMode_InputChannels = "input_channels";
static constexpr const char* sSerializeMatMulMode_ReducingDim = "reducing_dim";
static constexpr const char* sSerializeMatMulMode_OutputChannels = "output_channels";

/// Separator in scoped names.
static constexpr const char* sNameDelimiter = "/";

}  // namespace popart

#pragma GCC visibility pop

#endif
