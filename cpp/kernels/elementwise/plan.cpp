#include "kernels/elementwise/plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

#include "kernels/elementwise/geometry.hpp"
#include "kernels/elementwise/pairs.hpp"
#include "kernels/streaming.hpp"
#include "kernels/vector/functions.hpp"
#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;
using Kind = MapProgram::Kind;
using Reach = MapPlan::Reach;
using Extent = MapPlan::Extent;

// Bytes of the L1 cache for one box, operands included.
constexpr std::int64_t kBoxBytes = 12 * 1024;
// Elements of a box if no buffers are needed.
constexpr std::int64_t kLongBox = 16 * 1024;
// Cost of the shortest function of bytes that a table of its results is faster than, and of how
// many elements.
constexpr int kTableCost = 6;
constexpr std::int64_t kTableElements = 4096;
// Work for one thread, in elements times the cost per element.
constexpr std::int64_t kThreadWork = 48 * 1024;

/// Estimated cost per element of a step, in additions. Used to choose the number of threads.
int cost(const Value& v) {
  const bool isDouble = v.from == Lane::F64;
  switch (v.op) {
    // Of double, the functions of math_double.inc; others are libm's.
    case VecOp::Exp:
    case VecOp::Sigmoid:
    case VecOp::Tanh: return isDouble ? 20 : 10;
    case VecOp::Cos:
    case VecOp::Sin: return isDouble ? 50 : 30;
    default: break;
  }
  switch (v.op) {
#define POPIR_COST(NAME, FLOAT, DOUBLE, COST) \
  case VecOp::NAME: return isDouble ? 100 : COST;
    POPIR_FLOAT_FUNCTIONS(POPIR_COST)
    POPIR_FLOAT_FUNCTIONS2(POPIR_COST)
#undef POPIR_COST
    case VecOp::Atan:
    case VecOp::Acos:
    case VecOp::Swish: return 10;
    case VecOp::GeluTanh:
    case VecOp::GeluErfOf: return 16;
    case VecOp::GeluErfSlope:
    case VecOp::GeluTanhSlope: return 25;
    case VecOp::DivideByRoot:
    case VecOp::Quantize:
    case VecOp::QuantizedSum:
    case VecOp::QuantizedProduct: return 6;
    case VecOp::RoundTo: return 3;
    case VecOp::Divide: return v.from >= Lane::F32 ? 3 : 30;
    default: return 1;
  }
}

/// The operator that gives the same result with its operands exchanged: Lt for Gt, Add for Add.
/// Copy if there is none.
VecOp mirrored(VecOp op) {
  switch (op) {
    case VecOp::Lt: return VecOp::Gt;
    case VecOp::Gt: return VecOp::Lt;
    case VecOp::Lte: return VecOp::Gte;
    case VecOp::Gte: return VecOp::Lte;
    case VecOp::Add:
    case VecOp::Mul:
    case VecOp::Equal:
    case VecOp::NotEqual:
    case VecOp::BitwiseAnd:
    case VecOp::BitwiseOr:
    case VecOp::BitwiseXor: return op;
    default: return VecOp::Copy;
  }
}

class Planner {
 public:
  Planner(const MapProgram& program, const std::vector<std::size_t>& inputs,
          const std::vector<std::size_t>& outputs, const Setting& setting, MapPlan& plan)
      : program_(program), inputs_(inputs), outputs_(outputs), setting_(setting), plan_(plan) {}

  void run() {
    classifyAll();
    program_ = paired(program_, uniform_, plan_.rounding.isStochastic());
    classifyAll();  // constants that were added
    const std::size_t n = program_.values().size();
    for (auto* slots : {&slotOf_, &spreadSlot_, &tableSlot_, &tableSpreadSlot_, &target_})
      slots->assign(n, -1);
    byteOf_.assign(n, kNoByte);
    price_.assign(n, 0);
    final_.assign(n, true);
    for (std::size_t v = 0; v < program_.values().size(); ++v) findByte(static_cast<int>(v));
    for (std::size_t v = program_.values().size(); v-- > 0;) {
      const Value& value = program_.values()[v];
      if (!isNeeded(static_cast<int>(v))) continue;
      if (isTabled(static_cast<int>(v)))
        final_[at(byteOf_[v])] = false;
      else
        for (int i = 0; i < value.count; ++i) final_[at(value.args[at(i)])] = false;
    }
    findTargets();
    for (std::size_t v = 0; v < program_.values().size(); ++v)
      if (isNeeded(static_cast<int>(v))) place(static_cast<int>(v));
    for (std::size_t k = 0; k < outputs_.size(); ++k) store(program_.outputs()[k], outputs_[k]);
    placeBuffers();
  }

 private:
  struct Buffer {
    std::size_t slot, elementBytes;
    Extent extent;
    bool lasting;
    std::size_t from = 0, to = 0;
  };

  bool draws(const Value& value) const {
    return plan_.rounding.isStochastic() && isRounding(value);
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const MapPlan::Operand& operandOf(const Value& v) const {
    return plan_.operands[inputs_[static_cast<std::size_t>(v.data)]];
  }

  void classifyAll() {
    const std::size_t known = uniform_.size(), n = program_.values().size();
    uniform_.resize(n);
    invariant_.resize(n);
    for (std::size_t v = known; v < n; ++v) classify(static_cast<int>(v));
  }
  void classify(int v) {
    const Value& value = program_[v];
    bool uniform = true, invariant = true;
    if (value.kind == Kind::Input) {
      const MapPlan::Operand& o = operandOf(value);
      uniform = o.reach == Reach::Uniform;
      invariant = uniform && std::all_of(o.strides.begin(), o.strides.end(),
                                         [](std::int64_t s) { return s == 0; });
    }
    // Stochastic rounding gives different results for equal elements.
    if (draws(value)) uniform = invariant = false;
    for (int i = 0; i < value.count; ++i) {
      uniform = uniform && uniform_[at(value.args[at(i)])];
      invariant = invariant && invariant_[at(value.args[at(i)])];
    }
    uniform_[at(v)] = uniform;
    invariant_[at(v)] = uniform && invariant;
  }

  /// Finds the input of bytes that `v` is a function of, if it reads nothing else that changes.
  void findByte(int v) {
    const Value& value = program_[v];
    int& byte = byteOf_[at(v)];
    if (invariant_[at(v)]) {
      byte = kConstant;
    } else if (value.kind == Kind::Input) {
      if (!uniform_[at(v)] && isByte(value.lane)) byte = v;
    } else if (!uniform_[at(v)] && !draws(value)) {
      byte = kConstant;
      price_[at(v)] = cost(value);
      for (int i = 0; i < value.count; ++i) {
        const int arg = value.args[at(i)];
        if (byteOf_[at(arg)] == kConstant) continue;
        byte = byte == kConstant || byte == byteOf_[at(arg)] ? byteOf_[at(arg)] : kNoByte;
        price_[at(v)] += price_[at(arg)];
      }
    }
  }
  static bool isByte(Lane lane) { return lane == Lane::I8 || lane == Lane::U8; }
  /// Whether `v` is looked up in a table of its 256 results.
  bool isTabled(int v) const {
    return setting_.policy.has(Choice::Tables) && byteOf_[at(v)] >= 0 && isByte(program_[v].lane) &&
           price_[at(v)] >= kTableCost && plan_.elements >= kTableElements;
  }

  /// Finds the values to compute directly in an operand's memory: outputs with Reach Direct. No
  /// operand may be read after that, because an input may be in the same memory.
  void findTargets() {
    std::size_t lastRead = 0;
    const auto reads = [&](int arg) {
      const Value& value = program_[arg];
      return value.kind == Kind::Input && operandOf(value).reach != Reach::Strided;
    };
    for (std::size_t v = 0; v < program_.values().size(); ++v) {
      if (isTabled(static_cast<int>(v)) && reads(byteOf_[v])) lastRead = v;
      for (int i = 0; i < program_.values()[v].count; ++i)
        if (reads(program_.values()[v].args[at(i)])) lastRead = v;
    }
    for (int v : program_.outputs())
      if (program_[v].kind == Kind::Input) return;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const int v = program_.outputs()[k];
      if (program_[v].kind == Kind::Apply && !uniform_[at(v)] && target_[at(v)] < 0 &&
          at(v) >= lastRead && plan_.operands[outputs_[k]].reach == Reach::Direct)
        target_[at(v)] = static_cast<int>(outputs_[k]);
    }
  }

  int addSlot(MapPlan::Slot::Kind kind, std::size_t what) {
    plan_.slots.push_back({kind, what});
    return static_cast<int>(plan_.slots.size()) - 1;
  }
  int operandSlot(std::size_t operand) {
    for (std::size_t s = 0; s < plan_.slots.size(); ++s)
      if (plan_.slots[s].kind == MapPlan::Slot::Kind::Operand && plan_.slots[s].at == operand)
        return static_cast<int>(s);
    return addSlot(MapPlan::Slot::Kind::Operand, operand);
  }
  int addBuffer(Lane lane, Extent extent, bool lasting) {
    const int slot = addSlot(MapPlan::Slot::Kind::Buffer, 0);
    buffers_.push_back(
        {at(slot), laneBytes(lane), extent, lasting, plan_.steps.size(), plan_.steps.size()});
    return slot;
  }
  void use(int slot) {
    for (Buffer& b : buffers_)
      if (b.slot == at(slot)) b.to = plan_.steps.size();
  }

  /// Values of which another one took over the computation are not.
  bool isNeeded(int v) const {
    const auto& outputs = program_.outputs();
    return !final_[at(v)] || std::find(outputs.begin(), outputs.end(), v) != outputs.end();
  }

  void addStep(bool once, VecFn fn, Extent extent, int dst, const std::vector<int>& src) {
    MapPlan::Step step{
        fn, extent, static_cast<std::uint8_t>(src.size()), static_cast<std::uint16_t>(dst), {}};
    for (std::size_t i = 0; i < src.size(); ++i) {
      step.src[i] = static_cast<std::uint16_t>(src[i]);
      use(src[i]);
    }
    (once ? plan_.once : plan_.steps).push_back(step);
  }

  void place(int v) {
    if (slotOf_[at(v)] >= 0) return;
    const Value& value = program_[v];
    switch (value.kind) {
      case Kind::Constant:
        slotOf_[at(v)] = addSlot(MapPlan::Slot::Kind::Constant, plan_.constants.size());
        plan_.constants.push_back(value.data);
        break;
      case Kind::Input: {
        const std::size_t o = inputs_[static_cast<std::size_t>(value.data)];
        MapPlan::Operand& operand = plan_.operands[o];
        if (operand.slot < 0)
          operand.slot = operand.reach == Reach::Strided ? addBuffer(value.lane, Extent::Box, true)
                                                         : operandSlot(o);
        slotOf_[at(v)] = operand.slot;
        break;
      }
      case Kind::Apply:
        if (uniform_[at(v)])
          applySingle(v);
        else if (isTabled(v))
          lookUp(v);
        else
          applyBox(v);
        break;
    }
  }
  /// Also what it is computed from.
  void placeWithArguments(int v) {
    for (int i = 0; i < program_[v].count; ++i) placeWithArguments(program_[v].args[at(i)]);
    place(v);
  }

  void lookUp(int v) {
    tabulate(v);
    plan_.hasTable = true;
    addStep(false, vectorLookup(), Extent::Box, resultSlot(v),
            {slotOf_[at(byteOf_[at(v)])], tableSlot_[at(v)]});
    work_ += 2;
  }
  /// Computes `v` of each of 256 bytes, once.
  void tabulate(int v) {
    int& slot = tableSlot_[at(v)];
    if (slot >= 0) return;
    if (byteOf_[at(v)] == kConstant) {
      placeWithArguments(v);
      slot = slotOf_[at(v)];
    } else if (program_[v].kind == Kind::Input) {
      slot = allBytes();
    } else {
      for (int i = 0; i < program_[v].count; ++i) tabulate(program_[v].args[at(i)]);
      const Loop found = loopFor(v);
      slot = addBuffer(program_[v].lane, Extent::Table, true);
      addStep(true, loop(found.value, found.value.op, found.form), Extent::Table, slot,
              sources(found, Extent::Table));
    }
  }
  /// A constant: the numbers from 0 to 255 in a byte each.
  int allBytes() {
    std::array<std::uint8_t, 256> bytes;
    std::iota(bytes.begin(), bytes.end(), std::uint8_t(0));
    const int slot = addSlot(MapPlan::Slot::Kind::Constant, plan_.constants.size());
    plan_.constants.resize(plan_.constants.size() + bytes.size() / sizeof(std::uint64_t));
    std::memcpy(&*plan_.constants.end() - bytes.size() / sizeof(std::uint64_t), bytes.data(),
                bytes.size());
    return slot;
  }

  VecFn loop(const Value& value, VecOp op, int form) const {
    if (op == VecOp::Convert) return form == 0 ? vectorConvert(value.from, value.lane) : nullptr;
    if (op == VecOp::Quantize)
      return form == (1 << value.count) - 2 ? vectorQuantize(value.lane, value.count == 3)
                                            : nullptr;
    if (op == VecOp::RoundTo)
      return form == (1 << value.count) - 2 ? vectorRoundTo(value.lane, value.count == 2) : nullptr;
    if (isOfBytes(op)) return vectorPair(op, value.from, program_[value.args[1]].lane, value.lane);
    if (const VecFn fn = vectorOp(op, value.from, form)) return fn;
    return vectorHalf(op, value.from, form, false);
  }
  /// Whether an operator takes two arrays of bytes, and scalars alone besides.
  static bool isOfBytes(VecOp op) {
    return op == VecOp::QuantizedSum || op == VecOp::QuantizedProduct;
  }
  /// The same with non-temporal stores; null if there is none.
  static VecFn loopPast(const Value& value, int form) {
    return value.from == value.lane && laneBytes(value.lane) == 2
               ? vectorHalf(value.op, value.lane, form, true)
               : vectorStream(value.op, form);
  }

  void applySingle(int v) {
    const Value& value = program_[v];
    std::vector<int> src;
    for (int i = 0; i < value.count; ++i) src.push_back(slotOf_[at(value.args[at(i)])]);
    const bool once = invariant_[at(v)];
    slotOf_[at(v)] = addBuffer(value.lane, Extent::One, true);
    // A fused operator may lack form 0. All operands are single elements here, so any form works.
    VecFn fn = loop(value, value.op, 0);
    for (int form = 1; fn == nullptr && form < kForms; ++form) fn = loop(value, value.op, form);
    addStep(once, fn, Extent::One, slotOf_[at(v)], src);
  }

  /// An operator on arrays, of which some may be scalars: the operands in the order of the loop's,
  /// and its form.
  struct Loop {
    Value value;
    int form;
  };
  Loop loopFor(int v) const {
    Value value = program_[v];
    int scalars = 0;
    if (isOfBytes(value.op)) return {value, (1 << value.count) - 4};
    for (int i = 0; i < std::min(value.count, 4); ++i)
      if (uniform_[at(value.args[at(i)])]) scalars |= 1 << i;
    VecOp op = value.op;
    if (value.count == 2 && scalars == 1 && mirrored(op) != VecOp::Copy) {
      op = mirrored(op);
      std::swap(value.args[0], value.args[1]);
      scalars = 2;
    }
    // Use the form that takes the most scalars directly. Other scalars are repeated into a buffer.
    int best = -1;
    for (int form = 0; form < kForms; ++form)
      if ((form & scalars) == form && loop(value, op, form) != nullptr &&
          (best < 0 || __builtin_popcount(static_cast<unsigned>(form)) >
                           __builtin_popcount(static_cast<unsigned>(best))))
        best = form;
    if (best < 0) throw std::logic_error("map: an operator has no loop for its operands");
    value.op = op;
    return {value, best};
  }
  /// The slots that a loop reads.
  std::vector<int> sources(const Loop& of, Extent extent) {
    const auto& slots = extent == Extent::Table ? tableSlot_ : slotOf_;
    std::vector<int> found;
    for (int i = 0; i < of.value.count; ++i) {
      const int arg = of.value.args[at(i)];
      if (program_[arg].kind == Kind::Constant) place(arg);  // one that stands after its users
      const bool whole = uniform_[at(arg)] && (of.form & (1 << i)) == 0;
      found.push_back(whole ? spread(arg, extent) : slots[at(arg)]);
    }
    return found;
  }
  /// Where an array goes: to an operand or to a buffer.
  int resultSlot(int v) {
    return slotOf_[at(v)] = target_[at(v)] >= 0 ? operandSlot(at(target_[at(v)]))
                                                : addBuffer(program_[v].lane, Extent::Box, false);
  }

  void applyBox(int v) {
    const Loop found = loopFor(v);
    const Value& value = found.value;
    const auto src = sources(found, Extent::Box);
    const int dst = resultSlot(v);
    const VecFn past = streams(v) ? loopPast(value, found.form) : nullptr;
    plan_.streams = plan_.streams || past != nullptr;
    const VecFn fn = draws(value)      ? nullptr
                     : past != nullptr ? past
                                       : loop(value, value.op, found.form);
    addStep(false, fn, Extent::Box, dst, src);
    if (fn == nullptr) {
      auto& step = plan_.steps.back();
      step.from = value.from, step.to = value.lane;
      step.value = static_cast<std::uint16_t>(v);
    }
    work_ += cost(value);
  }

  /// True if the value goes to an output large enough to evict everything else from the caches, and
  /// no input or other value reads it.
  bool streams(int v) const {
    const int o = target_[at(v)];
    const Lane lane = program_[v].lane;
    if (o < 0 || lane < Lane::F32 || lane == Lane::F64 || !final_[at(v)]) return false;
    for (const Value& input : program_.values())
      if (input.kind == Kind::Input && inputs_[static_cast<std::size_t>(input.data)] == at(o))
        return false;
    return isStreamed(static_cast<std::size_t>(plan_.elements) * laneBytes(lane), setting_);
  }

  /// A buffer filled with a uniform value.
  int spread(int v, Extent extent) {
    int& slot = (extent == Extent::Table ? tableSpreadSlot_ : spreadSlot_)[at(v)];
    if (slot >= 0) return slot;
    slot = addBuffer(program_[v].lane, extent, true);
    addStep(invariant_[at(v)], vectorOp(VecOp::Copy, program_[v].lane, 1), extent, slot,
            {slotOf_[at(v)]});
    return slot;
  }

  void store(int v, std::size_t operand) {
    if (target_[at(v)] == static_cast<int>(operand)) return;
    int slot = slotOf_[at(v)];
    // With several outputs, storing one may overwrite an input that another still reads.
    if (program_[v].kind == Kind::Input && outputs_.size() > 1) slot = held(v);
    if (plan_.operands[operand].reach == Reach::Strided) {
      if (uniform_[at(v)]) slot = spread(v, Extent::Box);
      use(slot);
      plan_.scatters.push_back({operand, static_cast<std::uint16_t>(slot)});
    } else {
      addStep(false, vectorOp(VecOp::Copy, program_[v].lane, uniform_[at(v)]), Extent::Box,
              operandSlot(operand), {slot});
    }
    work_ += 1;
  }

  /// Copies an input before anything is stored.
  int held(int v) {
    const auto known = held_.find(v);
    if (known != held_.end()) return known->second;
    const Extent extent = uniform_[at(v)] ? Extent::One : Extent::Box;
    const int slot = addBuffer(program_[v].lane, extent, true);
    MapPlan::Step step{vectorOp(VecOp::Copy, program_[v].lane, 0),
                       extent,
                       1,
                       static_cast<std::uint16_t>(slot),
                       {}};
    step.src[0] = static_cast<std::uint16_t>(slotOf_[at(v)]);
    plan_.steps.insert(plan_.steps.begin(), step);
    return held_[v] = slot;
  }

  /// Assigns buffers to scratch memory. Buffers with disjoint lifetimes share memory. The output of
  /// a step may reuse the buffer of one of its inputs if their elements have the same size.
  void placeBuffers() {
    struct Place {
      std::size_t elementBytes, offset, until;
    };
    std::vector<Place> places;
    std::size_t end = 0;
    for (const Buffer& b : buffers_) {
      Place* place = nullptr;
      for (Place& p : places)
        if (!b.lasting && p.elementBytes == b.elementBytes && p.until <= b.from) place = &p;
      if (place == nullptr) {
        places.push_back({b.lasting ? 0 : b.elementBytes, end, 0});
        place = &places.back();
        const std::size_t bytes =
            b.elementBytes * static_cast<std::size_t>(elementsOf(b.extent, plan_.capacity));
        end += (bytes + 63) / 64 * 64;
        if (b.extent == Extent::Box) bytesPerElement_ += b.elementBytes;
      }
      place->until = b.to;
      plan_.slots[b.slot].at = place->offset;
    }
    plan_.bufferBytes = end;
  }

  MapProgram program_;
  const std::vector<std::size_t>& inputs_;
  const std::vector<std::size_t>& outputs_;
  const Setting& setting_;
  MapPlan& plan_;
  std::vector<int> slotOf_, spreadSlot_, target_;
  /// The slots of what is computed for each byte, and of uniform values repeated for them.
  std::vector<int> tableSlot_, tableSpreadSlot_;
  static constexpr int kNoByte = -1, kConstant = -2;
  /// The input of bytes that a value is a function of; kConstant if it never changes.
  std::vector<int> byteOf_;
  /// Cost per element of a function of bytes, of all its steps.
  std::vector<int> price_;
  std::vector<bool> uniform_, invariant_;
  /// True if no other value that is needed is computed from this one.
  std::vector<bool> final_;
  std::vector<Buffer> buffers_;
  std::map<int, int> held_;

 public:
  /// Cost per element; set by run().
  std::int64_t work_ = 1;
  std::size_t bytesPerElement_ = 0;
};

}  // namespace

MapPlan planMap(const MapProgram& program, const std::vector<std::size_t>& inputs,
                const std::vector<std::size_t>& outputs, const std::vector<Layout>& layouts,
                const Setting& setting) {
  MapPlan bare;
  bare.rounding = setting.rounding;
  setAxes(bare, layouts, outputs.front());
  // The size of a box depends on the buffers, and the buffers depend on how boxes reach operands.
  // So plan twice.
  std::int64_t target = kBoxBytes / 16;
  for (int round = 0;; ++round) {
    MapPlan plan = bare;
    setBoxes(plan, target);
    Planner planner(program, inputs, outputs, setting, plan);
    planner.run();
    const std::int64_t work = planner.work_ * plan.elements;
    plan.threads = static_cast<unsigned>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(setting.threads, work / kThreadWork)));
    if (round == 1) return plan;
    std::size_t bytes = planner.bytesPerElement_;
    target = kLongBox;
    if (bytes > 0) {
      for (const auto& o : plan.operands)
        if (o.reach == Reach::Direct) bytes += o.elementBytes;
      target = std::max<std::int64_t>(256, kBoxBytes / static_cast<std::int64_t>(bytes) / 64 * 64);
    }
    // Limit the box size so that the threads get equal shares. Stochastic rounding draws random
    // numbers box by box, so the box size must not depend on the number of threads.
    const bool draws = plan.rounding.isStochastic();
    if (plan.threads > 1 || draws)
      target = std::min<std::int64_t>(
          target, (plan.elements / (8 * (draws ? 8 : plan.threads)) + 63) / 64 * 64 + 64);
  }
}

}  // namespace popir
