#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processor time that all threads of this process have used.
func processorTime() -> Duration {
  var usage = rusage()
  #if canImport(Glibc)
    _ = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  #else
    _ = getrusage(RUSAGE_SELF, &usage)
  #endif
  func duration(_ time: timeval) -> Duration {
    .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
  }
  return duration(usage.ru_utime) + duration(usage.ru_stime)
}
