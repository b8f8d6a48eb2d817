extension Growth {
  static let all = WatchingGrowth.all + WaitingGrowth.all
}
