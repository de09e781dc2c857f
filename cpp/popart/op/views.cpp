// Slices and transpositions.
#include <popart/op/slice.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/util.hpp>

#include <algorithm>
#include <numeric>

#include "popart/op/copy_of.hpp"

namespace popart {

BaseSliceOp::~BaseSliceOp() = default;
SliceOp::~SliceOp() = default;
SliceInplaceOp::~SliceInplaceOp() = default;
TransposeBaseOp::~TransposeBaseOp() = default;
TransposeOp::~TransposeOp() = default;
TransposeInplaceOp::~TransposeInplaceOp() = default;

std::unique_ptr<Op> BaseSliceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SliceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SliceInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> TransposeBaseOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> TransposeOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> TransposeInplaceOp::clone() const { return copyOf(*this); }

// ---- Slice ----

BaseSliceOp::BaseSliceOp(const OperatorIdentifier& opid, const std::vector<int64_t>& starts,
                         const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
                         const std::vector<int64_t>& steps, const Op::Settings& settings)
    : Op(opid, settings), starts_(starts), ends_(ends), axes_(axes), steps_(steps) {
  if (axes_.empty()) {
    axes_.resize(starts_.size());
    std::iota(axes_.begin(), axes_.end(), 0);
  }
  if (steps_.empty()) steps_.assign(starts_.size(), 1);
}

void BaseSliceOp::setup() {
  // A slice whose bounds are inputs: the compiler knows them.
  if (starts_.empty() && hasInput(getStartsInIndex())) return builtin::setup(*this);
  const std::size_t n = starts_.size();
  if (ends_.size() != n || axes_.size() != n || steps_.size() != n ||
      std::count(steps_.begin(), steps_.end(), 0) != 0)
    throw error("{}: starts {}, ends {}, axes {} and steps {}; give as many of each, no step of 0",
                debugName(), starts_, ends_, axes_, steps_);
  Shape shape;
  for (const Range& range : ranges()) shape.push_back(range.count);
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), shape);
}

std::vector<BaseSliceOp::Range> BaseSliceOp::ranges() const {
  const Shape& shape = inShape(getInIndex());
  std::vector<Range> all;
  for (const int64_t size : shape) all.push_back({0, 1, size});
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const int64_t axis = getReduceAxis(axes_[i], static_cast<int64_t>(shape.size()));
    Range& range = all[static_cast<std::size_t>(axis)];
    const int64_t size = range.count;
    const bool back = steps_[i] < 0;
    const auto bound = [&](int64_t at) {
      if (at < 0) at += size;
      return back ? std::min(std::max<int64_t>(at, -1), size - 1)
                  : std::min(std::max<int64_t>(at, 0), size);
    };
    const int64_t start = bound(starts_[i]), end = bound(ends_[i]);
    const int64_t length = back ? start - end : end - start;
    const int64_t step = back ? -steps_[i] : steps_[i];
    range = {start, steps_[i], std::max<int64_t>(0, (length + step - 1) / step)};
  }
  return all;
}

// ---- The gradient ----

namespace {

std::vector<int64_t> padsOf(const std::vector<std::pair<int64_t, int64_t>>& around) {
  std::vector<int64_t> pads;
  for (const auto& each : around) pads.push_back(each.first);
  for (const auto& each : around) pads.push_back(each.second);
  return pads;
}

}  // namespace

std::vector<std::pair<int64_t, int64_t>> BaseSliceOp::around() const {
  std::vector<std::pair<int64_t, int64_t>> all;
  const Shape& shape = inShape(getInIndex());
  for (const auto& [start, step, count] : ranges()) {
    if (step != 1 && step != -1)
      throw error("{} has a step of {}; expected is 1 or -1, for pads around the slice",
                  debugName(), step);
    const int64_t first = step > 0 ? start : start - count + 1;
    all.emplace_back(first, shape[all.size()] - first - count);
  }
  return all;
}

std::vector<unsigned> BaseSliceOp::getFlips() const {
  std::vector<unsigned> flips;
  unsigned dimension = 0;
  for (const Range& range : ranges()) {
    if (range.step < 0) flips.push_back(dimension);
    ++dimension;
  }
  return flips;
}

std::vector<int64_t> BaseSliceOp::getPads() const { return padsOf(around()); }

SliceGradOp::SliceGradOp(const SliceOp& op)
    : BasePadOutplaceOp(Onnx::GradOperators::SliceGrad, op.getPads(), op.getFlips(), 0.0f,
                        "constant", op.getSettings()) {}
SliceGradOp::SliceGradOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BasePadOutplaceOp(opid, {}, {}, 0.0f, "constant", settings) {}
SliceGradOp::~SliceGradOp() = default;
std::unique_ptr<Op> SliceGradOp::clone() const { return std::make_unique<SliceGradOp>(*this); }

const std::vector<GradInOutMapper>& SliceGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getInIndex(), SliceOp::getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& SliceGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), SliceOp::getInIndex()}};
  return outputs;
}

view::RegMap BaseSliceOp::fwdRegMap(InIndex in, OutIndex) const {
  const auto rank = static_cast<int64_t>(outShape(getOutIndex()).size());
  if (in != getInIndex())
    return [rank](const view::Region&) { return view::Regions{view::Region::getEmpty(rank)}; };
  return [all = ranges()](const view::Region& region) {
    const auto up = [](int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; };
    std::vector<int64_t> lower, upper;
    for (std::size_t d = 0; d < all.size(); ++d) {
      const auto [start, step, count] = all[d];
      const int64_t from = region.getLower()[d], to = region.getUpper()[d];
      const int64_t first = step > 0 ? up(from - start, step) : up(start - to + 1, -step);
      const int64_t last = step > 0 ? up(to - start, step) : up(start - from + 1, -step);
      lower.push_back(std::min(first, count));
      upper.push_back(std::max(lower.back(), std::min(last, count)));
    }
    return view::Regions{view::Region(lower, upper)};
  };
}

view::RegMap BaseSliceOp::bwdRegMap(InIndex in, OutIndex) const {
  const auto rank = static_cast<int64_t>(inShape(in).size());
  if (in != getInIndex())
    return [rank](const view::Region&) { return view::Regions{view::Region::getEmpty(rank)}; };
  return [all = ranges(), rank](const view::Region& region) {
    if (region.isEmpty()) return view::Regions{view::Region::getEmpty(rank)};
    std::vector<int64_t> lower, upper;
    for (std::size_t d = 0; d < all.size(); ++d) {
      const int64_t a = all[d].start + region.getLower()[d] * all[d].step;
      const int64_t b = all[d].start + (region.getUpper()[d] - 1) * all[d].step;
      lower.push_back(std::min(a, b));
      upper.push_back(std::max(a, b) + 1);
    }
    return view::Regions{view::Region(lower, upper)};
  };
}

void BaseSliceOp::set(std::vector<int64_t>& list, const std::vector<int64_t>& x) {
  list = x;
  builtin::changed(*this, !hasInput(getStartsInIndex()));
}

void BaseSliceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("starts", starts_);
  os.appendAttribute("ends", ends_);
  os.appendAttribute("axes", axes_);
  os.appendAttribute("steps", steps_);
}

SliceInplaceOp::SliceInplaceOp(const SliceOp& op)
    : BaseSliceOp(Onnx::CustomOperators::SliceInplace, op.getStarts(), op.getEnds(), op.getAxes(),
                  op.getSteps(), op.getSettings()) {}

view::Regions SliceInplaceOp::aliases(InIndex in, OutIndex out) const {
  if (in != getInIndex()) return {};
  return bwdRegMap(in, out)(view::Region::getFull(outShape(out)));
}

std::vector<std::tuple<OperatorIdentifier, float>> SliceOp::inplacePriorityDefault() const {
  return {{Onnx::CustomOperators::SliceInplace, 10.0f}};
}

std::unique_ptr<Op> SliceOp::getInplaceVariant(const OperatorIdentifier& variant) const {
  if (variant == Onnx::CustomOperators::SliceInplace)
    return std::make_unique<SliceInplaceOp>(*this);
  return Op::getInplaceVariant(variant);
}

// ---- Transpose ----

void TransposeBaseOp::setup() {
  const Shape& in = inShape(getInIndex());
  if (perm_.empty())
    for (std::size_t d = in.size(); d-- > 0;) perm_.push_back(static_cast<int64_t>(d));
  Shape sorted = perm_, all(in.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    throw error("{}: perm is {}, no permutation of the dimensions of {}", debugName(), perm_, in);
  Shape out;
  for (const int64_t d : perm_) out.push_back(in[static_cast<std::size_t>(d)]);
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), out);
}

void TransposeBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("perm", perm_);
}

void TransposeBaseOp::setPerm(const Shape& value) {
  perm_ = value;
  builtin::changed(*this);
}

Shape TransposeBaseOp::generateReversePermutation() const {
  Shape back(perm_.size());
  for (std::size_t i = 0; i < perm_.size(); ++i)
    back[static_cast<std::size_t>(perm_[i])] = static_cast<int64_t>(i);
  return back;
}

view::RegMap TransposeBaseOp::fwdRegMap(InIndex, OutIndex) const {
  return
      [perm = perm_](const view::Region& region) { return view::Regions{region.transpose(perm)}; };
}

view::RegMap TransposeBaseOp::bwdRegMap(InIndex, OutIndex) const {
  return [perm = generateReversePermutation()](const view::Region& region) {
    return view::Regions{region.transpose(perm)};
  };
}

bool TransposeOp::canBeReplacedByIdentity() const {
  return !getPerm().empty() && std::is_sorted(getPerm().begin(), getPerm().end());
}

TransposeInplaceOp::TransposeInplaceOp(const TransposeOp& op)
    : TransposeBaseOp(Onnx::CustomOperators::TransposeInplace, op.getPerm(), op.getSettings()) {}

std::unique_ptr<Op> TransposeOp::getInplaceVariant(const OperatorIdentifier& variant) const {
  if (variant == Onnx::CustomOperators::TransposeInplace)
    return std::unique_ptr<Op>(new TransposeInplaceOp(*this));
  return Op::getInplaceVariant(variant);
}

}  // namespace popart
