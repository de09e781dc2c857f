// Windows over spatial dimensions.
#include <popart/op/receptive.hpp>
#include <popart/opserialiser.hpp>
#include <popart/util.hpp>

#include <algorithm>
#include <utility>

namespace popart {
namespace {

const std::vector<std::pair<AutoPad, const char*>>& padTypes() {
  static const std::vector<std::pair<AutoPad, const char*>> names = {
      {AutoPad::NOTSET, "NOTSET"},
      {AutoPad::SAME_UPPER, "SAME_UPPER"},
      {AutoPad::SAME_LOWER, "SAME_LOWER"},
      {AutoPad::VALID, "VALID"}};
  return names;
}

bool isSame(AutoPad type) { return type == AutoPad::SAME_UPPER || type == AutoPad::SAME_LOWER; }

std::vector<int64_t> orAll(const std::vector<int64_t>& given, int64_t value, std::size_t n) {
  return given.empty() ? std::vector<int64_t>(n, value) : given;
}

/// The first or second half of pads, of which SAME_* has the sum in the first.
std::vector<int64_t> padHalf(const Shape& pads, std::size_t n, AutoPad type, bool upper) {
  const auto at = [&](std::size_t i) { return pads.begin() + static_cast<std::ptrdiff_t>(i); };
  if (!isSame(type)) return upper ? Shape(at(n), at(2 * n)) : Shape(at(0), at(n));
  std::vector<int64_t> part(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int64_t less = pads[i] / 2;
    part[i] = upper == (type == AutoPad::SAME_UPPER) ? pads[i] - less : less;
  }
  return part;
}

}  // namespace

HasReceptiveFieldOp::~HasReceptiveFieldOp() = default;

void HasReceptiveFieldOp::ReceptiveOpAttributes::setFromAttributes(const Attributes& attributes) {
  attributes.setIfPresent(pads, "pads");
  attributes.setIfPresent(outPads, "outPads");
  attributes.setIfPresent(strides, "strides");
  attributes.setIfPresent(dilations, "dilations");
  attributes.setIfPresent(inDilations, "inDilations");
  attributes.setIfPresent(auto_pad, "auto_pad");
  attributes.setIfPresent(ceil_mode, "ceil_mode");
}

HasReceptiveFieldOp::HasReceptiveFieldOp(const OperatorIdentifier& opid,
                                         const ReceptiveOpAttributes& attributes,
                                         const Op::Settings& settings)
    : Op(opid, settings),
      basePads(attributes.pads),
      baseOutPads(attributes.outPads),
      baseStrides(attributes.strides),
      baseDilations(attributes.dilations),
      baseInDilations(attributes.inDilations),
      padType(getAutoPad(attributes.auto_pad)),
      ceilMode(attributes.ceil_mode != 0) {}

AutoPad HasReceptiveFieldOp::getAutoPad(const std::string& text) {
  if (text.empty()) return AutoPad::NOTSET;
  for (const auto& type : padTypes())
    if (text == type.second) return type.first;
  throw error("auto_pad is '{}'; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", text);
}

std::string HasReceptiveFieldOp::autoPadText(AutoPad x) {
  for (const auto& type : padTypes())
    if (x == type.first) return type.second;
  throw error("{} is no AutoPad", static_cast<int>(x));
}

int HasReceptiveFieldOp::getNSpatialDims() const { return inInfo(getInIndex()).rank() - 2; }
int64_t HasReceptiveFieldOp::getBatchSize() const { return inInfo(getInIndex()).dim(0); }
int64_t HasReceptiveFieldOp::getNInChans() const { return inInfo(getInIndex()).dim(1); }

std::vector<int64_t> HasReceptiveFieldOp::getSpatialD() const {
  const Shape& in = inShape(getInIndex());
  return {in.begin() + 2, in.end()};
}

Shape HasReceptiveFieldOp::getStrides() const {
  return orAll(baseStrides, 1, getSpatialD().size());
}
Shape HasReceptiveFieldOp::getDilations() const {
  return orAll(baseDilations, 1, getSpatialD().size());
}
Shape HasReceptiveFieldOp::getInDilations() const {
  return orAll(baseInDilations, 1, getSpatialD().size());
}
Shape HasReceptiveFieldOp::getOutPads() const {
  return orAll(baseOutPads, 0, 2 * getSpatialD().size());
}

Shape HasReceptiveFieldOp::getPads() const {
  Shape pads = orAll(basePads, 0, 2 * getSpatialD().size());
  if (isSame(padType)) {
    Shape window = getSpatialK();
    for (std::size_t i = 0; i < window.size(); ++i)
      window[i] = getDilations()[i] * (window[i] - 1) + 1;
    alterPads(pads, getSpatialO(), getSpatialD(), window, getStrides());
  }
  return pads;
}

std::vector<int64_t> HasReceptiveFieldOp::getSpatialO() const {
  return getSpatialOutShape(getSpatialD(), getSpatialK(),
                            orAll(basePads, 0, 2 * getSpatialD().size()), getOutPads(),
                            getStrides(), getDilations(), getInDilations(), padType, ceilMode);
}

std::vector<int64_t> HasReceptiveFieldOp::lowerPads() const {
  return lowerPads(getPads(), getNSpatialDims(), padType);
}
std::vector<int64_t> HasReceptiveFieldOp::upperPads() const {
  return upperPads(getPads(), getNSpatialDims(), padType);
}
std::vector<int64_t> HasReceptiveFieldOp::lowerOutPads() const {
  return lowerPads(getOutPads(), getNSpatialDims(), AutoPad::NOTSET);
}
std::vector<int64_t> HasReceptiveFieldOp::upperOutPads() const {
  return upperPads(getOutPads(), getNSpatialDims(), AutoPad::NOTSET);
}

std::vector<int64_t> HasReceptiveFieldOp::lowerPads(Shape pads, int nSpatialDims, AutoPad padType) {
  return padHalf(pads, static_cast<std::size_t>(nSpatialDims), padType, false);
}
std::vector<int64_t> HasReceptiveFieldOp::upperPads(Shape pads, int nSpatialDims, AutoPad padType) {
  return padHalf(pads, static_cast<std::size_t>(nSpatialDims), padType, true);
}

void HasReceptiveFieldOp::alterPads(Shape& pads, Shape out, Shape in, Shape window,
                                    std::vector<int64_t> strides) {
  for (std::size_t i = 0; i < in.size(); ++i)
    pads[i] = std::max<int64_t>(0, (out[i] - 1) * strides[i] + window[i] - in[i]);
}

Shape HasReceptiveFieldOp::getSpatialOutShape(Shape in, Shape window, std::vector<int64_t> pads,
                                              std::vector<int64_t> outPads,
                                              std::vector<int64_t> strides,
                                              std::vector<int64_t> dilations,
                                              std::vector<int64_t> inDilations, AutoPad padType,
                                              bool ceilMode) {
  const std::size_t n = in.size();
  Shape out(n);
  for (std::size_t i = 0; i < n; ++i) {
    // How far the window can move from its first place; the input may have gaps, by inDilations.
    int64_t room = (in[i] - 1) * inDilations[i];
    if (!isSame(padType)) room -= dilations[i] * (window[i] - 1);
    if (padType == AutoPad::NOTSET) room += pads[i] + pads[n + i];
    if (ceilMode) room += strides[i] - 1;
    out[i] = (room < 0 ? 0 : room / strides[i] + 1) + outPads[i] + outPads[n + i];
  }
  return out;
}

std::vector<std::size_t> HasReceptiveFieldOp::spatialD_szt() const {
  return vector_cast<std::size_t>(getSpatialD());
}
std::vector<std::size_t> HasReceptiveFieldOp::spatialK_szt() const {
  return vector_cast<std::size_t>(getSpatialK());
}
std::vector<uint32_t> HasReceptiveFieldOp::lowerPads_u32() const {
  return vector_cast<uint32_t>(lowerPads());
}
std::vector<uint32_t> HasReceptiveFieldOp::upperPads_u32() const {
  return vector_cast<uint32_t>(upperPads());
}
std::vector<int> HasReceptiveFieldOp::lowerPads_i32() const {
  return vector_cast<int>(lowerPads());
}
std::vector<int> HasReceptiveFieldOp::upperPads_i32() const {
  return vector_cast<int>(upperPads());
}
std::vector<uint32_t> HasReceptiveFieldOp::dilations_u32() const {
  return vector_cast<uint32_t>(getDilations());
}
std::vector<uint32_t> HasReceptiveFieldOp::strides_u32() const {
  return vector_cast<uint32_t>(getStrides());
}

void HasReceptiveFieldOp::setup() {
  setup0();
  Shape out = {getBatchSize(), getNOutChans()};
  const auto spatial = getSpatialO();
  out.insert(out.end(), spatial.begin(), spatial.end());
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), out);
}

void HasReceptiveFieldOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("basePads", basePads);
  os.appendAttribute("baseOutPads", baseOutPads);
  os.appendAttribute("baseStrides", baseStrides);
  os.appendAttribute("baseDilations", baseDilations);
  os.appendAttribute("baseInDilations", baseInDilations);
  os.appendAttribute("auto_pad", autoPadText(padType));
  os.appendAttribute("ceil_mode", ceilMode);
}

}  // namespace popart
