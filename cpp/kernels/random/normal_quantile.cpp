#include "kernels/random/normal_quantile.hpp"

#include <algorithm>
#include <cmath>

namespace popir {
namespace {

// Coefficients of the paper's PPND16: numerator and denominator polynomials, constant term first.
constexpr double kA[] = {3.3871328727963666080,    1.3314166789178437745e+2,
                         1.9715909503065514427e+3, 1.3731693765509461125e+4,
                         4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr double kB[] = {1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
constexpr double kC[] = {1.42343711074968357734,    4.63033784615654529590,
                         5.76949722146069140550,    3.64784832476320460504,
                         1.27045825245236838258,    2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kD[] = {1.0,
                         2.05319162663775882187,
                         1.67638483018380384940,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
constexpr double kE[] = {6.65790464350110377720,    5.46378491116411436990,
                         1.78482653991729133580,    2.96560571828504891230e-1,
                         2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kF[] = {1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};

inline double poly(const double (&c)[8], double x) {
  return c[0] +
         x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * (c[6] + x * c[7]))))));
}

constexpr double kCentre = 0.425;

double tail(double q) {
  const double r = std::sqrt(-std::log(0.5 - std::abs(q)));
  const double x =
      r <= 5 ? poly(kC, r - 1.6) / poly(kD, r - 1.6) : poly(kE, r - 5) / poly(kF, r - 5);
  return std::copysign(x, q);
}

}  // namespace

void normalQuantiles(double* x, std::int64_t n) {
  // First applies the central formula to all elements, vectorized, then recomputes those in the
  // tails.
  constexpr std::int64_t kBlock = 64;
  double q[kBlock];
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t m = std::min(kBlock, n - begin);
    double* y = x + begin;
    std::copy_n(y, m, q);
    for (std::int64_t i = 0; i < m; ++i) {
      const double r = kCentre * kCentre - q[i] * q[i];
      y[i] = q[i] * poly(kA, r) / poly(kB, r);
    }
    for (std::int64_t i = 0; i < m; ++i)
      if (std::abs(q[i]) > kCentre) y[i] = tail(q[i]);
  }
}

}  // namespace popir
