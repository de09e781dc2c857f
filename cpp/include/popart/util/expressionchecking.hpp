// Checks that throw what they found. After popart/util/expressionchecking.hpp of PopART 3.
//
// POPART_CHECK(expression) << "more" throws an error that says "Check expression has failed. more"
// if the expression is false; POPART_CHECK_EQ(a, b) also says both values, as do _NE, _LT, _LE, _GT
// and _GE. POPART_ASSERT and its kin throw an internal_error. Without NDEBUG the file and the line
// stand in front.
#ifndef popart_util_expressionchecking_hpp
#define popart_util_expressionchecking_hpp

#include <popart/error.hpp>
#include <popart/logging.hpp>

#include <sstream>
#include <string>

namespace popart {
namespace internal {

/// What two values are, if they do not compare as expected.
struct Compared {
  bool holds;
  std::string left, right;
  explicit operator bool() const { return holds; }
};

/// Each operand is evaluated once.
template <class L, class R, class Comparison>
Compared compared(const L& left, const R& right, Comparison holds) {
  if (holds(left, right)) return {true, "", ""};
  return {false, logging::internal::text(left), logging::internal::text(right)};
}

/// What an error says; more may be written into it.
class FailedCheck {
 public:
  FailedCheck(const char* file, int line, const std::string& expression, const std::string& values)
      : values_(values) {
#ifdef NDEBUG
    (void)file, (void)line;
#else
    text_ << file << ":" << line << " ";
#endif
    text_ << "Check " << expression << " has failed.";
  }
  template <class T>
  FailedCheck& operator<<(const T& value) {
    more_ << value;
    return *this;
  }
  std::string text() const {
    std::string all = text_.str();
    for (const std::string& each : {more_.str(), values_})
      if (!each.empty()) all += " " + each;
    return all;
  }

 private:
  std::ostringstream text_, more_;
  std::string values_;
};

/// Throws after all was written into the check, since `&` binds less than `<<`.
template <class Error>
struct Thrown {
  [[noreturn]] void operator&(const FailedCheck& check) const { throw Error(check.text()); }
};

}  // namespace internal
}  // namespace popart

// The label keeps an else that follows the statement out of it, without a warning.
#define POPART_CHECK_TRUE_(EXPRESSION, ERROR) \
  switch (0)                                  \
  case 0:                                     \
  default:                                    \
    if (EXPRESSION) {                         \
    } else                                    \
      ::popart::internal::Thrown<ERROR>() &   \
          ::popart::internal::FailedCheck(__FILE__, __LINE__, #EXPRESSION, "")
#define POPART_CHECK_COMPARED_(LEFT, OPERATOR, OPPOSITE, RIGHT, ERROR)                 \
  switch (0)                                                                           \
  case 0:                                                                              \
  default:                                                                             \
    if (const auto popartCompared_ = ::popart::internal::compared(                     \
            LEFT, RIGHT, [](const auto& l, const auto& r) { return l OPERATOR r; })) { \
    } else                                                                             \
      ::popart::internal::Thrown<ERROR>() &                                            \
          ::popart::internal::FailedCheck(                                             \
              __FILE__, __LINE__, #LEFT " " #OPERATOR " " #RIGHT,                      \
              "[" + popartCompared_.left + " " #OPPOSITE " " + popartCompared_.right + "]")

#define POPART_CHECK(EXPRESSION) POPART_CHECK_TRUE_(EXPRESSION, ::popart::error)
#define POPART_CHECK_EQ(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, ==, !=, RIGHT, ::popart::error)
#define POPART_CHECK_NE(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, !=, ==, RIGHT, ::popart::error)
#define POPART_CHECK_LT(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, <, >=, RIGHT, ::popart::error)
#define POPART_CHECK_LE(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, <=, >, RIGHT, ::popart::error)
#define POPART_CHECK_GT(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, >, <=, RIGHT, ::popart::error)
#define POPART_CHECK_GE(LEFT, RIGHT) POPART_CHECK_COMPARED_(LEFT, >=, <, RIGHT, ::popart::error)

#define POPART_ASSERT(EXPRESSION) POPART_CHECK_TRUE_(EXPRESSION, ::popart::internal_error)
#define POPART_ASSERT_EQ(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, ==, !=, RIGHT, ::popart::internal_error)
#define POPART_ASSERT_NE(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, !=, ==, RIGHT, ::popart::internal_error)
#define POPART_ASSERT_LT(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, <, >=, RIGHT, ::popart::internal_error)
#define POPART_ASSERT_LE(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, <=, >, RIGHT, ::popart::internal_error)
#define POPART_ASSERT_GT(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, >, <=, RIGHT, ::popart::internal_error)
#define POPART_ASSERT_GE(LEFT, RIGHT) \
  POPART_CHECK_COMPARED_(LEFT, >=, <, RIGHT, ::popart::internal_error)

#endif
