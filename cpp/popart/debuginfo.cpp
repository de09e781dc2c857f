// What operators and tensors say of themselves in a file of debug information.
#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <sstream>
#include <utility>

namespace popart {
namespace {

/// The attributes of an operator, by name.
class Values : public OpSerialiserBase {
 public:
  ProfileValue::Map map;

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    map.emplace(name, ProfileValue(value));
  }
};

ProfileValue::Vector idsOf(const std::map<int, TensorId>& tensors) {
  ProfileValue::Vector ids;
  for (const auto& each : tensors) ids.emplace_back(each.second);
  return ids;
}

}  // namespace

OpDebugInfo::OpDebugInfo(const DebugContext& debugContext, const Op& op)
    : DebugInfo(debugContext, "popart"), op_(op) {
  std::ostringstream opid;
  opid << op.opid;
  setValue("category", "op");
  setValue("instanceId", std::to_string(op.id));
  setValue("opid", opid.str());
}

OpDebugInfo::~OpDebugInfo() { setValue("discard", isFinal_ ? 0 : 1); }

void OpDebugInfo::finalize() {
  if (isFinal_) return;
  isFinal_ = true;
  Values attributes;
  op_.appendAttributes(attributes);
  op_.appendOutlineAttributes(attributes);
  setValue("inputs", idsOf(op_.input->tensorIdMap()));
  setValue("outputs", idsOf(op_.output->tensorIdMap()));
  setValue("attributes", std::move(attributes.map));
  setValue("graphId", op_.getGraph().id.str());
}

}  // namespace popart
