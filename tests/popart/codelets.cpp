// An operator with a codelet of its own, in its own source, for each element type.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

#include <stdexcept>

template <class T>
class Shift : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;
  const float by;

  bool compute() {
    if (by < 0) throw std::runtime_error("no way back");
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] + static_cast<T>(by);
    return true;
  }
};
template class Shift<float>;
template class Shift<half>;

#else

#include <popart/opmanager.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

#include <sstream>

namespace {

class ShiftOp : public popart::Op {
 public:
  ShiftOp(const popart::OpCreatorInfo& info)
      : Op(info.opid, info.settings),
        by(info.attributes.getAttribute<popart::Attributes::Float>("by")),
        embedded(info.attributes.getAttribute<popart::Attributes::Int>("embedded", 0) != 0) {}
  void setup() override { outInfo(0) = inInfo(0); }
  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new ShiftOp(*this));
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  const float by;
  const bool embedded;
};

/// The codelet as text, under another name.
const char* const text = R"(
#include <poplar/Vertex.hpp>
template <class T>
class TextShift : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;
  const float by;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] + static_cast<T>(by);
    return true;
  }
};
template class TextShift<float>;
template class TextShift<half>;
)";

class ShiftOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    const auto& op = getOp<ShiftOp>();
    if (op.embedded) {
      std::stringstream source(text);
      graph().addCodelets(source);
    } else {
      graph().addCodelets(__FILE__);  // once for each operator: all but the first do nothing
    }
    const poplar::Tensor in = getInTensor(0);
    const poplar::Tensor out = graph().clone(in, debugContext("shifted"));
    const poplar::ComputeSet cs = graph().addComputeSet(debugContext("shift"));
    const auto mapping = graph().getTileMapping(out);
    for (unsigned tile = 0; tile < mapping.size(); ++tile) {
      for (const poplar::Interval& part : mapping[tile]) {
        const poplar::VertexRef v = graph().addVertex(
            cs, poputil::templateVertex(op.embedded ? "TextShift" : "Shift", in.elementType()));
        graph().connect(v["in"], in.flatten().slice(part));
        graph().connect(v["out"], out.flatten().slice(part));
        graph().setInitialValue(v["by"], op.by);
        graph().setTileMapping(v, tile);
      }
    }
    prog.add(poplar::program::Execute(cs, debugContext("shift")));
    setOutTensor(0, out);
  }
};

popart::OpCreator<ShiftOp> shift(
    popart::OpDefinitions({{{"test.codelets", "Shift", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      return std::unique_ptr<popart::Op>(new ShiftOp(info));
    },
    true);
popart::popx::OpxCreator<ShiftOpx> shiftOpx({"test.codelets", "Shift", 1});

}  // namespace

#endif
