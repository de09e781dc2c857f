// Codelets whose instructions are known, up to what g++ puts around them: `nops` of them a turn.
#include <poplar/Vertex.hpp>

using namespace poplar;

template <unsigned nops>
struct Turns : Vertex {
  Input<int> turns;
  Output<int> done;
  void compute() {
    int i = 0;
    for (const int n = turns; i < n; ++i) {
      asm volatile("");  // or there is no loop
      if (nops == 10)
        asm volatile("nop; nop; nop; nop; nop # not a nop: nop\n nop\n nop\n nop\n nop\n nop");
    }
    *done = i;
  }
};
template struct Turns<0>;
template struct Turns<10>;

// Nothing or ten nops, by the sign.
struct Branches : Vertex {
  InOut<Vector<int>> x;
  void compute() {
    for (int& each : x)
      if (each < 0) asm volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop" : "+m"(each));
  }
};

// A turn for each that lies before it; the last worker has most to do.
struct Workers : MultiVertex {
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> out;
  void compute(unsigned worker) {
    for (unsigned i = 0; i < 100 * worker; ++i) asm volatile("nop");
    out[worker] = worker;
  }
};

struct Supervisor : SupervisorVertex {
  Output<unsigned> out;
  __attribute__((target("supervisor"))) void compute() {
    for (unsigned i = 0; i < 500; ++i) asm volatile("nop");
    *out = 500;
  }
};

// A function of its own that is called, and one that calls itself.
struct Calls : Vertex {
  Output<int> out;
  int n;
  static __attribute__((noinline)) int sum(int n) { return n == 0 ? 0 : n + twice(n) + sum(n - 1); }
  static __attribute__((noinline)) int twice(int n) {
    asm volatile("nop");
    return 2 * n;
  }
  void compute() { *out = sum(n); }
};

// What it executes the second time is another count.
struct Grows : Vertex {
  InOut<int> x;
  void compute() {
    for (int i = 0; i < x; ++i) asm volatile("nop");
    x *= 100;
  }
};
