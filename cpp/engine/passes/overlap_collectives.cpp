// Collectives in two steps, and which of them travel together.
//
// The step that gives the data moves up, behind the last step that writes them; the one that gets
// the result moves down, to the first step that uses it. Both stay with the steps that always run
// together with them. In the order in which data are there, collectives of one kind are joined to
// buckets. A bucket is closed when it would become too large, and before one of its results is
// needed: nobody waits for what is not on its way. Gathers travel alone, from where the results of those
// before them are used.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/passes/passes.hpp"

namespace popir {
namespace {

constexpr std::size_t kMostBucketBytes = 1 << 20;

/// A collective, and between which steps it is on its way.
struct Trip {
  std::size_t step;  // that it is now
  Collective collective;
  std::size_t begin, end;  // it begins and ends before these steps
  std::shared_ptr<HostFunctionEnd> giver, getter;
  bool inPlace = false;
};

class Overlapper {
 public:
  Overlapper(Plan& plan, FlatProgram& program, const std::map<std::string, Collective>& known)
      : plan_(plan), program_(program), sections_(sectionsOf(program)) {
    for (std::size_t s = 0; s < program.steps.size(); ++s)
      if (const auto collective = collectiveAt(s, known);
          collective && (collective->kind != Collective::Kind::AllGather || isWhole(s)))
        trips_.push_back({s, *collective, s, s, nullptr, nullptr, false});
  }

  /// \returns how many collectives were made two steps.
  std::size_t run() {
    for (auto& trip : trips_) findSteps(trip);
    holdGathers();
    joinToBuckets();
    if (!trips_.empty()) rebuild();
    return trips_.size();
  }

 private:
  /// The collective that a step is, if it is one of those that travel.
  std::optional<Collective> collectiveAt(std::size_t s,
                                         const std::map<std::string, Collective>& known) const {
    const auto& step = program_.steps[s];
    if (step.kind != Step::Kind::Run) return std::nullopt;
    const auto* kernel = dynamic_cast<const HostFunctionKernel*>(step.vertex->kernel.get());
    const auto found = kernel ? known.find(kernel->end().handle) : known.end();
    return found == known.end() ? std::nullopt : std::optional<Collective>(found->second);
  }

  static bool uses(const Step& step, const std::vector<unsigned>& variables, bool writesAlone) {
    const auto hits = [&](const poplar::Tensor& t) {
      if (!t.valid()) return false;
      const auto found = t.view().variables();
      return std::any_of(found.begin(), found.end(), [&](unsigned v) {
        return std::find(variables.begin(), variables.end(), v) != variables.end();
      });
    };
    if (hits(step.dst) || (!writesAlone && hits(step.src))) return true;
    if (step.vertex)
      for (const auto& operand : step.vertex->operands)
        if ((!writesAlone || operand.access != Access::Read) && hits(operand.tensor)) return true;
    return false;
  }

  /// A trip begins as early, and ends as late, as its data allow.
  void findSteps(Trip& trip) const {
    const auto& steps = program_.steps;
    const auto& operands = steps[trip.step].vertex->operands;
    const auto data = variablesOf(operands[0].tensor), result = variablesOf(operands[1].tensor);
    const auto section = sections_[trip.step];
    while (trip.begin > 0 && sections_[trip.begin - 1] == section &&
           !uses(steps[trip.begin - 1], data, true) && !uses(steps[trip.begin - 1], result, false))
      --trip.begin;
    // What another collective writes is there when that has ended, which may be here.
    const auto isTrip = [&](const Trip& each) { return each.step + 1 == trip.begin; };
    if (std::any_of(trips_.begin(), trips_.end(), isTrip)) trip.begin = trip.step;
    for (++trip.end; trip.end < steps.size(); ++trip.end)
      if (sections_[trip.end] != section || isControl(steps[trip.end]) ||
          uses(steps[trip.end], result, false))
        return;
  }

  /// A gather begins where the results of gathers before it are used: what is gathered is large, and
  /// little more of it than is used is there at a time.
  void holdGathers() {
    std::size_t last = 0, before = 0;  // ends
    for (auto& trip : trips_) {
      if (!isGather(trip)) continue;
      if (trip.end != last) before = std::exchange(last, trip.end);
      trip.begin = std::min(std::max(trip.begin, before), trip.step);
    }
  }

  static bool isGather(const Trip& trip) {
    return trip.collective.kind == Collective::Kind::AllGather;
  }

  static std::vector<unsigned> variablesOf(const poplar::Tensor& tensor) {
    const auto found = tensor.view().variables();
    return {found.begin(), found.end()};
  }

  void joinToBuckets() {
    struct Event {
      std::size_t before;
      bool begins;
      Trip* trip;
    };
    std::vector<Event> events;
    for (auto& trip : trips_) {
      events.push_back({trip.begin, true, &trip});
      events.push_back({trip.end, false, &trip});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.before != b.before ? a.before < b.before : a.begins < b.begins;
    });
    std::vector<std::vector<Trip*>> closed;
    std::map<std::string, std::vector<Trip*>> open;  // by what has to be equal
    const auto close = [&](std::vector<Trip*>& bucket) {
      if (!bucket.empty()) closed.push_back(std::move(bucket));
      bucket.clear();
    };
    for (const auto& event : events) {
      auto& bucket = open[kindOf(*event.trip)];
      if (!event.begins) {
        if (std::find(bucket.begin(), bucket.end(), event.trip) != bucket.end()) close(bucket);
        continue;
      }
      std::size_t bytes = bytesOf(*event.trip);
      for (const auto* each : bucket) bytes += bytesOf(*each);
      if (bytes > kMostBucketBytes) close(bucket);
      bucket.push_back(event.trip);
    }
    for (auto& [kind, bucket] : open) close(bucket);
    for (const auto& bucket : closed)
      if (bucket.size() > 1 || isOverlapped(*bucket.front())) add(bucket);
    const auto isAlone = [](const Trip& trip) { return !trip.giver; };
    trips_.erase(std::remove_if(trips_.begin(), trips_.end(), isAlone), trips_.end());
  }

  static std::size_t bytesOf(const Trip& trip) {
    return trip.collective.elements * trip.collective.type.sizeInBytes();
  }

  /// What has to be equal to travel together. Gathers travel alone: a bucket would keep a copy of all
  /// that is gathered.
  static std::string kindOf(const Trip& trip) {
    auto collective = trip.collective;
    collective.elements = 0;
    collective.name = isGather(trip) ? std::to_string(trip.step) : "";
    return handleOf(collective);
  }

  /// Whether a step runs while it is on its way.
  bool isOverlapped(const Trip& trip) const {
    for (auto s = trip.begin; s < trip.end; ++s)
      if (s != trip.step && program_.steps[s].kind != Step::Kind::None) return true;
    return false;
  }

  void add(const std::vector<Trip*>& trips) {
    Bucket bucket;
    bucket.whole = trips.front()->collective;
    bucket.whole.elements = 0;
    for (auto* trip : trips) {
      const auto end = [&] {
        return std::make_shared<HostFunctionEnd>(
            HostFunctionEnd{handleOf(trip->collective), nullptr});
      };
      trip->giver = end();
      trip->getter = end();
      const auto made = trip->collective.results();
      bucket.parts.push_back(
          {bucket.whole.elements, trip->collective.elements, made, trip->giver, trip->getter});
      bucket.whole.elements += made;
    }
    if (trips.size() > 1)
      bucket.whole.name += " and " + counted(trips.size() - 1, "other", "others");
    bucket.inPlace = trips.front()->inPlace = trips.size() == 1 && isWhole(trips.front()->step);
    if (bucket.inPlace)
      bucket.whole.elements = trips.front()->collective.elements;
    else if (bucket.whole.kind == Collective::Kind::ReduceScatter)
      bucket.whole.elements *= bucket.whole.grouping.size;
    plan_.buckets.push_back(std::move(bucket));
  }

  /// Whether data and result are variables, which the host function gets where they lie.
  bool isWhole(std::size_t s) const {
    const auto& operands = program_.steps[s].vertex->operands;
    return operands[0].tensor.view().wholeVariable() && operands[1].tensor.view().wholeVariable();
  }

  /// Puts the steps in their new order. Jumps, loops and conditionals go by the first of the steps
  /// that stand before what was there.
  void rebuild() {
    std::vector<std::vector<Trip*>> begins(program_.steps.size() + 1), ends = begins;
    std::vector<bool> goes(program_.steps.size(), false);
    std::vector<Step> steps;
    std::vector<std::size_t> at;
    for (auto& trip : trips_) {
      begins[trip.begin].push_back(&trip);
      ends[trip.end].push_back(&trip);
      goes[trip.step] = true;
    }
    for (std::size_t s = 0; s <= program_.steps.size(); ++s) {
      // A trip that ends in front of another section belongs to this one.
      const auto emit = [&](const std::vector<Trip*>& trips, bool begins, bool ofNext) {
        for (const auto* trip : trips) {
          const bool isNext = s == program_.steps.size() || sections_[trip->step] != sections_[s];
          if (isNext == ofNext) steps.push_back(half(*trip, begins));
        }
      };
      emit(ends[s], false, true);
      at.push_back(steps.size());
      emit(ends[s], false, false);
      emit(begins[s], true, false);
      if (s < program_.steps.size() && !goes[s]) steps.push_back(program_.steps[s]);
    }
    for (auto& step : steps)
      if (isControl(step)) step.target = at[step.target];
    for (auto* ranges : {&program_.loops, &program_.conditionals})
      for (auto& range : *ranges) range = {at[range.begin], at[range.end]};
    program_.leaves.clear();  // steps have left their places in the program
    program_.steps = std::move(steps);
  }

  Step half(const Trip& trip, bool begins) const {
    Step step = program_.steps[trip.step];
    BulkVertex vertex;
    vertex.name = step.vertex->name;
    const auto& operands = step.vertex->operands;
    if (trip.inPlace)  // both steps use both, so that these live from one to the other
      vertex.operands = {operands[0],
                         {operands[1].tensor, begins ? Access::Write : Access::ReadWrite}};
    else
      vertex.operands = {operands[begins ? 0 : 1]};
    const bool reads = begins || trip.inPlace;
    vertex.kernel = std::make_shared<HostFunctionKernel>(begins ? trip.giver : trip.getter, reads,
                                                         begins ? "begin of" : "end of");
    step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
    step.vertex = step.joined.get();
    return step;
  }

  Plan& plan_;
  FlatProgram& program_;
  const std::vector<std::size_t> sections_;
  std::vector<Trip> trips_;
};

/// Whether a collective travels: sums, and gathers of what the replicas have.
bool travels(const Collective& collective) {
  using Kind = Collective::Kind;
  const bool adds = collective.op == gcl::CollectiveOperator::ADD ||
                    collective.op == gcl::CollectiveOperator::MEAN;
  const bool reduces = collective.kind == Kind::AllReduce || collective.kind == Kind::ReduceScatter;
  return ((reduces && adds) || collective.kind == Kind::AllGather) &&
         collective.grouping.size > 1 && collective.elements > 0;
}

}  // namespace

std::string OverlapCollectives::run(Plan& plan) const {
  std::map<std::string, Collective> known;
  for (const auto& f : plan.graph->hostFunctions) {
    const auto collective = collectiveOf(f);
    if (collective && travels(*collective)) known.emplace(f.handle(), *collective);
  }
  if (known.empty()) return "";
  std::size_t overlapped = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)
    overlapped += Overlapper(plan, plan.programs[p], known).run();
  if (overlapped == 0) return "";
  return counted(overlapped, "collective", "collectives") + " in " +
         counted(plan.buckets.size(), "bucket", "buckets");
}

}  // namespace popir
