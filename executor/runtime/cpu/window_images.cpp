#include "executor/runtime/cpu/window_images.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "executor/runtime/cpu/vectorize.h"

namespace penstock::runtime::cpu {
namespace {

constexpr std::int64_t kChannels = 64;  // channels that one pass keeps on the stack

template <class T>
PENSTOCK_INLINE T larger(T a, T b) {  // a NaN on either side comes through
  const T largest = a > b ? a : b;    // two steps, or g++ sees a branch that it cannot vectorise
  return a != a ? a : largest;
}

/// Calls `f(window number, row_begin, row_end, column_begin, column_end, image offset)`.
template <class F>
PENSTOCK_INLINE void each_window(const PoolRange& range, F f) {
  const Windows& w = range.windows;
  for (std::int64_t image = range.first; image < range.last; ++image) {
    for (std::int64_t oh = 0; oh < w.out_height; ++oh) {
      const std::int64_t h0 = w.row_begin(oh), h1 = w.row_end(oh);
      for (std::int64_t ow = 0; ow < w.out_width; ++ow) {
        f((image * w.out_height + oh) * w.out_width + ow, h0, h1, w.column_begin(ow),
          w.column_end(ow), image * w.height * w.width);
      }
    }
  }
}

template <class T>
PENSTOCK_INLINE void max_of(const PoolRange& range, const T* x, T* y) {
  const Windows& w = range.windows;
  const std::int64_t channels = w.channels;
  each_window(range, [&](std::int64_t window, std::int64_t h0, std::int64_t h1, std::int64_t w0,
                         std::int64_t w1, std::int64_t image) {
    T* out = y + window * channels;
    for (std::int64_t c = 0; c < channels; ++c) out[c] = -std::numeric_limits<T>::infinity();
    for (std::int64_t h = h0; h < h1; ++h) {
      for (std::int64_t i = w0; i < w1; ++i) {
        const T* in = x + (image + h * w.width + i) * channels;
        PENSTOCK_INDEPENDENT
        for (std::int64_t c = 0; c < channels; ++c) out[c] = larger(in[c], out[c]);
      }
    }
  });
}

template <class T>
PENSTOCK_INLINE void max_gradient_of(const PoolRange& range, const T* x, const T* g, T* dx) {
  using Mask = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  const Windows& w = range.windows;
  const std::int64_t plane = w.height * w.width * w.channels;
  std::fill(dx + range.first * plane, dx + range.last * plane, T{0});
  each_window(range, [&](std::int64_t window, std::int64_t h0, std::int64_t h1, std::int64_t w0,
                         std::int64_t w1, std::int64_t image) {
    for (std::int64_t c0 = 0; c0 < w.channels; c0 += kChannels) {
      const std::int64_t n = std::min(kChannels, w.channels - c0);
      T largest[kChannels];
      Mask open[kChannels];  // whether the maximum has not been met yet
      for (std::int64_t c = 0; c < n; ++c) {
        largest[c] = -std::numeric_limits<T>::infinity();
        open[c] = 1;
      }
      for (std::int64_t h = h0; h < h1; ++h) {
        for (std::int64_t i = w0; i < w1; ++i) {
          const T* in = x + (image + h * w.width + i) * w.channels + c0;
          for (std::int64_t c = 0; c < n; ++c) largest[c] = larger(in[c], largest[c]);
        }
      }
      const T* from = g + window * w.channels + c0;
      for (std::int64_t h = h0; h < h1; ++h) {
        for (std::int64_t i = w0; i < w1; ++i) {
          const std::int64_t offset = (image + h * w.width + i) * w.channels + c0;
          const T* in = x + offset;
          T* out = dx + offset;
          PENSTOCK_INDEPENDENT
          for (std::int64_t c = 0; c < n; ++c) {
            const bool here = in[c] == largest[c] || in[c] != in[c];
            const Mask takes = here ? open[c] : Mask{0};
            out[c] += takes ? from[c] : T{0};
            open[c] -= takes;
          }
        }
      }
    }
  });
}

/// The four taps of one 2 x 2 window, or of what goes back to them, n channels each.
template <class T>
struct Taps {
  T *a, *b, *c, *d;
};

/// Whole numbers instead of conditions: g++ turns these into vector code.
template <class T>
PENSTOCK_INLINE void send_to_maximum(std::int64_t n, const Taps<const T>& x, const T* g,
                                     const Taps<T>& dx) {
  using Mask = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  const T *xa = x.a, *xb = x.b, *xc = x.c, *xd = x.d;
  T *da = dx.a, *db = dx.b, *dc = dx.c, *dd = dx.d;
  PENSTOCK_INDEPENDENT
  for (std::int64_t i = 0; i < n; ++i) {
    const T a = xa[i], b = xb[i], c = xc[i], d = xd[i], value = g[i];
    const T largest = larger(larger(a, b), larger(c, d));
    const Mask at_a = (a == largest ? 1 : 0) | (a != a ? 1 : 0);
    const Mask at_b = ((b == largest ? 1 : 0) | (b != b ? 1 : 0)) & (1 ^ at_a);
    const Mask at_c = ((c == largest ? 1 : 0) | (c != c ? 1 : 0)) & (1 ^ at_a ^ at_b);
    const Mask at_d = 1 ^ at_a ^ at_b ^ at_c;
    da[i] = at_a != 0 ? value : T{0};
    db[i] = at_b != 0 ? value : T{0};
    dc[i] = at_c != 0 ? value : T{0};
    dd[i] = at_d != 0 ? value : T{0};
  }
}

/// Windows of 2 x 2 that tile the image, the usual ones: every element of dx is written once.
template <class T>
PENSTOCK_INLINE void max_gradient_of_tiles(const PoolRange& range, const T* x, const T* g, T* dx) {
  const Windows& w = range.windows;
  const std::int64_t n = w.channels, below = w.width * w.channels;
  each_window(range, [&](std::int64_t window, std::int64_t h0, std::int64_t, std::int64_t w0,
                         std::int64_t, std::int64_t image) {
    const T* in = x + (image + h0 * w.width + w0) * n;
    T* out = dx + (image + h0 * w.width + w0) * n;
    send_to_maximum<T>(n, {in, in + n, in + below, in + below + n}, g + window * n,
                       {out, out + n, out + below, out + below + n});
  });
}

bool is_tiled_by_two(const Windows& w) {
  return w.window_height == 2 && w.window_width == 2 && w.stride_down == 2 &&
         w.stride_across == 2 && w.top == 0 && w.left == 0 && w.height == 2 * w.out_height &&
         w.width == 2 * w.out_width;
}

template <class T>
PENSTOCK_INLINE void average_of(const PoolRange& range, const T* x, T* y) {
  const Windows& w = range.windows;
  const std::int64_t channels = w.channels;
  const T size = static_cast<T>(w.window_height * w.window_width);
  each_window(range, [&](std::int64_t window, std::int64_t h0, std::int64_t h1, std::int64_t w0,
                         std::int64_t w1, std::int64_t image) {
    T* out = y + window * channels;
    for (std::int64_t c = 0; c < channels; ++c) out[c] = 0;
    for (std::int64_t h = h0; h < h1; ++h) {
      for (std::int64_t i = w0; i < w1; ++i) {
        const T* in = x + (image + h * w.width + i) * channels;
        PENSTOCK_INDEPENDENT
        for (std::int64_t c = 0; c < channels; ++c) out[c] += in[c];
      }
    }
    for (std::int64_t c = 0; c < channels; ++c) out[c] /= size;
  });
}

template <class T>
PENSTOCK_INLINE void average_gradient_of(const PoolRange& range, const T* g, T* dx) {
  const Windows& w = range.windows;
  const std::int64_t channels = w.channels, plane = w.height * w.width * channels;
  const T size = static_cast<T>(w.window_height * w.window_width);
  std::fill(dx + range.first * plane, dx + range.last * plane, T{0});
  each_window(range, [&](std::int64_t window, std::int64_t h0, std::int64_t h1, std::int64_t w0,
                         std::int64_t w1, std::int64_t image) {
    const T* from = g + window * channels;
    for (std::int64_t h = h0; h < h1; ++h) {
      for (std::int64_t i = w0; i < w1; ++i) {
        T* out = dx + (image + h * w.width + i) * channels;
        PENSTOCK_INDEPENDENT
        for (std::int64_t c = 0; c < channels; ++c) out[c] += from[c] / size;
      }
    }
  });
}

PENSTOCK_CLONES void max_f32(const PoolRange& range, const float* x, float* y) {
  max_of(range, x, y);
}
PENSTOCK_CLONES void max_gradient_f32(const PoolRange& range, const float* x, const float* g,
                                      float* dx) {
  max_gradient_of(range, x, g, dx);
}
PENSTOCK_CLONES void max_gradient_tiles_f32(const PoolRange& range, const float* x, const float* g,
                                            float* dx) {
  max_gradient_of_tiles(range, x, g, dx);
}
PENSTOCK_CLONES void average_f32(const PoolRange& range, const float* x, float* y) {
  average_of(range, x, y);
}
PENSTOCK_CLONES void average_gradient_f32(const PoolRange& range, const float* g, float* dx) {
  average_gradient_of(range, g, dx);
}

}  // namespace

// f64 serves checks, not speed: one version of it is enough.
void pool_max(const PoolRange& range, const float* x, float* y) {
  max_f32(range, x, y);
}
void pool_max(const PoolRange& range, const double* x, double* y) {
  max_of(range, x, y);
}
void pool_max_gradient(const PoolRange& range, const float* x, const float* g, float* dx) {
  if (is_tiled_by_two(range.windows)) return max_gradient_tiles_f32(range, x, g, dx);
  max_gradient_f32(range, x, g, dx);
}
void pool_max_gradient(const PoolRange& range, const double* x, const double* g, double* dx) {
  max_gradient_of(range, x, g, dx);
}
void pool_average(const PoolRange& range, const float* x, float* y) {
  average_f32(range, x, y);
}
void pool_average(const PoolRange& range, const double* x, double* y) {
  average_of(range, x, y);
}
void pool_average_gradient(const PoolRange& range, const float* g, float* dx) {
  average_gradient_f32(range, g, dx);
}
void pool_average_gradient(const PoolRange& range, const double* g, double* dx) {
  average_gradient_of(range, g, dx);
}

}  // namespace penstock::runtime::cpu
