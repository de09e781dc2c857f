// A source that defines members of PopART's classes, as PopART's own sources do, and uses them.
#include <popart/op/bucketize.hpp>
#include <popart/op/less.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/op/lessx.hpp>
#include <popart/popx/op/reduceprodx.hpp>
#include <popart/popx/opxmanager.hpp>

namespace popart {

LessOp::LessOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> LessOp::getGradOps() { return {}; }

ReduceProdOp::ReduceProdOp(const OperatorIdentifier& opid,
                           const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                           const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

bool BucketizeOp::isRight() const noexcept { return true; }

namespace {

OpCreator<LessOp> less(OpDefinitions({{{"test", "OwnLess", 1}, {}}}));
popx::OpxCreator<popx::LessOpx> lessX({"test", "OwnLess", 1});
OpCreator<ReduceProdOp> product(
    OpDefinitions({{{"test", "OwnProduct", 1}, {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<ReduceProdOp>(
          info.opid, info.attributes.getAttribute<Attributes::Ints>("axes"), 0, info.settings);
    },
    true);
popx::OpxCreator<popx::ReduceProdOpx> productX({"test", "OwnProduct", 1});

}  // namespace
}  // namespace popart
