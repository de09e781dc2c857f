// Callbacks of streams and host functions: who is called, when, with what; and what is wrong.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <condition_variable>
#include <mutex>

using namespace poplar;
using namespace poplar::program;

// Gives 10, 20, 30, ...; has data ahead but for every third transfer. Its calls come one after
// another, on two threads: prefetch has one of its own.
class Counter : public StreamCallback {
 public:
  explicit Counter(std::string& said) : said_(said) {}
  Result prefetch(void* p) override {
    if (next_ % 3 == 2) return say("late", Result::NotAvailable);
    fill(p);
    return say("prefetch", Result::Success);
  }
  void fetch(void* p) override {
    fill(p);
    say("fetch", Result::Success);
  }
  void complete() override { say("complete", Result::Success); }
  void invalidatePrefetched() override { say("invalidate", Result::Success); }

 private:
  void fill(void* p) { *static_cast<int*>(p) = 10 * ++next_; }
  Result say(const char* what, Result r) {
    said_ += std::string(what) + " ";
    return r;
  }
  int next_ = 0;
  std::string& said_;
};

// Has its data when the result of the last transfer has arrived.
class Following : public StreamCallback {
 public:
  Result prefetch(void* p) override {
    std::unique_lock<std::mutex> guard(mutex_);
    arrived_.wait(guard, [this] { return results_ == given_; });
    fetch(p);
    return Result::Success;
  }
  void fetch(void* p) override { *static_cast<int*>(p) = 100 * ++given_; }
  void complete() override {}
  void result(int value) {
    const std::lock_guard<std::mutex> guard(mutex_);
    std::cout << value << " ";
    ++results_;
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  int given_ = 0, results_ = 0;
};

// Uses its engine, which callbacks may not.
class Intruder : public StreamCallback {
 public:
  explicit Intruder(Engine& engine) : engine_(engine) {}
  Result prefetch(void*) override {
    engine_.connectStream("in", nullptr);
    return Result::Success;
  }
  void fetch(void* p) override { *static_cast<int*>(p) = 1; }
  void complete() override {}

 private:
  Engine& engine_;
};

struct Doubler : HostCallback {
  void operator()(ArrayRef<const void*> inputs, ArrayRef<void*> outputs) override {
    *static_cast<int*>(outputs[0]) = 2 * *static_cast<const int*>(inputs[0]);
  }
};

template <class F>
void attempt(const F& f) {
  try {
    f();
  } catch (const poplar_error& e) {
    std::cout << e.what() << "\n";
  }
}

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device);
  Tensor t = graph.addVariable(INT, {}, "t");
  graph.setTileMapping(t, 0);
  HostFunction twice = graph.addHostFunction("twice", {{INT, 1}}, {{INT, 1}});
  Sequence body({Copy(graph.addHostToDeviceFIFO("in", INT, 1), t), Call(twice, {t}, {t}),
                 Copy(t, graph.addDeviceToHostFIFO("out", INT, 1))});
  for (const char* overlap : {"none", "any"}) {
    Engine engine(graph, Repeat(2, body), {{"exchange.streamBufferOverlap", overlap}});
    engine.load(device);
    attempt([&] { engine.run(); });
    std::string said, unsaid;
    engine.connectStreamToCallback("in", std::unique_ptr<Counter>(new Counter(said)));
    engine.connectStreamToCallback("out", 0,
                                   [](void* p) { std::cout << *static_cast<int*>(p) << " "; });
    attempt([&] { engine.run(); });
    engine.connectHostFunction("twice", 0, std::unique_ptr<Doubler>(new Doubler));
    engine.run();
    engine.run();
    engine.connectStreamToCallback("in", std::unique_ptr<Counter>(new Counter(unsaid)));
    std::cout << "\n" << said << unsaid << "\n";
    std::unique_ptr<Following> following(new Following);
    Following& shown = *following;
    engine.connectStreamToCallback("in", std::move(following));
    engine.connectStreamToCallback("out",
                                   [&shown](void* p) { shown.result(*static_cast<int*>(p)); });
    engine.run();
    std::cout << "\n";
    engine.connectStreamToCallback("in", std::unique_ptr<Intruder>(new Intruder(engine)));
    engine.connectStreamToCallback("out", [](void*) {});
    attempt([&] { engine.run(); });
  }
  Engine engine(graph, body);
  attempt([&] { engine.connectHostFunction("thrice", std::unique_ptr<Doubler>(new Doubler)); });
  attempt([&] { engine.connectHostFunction("twice", 1, std::unique_ptr<Doubler>(new Doubler)); });
  attempt([&] { engine.connectStreamToCallback("inn", [](void*) {}); });
  attempt([&] { Call(twice, {t, t}, {t}); });
  attempt([&] { Call(twice, {t.reinterpret(UNSIGNED_INT)}, {t}); });
  attempt([&] { Call(twice, {t}, {graph.addConstant(INT, {}, 1)}); });
  attempt([&] { graph.addHostFunction("twice", {}, {}); });
}
