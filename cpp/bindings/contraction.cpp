// poplin.contraction: runs one contraction by a chosen source on numpy arrays, for tests and
// measurements. Programs use contractions through the functions of poplin.
#include "bindings/contraction.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>

#include "bindings/numpy.hpp"
#include "bindings/signatures.hpp"
#include "kernels/contraction/contraction.hpp"
#include "kernels/vector/isa.hpp"
#include "support/option_table.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using contraction::Contraction;
using contraction::ConvSpec;
using contraction::MatMulSpec;
using contraction::Source;
using Ints = std::vector<std::int64_t>;
using Bias = OneOf<py::array, py::none>;

Source sourceOf(const std::string& name) {
  for (Source s :
       {Source::Any, Source::OneDnn, Source::Own, Source::Wide, Source::Planes, Source::Rows,
        Source::Portable, Source::Blocked, Source::Tiles, Source::EmulatedTiles})
    if (name == contraction::name(s)) return s;
  throw py::value_error("no source '" + name +
                        "'; there are any, onednn, own, wide, planes, rows, portable, blocked, "
                        "tiles and emulatedTiles");
}

/// \throws py::value_error for another accuracy, and names in `without` that are no choices
Policy policyOf(const std::string& fpMath, const std::string& without) {
  Policy policy;
  const auto math = fpMathOf(fpMath);
  if (!math) throw py::value_error("fpMath is '" + fpMath + "'; it can be highest, high or medium");
  policy.math = *math;
  const std::vector<std::string> choices(std::begin(kChoices), std::end(kChoices));
  for (const auto& name : namesIn(without)) {
    const auto found = std::find(choices.begin(), choices.end(), name);
    if (found == choices.end())
      throw py::value_error("there is no choice '" + name + "'." + didYouMean(name, choices));
    policy.without.set(static_cast<std::size_t>(found - choices.begin()));
  }
  return policy;
}

/// The sources that this build and machine have, for float32.
std::vector<std::string> sources() {
  std::vector<std::string> found;
  MatMulSpec one;
  one.inType = one.outType = poplar::FLOAT;
  one.groups = one.m = one.n = one.k = 1;
  one.a = one.b = one.c = {1, 1, 1};
  for (Source s : {Source::OneDnn, Source::Own, Source::Wide, Source::Portable, Source::Tiles}) {
    try {
      contraction::make(one, 1, s);
      found.push_back(contraction::name(s));
    } catch (const std::invalid_argument&) {
      // Not here.
    }
  }
  return found;
}

/// A contraction and the arrays it works on. Scratch memory is taken anew each time, so that of two that
/// take turns none has better pages.
class Prepared {
 public:
  Prepared(std::unique_ptr<Contraction> runner, std::vector<py::array> arrays)
      : runner_(std::move(runner)), arrays_(std::move(arrays)) {
    for (const auto& a : arrays_) operands_.push_back(const_cast<void*>(a.data()));
  }

  void run(bool weightsKept) const { seconds(0, weightsKept); }
  std::string describe(bool weightsKept) const {
    return weightsKept ? runner_->describePacked() : runner_->describe();
  }
  std::size_t scratchBytes() const { return runner_->scratchBytes(); }
  double seconds(int repeats, bool weightsKept) const {
    const auto packed = weightsKept ? runner_->prepacked(operands_.size()) : std::nullopt;
    if (!packed)
      return secondsOf(*runner_, operands_, memory(runner_->scratchBytes()).get(), repeats);
    const auto bytes = std::max(packed->pack->scratchBytes(), packed->run->scratchBytes());
    const Memory form = memory(packed->bytes), scratch = memory(bytes);
    void* const given[] = {operands_[*runner_->packable()], form.get()};
    packed->pack->run(given, scratch.get());
    auto operands = operands_;
    operands.push_back(form.get());
    return secondsOf(*packed->run, operands, scratch.get(), repeats);
  }

 private:
  using Memory = std::unique_ptr<void, void (*)(void*)>;
  static Memory memory(std::size_t bytes) {
    return {std::aligned_alloc(64, contraction::aligned(bytes + 64)), std::free};
  }
  static double secondsOf(const Runner& runner, const std::vector<void*>& operands, void* scratch,
                          int repeats) {
    runner.run(operands.data(), scratch);  // touches the memory
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) runner.run(operands.data(), scratch);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::unique_ptr<Contraction> runner_;
  std::vector<py::array> arrays_;
  std::vector<void*> operands_;
};

std::int64_t elementStride(const py::array& a, int d) { return a.strides(d) / a.itemsize(); }

MatMulSpec::Strides stridesOf(const py::array& a) {
  if (a.ndim() != 3)
    throw py::value_error("expected [groups, rows, columns], got " + std::to_string(a.ndim()) +
                          " dimensions");
  MatMulSpec::Strides s = {elementStride(a, 0), elementStride(a, 1), elementStride(a, 2)};
  // That of a dimension of size 1 says nothing. Of a single row it is set as if the array were dense:
  // oneDNN runs no product whose rows overlap by their stride.
  if (a.shape(2) == 1) s.column = 1;
  if (a.shape(1) == 1) s.row = s.column == 1 ? a.shape(2) : 1;
  if (a.size() > 0 && s.column != 1 && s.row != 1)
    throw py::value_error("neither the rows nor the columns of an array have stride 1");
  return s;
}

/// The operands, and the bias if there is one: `n` elements of the result's type.
/// \throws py::value_error for another array
std::vector<py::array> withBias(std::vector<py::array> arrays, const Bias& bias, py::ssize_t n,
                                const poplar::Type& type) {
  if (bias.is_none()) return arrays;
  const auto b = py::cast<py::array>(bias);
  if (b.ndim() != 1 || b.shape(0) != n || typeOf(b.dtype()) != type ||
      (n > 1 && b.strides(0) != b.itemsize()))
    throw py::value_error("bias: expected a dense array of " + std::to_string(n) + " elements of " +
                          type.toString());
  arrays.push_back(b);
  return arrays;
}

unsigned threadsOf(unsigned threads) {
  constexpr unsigned kMost = 1024;
  if (threads < 1 || threads > kMost)
    throw py::value_error("threads: expected 1 to 1024, got " + std::to_string(threads));
  return threads;
}

Prepared product(const py::array& a, const py::array& b, const py::array& c, unsigned threads,
                 const std::string& source, float alpha, bool accumulate, const Bias& bias,
                 const std::string& fpMath, const std::string& without) {
  MatMulSpec s;
  s.policy = policyOf(fpMath, without);
  s.a = stridesOf(a);
  s.b = stridesOf(b);
  s.c = stridesOf(c);
  if (a.shape(0) != c.shape(0) || b.shape(0) != c.shape(0) || a.shape(1) != c.shape(1) ||
      b.shape(2) != c.shape(2) || a.shape(2) != b.shape(1) || !c.writeable())
    throw py::value_error("the shapes do not fit one another, or c is read-only");
  s.inType = typeOf(a.dtype());
  if (typeOf(b.dtype()) != s.inType) throw py::value_error("a and b have different types");
  s.outType = typeOf(c.dtype());
  s.groups = c.shape(0);
  s.m = c.shape(1);
  s.n = c.shape(2);
  s.k = a.shape(2);
  if (c.size() == 0) throw py::value_error("c has no elements");
  s.alpha = alpha;
  s.accumulate = accumulate;
  s.bias = !bias.is_none();
  if (s.bias && s.c.column != 1)
    throw py::value_error("with a bias the columns of c must have stride 1");
  auto operands = withBias({a, b, c}, bias, c.shape(2), s.outType);
  return {contraction::make(s, threadsOf(threads), sourceOf(source)), std::move(operands)};
}

/// The layout of activations [n, c, field...] in an array. The array's dimensions are, by `block`,
/// [n, c, field...] (0), [n, field..., c] (-1) or [n, c / block, field..., block].
/// \throws py::value_error for an array of another shape
Layout layoutOf(const py::array& a, int block) {
  const bool blocked = block != Layout::kPlain && block != Layout::kChannelsLast;
  if (a.ndim() < (blocked ? 4 : 3) || block < Layout::kChannelsLast ||
      (blocked && a.shape(a.ndim() - 1) != block))
    throw py::value_error("an array of " + std::to_string(a.ndim()) + " dimensions in blocks of " +
                          std::to_string(block) + " given");
  Layout l;
  l.type = typeOf(a.dtype());
  l.channelBlock = block;
  for (py::ssize_t d = 0; d < a.ndim(); ++d) {
    l.shape.push_back(a.shape(d));
    l.strides.push_back(elementStride(a, static_cast<int>(d)));
  }
  if (block == Layout::kChannelsLast) {
    l.shape.insert(l.shape.begin() + 1, l.shape.back());
    l.shape.pop_back();
  } else if (block != Layout::kPlain) {
    l.shape[1] *= block;
    l.shape.pop_back();
    l.strides.pop_back();
  }
  return l;
}

/// \throws py::value_error for an unknown pass, and for shapes, strides and dilations that do not
/// match
ConvSpec convSpec(const std::string& pass, Layout in, Layout weights, Layout out, Ints stride,
                  Ints dilation, Ints inDilation, Ints padLower, bool bias) {
  static const std::map<std::string, contraction::Pass> kPasses = {
      {"forward", contraction::Pass::Forward},
      {"data_gradient", contraction::Pass::DataGradient},
      {"weights_gradient", contraction::Pass::WeightsGradient}};
  const auto found = kPasses.find(pass);
  if (found == kPasses.end())
    throw py::value_error("no pass '" + pass +
                          "'; there are forward, data_gradient and weights_gradient");
  const std::size_t fields = stride.size();
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const auto least = [&](const Ints& values, std::int64_t bound) {
    return values.size() == fields && std::all_of(values.begin(), values.end(),
                                                  [&](auto v) { return v >= bound && v < kMost; });
  };
  const bool fits = fields > 0 && in.shape.size() == fields + 2 && out.shape.size() == fields + 2 &&
                    weights.shape.size() == fields + 3 && least(stride, 1) && least(dilation, 1) &&
                    least(inDilation, 1) && least(padLower, 1 - kMost) &&
                    in.shape[0] == out.shape[0] &&
                    in.shape[1] == weights.shape[0] * weights.shape[2] &&
                    out.shape[1] == weights.shape[0] * weights.shape[1];
  if (!fits) throw py::value_error("the shapes, strides and dilations do not fit one another");
  ConvSpec s;
  s.pass = found->second;
  s.groups = weights.shape[0];
  s.stride = std::move(stride);
  s.dilation = std::move(dilation);
  s.inDilation = std::move(inDilation);
  s.padLower = std::move(padLower);
  s.bias = bias;
  s.in = std::move(in);
  s.weights = std::move(weights);
  s.out = std::move(out);
  return s;
}

Prepared convolution(const std::string& pass, const py::array& in, const py::array& weights,
                     const py::array& out, Ints stride, Ints dilation, Ints inDilation,
                     Ints padLower, unsigned threads, const std::string& source, const Bias& bias,
                     int inBlock, int outBlock, const std::string& without) {
  auto s = convSpec(pass, layoutOf(in, inBlock), layoutOf(weights, 0), layoutOf(out, outBlock),
                    std::move(stride), std::move(dilation), std::move(inDilation),
                    std::move(padLower), !bias.is_none());
  s.policy = policyOf("highest", without);
  const py::array& written = s.pass == contraction::Pass::Forward        ? out
                             : s.pass == contraction::Pass::DataGradient ? in
                                                                         : weights;
  if (!written.writeable()) throw py::value_error("the array of the result is read-only");
  auto operands = withBias({in, weights, out}, bias, s.out.shape[1], s.out.type);
  return {contraction::make(s, threadsOf(threads), sourceOf(source)), std::move(operands)};
}

/// The layout of a dense FLOAT array.
Layout plainLayout(Ints shape) {
  Layout l;
  l.type = poplar::FLOAT;
  l.strides.assign(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) l.strides[d - 1] = l.strides[d] * shape[d];
  l.shape = std::move(shape);
  return l;
}

py::typing::Tuple<py::int_, py::int_> blocks(const std::string& pass, Ints in, Ints weights,
                                             Ints out, Ints stride, Ints dilation, Ints inDilation,
                                             Ints padLower, unsigned threads) {
  const auto b = contraction::preferredBlocks(
      convSpec(pass, plainLayout(std::move(in)), plainLayout(std::move(weights)),
               plainLayout(std::move(out)), std::move(stride), std::move(dilation),
               std::move(inDilation), std::move(padLower), false),
      threads);
  return py::make_tuple(b.in, b.out);
}

}  // namespace

void bindContraction(py::module_& m) {
  m.doc() =
      "Runs one contraction by a chosen source on numpy arrays, for tests and measurements.\n"
      "A source is an implementation: onednn, own, wide (products of many rows on\n"
      "AVX-512), planes (convolutions of rows of points), portable, blocked (convolutions in\n"
      "channel blocks: by Winograd's algorithm, direct, depthwise), tiles (products on AMX),\n"
      "emulatedTiles (the same on any machine, slowly), or any, which chooses one.";
  m.def(
      "isa", [] { return std::string(name(isa())); },
      "The name of the instruction set that kernels use.");
  m.def("sources", &sources,
        "The names of the sources that this build and machine have for FLOAT, without any.");
  py::class_<Prepared>(
      m, "Prepared",
      "A contraction that is ready to run on the arrays it was given, which it keeps alive.")
      .def("run", &Prepared::run, py::arg("weightsKept") = false,
           "Runs the contraction once on its arrays. With `weightsKept` the weights are packed\n"
           "first, in the form for weights that stay.")
      .def("describe", &Prepared::describe, py::arg("weightsKept") = false,
           "The source and the kernel that compute it, as text. With `weightsKept`: where the\n"
           "weights are packed once for many runs.")
      .def("scratchBytes", &Prepared::scratchBytes,
           "The bytes of scratch memory that it needs besides its arrays.")
      .def("seconds", &Prepared::seconds, py::arg("repeats"), py::arg("weightsKept") = false,
           "The time of `repeats` runs together, in seconds, after one whose time is not taken. "
           "With\n"
           "`weightsKept` the weights are packed once, before it.");
  m.def("product", &product, py::arg("a"), py::arg("b"), py::arg("c"), py::arg("threads") = 1,
        py::arg("source") = "any", py::arg("alpha") = 1.0f, py::arg("accumulate") = false,
        py::arg("bias") = py::none(), py::arg("fpMath") = "highest", py::arg("without") = "",
        "Prepares c [g, m, n] = alpha * a [g, m, k] * b [g, k, n], plus bias [n] if\n"
        "there is one, plus c if `accumulate`. Rows or columns of each array have stride\n"
        "1; the other strides are free, but with a bias the columns of c have stride 1. A bias is\n"
        "dense, of the type of c. `fpMath` is that of the engine's option\n"
        "host.fpMath; `without` has choices of kernels, separated by commas, as its option\n"
        "host.without. `threads` is from 1 to 1024.\n"
        "Raises ValueError for other shapes, types, threads or biases, a read-only `c`, an\n"
        "unknown source, fpMath or choice, and a source that does not support the shapes or\n"
        "types; poplar_type_error for a dtype that the device lacks.");
  m.def("convolution", &convolution, py::arg("pass_"), py::arg("in_"), py::arg("weights"),
        py::arg("out"), py::arg("stride"), py::arg("dilation"), py::arg("inDilation"),
        py::arg("padLower"), py::arg("threads") = 1, py::arg("source") = "any",
        py::arg("bias") = py::none(), py::arg("inBlock") = 0, py::arg("outBlock") = 0,
        py::arg("without") = "",
        "Prepares one pass of a convolution.\n"
        "`pass_`: forward, data_gradient or weights_gradient; it writes `out`,\n"
        "`in_` or `weights` from the other two, and forward adds `bias` [output\n"
        "channels] if there is one.\n"
        "`in_`, `out`: activations [n, c, field...] for block 0, [n, field..., c] for block\n"
        "-1, [n, c / b, field..., b] for block b.\n"
        "`weights`: [groups, o, i, field...]. `stride`, `dilation` of the kernel,\n"
        "`inDilation` of the input and `padLower` have one entry for each field dimension.\n"
        "`without`, `threads` and the bias's type are those of product().\n"
        "Raises ValueError for shapes, lists, biases and threads that do not match, a read-only\n"
        "array of the result, an unknown pass, source or choice, and a source that does not\n"
        "support the shapes or types; poplar_type_error for a dtype that the device lacks.");
  m.def("preferredBlocks", &blocks, py::arg("pass_"), py::arg("in_"), py::arg("weights"),
        py::arg("out"), py::arg("stride"), py::arg("dilation"), py::arg("inDilation"),
        py::arg("padLower"), py::arg("threads") = 1,
        "(block of the input, block of the output) that the chosen source prefers for FLOAT\n"
        "operands of these shapes, as for convolution().\n"
        "Raises ValueError for shapes and lists that do not match, and for an unknown pass.");
}

}  // namespace popir
