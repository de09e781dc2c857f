// Whether a short program is faster on the thread of its caller alone.
#ifndef popir_engine_thread_choice_hpp
#define popir_engine_thread_choice_hpp

#include <algorithm>
#include <chrono>

namespace popir {

/// Where what one core writes takes long to reach another, as on virtual machines whose cores share no
/// cache, short steps are faster on one thread; that changes as such a machine moves. So now and then a
/// few runs are tried the other way. Runs may take longer than those before, as loops turn: long ones go
/// back to all threads. Results do not depend on it.
class ThreadChoice {
 public:
  using Time = std::chrono::nanoseconds;

  /// Whether the run that begins at `now` is on the caller's thread alone.
  bool alone(Time now) {
    if (!tries_ && runs_ >= kRunsBetween && best_ <= kLongest && now >= next_) {
      tries_ = true;
      runs_ = 0;
      tried_ = Time::max();
    }
    now_ = now;
    return alone_ != tries_;
  }

  /// What that run took.
  void took(Time time) {
    ++runs_;
    // One long run may be one that the system held up.
    longRuns_ = time > kLongest ? longRuns_ + 1 : 0;
    if (longRuns_ >= kLongRuns && alone_ != tries_) {
      alone_ = false;
      return endTry(kPause);
    }
    if (!tries_) {
      best_ = std::min(best_, time);
      return;
    }
    // The first of them fetches what the other thread wrote last.
    if (runs_ > 1) tried_ = std::min(tried_, time);
    const bool isHopeless = runs_ > 1 && tried_ > best_ + best_ / 4;
    if (runs_ < kRunsOfTry && !isHopeless) return;
    if (tried_ < best_ - best_ / 16) alone_ = !alone_;
    endTry(isHopeless ? kPauseIfHopeless : kPause);
  }

 private:
  void endTry(Time pause) {
    next_ = now_ + pause;
    tries_ = false;
    runs_ = 0;
    best_ = Time::max();
  }

  static constexpr int kRunsBetween = 8, kRunsOfTry = 6, kLongRuns = 2;
  static constexpr Time kLongest = std::chrono::milliseconds(4),
                        kPause = std::chrono::milliseconds(500),
                        kPauseIfHopeless = std::chrono::seconds(2);

  bool alone_ = false, tries_ = false;
  int runs_ = 0;              // since the last change of tries_
  int longRuns_ = 0;          // the last ones that took more than kLongest
  Time best_ = Time::max();   // of the runs since the last try
  Time tried_ = Time::max();  // of the try
  Time now_{0}, next_{0};     // when the run began; when to try again
};

}  // namespace popir

#endif
