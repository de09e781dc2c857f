// Operators whose outputs see a window of their input. After popart/op/receptive.hpp of PopART 3.
#ifndef popart_op_receptive_hpp
#define popart_op_receptive_hpp

#include <popart/attributes.hpp>
#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// How a window is padded: by given numbers; so that the output has ceil(size / stride) elements,
/// with the odd one behind or in front; or not at all.
enum class AutoPad { NOTSET = 0, SAME_UPPER, SAME_LOWER, VALID };

/// Base of operators on an input [batch, channels, spatial...] and a window. Lists have a number for
/// each spatial dimension; those of pads first all in front, then all behind. An empty list stands
/// for zeros, and for ones of strides and dilations.
class HasReceptiveFieldOp : public Op {
 public:
  struct ReceptiveOpAttributes {
    std::vector<int64_t> pads;
    std::vector<int64_t> outPads;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> inDilations;
    std::string auto_pad;
    int64_t ceil_mode = 0;

    /// Reads those that a node has.
    void setFromAttributes(const Attributes& attributes);
  };

  HasReceptiveFieldOp(const OperatorIdentifier& opid, const ReceptiveOpAttributes& attributes,
                      const Op::Settings& settings);
  ~HasReceptiveFieldOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  /// The output: [batch, getNOutChans(), getSpatialO()...], of the input's type.
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

  /// The window, and the channels of the output. `setup0` checks what a class has to check.
  virtual Shape getSpatialK() const = 0;
  virtual int64_t getNOutChans() const = 0;

  int getNSpatialDims() const;
  int64_t getBatchSize() const;
  int64_t getNInChans() const;
  std::vector<int64_t> getSpatialD() const;
  std::vector<int64_t> getSpatialO() const;
  Shape getStrides() const;
  Shape getDilations() const;
  Shape getInDilations() const;
  /// With what SAME_UPPER and SAME_LOWER add, as sums in the first half.
  Shape getPads() const;
  Shape getOutPads() const;
  std::vector<int64_t> lowerPads() const;
  std::vector<int64_t> upperPads() const;
  std::vector<int64_t> lowerOutPads() const;
  std::vector<int64_t> upperOutPads() const;
  Shape getLowerPads() const { return lowerPads(); }
  Shape getUpperPads() const { return upperPads(); }
  Shape getLowerOutPads() const { return lowerOutPads(); }
  Shape getUpperOutPads() const { return upperOutPads(); }

  std::vector<std::size_t> spatialD_szt() const;
  std::vector<std::size_t> spatialK_szt() const;
  std::vector<uint32_t> lowerPads_u32() const;
  std::vector<uint32_t> upperPads_u32() const;
  std::vector<int> lowerPads_i32() const;
  std::vector<int> upperPads_i32() const;
  std::vector<uint32_t> dilations_u32() const;
  std::vector<uint32_t> strides_u32() const;

  /// \throws error for a text that is none of NOTSET, SAME_UPPER, SAME_LOWER and VALID
  static AutoPad getAutoPad(const std::string& text);
  static std::string autoPadText(AutoPad x);
  std::string getAutoPadStr(const AutoPad& x) const { return autoPadText(x); }
  static std::vector<int64_t> lowerPads(Shape pads, int nSpatialDims, AutoPad padType);
  static std::vector<int64_t> upperPads(Shape pads, int nSpatialDims, AutoPad padType);
  /// Sets the first half of `pads` to the sums that give an output `out` of an input `in`; a dilated
  /// window counts with its gaps.
  static void alterPads(Shape& pads, Shape out, Shape in, Shape window,
                        std::vector<int64_t> strides);
  /// The spatial dimensions of the output.
  static Shape getSpatialOutShape(Shape in, Shape window, std::vector<int64_t> pads,
                                  std::vector<int64_t> outPads, std::vector<int64_t> strides,
                                  std::vector<int64_t> dilations, std::vector<int64_t> inDilations,
                                  AutoPad padType, bool ceilMode = false);

  const std::vector<int64_t> basePads;
  const std::vector<int64_t> baseOutPads;
  const std::vector<int64_t> baseStrides;
  const std::vector<int64_t> baseDilations;
  const std::vector<int64_t> baseInDilations;
  const AutoPad padType;
  const bool ceilMode;

 private:
  virtual void setup0() const = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
