// How the values of a tensor are printed. After popart/printtensorfmt.hpp of PopART 3.
#ifndef popart_printtensorfmt_hpp
#define popart_printtensorfmt_hpp

namespace popart {

/// See poplar::PrintTensorFmt, which has the same members.
class PrintTensorFmt {
 public:
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };

  PrintTensorFmt(unsigned summariseThreshold_ = 1000, unsigned edgeItems_ = 3,
                 unsigned maxLineWidth_ = 75, unsigned digits_ = 8,
                 FloatFormat floatFormat_ = FloatFormat::Auto, char separator_ = ' ',
                 char openBracket_ = '[', char closeBracket_ = ']')
      : summariseThreshold(summariseThreshold_),
        edgeItems(edgeItems_),
        maxLineWidth(maxLineWidth_),
        digits(digits_),
        floatFormat(floatFormat_),
        separator(separator_),
        openBracket(openBracket_),
        closeBracket(closeBracket_) {}

  const unsigned summariseThreshold;
  const unsigned edgeItems;
  const unsigned maxLineWidth;
  const unsigned digits;
  const FloatFormat floatFormat;
  const char separator;
  const char openBracket;
  const char closeBracket;
};

}  // namespace popart

#endif
