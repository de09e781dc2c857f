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
// Of a tail that is more than post-ops, as of a fused element-wise step.
constexpr std::size_t kMostOperands = 12, kMostValues = 64;

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
  std::string describePacked() const override { return conv_->describePacked() + ", then map"; }
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
  std::optional<Prepacked> prepacked(std::size_t operands) const override {
    auto inner = conv_->prepacked(operands);
    if (inner) inner->run = std::make_unique<RunPacked>(*this, std::move(inner->run));
    return inner;
  }

 private:
  class RunPacked final : public Runner {
   public:
    RunPacked(const ConvThenMap& of, std::unique_ptr<Runner> conv)
        : of_(of), conv_(std::move(conv)) {}
    void run(void* const* operands, void* scratch) const override {
      conv_->run(operands, scratch);
      of_.map_->run(operands + kOut, scratch);
    }
    std::size_t scratchBytes() const override {
      return std::max(conv_->scratchBytes(), of_.map_->scratchBytes());
    }

   private:
    const ConvThenMap& of_;
    std::unique_ptr<Runner> conv_;
  };

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

Layout dense(const Layout& given, const std::vector<std::int64_t>& shape) {
  Layout layout = Layout::rowMajor(given.type, shape);
  layout.channelBlock = given.channelBlock;
  return layout;
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
      const Lane lane = value.lane == storage ? Lane::F32 : value.lane;
      values.push_back(floats.convert(values[index(value.args[0])], lane));
      continue;
    }
    for (int a = 0; a < value.count; ++a)
      value.args[index(a)] = values[index(value.args[index(a)])];
    const bool isNumber = value.kind == Kind::Constant && value.lane == storage;
    if (value.lane == storage && !isNumber) value.lane = Lane::F32;
    // What only moves elements, as a selection, moves those of 16 bits.
    if (value.kind == Kind::Apply && value.from == storage) value.from = Lane::F32;
    const int v = floats.add(value);
    values.push_back(isNumber ? floats.convert(v, Lane::F32) : v);
  }
  for (int v : given.outputs()) floats.output(values[index(v)]);
  return floats.trimmed();
}

/// The tail, in float, as post-ops and what follows them.
class Chain {
 public:
  Chain(const MapProgram& program, const std::vector<Extent>& extents)
      : p_(program),
        extents_(extents),
        ours_(program.values().size()),
        users_(program.values().size()) {
    for (std::size_t v = 0; v < ours_.size(); ++v) {
      const auto& value = p_.values()[v];
      ours_[v] = value.kind == Kind::Input && value.data == 0;
      for (int a = 0; a < value.count; ++a) {
        const auto arg = static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)]);
        ours_[v] = ours_[v] || ours_[arg];
        users_[arg].push_back(static_cast<int>(v));
      }
      if (ours_[v] && value.kind == Kind::Input) last_ = static_cast<int>(v);
    }
    while (last_ >= 0 && last_ != p_.outputs().front()) {
      const auto& users = users_[static_cast<std::size_t>(last_)];
      const auto next = users.size() == 1 ? postOp(users.front()) : std::nullopt;
      if (!next) break;
      ops.push_back(*next);
      last_ = users.front();
    }
  }

  /// Whether the post-ops are all of it.
  bool isWhole() const { return last_ == p_.outputs().front(); }
  /// Whether it reads the result of the convolution.
  bool readsResult() const { return last_ >= 0; }

  /// What follows the post-ops: its input 0 is their result.
  MapProgram rest() const {
    MapProgram program;
    std::vector<int> values;
    for (std::size_t v = 0; v < ours_.size(); ++v) {
      auto value = p_.values()[v];
      if (static_cast<int>(v) == last_) {
        values.push_back(program.input(0, Lane::F32));
        continue;
      }
      if (ours_[v] && static_cast<int>(v) < last_) {
        values.push_back(-1);  // a result on the way, which nothing after them reads
        continue;
      }
      for (int a = 0; a < value.count; ++a) {
        int& arg = value.args[static_cast<std::size_t>(a)];
        arg = values[static_cast<std::size_t>(arg)];
      }
      values.push_back(program.add(value));
    }
    program.output(values[static_cast<std::size_t>(p_.outputs().front())]);
    return program.trimmed();
  }

  std::vector<PostOp> ops;  ///< in order

 private:
  bool isOurs(int v) const { return ours_[static_cast<std::size_t>(v)]; }

  /// Value `v`, which applies an operator to the last result, as a post-op.
  std::optional<PostOp> postOp(int v) const {
    const auto& value = p_[v];
    if (value.kind != Kind::Apply || value.lane != Lane::F32 || value.from != Lane::F32)
      return std::nullopt;
    const auto isNumber = [&](int k, float number) {
      const auto& arg = p_[value.args[static_cast<std::size_t>(k)]];
      return arg.kind == Kind::Constant && asFloat(arg.data) == number;
    };
    if (value.op == VecOp::ScaleBelow) {
      const auto& factor = p_[value.args[2]];
      // A factor of 0 is no LeakyRelu: -infinity * 0 is NaN, where the post-op may give 0.
      if (value.args[0] != last_ || !isNumber(1, 0) || factor.kind != Kind::Constant ||
          isNumber(2, 0))
        return std::nullopt;
      return PostOp{PostOp::Kind::LeakyRelu, PostOp::Extent::Number, asFloat(factor.data)};
    }
    if (value.count != 2) return std::nullopt;
    const int from = value.args[0] == last_ ? 0 : 1, other = 1 - from;
    const int second = value.args[static_cast<std::size_t>(other)];
    if (isOurs(second)) return std::nullopt;
    PostOp op{PostOp::Kind::Add};
    switch (value.op) {
      case VecOp::Add: op.kind = PostOp::Kind::Add; break;
      case VecOp::Mul: op.kind = PostOp::Kind::Multiply; break;
      case VecOp::Sub: op.kind = PostOp::Kind::Subtract; break;
      case VecOp::Divide: op.kind = PostOp::Kind::Divide; break;
      case VecOp::Max:
        op.kind = isNumber(other, 0) ? PostOp::Kind::Relu : PostOp::Kind::Maximum;
        break;
      case VecOp::Min: op.kind = PostOp::Kind::Minimum; break;
      default: return std::nullopt;
    }
    const bool commutes =
        value.op == VecOp::Add || value.op == VecOp::Mul || op.kind == PostOp::Kind::Relu;
    if (from != 0 && !commutes) return std::nullopt;
    const auto& arg = p_[second];
    if (arg.kind == Kind::Constant) {
      op.number = asFloat(arg.data);
    } else if (arg.kind == Kind::Input && arg.lane == Lane::F32) {
      op.operand = kOut + static_cast<std::size_t>(arg.data);
      op.extent = extentOf(extents_[static_cast<std::size_t>(arg.data)]);
    } else {
      return std::nullopt;
    }
    return op;
  }

  const MapProgram& p_;
  const std::vector<Extent>& extents_;
  std::vector<bool> ours_;               // by value: whether it depends on the convolution
  std::vector<std::vector<int>> users_;  // by value
  int last_ = -1;                        // the value of the last post-op, or the convolution
};

/// Whether all inputs, and the output, are floats.
bool isOfFloats(const MapProgram& p) {
  const auto isOther = [](const MapProgram::Value& value) {
    return value.kind == Kind::Input && value.lane != Lane::F32;
  };
  return std::none_of(p.values().begin(), p.values().end(), isOther) &&
         p[p.outputs().front()].lane == Lane::F32;
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
  if (!isOfFloats(floats)) return nullptr;
  const MapProgram fused = floats.fused();
  Chain chain(fused, tail.extents);
  if (!chain.readsResult() || (chain.isWhole() && chain.ops.empty())) return nullptr;
  const bool isLarge = tail.extents.size() > kMostOperands || floats.values().size() > kMostValues;
  const bool rounds = isSixteen(tail.program[tail.program.outputs().front()].lane);
  if (!chain.isWhole() && (isLarge || !rounds)) return nullptr;
  static const char* const kNames[] = {"+add",  "+subtract",   "+multiply", "+divide",
                                       "+relu", "+leaky_relu", "+max",      "+min"};
  std::shared_ptr<ConvTailKernel> made(new ConvTailKernel(conv));
  made->name_ = conv.name();
  for (const PostOp& op : chain.ops) made->name_ += kNames[static_cast<int>(op.kind)];
  if (!chain.isWhole()) {
    made->name_ += "+map";
    made->rest_ = chain.rest();
  }
  made->tail_ = std::make_shared<Tail>(tail);
  made->floats_ = std::move(floats);
  made->chain_ = std::move(chain.ops);
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
  const bool isFloat = std::all_of(operands.begin(), operands.end(),
                                   [](const Layout& each) { return each.type == poplar::FLOAT; });
  if (isFloat) return makeFloat(spec, operands, setting.threads, setting);
  std::vector<contraction::FurtherOperand> further;
  for (std::size_t k = 1; k < tail_->extents.size(); ++k)
    further.push_back({kOut + k, extentOf(tail_->extents[k]), operands[kOut + k]});
  const auto make = [&](const contraction::ConvSpec& of, unsigned threads) {
    std::vector<Layout> floats = operands;
    for (std::size_t k = 1; k < tail_->extents.size(); ++k) {
      Layout& each = floats[kOut + k];
      each.type = poplar::FLOAT;
      // Bands have rows of their own.
      const bool isDense = each.channelBlock != Layout::kPlain || each.dense();
      if (tail_->extents[k] == Extent::Full && isDense) each = dense(each, of.out.shape);
    }
    return makeFloat(of, floats, threads, setting);
  };
  return contraction::makeViaFloat(spec, further, setting.threads, make);
}

std::unique_ptr<Contraction> ConvTailKernel::makeFloat(contraction::ConvSpec spec,
                                                       const std::vector<Layout>& operands,
                                                       unsigned threads, Setting setting) const {
  auto conv = chain_.empty() ? nullptr : contraction::makeWithPostOps(spec, threads);
  const MapProgram& map = conv ? rest_ : floats_;
  if (conv && rest_.outputs().empty()) return conv;
  spec.postOps.clear();
  if (conv == nullptr) conv = contraction::make(spec, threads);
  setting.threads = threads;
  std::vector<Layout> layouts{spec.out};
  std::vector<std::size_t> inputs{0};
  for (std::size_t k = 1; k < tail_->extents.size(); ++k) {
    layouts.push_back(broadcast(operands[kOut + k], tail_->extents[k], spec.out));
    inputs.push_back(k);
  }
  return std::make_unique<ConvThenMap>(
      std::move(conv), MapKernel(map, std::move(inputs), {0}).prepare(layouts, setting));
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
