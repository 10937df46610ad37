#pragma once

// Leaf loops are compiled once per instruction set and chosen when the program starts. They carry
// no -ffast-math: a NaN or an infinity that goes in comes out as IEEE 754 says.

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define PENSTOCK_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define PENSTOCK_CLONES
#endif

/// Inlined into each clone, so that it is compiled for the clone's instruction set.
#define PENSTOCK_INLINE inline __attribute__((always_inline))

/// Operands of a launch are the same block or disjoint ones (place sees to it), so that no
/// iteration of an element-wise loop reads what another one writes.
#if defined(__clang__)
#define PENSTOCK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PENSTOCK_INDEPENDENT _Pragma("GCC ivdep")
#endif
