// Debian's libkj is not instrumented and locks by bare futexes, so ThreadSanitizer cannot see that
// kj::Executor and the cross-thread fulfillers hand their results over under a lock. It reports the
// same on KJ's own event loop.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:executeSync\n"
         "race:executeAsync\n"
         "race:kj::_::XThread\n";
}
#endif
