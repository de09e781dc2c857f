#include "kernels/contraction/conv_tail.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/elementwise/expression.hpp"
#include "kernels/half.hpp"

namespace popir {
namespace {

using contraction::Contraction;
using contraction::PostOp;
using Kind = MapProgram::Kind;

constexpr std::size_t kOut = 2, kFirst = 3;

float asFloat(std::uint64_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

/// A convolution, then the tail as a separate pass over its output.
class ConvThenMap final : public Contraction {
 public:
  ConvThenMap(std::unique_ptr<Contraction> conv, std::unique_ptr<Runner> map)
      : conv_(std::move(conv)), map_(std::move(map)) {}

  std::string describe() const override { return conv_->describe() + ", then map"; }
  std::size_t packedBytes() const override { return conv_->packedBytes(); }
  void pack(const void* weights, void* packed) const override { conv_->pack(weights, packed); }
  bool readsBoth() const override { return conv_->readsBoth(); }
  bool movesWeights() const override { return conv_->movesWeights(); }
  std::size_t workBytes() const override {
    return std::max(conv_->workBytes(), map_->scratchBytes());
  }
  void runPacked(void* const* operands, const void* packed, void* work) const override {
    conv_->runPacked(operands, packed, work);
    map_->run(operands + kOut, work);
  }

 private:
  std::unique_ptr<Contraction> conv_;
  std::unique_ptr<Runner> map_;
};

using Extent = Tail::Extent;

/// Broadcasts an operand to the shape of the output by strides of 0.
Layout broadcast(Layout operand, Extent extent, const Layout& out) {
  operand.shape = out.shape;  // which may have fewer images
  if (extent == Extent::Full) return operand;
  operand.strides.assign(out.shape.size(), 0);
  if (extent == Extent::Channel) operand.strides[1] = 1;
  return operand;
}

PostOp::Extent extentOf(Extent extent) {
  switch (extent) {
    case Extent::Scalar: return PostOp::Extent::Scalar;
    case Extent::Channel: return PostOp::Extent::Channel;
    case Extent::Column:  // no tail of a convolution has it
    case Extent::Full: break;
  }
  return PostOp::Extent::Full;
}

bool isSixteen(Lane lane) { return lane == Lane::F16 || lane == Lane::BF16; }

/// The program with its 16-bit floats as floats, which nothing rounds on the way. What rounds on the
/// way of a convolution of FLOAT, or to a result of FLOAT, is meant: then it is as it is.
MapProgram inFloat(const MapProgram& given, poplar::Type convolved) {
  const int result = given.outputs().front();
  const Lane storage = given[result].lane;
  if (!isSixteen(storage)) return given;
  const bool isMeant = storageLane(convolved) != storage;
  const auto index = [](int v) { return static_cast<std::size_t>(v); };
  MapProgram floats;
  std::vector<int> values;  // of `floats`, by value of `given`
  for (MapProgram::Value value : given.values()) {
    const bool isStored = value.lane == storage || value.from == storage;
    if (value.kind == Kind::Apply && value.op == VecOp::Convert && isStored) {
      if (isMeant && value.lane == storage && static_cast<int>(values.size()) != result)
        return given;
      values.push_back(floats.convert(values[index(value.args[0])], Lane::F32));
      continue;
    }
    for (int a = 0; a < value.count; ++a)
      value.args[index(a)] = values[index(value.args[index(a)])];
    if (value.kind == Kind::Input && value.lane == storage) value.lane = Lane::F32;
    const int v = floats.add(value);
    const bool isNumber = value.kind == Kind::Constant && value.lane == storage;
    values.push_back(isNumber ? floats.convert(v, Lane::F32) : v);
  }
  for (int v : given.outputs()) floats.output(values[index(v)]);
  return floats.trimmed();
}

/// Converts the tail, in float, to post-ops, in order. Empty if it is not a chain of them.
std::vector<PostOp> chainOf(const MapProgram& given, const std::vector<Extent>& extents) {
  const MapProgram p = given.fused();
  if (p.outputs().size() != 1) return {};
  // By value: whether it depends on the result of the convolution, and the number of its uses.
  std::vector<bool> ours(p.values().size());
  std::vector<int> uses(p.values().size());
  for (std::size_t v = 0; v < p.values().size(); ++v) {
    const auto& value = p.values()[v];
    if (value.lane != Lane::F32) return {};
    ours[v] = value.kind == Kind::Input && value.data == 0;
    for (int a = 0; a < value.count; ++a) {
      const auto arg = static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)]);
      ours[v] = ours[v] || ours[arg];
      ++uses[arg];
    }
  }
  std::vector<PostOp> chain;
  int v = p.outputs().front();
  while (p[v].kind == Kind::Apply) {
    const auto& value = p[v];
    const auto isOurs = [&](int k) {
      return ours[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])];
    };
    const auto isNumber = [&](int k, float number) {
      const auto& arg = p[value.args[static_cast<std::size_t>(k)]];
      return arg.kind == Kind::Constant && asFloat(arg.data) == number;
    };
    int from = 0;
    PostOp op{PostOp::Kind::Add};
    if (value.op == VecOp::ScaleBelow) {
      const auto& factor = p[value.args[2]];
      // A factor of 0 is no LeakyRelu: -infinity * 0 is NaN, where the post-op may give 0.
      if (!isNumber(1, 0) || factor.kind != Kind::Constant || isNumber(2, 0)) return {};
      op = {PostOp::Kind::LeakyRelu, PostOp::Extent::Number, asFloat(factor.data)};
    } else {
      if (value.count != 2) return {};
      from = isOurs(0) ? 0 : 1;
      const int other = 1 - from;
      if (!isOurs(from) || isOurs(other)) return {};
      switch (value.op) {
        case VecOp::Add: op.kind = PostOp::Kind::Add; break;
        case VecOp::Mul: op.kind = PostOp::Kind::Multiply; break;
        case VecOp::Sub: op.kind = PostOp::Kind::Subtract; break;
        case VecOp::Divide: op.kind = PostOp::Kind::Divide; break;
        case VecOp::Max:
          op.kind = isNumber(other, 0) ? PostOp::Kind::Relu : PostOp::Kind::Maximum;
          break;
        case VecOp::Min: op.kind = PostOp::Kind::Minimum; break;
        default: return {};
      }
      const bool commutes =
          value.op == VecOp::Add || value.op == VecOp::Mul || op.kind == PostOp::Kind::Relu;
      if (from != 0 && !commutes) return {};
      const auto& arg = p[value.args[static_cast<std::size_t>(other)]];
      if (arg.kind == Kind::Constant) {
        op.number = asFloat(arg.data);
      } else if (arg.kind == Kind::Input) {
        op.operand = kOut + static_cast<std::size_t>(arg.data);
        op.extent = extentOf(extents[static_cast<std::size_t>(arg.data)]);
      } else {
        return {};
      }
    }
    chain.push_back(op);
    v = value.args[static_cast<std::size_t>(from)];
    if (uses[static_cast<std::size_t>(v)] != 1) return {};
  }
  if (!ours[static_cast<std::size_t>(v)]) return {};
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::shared_ptr<const ConvTailKernel> ConvTailKernel::make(const ConvKernel& conv,
                                                           const Tail& tail) {
  const auto& problem = conv.problem();
  if (problem.pass != contraction::Pass::Forward || problem.bias ||
      !isFloatOrHalf(problem.inType) || !isFloatOrHalf(problem.outType) ||
      tail.program.outputs().size() != 1 ||
      std::count(tail.extents.begin(), tail.extents.end(), Extent::Column) > 0)
    return nullptr;
  MapProgram floats = inFloat(tail.program, problem.inType);
  auto chain = chainOf(floats, tail.extents);
  if (chain.empty()) return nullptr;
  static const char* const kNames[] = {"+add",  "+subtract",   "+multiply", "+divide",
                                       "+relu", "+leaky_relu", "+max",      "+min"};
  std::shared_ptr<ConvTailKernel> made(new ConvTailKernel(conv));
  made->name_ = conv.name();
  for (const PostOp& op : chain) made->name_ += kNames[static_cast<int>(op.kind)];
  made->tail_ = std::make_shared<Tail>(tail);
  made->floats_ = std::move(floats);
  made->chain_ = std::move(chain);
  return made;
}

bool ConvTailKernel::accepts(std::size_t i, const Layout& layout) const {
  if (i < kFirst) return conv_.accepts(i, layout);
  if (tail_->extents[i - kOut] == Extent::Full) return conv_.accepts(kOut, layout);
  return layout.dense();
}

std::unique_ptr<Runner> ConvTailKernel::prepare(const std::vector<Layout>& operands,
                                                const Setting& setting) const {
  contraction::ConvSpec spec = conv_.spec(operands, setting);
  spec.postOps = chain_;
  for (PostOp& op : spec.postOps)
    if (op.operand != 0) op.layout = operands[op.operand];
  std::vector<Layout> floats = operands;
  for (Layout& each : floats) each.type = poplar::FLOAT;
  const auto make = [&](const contraction::ConvSpec& of, unsigned threads) {
    return makeFloat(of, floats, threads, setting);
  };
  const bool isFloat = std::all_of(operands.begin(), operands.end(),
                                   [](const Layout& each) { return each.type == poplar::FLOAT; });
  return isFloat ? make(spec, setting.threads)
                 : contraction::makeViaFloat(spec, setting.threads, make);
}

std::unique_ptr<Contraction> ConvTailKernel::makeFloat(contraction::ConvSpec spec,
                                                       const std::vector<Layout>& operands,
                                                       unsigned threads, Setting setting) const {
  if (auto made = contraction::makeWithPostOps(spec, threads)) return made;
  spec.postOps.clear();
  setting.threads = threads;
  std::vector<Layout> layouts{spec.out};
  std::vector<std::size_t> inputs{0};
  for (std::size_t k = 1; k < tail_->extents.size(); ++k) {
    layouts.push_back(broadcast(operands[kOut + k], tail_->extents[k], spec.out));
    inputs.push_back(k);
  }
  auto map = MapKernel(floats_, std::move(inputs), {0}).prepare(layouts, setting);
  return std::make_unique<ConvThenMap>(contraction::make(spec, threads), std::move(map));
}

std::vector<int> ConvTailKernel::preferredBlocks(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  auto spec = conv_.spec(operands, setting);
  spec.postOps = chain_;
  const auto blocks = contraction::preferredBlocks(spec, setting.threads);
  if (blocks.in == Layout::kPlain && blocks.out == Layout::kPlain) return {};
  std::vector<int> wish(operands.size(), Layout::kPlain);
  wish[0] = blocks.in;
  wish[kOut] = blocks.out;
  for (std::size_t i : tied(operands)) wish[i] = wish[kOut];
  return wish;
}

std::vector<std::size_t> ConvTailKernel::tied(const std::vector<Layout>&) const {
  std::vector<std::size_t> found{kOut};
  for (std::size_t k = 1; k < tail_->extents.size(); ++k)
    if (tail_->extents[k] == Extent::Full) found.push_back(kOut + k);
  return found;
}

}  // namespace popir
