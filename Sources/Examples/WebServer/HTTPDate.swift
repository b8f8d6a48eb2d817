/// Returns a time as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// - Parameter seconds: The time in seconds since 1970, not before.
package func httpDate(_ seconds: Int = System.unixTime) -> String {
  let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
  // The calendar repeats after 400 years, or 146,097 days. These years begin on the first of March, so that a leap day
  // is the last day of a year.
  let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let month = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * month + 2) / 5 + 1
  let year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)

  let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
  func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let clock = [second / 3_600, second / 60 % 60, second % 60].map(padded).joined(separator: ":")
  return "\(weekdays[days % 7]), \(padded(day)) \(months[month]) \(year) \(clock) GMT"
}
