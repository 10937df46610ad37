#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace penstock::runtime::cpu {

/// While it lives, this thread takes numbers below the smallest normal one for zero. The running
/// averages of a parameter whose gradient has died decay into that range within a thousand steps,
/// and arithmetic there is microcode: an AdamW step was four times slower for it. What is lost is
/// below 1e-38 in f32 and 1e-307 in f64.
class FlushDenormals {
 public:
#if defined(__SSE__)
  FlushDenormals() : saved_(_mm_getcsr()) {
    _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
  }
  ~FlushDenormals() {
    _mm_setcsr(saved_);
  }
#else
  FlushDenormals() {}
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE__)
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned saved_;
#endif
};

}  // namespace penstock::runtime::cpu
