// Processes a few rows at a time, as many as fit in the L1 cache, with the loops of other kernels:
// maxima and sums of reduce_functions.hpp, arithmetic and exp of vector/ops.hpp.
#include "kernels/reduction/softmax.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/reduce_functions.hpp"
#include "kernels/reduction/softmax_rows.hpp"
#include "kernels/saved_kernel.hpp"
#include "kernels/streaming.hpp"
#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

const SavedKernel<SoftmaxKernel> kSavedSoftmax("softmax");

constexpr std::int64_t kAtOnce = 2048;  // elements per step, unless a row is longer
constexpr std::int64_t kRows = 256;     // largest number of rows per step
constexpr std::int64_t kPart = 512;     // elements that a LogSoftmax subtracts from twice in turn

/// Elements T, computed in C: float for 16-bit floats, else T.
template <class T, class C>
class SoftmaxRunner : public Runner {
 public:
  SoftmaxRunner(SoftmaxKind kind, float scale, const Layout& layout, const Setting& setting)
      : kind_(kind),
        scale_(scale),
        length_(layout.shape.back()),
        threads_(setting.threads),
        rounding_(setting.rounding),
        sum_(reduceFunctions(kType, popops::Operation::ADD)),
        max_(reduceFunctions(kType, popops::Operation::MAX)),
        exp_(vectorOp(VecOp::Exp, kLane, 0)),
        mul_(vectorOp(VecOp::Mul, kLane, 0)),
        sub_(vectorOp(VecOp::Sub, kLane, 0)),
        mulScalar_(vectorOp(VecOp::Mul, kLane, 2)),
        subScalar_(vectorOp(VecOp::Sub, kLane, 2)),
        expOfDifference_(vectorOp(VecOp::SubExpDown, kLane, 2)),
        past_(std::is_same_v<T, float> && isStreamed(layout.bytes(), setting)
                  ? vectorStream(VecOp::Mul, 2)
                  : nullptr) {
    const auto elements = static_cast<std::int64_t>(layout.elements());
    if (std::is_same_v<C, float> && length_ >= kLeastSoftmaxRow) joined_ = softmaxRows();
    rows_ = elements == 0 ? 0 : elements / length_;
    block_ = length_ == 0 ? 1 : std::clamp<std::int64_t>(kAtOnce / length_, 1, kRows);
    each_ = (block_ * length_ * sizeof(C) + 63) / 64 * 64;
  }

  void run(void* const* operands, void* /*scratch*/) const override {
    parallelFor((rows_ + block_ - 1) / block_, threads_, 4 * rows_ * length_,
                [&](std::int64_t task) {
                  const pool::OwnMemory own(kBuffers * each_);
                  char* mine = static_cast<char*>(own.data());
                  const std::int64_t first = task * block_;
                  const std::int64_t rows = std::min(block_, rows_ - first);
                  const bool grad =
                      kind_ == SoftmaxKind::SoftmaxGrad || kind_ == SoftmaxKind::LogSoftmaxGrad;
                  if (grad)
                    backward(operands, mine, first * length_, rows);
                  else
                    forward(operands, mine, first * length_, rows);
                });
  }

 private:
  static constexpr bool kConverts = !std::is_same_v<T, C>;
  static constexpr int kBuffers = 3;
  static constexpr Lane kLane = std::is_same_v<C, double> ? Lane::F64 : Lane::F32;
  static constexpr poplar::Type kType{std::is_same_v<C, double> ? poplar::Type::Kind::Double
                                                                : poplar::Type::Kind::Float};

  C* buffer(char* scratch, int i) const { return reinterpret_cast<C*>(scratch + i * each_); }

  const C* load(const void* operand, std::int64_t at, std::int64_t n, C* into) const {
    const T* from = static_cast<const T*>(operand) + at;
    if constexpr (kConverts) {
      toFloats(from, into, n);
      return into;
    } else {
      return from;
    }
  }
  // place() is where results are computed: the operand itself, or a float buffer. store() converts
  // the buffer and writes it to the operand.
  C* place(void* operand, std::int64_t at, C* into) const {
    if constexpr (kConverts)
      return into;
    else
      return static_cast<C*>(operand) + at;
  }
  void store(const C* from, void* operand, std::int64_t at, std::int64_t n) const {
    if constexpr (kConverts) fromFloats(from, static_cast<T*>(operand) + at, n, rounding_, at);
  }

  // y = x - s or y = x * s, where each row has its own scalar s.
  void eachRow(VecFn scalarForm, C* y, const C* x, const C* s, std::int64_t rows) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      const void* sources[] = {x + r * length_, s + r};
      scalarForm(y + r * length_, sources, length_);
    }
  }
  void apply(VecFn f, C* y, const C* a, const C* b, std::int64_t n) const {
    const void* sources[] = {a, b};
    f(y, sources, n);
  }

  void forward(void* const* operands, char* scratch, std::int64_t at, std::int64_t rows) const {
    const std::int64_t n = rows * length_;
    C s[kRows];
    const C* x = load(operands[0], at, n, buffer(scratch, 0));
    C* y = place(operands[1], at, buffer(scratch, 0));
    if constexpr (std::is_same_v<C, float>) {
      if (joined_ != nullptr) {
        inFewPasses(x, y, past_ != nullptr ? buffer(scratch, 1) : y, rows);
        return store(y, operands[1], at, n);
      }
    }
    // The exponentials: in the place of the result, unless x lies there and is read again, or the
    // result is written past the caches.
    const bool apart = past_ != nullptr || (kind_ == SoftmaxKind::LogSoftmax && x == y);
    C* e = apart ? buffer(scratch, 1) : y;
    C m[kRows];
    max_.rows(x, rows, length_, length_, m);
    if (expOfDifference_ != nullptr) {
      eachRow(expOfDifference_, e, x, m, rows);
    } else {
      eachRow(subScalar_, e, x, m, rows);
      apply(exp_, e, e, nullptr, n);
    }
    sum_.rows(e, rows, length_, length_, s);
    if (kind_ == SoftmaxKind::Softmax) {
      for (std::int64_t r = 0; r < rows; ++r) s[r] = static_cast<C>(scale_) / s[r];
      eachRow(past_ != nullptr ? past_ : mulScalar_, y, e, s, rows);
      if (past_ != nullptr) _mm_sfence();
    } else {
      for (std::int64_t r = 0; r < rows; ++r) {
        s[r] = std::log(s[r]);
        for (std::int64_t i = 0; i < length_; i += kPart) {
          C* const part = y + r * length_ + i;
          const void *differences[] = {x + r * length_ + i, m + r}, *logs[] = {part, s + r};
          const auto some = static_cast<std::size_t>(std::min(kPart, length_ - i));
          subScalar_(part, differences, some);
          subScalar_(part, logs, some);
        }
      }
    }
    store(y, operands[1], at, n);
  }

  /// With the loops of softmax_rows.hpp. The exponentials go to `e`, or nowhere.
  void inFewPasses(const float* x, float* y, float* e, std::int64_t rows) const {
    float m[kRows], s[kRows];
    bool isNear[kRows];
    const bool isLog = kind_ == SoftmaxKind::LogSoftmax;
    joined_->greatest(x, rows, length_, m, isNear);
    joined_->exponentials(x, rows, length_, m, isNear, isLog ? nullptr : e, s);
    for (std::int64_t r = 0; r < rows; ++r) s[r] = isLog ? std::log(s[r]) : scale_ / s[r];
    if (isLog) return joined_->differences(x, rows, length_, m, s, y);
    eachRow(past_ != nullptr ? past_ : mulScalar_, y, e, s, rows);
    if (past_ != nullptr) _mm_sfence();
  }

  void backward(void* const* operands, char* scratch, std::int64_t at, std::int64_t rows) const {
    const std::int64_t n = rows * length_;
    C s[kRows];
    C* work = buffer(scratch, 2);
    const C* y = load(operands[0], at, n, buffer(scratch, 0));
    const C* g = load(operands[1], at, n, buffer(scratch, 1));
    C* dx = place(operands[2], at, work);
    if (kind_ == SoftmaxKind::SoftmaxGrad) {
      apply(mul_, work, g, y, n);
      sum_.rows(work, rows, length_, length_, s);
      eachRow(subScalar_, work, g, s, rows);
      apply(mul_, dx, work, y, n);
    } else {
      sum_.rows(g, rows, length_, length_, s);
      apply(exp_, work, y, nullptr, n);
      eachRow(mulScalar_, work, work, s, rows);
      apply(sub_, dx, g, work, n);
    }
    store(dx, operands[2], at, n);
  }

  SoftmaxKind kind_;
  float scale_;
  std::int64_t rows_, length_, block_;
  std::size_t each_;
  unsigned threads_;
  Rounding rounding_;
  ReduceFunctions sum_, max_;
  VecFn exp_, mul_, sub_, mulScalar_, subScalar_;
  VecFn expOfDifference_;  // null in double
  const SoftmaxRows* joined_ = nullptr;
  VecFn past_;  // mulScalar_ with non-temporal stores, if results are stored so
};

}  // namespace

std::unique_ptr<Runner> SoftmaxKernel::prepare(const std::vector<Layout>& operands,
                                               const Setting& setting) const {
  const Layout& layout = operands[0];
  if (layout.type == poplar::HALF)
    return std::make_unique<SoftmaxRunner<half, float>>(kind_, scale_, layout, setting);
  if (layout.type == poplar::BFLOAT16)
    return std::make_unique<SoftmaxRunner<Bfloat16, float>>(kind_, scale_, layout, setting);
  if (layout.type == poplar::DOUBLE)
    return std::make_unique<SoftmaxRunner<double, double>>(kind_, scale_, layout, setting);
  return std::make_unique<SoftmaxRunner<float, float>>(kind_, scale_, layout, setting);
}

void SoftmaxKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool isGrad = kind_ >= SoftmaxKind::SoftmaxGrad;
  requireOperands(operands, isGrad ? 3 : 2);
  const auto& first = operands[0];
  require(isFloatOrHalf(first.type) || first.type == poplar::DOUBLE,
          "operands are FLOAT, HALF, BFLOAT16 or DOUBLE");
  require(!first.shape.empty(), "operands have a dimension");
  for (std::size_t i = 0; i < operands.size(); ++i)
    requireOperand(operands[i], i + 1 == operands.size() ? Access::Write : Access::Read, first.type,
                   first.shape);
}

Work SoftmaxKernel::work(const std::vector<Layout>& operands) const {
  const std::uint64_t n = operands[0].elements();
  const std::uint64_t length = static_cast<std::uint64_t>(operands[0].shape.back());
  const char* const vertices[] = {"popnn::Softmax", "popnn::LogSoftmax", "popnn::SoftmaxGrad",
                                  "popnn::LogSoftmaxGrad"};
  return {vertices[static_cast<int>(kind_)],
          RowsWork{operands[0].type, length == 0 ? 0 : n / length, length}, 4 * n};
}

}  // namespace popir
