#if canImport(Glibc)
  import Epoll
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reports which of many sockets have something to read, have room, or have ended. A `Readiness` uses epoll or kqueue,
/// and has a descriptor of its own, which is readable while there are events.
///
/// A Dispatch source for each socket would need less code. But on Linux (Swift 6.3), such a source can end the process
/// with "Source finalized twice". Such a source ends the process if the other side disconnects at the wrong moment:
/// then the source's queue and the thread that watches unregister the source at the same time. This crash was seen once
/// in a million and a half connections. The descriptor of a `Readiness` never ends, so one source can watch it safely.
package final class Readiness: Sendable {
  package struct Event: Equatable {
    /// The ID with which the socket is watched.
    package let id: Int
    /// Whether the socket has something to read, or has ended.
    package let speaks: Bool
    package let hasRoom: Bool

    package init(id: Int, speaks: Bool = false, hasRoom: Bool = false) {
      self.id = id
      self.speaks = speaks
      self.hasRoom = hasRoom
    }
  }

  let descriptor: Int32

  package init() throws(Socket.Failure) {
    #if canImport(Glibc)
      descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    #else
      descriptor = kqueue()
    #endif
    guard descriptor >= 0 else { throw Socket.Failure(call: "watch sockets", code: errno) }
  }

  deinit {
    _ = close(descriptor)
  }
}

#if canImport(Glibc)
  extension Readiness {
    /// Watches the socket from now on: `events()` reports it while it has something to read and, if `forRoom` is true,
    /// while it has room.
    package func watch(_ socket: Socket, as id: Int, forRoom: Bool = false) {
      var event = unsafe epoll_event()
      unsafe event.events = EPOLLIN.rawValue | (forRoom ? EPOLLOUT.rawValue : 0)
      unsafe event.data.u64 = UInt64(id)
      if unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, socket.descriptor, &event) != 0 {
        _ = unsafe epoll_ctl(descriptor, EPOLL_CTL_MOD, socket.descriptor, &event)
      }
    }

    /// Stops watching the socket.
    package func forget(_ socket: Socket) {
      _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, socket.descriptor, nil)
    }

    /// Returns the current events, or some of them.
    package func events() -> [Event] {
      var told = unsafe [epoll_event](repeating: epoll_event(), count: 256)
      let count = unsafe epoll_wait(descriptor, &told, Int32(told.count), 0)
      return unsafe told.prefix(Int(max(count, 0))).map { event in
        let bits = unsafe event.events
        // Every bit except the one for room may report that the socket has ended.
        return Event(
          id: unsafe Int(event.data.u64),
          speaks: bits & ~EPOLLOUT.rawValue != 0,
          hasRoom: bits & EPOLLOUT.rawValue != 0
        )
      }
    }
  }
#elseif canImport(Darwin)
  extension Readiness {
    /// Watches the socket from now on: `events()` reports it while it has something to read and, if `forRoom` is true,
    /// while it has room.
    package func watch(_ socket: Socket, as id: Int, forRoom: Bool = false) {
      change(EVFILT_READ, EV_ADD, socket, id)
      change(EVFILT_WRITE, forRoom ? EV_ADD : EV_DELETE, socket, id)
    }

    /// Stops watching the socket.
    package func forget(_ socket: Socket) {
      change(EVFILT_READ, EV_DELETE, socket, 0)
      change(EVFILT_WRITE, EV_DELETE, socket, 0)
    }

    // Deleting an event that does not exist is a harmless error.
    private func change(_ filter: Int32, _ action: Int32, _ socket: Socket, _ id: Int) {
      var change = unsafe kevent(
        ident: UInt(socket.descriptor),
        filter: Int16(filter),
        flags: UInt16(action),
        fflags: 0,
        data: 0,
        udata: UnsafeMutableRawPointer(bitPattern: id)
      )
      _ = unsafe kevent(descriptor, &change, 1, nil, 0, nil)
    }

    /// Returns the current events, or some of them.
    package func events() -> [Event] {
      var told: [kevent] = unsafe Array(repeating: kevent(), count: 256)
      var now = timespec()
      let count = unsafe kevent(descriptor, nil, 0, &told, Int32(told.count), &now)
      return unsafe told.prefix(Int(max(count, 0))).map { event in
        let hasRoom = unsafe event.filter == Int16(EVFILT_WRITE)
        return unsafe Event(id: Int(bitPattern: event.udata), speaks: !hasRoom, hasRoom: hasRoom)
      }
    }
  }
#endif
