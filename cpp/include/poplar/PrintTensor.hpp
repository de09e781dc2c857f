// poplar/PrintTensor.hpp: how program::PrintTensor writes values.
#ifndef poplar_PrintTensor_hpp
#define poplar_PrintTensor_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// Brackets for each dimension, the innermost on one line.
class PrintTensorFmt {
 public:
  /// Auto: Fixed, or Scientific if a value has no `digits` digits before or after its point.
  enum class FloatFormat { Auto, Fixed, Scientific, None };

  static constexpr unsigned DefaultSummariseThreshold = 1000;
  static constexpr unsigned DefaultEdgeItems = 3;
  static constexpr unsigned DefaultMaxLineWidth = 75;
  static constexpr unsigned DefaultDigits = 8;
  static constexpr char DefaultSeparator = ' ';
  static constexpr char DefaultOpenBracket = '[';
  static constexpr char DefaultCloseBracket = ']';

  /// Tensors of more than `summariseThreshold` elements show `edgeItems` at the ends of each
  /// dimension; `maxLineWidth` 0 breaks no line; floating numbers have `digits` digits; None is
  /// what a stream of C++ writes.
  PrintTensorFmt() : PrintTensorFmt(DefaultSummariseThreshold) {}
  explicit PrintTensorFmt(unsigned summariseThreshold, unsigned edgeItems = DefaultEdgeItems,
                          unsigned maxLineWidth = DefaultMaxLineWidth,
                          unsigned digits = DefaultDigits,
                          FloatFormat floatFormat = FloatFormat::Auto,
                          char separator = DefaultSeparator, char openBracket = DefaultOpenBracket,
                          char closeBracket = DefaultCloseBracket)
      : summariseThreshold(summariseThreshold),
        edgeItems(edgeItems),
        maxLineWidth(maxLineWidth),
        digits(digits),
        floatFormat(floatFormat),
        separator(separator),
        openBracket(openBracket),
        closeBracket(closeBracket) {}

  unsigned summariseThreshold, edgeItems, maxLineWidth, digits;
  FloatFormat floatFormat;
  char separator, openBracket, closeBracket;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
