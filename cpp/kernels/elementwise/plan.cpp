#include "kernels/elementwise/plan.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "kernels/elementwise/geometry.hpp"
#include "kernels/elementwise/pairs.hpp"
#include "kernels/streaming.hpp"
#include "kernels/vector/functions.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;
using Kind = MapProgram::Kind;
using Reach = MapPlan::Reach;

// Bytes of the L1 cache for one box, operands included.
constexpr std::int64_t kBoxBytes = 12 * 1024;
// Elements of a box if no buffers are needed.
constexpr std::int64_t kLongBox = 16 * 1024;
// Work for one thread, in elements times the cost per element.
constexpr std::int64_t kThreadWork = 48 * 1024;

/// Estimated cost per element of a step, in additions. Used to choose the number of threads.
int cost(const Value& v) {
  switch (v.op) {
#define POPIR_COST(NAME, FLOAT, DOUBLE, COST) \
  case VecOp::NAME: return v.from == Lane::F64 ? 100 : COST;
    POPIR_FLOAT_FUNCTIONS(POPIR_COST)
    POPIR_FLOAT_FUNCTIONS2(POPIR_COST)
#undef POPIR_COST
    case VecOp::Sigmoid: return v.from == Lane::F64 ? 100 : 10;
    case VecOp::Atan:
    case VecOp::Acos:
    case VecOp::Swish: return 10;
    case VecOp::GeluTanh:
    case VecOp::GeluErfOf: return 16;
    case VecOp::DivideByRoot:
    case VecOp::Quantize: return 6;
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
      : program_(program), inputs_(inputs), outputs_(outputs), setting_(setting), plan_(plan) {
    const std::size_t n = program.values().size();
    slotOf_.assign(n, -1);
    spreadSlot_.assign(n, -1);
    uniform_.resize(n);
    invariant_.resize(n);
    target_.assign(n, -1);
    final_.assign(n, true);
  }

  void run() {
    for (std::size_t v = 0; v < program_.values().size(); ++v) classify(static_cast<int>(v));
    program_ = paired(program_, uniform_);
    for (std::size_t v = program_.values().size(); v-- > 0;) {
      const Value& value = program_.values()[v];
      if (isNeeded(static_cast<int>(v)))
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
    bool single, lasting;
    std::size_t from = 0, to = 0;
  };

  bool draws(const Value& value) const {
    return plan_.rounding.isStochastic() && isRounding(value);
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const MapPlan::Operand& operandOf(const Value& v) const {
    return plan_.operands[inputs_[static_cast<std::size_t>(v.data)]];
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

  /// Finds the values to compute directly in an operand's memory: outputs with Reach Direct. No
  /// operand may be read after that, because an input may be in the same memory.
  void findTargets() {
    std::size_t lastRead = 0;
    for (std::size_t v = 0; v < program_.values().size(); ++v)
      for (int i = 0; i < program_.values()[v].count; ++i) {
        const Value& arg = program_[program_.values()[v].args[at(i)]];
        if (arg.kind == Kind::Input && operandOf(arg).reach != Reach::Strided) lastRead = v;
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
  int addBuffer(Lane lane, bool single, bool lasting) {
    const int slot = addSlot(MapPlan::Slot::Kind::Buffer, 0);
    buffers_.push_back(
        {at(slot), laneBytes(lane), single, lasting, plan_.steps.size(), plan_.steps.size()});
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

  void addStep(bool once, VecFn fn, bool single, int dst, const std::vector<int>& src) {
    MapPlan::Step step{
        fn, single, static_cast<std::uint8_t>(src.size()), static_cast<std::uint16_t>(dst), {}};
    for (std::size_t i = 0; i < src.size(); ++i) {
      step.src[i] = static_cast<std::uint16_t>(src[i]);
      use(src[i]);
    }
    (once ? plan_.once : plan_.steps).push_back(step);
  }

  void place(int v) {
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
          operand.slot =
              operand.reach == Reach::Strided ? addBuffer(value.lane, false, true) : operandSlot(o);
        slotOf_[at(v)] = operand.slot;
        break;
      }
      case Kind::Apply: uniform_[at(v)] ? applySingle(v) : applyBox(v); break;
    }
  }

  VecFn loop(const Value& value, VecOp op, int form) const {
    if (op == VecOp::Convert) return form == 0 ? vectorConvert(value.from, value.lane) : nullptr;
    if (op == VecOp::Quantize)
      return form == (1 << value.count) - 2 ? vectorQuantize(value.lane, value.count == 3)
                                            : nullptr;
    return vectorOp(op, value.from, form);
  }

  void applySingle(int v) {
    const Value& value = program_[v];
    std::vector<int> src;
    for (int i = 0; i < value.count; ++i) src.push_back(slotOf_[at(value.args[at(i)])]);
    const bool once = invariant_[at(v)];
    slotOf_[at(v)] = addBuffer(value.lane, true, true);
    // A fused operator may lack form 0. All operands are single elements here, so any form works.
    VecFn fn = loop(value, value.op, 0);
    for (int form = 1; fn == nullptr && form < kForms; ++form) fn = loop(value, value.op, form);
    addStep(once, fn, true, slotOf_[at(v)], src);
  }

  void applyBox(int v) {
    Value value = program_[v];
    int scalars = 0;
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
    std::vector<int> src;
    for (int i = 0; i < value.count; ++i) {
      const int arg = value.args[at(i)];
      const bool whole = uniform_[at(arg)] && (best & (1 << i)) == 0;
      src.push_back(whole ? spread(arg) : slotOf_[at(arg)]);
    }
    const int dst =
        target_[at(v)] >= 0 ? operandSlot(at(target_[at(v)])) : addBuffer(value.lane, false, false);
    const VecFn past = streams(v) ? vectorStream(op, best) : nullptr;
    plan_.streams = plan_.streams || past != nullptr;
    const VecFn fn = draws(value) ? nullptr : past != nullptr ? past : loop(value, op, best);
    addStep(false, fn, false, dst, src);
    if (fn == nullptr) {
      auto& step = plan_.steps.back();
      step.from = value.from, step.to = value.lane;
      step.value = static_cast<std::uint16_t>(v);
    }
    slotOf_[at(v)] = dst;
    work_ += cost(value);
  }

  /// True if the value goes to an output large enough to evict everything else from the caches, and
  /// no input or other value reads it.
  bool streams(int v) const {
    const int o = target_[at(v)];
    if (o < 0 || program_[v].lane != Lane::F32 || !final_[at(v)]) return false;
    for (const Value& input : program_.values())
      if (input.kind == Kind::Input && inputs_[static_cast<std::size_t>(input.data)] == at(o))
        return false;
    return isStreamed(static_cast<std::size_t>(plan_.elements) * sizeof(float), setting_);
  }

  /// A buffer filled with a uniform value.
  int spread(int v) {
    int& slot = spreadSlot_[at(v)];
    if (slot >= 0) return slot;
    slot = addBuffer(program_[v].lane, false, true);
    addStep(invariant_[at(v)], vectorOp(VecOp::Copy, program_[v].lane, 1), false, slot,
            {slotOf_[at(v)]});
    return slot;
  }

  void store(int v, std::size_t operand) {
    if (target_[at(v)] == static_cast<int>(operand)) return;
    int slot = slotOf_[at(v)];
    // With several outputs, storing one may overwrite an input that another still reads.
    if (program_[v].kind == Kind::Input && outputs_.size() > 1) slot = held(v);
    if (plan_.operands[operand].reach == Reach::Strided) {
      if (uniform_[at(v)]) slot = spread(v);
      use(slot);
      plan_.scatters.push_back({operand, static_cast<std::uint16_t>(slot)});
    } else {
      addStep(false, vectorOp(VecOp::Copy, program_[v].lane, uniform_[at(v)]), false,
              operandSlot(operand), {slot});
    }
    work_ += 1;
  }

  /// Copies an input before anything is stored.
  int held(int v) {
    const auto known = held_.find(v);
    if (known != held_.end()) return known->second;
    const int slot = addBuffer(program_[v].lane, uniform_[at(v)], true);
    MapPlan::Step step{vectorOp(VecOp::Copy, program_[v].lane, 0),
                       uniform_[at(v)],
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
            b.elementBytes * (b.single ? 1 : static_cast<std::size_t>(plan_.capacity));
        end += (bytes + 63) / 64 * 64;
        if (!b.single) bytesPerElement_ += b.elementBytes;
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
