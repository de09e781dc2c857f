// What a function throws, for programs that print it.
#ifndef popir_tests_errors_hpp
#define popir_tests_errors_hpp

#include <exception>
#include <functional>
#include <iostream>

inline void fails(const std::function<void()>& body, const char* before = "") {
  try {
    body();
    std::cout << "no error\n";
  } catch (const std::exception& e) {
    std::cout << before << e.what() << "\n";
  }
}

/// The same, behind the word.
inline void failsWithError(const std::function<void()>& body) { fails(body, "error: "); }

#endif
