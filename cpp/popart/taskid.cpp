#include <popart/taskid.hpp>

#include <tuple>

namespace popart {
namespace {

const char* nameOf(TaskId::Type type) {
  switch (type) {
    case TaskId::Type::AnchorStreamToHostTask: return "anchorStreamToHostTask";
    case TaskId::Type::AnchorSumTask: return "anchorSumTask";
    case TaskId::Type::AnchorToHostTask: return "anchorToHostTask";
    case TaskId::Type::FromHostTask: return "fromHostTask";
    case TaskId::Type::FromHostUpdateTask: return "fromHostUpdateTask";
    case TaskId::Type::FromOpTask: return "fromOpTask";
    case TaskId::Type::InitBatchCounterTensorsTask: return "initBatchCounterTensorsTask";
    case TaskId::Type::InitRngSeedsTask: return "initRngSeedsTask";
    case TaskId::Type::InitRandomSeedTask: return "initRandomSeedTask";
    case TaskId::Type::InitRngStateTensorTask: return "initRngStateTensorTask";
    case TaskId::Type::InitTensorTask: return "initTensorTask";
    case TaskId::Type::PipelinedCopyTask: return "pipelinedCopyTask";
    case TaskId::Type::RandomSeedToHostTask: return "randomSeedToHostTask";
    case TaskId::Type::RngStateFromHostTask: return "rngStateFromHostTask";
    case TaskId::Type::RngStateToHostTask: return "rngStateToHostTask";
    case TaskId::Type::SetInitTensorValTask: return "setInitTensorValTask";
    case TaskId::Type::StreamFromHostTask: return "streamFromHostTask";
    case TaskId::Type::UpdateBatchCountTask: return "updateBatchCountTask";
    case TaskId::Type::WeightStreamToHostTask: return "weightStreamToHostTask";
    case TaskId::Type::WeightToHostTask: return "weightToHostTask";
    case TaskId::Type::Undefined: return "undefined";
  }
  return "undefined";
}

}  // namespace

bool TaskId::operator<(const TaskId& other) const {
  return std::tie(type_, tensorId_, opId_, opIdentifier_, part_) <
         std::tie(other.type_, other.tensorId_, other.opId_, other.opIdentifier_, other.part_);
}

bool TaskId::operator==(const TaskId& other) const { return !(*this < other) && !(other < *this); }

std::ostream& operator<<(std::ostream& os, const TaskId::Type& type) { return os << nameOf(type); }

std::ostream& operator<<(std::ostream& os, const TaskId& taskId) {
  os << taskId.type_;
  if (taskId.tensorId_) os << "_" << *taskId.tensorId_;
  if (taskId.opId_) os << "_" << *taskId.opId_;
  if (taskId.opIdentifier_) os << "_" << *taskId.opIdentifier_;
  if (taskId.part_) os << "_" << *taskId.part_;
  return os;
}

}  // namespace popart

std::size_t std::hash<popart::TaskId>::operator()(const popart::TaskId& taskId) const {
  std::size_t seed = static_cast<std::size_t>(taskId.type_);
  const auto mix = [&seed](std::size_t value) { seed = seed * 1000003u ^ value; };
  if (taskId.tensorId_) mix(std::hash<std::string>()(*taskId.tensorId_));
  if (taskId.opId_) mix(static_cast<std::size_t>(*taskId.opId_) + 1);
  if (taskId.opIdentifier_) {
    mix(std::hash<std::string>()(taskId.opIdentifier_->domain + "." + taskId.opIdentifier_->type));
    mix(taskId.opIdentifier_->version);
  }
  if (taskId.part_) mix(static_cast<std::size_t>(*taskId.part_) + 1);
  return seed;
}
