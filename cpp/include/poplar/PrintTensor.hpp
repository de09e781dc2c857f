// Format of values printed by program::PrintTensor.
// After poplar/PrintTensor.hpp of the Poplar SDK 3.
#ifndef poplar_PrintTensor_hpp
#define poplar_PrintTensor_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// Prints nested brackets, one per dimension. The innermost dimension is on one line.
class PrintTensorFmt {
 public:
  /// Auto: Fixed, or Scientific if a value needs more than `digits` digits before or after its
  /// point. None: as by a C++ stream.
  enum class FloatFormat { Auto, Fixed, Scientific, None };

  static constexpr unsigned DefaultSummariseThreshold = 1000;
  static constexpr unsigned DefaultEdgeItems = 3;
  static constexpr unsigned DefaultMaxLineWidth = 75;
  static constexpr unsigned DefaultDigits = 8;
  static constexpr char DefaultSeparator = ' ';
  static constexpr char DefaultOpenBracket = '[';
  static constexpr char DefaultCloseBracket = ']';

  /// Tensors of more than `summariseThreshold` elements show only `edgeItems` elements at both ends
  /// of each dimension. `maxLineWidth` is in characters, 0: unlimited. `digits` applies to
  /// floating-point values.
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

  /// Shows all elements, on lines of any length.
  void disableFormatting() {
    summariseThreshold = 4294967295u;
    maxLineWidth = 0;
  }

  unsigned summariseThreshold, edgeItems, maxLineWidth, digits;
  FloatFormat floatFormat;
  char separator, openBracket, closeBracket;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
