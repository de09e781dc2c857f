// A value of any type, in a standard of C++ that has none and in one that has.
#include <popart/vendored/anylite.hpp>

#include <iostream>
#include <string>

int main() {
  nonstd::any a = std::string("any"), b = a, none;
  nonstd::any_cast<std::string&>(a) += "thing";
  std::cout << nonstd::any_cast<std::string>(a) << nonstd::any_cast<std::string>(b)
            << none.has_value() << (nonstd::any_cast<int>(&a) == nullptr)
            << nonstd::any_cast<int>(nonstd::make_any<int>(7));
  try {
    nonstd::any_cast<int>(a);
  } catch (const nonstd::bad_any_cast&) {
    std::cout << " bad";
  }
  a.swap(b);
  b = 3;
  std::cout << (b.type() == typeid(int)) << nonstd::any_cast<int>(b) << "\n";
}
