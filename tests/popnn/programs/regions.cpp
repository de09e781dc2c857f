// Averages over regions of interest. ARGS: aligned ratio type.
#include <arrays.hpp>
#include <popnn/experimental/ROIAlign.hpp>

using namespace poplar;

int main(int, char** argv) {
  std::istringstream words(argv[1]);
  bool aligned = false;
  unsigned long ratio = 0;
  std::string type;
  words >> aligned >> ratio >> type;
  Arrays a;
  auto x = a.input("x", FLOAT, {2, 3, 8, 9}), rois = a.input("rois", FLOAT, {4, 4});
  auto images = a.input("images", type == "int" ? INT : UNSIGNED_INT, {4});
  auto g = a.input("g", FLOAT, {4, 3, 2, 4});
  const popnn::experimental::roiAlignParams params(ratio, 2, 4, aligned, 0.5f);
  a.output("y", popnn::experimental::roiAlignFwd(a.graph, a.prog, x, rois, images, params));
  a.output("dx", popnn::experimental::roiAlignInputGradient(a.graph, a.prog, x, rois, images, g,
                                                            params, "gradient"));
  a.run();
}
