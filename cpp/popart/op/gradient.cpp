#include <popart/op/gradient.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include <utility>

#include "popart/builtins.hpp"

namespace popart {
namespace builtin {
namespace {

Attributes attributesOf(const Op& forward, const OperatorIdentifier& known) {
  const popir::BuiltinClass* row = popir::builtinClass(known);
  if (row == nullptr || row->attributes == nullptr) return {};
  return row->attributes(forward);
}

OperatorIdentifier versionOf(const Op& forward, const OperatorIdentifier& known) {
  const OperatorIdentifier& own = forward.opid;
  return own.type == known.type && own.domain == known.domain ? own : known;
}

std::map<int, std::vector<char>> constantsOf(const TensorIndexMap& tensors) {
  std::map<int, std::vector<char>> values;
  for (const auto& each : tensors.tensorMap()) {
    if (each.second->tensorType() != TensorType::Const || !each.second->hasTensorData()) continue;
    const auto* begin = static_cast<const char*>(each.second->tensorData()->data());
    values.emplace(each.first, std::vector<char>(begin, begin + each.second->tensorData()->size()));
  }
  return values;
}

std::map<int, TensorInfo> infosOf(const TensorIndexMap& tensors) {
  std::map<int, TensorInfo> infos;
  for (const auto& each : tensors.tensorMap()) infos.emplace(each.first, each.second->info);
  return infos;
}

}  // namespace

const std::vector<GradInOutMapper> ofResult = {{0, 0, GradOpInType::GradOut}};
const std::map<int, int> ofInput = {{0, 0}};

Origin::Origin(const Op& forward, const OperatorIdentifier& known)
    : id_(versionOf(forward, known)),
      attributes_(attributesOf(forward, known)),
      inputs_(infosOf(*forward.input)),
      outputs_(infosOf(*forward.output)),
      constants_(constantsOf(*forward.input)) {}
Origin::Origin(const Op& forward, const OperatorIdentifier& known, Attributes attributes,
               InIndex inputs)
    : Origin(forward, known) {
  id_ = known;
  attributes_ = std::move(attributes);
  inputs_.erase(inputs_.lower_bound(inputs), inputs_.end());
  constants_.erase(constants_.lower_bound(inputs), constants_.end());
}
Origin::Origin(const OperatorIdentifier& known) : id_(known) {}
Origin::~Origin() = default;

const TensorInfo& Origin::forwardInput(const Op& owner, InIndex index) const {
  const auto found = inputs_.find(index);
  if (found == inputs_.end())
    throw error(
        "{}: input {} of the {} that it belongs to was not connected when the object was made",
        owner.debugName(), index, id_.type);
  return found->second;
}

void Origin::appendForward(OpSerialiserBase& os) const {
  for (const std::string& name : attributes_.getNames()) {
    switch (attributes_.getType(name)) {
      case Attributes::Type::Int:
        os.appendAttribute(name, attributes_.getAttribute<Attributes::Int>(name));
        break;
      case Attributes::Type::Ints:
        os.appendAttribute(name, attributes_.getAttribute<Attributes::Ints>(name));
        break;
      case Attributes::Type::Float:
        os.appendAttribute(name, attributes_.getAttribute<Attributes::Float>(name));
        break;
      case Attributes::Type::Floats:
        os.appendAttribute(name, attributes_.getAttribute<Attributes::Floats>(name));
        break;
      case Attributes::Type::String:
        os.appendAttribute(name, attributes_.getAttribute<Attributes::String>(name));
        break;
      case Attributes::Type::Strings: {
        std::string all;
        for (const auto& each : attributes_.getAttribute<Attributes::Strings>(name))
          all += (all.empty() ? "" : ",") + each;
        os.appendAttribute(name, all);
        break;
      }
      default: break;  // graphs belong to operators that call them, which have no such gradients
    }
  }
}

GradOp::GradOp(const OperatorIdentifier& opid, const Op& forward, const OperatorIdentifier& known,
               std::vector<GradInOutMapper> reads, std::map<int, int> gives)
    : Op(opid, forward.getSettings()),
      Origin(forward, known),
      reads_(std::move(reads)),
      gives_(std::move(gives)) {}
GradOp::~GradOp() = default;

void GradOp::setup() {
  for (const auto& each : gives_)
    if (hasOutput(each.first)) outInfo(each.first) = forwardInput(*this, each.second);
}

void GradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendForward(os);
}

}  // namespace builtin
}  // namespace popart
