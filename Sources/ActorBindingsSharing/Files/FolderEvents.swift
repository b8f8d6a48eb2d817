#if os(Linux)
  internal import Inotify
#endif
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a `FolderEvents` has found.
struct FolderNews {
  /// The process of an owner of leases may have died.
  var ownersChanged = false
  /// The watched folders are gone: a new `FolderEvents` is needed.
  var isLost = false
}

#if os(Linux)
  /// Blocks a thread until the folder of a store has news: one descriptor for the whole folder.
  ///
  /// One thread that blocks needs no source of Dispatch: such a source can be finalized twice on Linux.
  struct FolderEvents: ~Copyable {
    private let inotify: FileDescriptor
    private let owners: Int32

    init(_ directory: String) throws(SystemError) {
      let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      if number < 0 { throw .last("watch", ".") }
      let inotify = FileDescriptor(number: number, path: ".")
      let gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
      // The kernel closes the files of a process that dies.
      let owners = try Self.watch(inotify, directory, StoreFolder.owners, IN_CLOSE_WRITE | IN_DELETE | gone)
      _ = try Self.watch(inotify, directory, StoreFolder.journalFolder, IN_MODIFY | IN_MOVED_TO | gone)
      self.inotify = inotify
      self.owners = owners
    }

    private static func watch(
      _ inotify: borrowing FileDescriptor,
      _ directory: String,
      _ path: String,
      _ mask: Int32
    ) throws(SystemError) -> Int32 {
      let watch = unsafe inotify_add_watch(inotify.number, "\(directory)/\(path)", UInt32(bitPattern: mask))
      if watch < 0 { throw .last("watch", path) }
      return watch
    }

    /// Returns when there is news, or when the waker was called.
    func wait(_ waker: Waker) -> FolderNews {
      var sources = [
        pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: waker.reader.number, events: Int16(POLLIN), revents: 0),
      ]
      _ = unsafe poll(&sources, 2, -1)
      waker.clear()
      return news(in: inotify.drain())
    }

    // An event has the watch, the mask, a cookie, and the length of the name that follows: 32 bits each.
    private func news(in bytes: [UInt8]) -> FolderNews {
      func word(_ offset: Int) -> Int32 {
        unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int32.self) }
      }
      var news = FolderNews()
      var offset = 0
      while offset + 16 <= bytes.count {
        let mask = word(offset + 4)
        if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { news.isLost = true }
        if word(offset) == owners || mask & IN_Q_OVERFLOW != 0 { news.ownersChanged = true }
        offset += 16 + Int(word(offset + 12))
      }
      return news
    }
  }
#elseif canImport(Darwin)
  /// Blocks a thread until the folder of a store has news: one kqueue for the whole folder.
  ///
  /// A kqueue does not say that another process has closed a file: the scan finds leases whose process has died.
  struct FolderEvents: ~Copyable {
    private let queue: FileDescriptor
    private let files: [FileDescriptor.Box]

    init(_ directory: String) throws(SystemError) {
      let number = kqueue()
      if number < 0 { throw .last("watch", ".") }
      queue = FileDescriptor(number: number, path: ".")
      let root = try FileDescriptor(folder: directory)
      files = [
        FileDescriptor.Box(try root.opened(StoreFolder.journal, .reading)),
        FileDescriptor.Box(try root.opened(StoreFolder.journalFolder, .folder)),
        FileDescriptor.Box(try root.opened(StoreFolder.owners, .folder)),
      ]
      for file in files {
        change(file.descriptor.number, EVFILT_VNODE, NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME)
      }
    }

    private func change(_ number: Int32, _ filter: Int32, _ notes: Int32) {
      var change = unsafe kevent(
        ident: UInt(number),
        filter: Int16(filter),
        flags: UInt16(EV_ADD | EV_CLEAR),
        fflags: UInt32(notes),
        data: 0,
        udata: nil
      )
      _ = unsafe kevent(queue.number, &change, 1, nil, 0, nil)
    }

    /// Returns when there is news, or when the waker was called.
    func wait(_ waker: Waker) -> FolderNews {
      change(waker.reader.number, EVFILT_READ, 0)
      var events: [kevent] = unsafe Array(repeating: kevent(), count: 8)
      let count = unsafe kevent(queue.number, nil, 0, &events, 8, nil)
      waker.clear()
      var news = FolderNews()
      for event in unsafe events.prefix(Int(max(count, 0))) {
        let isOwners = unsafe event.ident == UInt(files[2].descriptor.number)
        let isGone = unsafe event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0
        // The journal gets a new file when it is full: then there is another file to watch.
        let isFile = unsafe event.filter == Int16(EVFILT_VNODE)
        if isOwners { news.ownersChanged = true }
        if isGone && isFile { news.isLost = true }
      }
      return news
    }
  }

  extension FileDescriptor {
    /// A descriptor in an array.
    final class Box: Sendable {
      let descriptor: FileDescriptor

      init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
      }
    }
  }
#endif
