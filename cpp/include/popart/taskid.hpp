// What a step of lowering is called. After popart/taskid.hpp of PopART 3.
#ifndef popart_taskid_hpp
#define popart_taskid_hpp

#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/vendored/optional.hpp>

#include <cstddef>
#include <functional>
#include <ostream>

#pragma GCC visibility push(default)

namespace popart {
class TaskId;
}

namespace std {
template <>
struct hash<popart::TaskId> {
  std::size_t operator()(const popart::TaskId& taskId) const;
};
}  // namespace std

namespace popart {

/// A kind of step, and what it is for. For programs that order steps of their own; popir's lowering
/// has none.
class TaskId {
 public:
  enum class Type {
    AnchorStreamToHostTask = 0,
    AnchorSumTask,
    AnchorToHostTask,
    FromHostTask,
    FromHostUpdateTask,
    FromOpTask,
    InitBatchCounterTensorsTask,
    InitRngSeedsTask,
    InitRandomSeedTask,
    InitRngStateTensorTask,
    InitTensorTask,
    PipelinedCopyTask,
    RandomSeedToHostTask,
    RngStateFromHostTask,
    RngStateToHostTask,
    SetInitTensorValTask,
    StreamFromHostTask,
    UpdateBatchCountTask,
    WeightStreamToHostTask,
    WeightToHostTask,
    Undefined
  };

  TaskId() = default;
  explicit TaskId(Type type) : type_(type) {}
  TaskId(Type type, const TensorId& tensorId) : type_(type), tensorId_(tensorId) {}
  TaskId(Type type, const OpId& opId, const OperatorIdentifier& opIdentifier)
      : type_(type), opId_(opId), opIdentifier_(opIdentifier) {}
  TaskId(Type type, const OpId& opId, const OperatorIdentifier& opIdentifier,
         const OpxGrowPartId& opxGrowPartId)
      : type_(type), opId_(opId), opIdentifier_(opIdentifier), part_(opxGrowPartId) {}
  TaskId(Type type, nonstd::optional<TensorId> tensorId, nonstd::optional<OpId> opId,
         nonstd::optional<OperatorIdentifier> opIdentifier,
         nonstd::optional<OpxGrowPartId> opxGrowPartId)
      : type_(type),
        tensorId_(tensorId),
        opId_(opId),
        opIdentifier_(opIdentifier),
        part_(opxGrowPartId) {}

  /// Whether it is of no kind.
  bool empty() const { return type_ == Type::Undefined; }
  bool operator<(const TaskId& other) const;
  bool operator==(const TaskId& other) const;
  const nonstd::optional<TensorId>& getTensorId() const { return tensorId_; }
  const Type& getType() const { return type_; }

 private:
  friend std::size_t std::hash<TaskId>::operator()(const TaskId&) const;
  friend std::ostream& operator<<(std::ostream& os, const TaskId& taskId);

  Type type_ = Type::Undefined;
  nonstd::optional<TensorId> tensorId_;
  nonstd::optional<OpId> opId_;
  nonstd::optional<OperatorIdentifier> opIdentifier_;
  nonstd::optional<OpxGrowPartId> part_;
};

/// The kind and, behind underscores, what it is for: "fromOpTask_7_ai.onnx.Add:7".
std::ostream& operator<<(std::ostream& os, const TaskId& taskId);
std::ostream& operator<<(std::ostream& os, const TaskId::Type& type);

}  // namespace popart

#pragma GCC visibility pop

#endif
