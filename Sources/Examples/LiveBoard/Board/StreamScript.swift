import WebServer

/// The script that follows the server for all pages of a browser.
///
/// A browser opens at most six connections to a server, so twenty windows cannot have one each. Therefore the pages of a
/// browser share a worker (`SharedWorker`), which runs this script. The worker has one stream for all visible pages, and
/// a second one while a page shows a slow client. In a browser that has no such workers, each page runs the script.
let streamScript = """

  'use strict';
  // A page or worker that crashes says nothing. So each holds a lock as long as it lives. The other one requests the lock
  // by its name, and receives it when the holder is gone. This promise has the name of the lock.
  const life = new Promise(done => {
    const name = Math.random() + ' ' + Date.now();
    navigator.locks?.request(name, () => {
      done(name);
      return new Promise(() => {});
    });
  });
  const onEnd = (name, act) => navigator.locks.request(name, () => act());

  // Sends the events of the server to the page behind a port. A message of the page says what it wants to receive, or
  // nothing if it is hidden; and whether the stream must begin again, so that the page receives the whole lists.
  const serve = (() => {
    const wishes = new Map();
    const normal = { events: ['prices', 'jobs', 'vitals', 'controls', 'sessions', 'health'], isFor: () => true };
    const slow = { events: ['prices', 'skipped'], isFor: wish => wish.isSlow };

    function send(stream, name, data) {
      for (const [port, wish] of wishes) {
        if (stream.isFor(wish)) port.postMessage({ isSlow: stream === slow, name, data });
      }
    }

    function follow(stream, path, isAgain) {
      if (path === stream.path && !isAgain) return;
      stream.source?.close();
      stream.path = path;
      stream.source = path && new EventSource(path);
      if (!path) return;
      const source = stream.source;
      for (const name of stream.events) source.addEventListener(name, ({ data }) => send(stream, name, data));
      source.onerror = () => {
        send(stream, 'broken');
        // An EventSource connects again by itself when a connection breaks, but not when the server refused it.
        if (source.readyState !== EventSource.CLOSED) return;
        setTimeout(() => source === stream.source && follow(stream, path, true), 3000);
      };
    }

    function update(isAgain) {
      const all = [...wishes.values()];
      const isForAll = all.some(({ symbols }) => symbols.length === 0);
      const symbols = isForAll ? [] : [...new Set(all.flatMap(({ symbols }) => symbols))].sort();
      const query = symbols.map(symbol => 'symbol=' + encodeURIComponent(symbol)).join('&');
      follow(normal, all.length > 0 ? '/events' + (query && '?' + query) : undefined, isAgain);
      follow(slow, all.some(slow.isFor) ? '/events?symbol=ACME&pause=1000' : undefined, false);
    }

    return port => {
      const leave = () => wishes.delete(port) && update(false);
      port.onmessage = ({ data: { life, wish, isAgain } }) => {
        if (life) return onEnd(life, leave);
        if (!wish) return leave();
        wishes.set(port, wish);
        update(isAgain);
      };
      life.then(life => port.postMessage({ life }));
    };
  })();

  """

/// The script of the worker.
let worker: Response = {
  let script = streamScript + "  self.onconnect = ({ ports: [port] }) => serve(port);\n"
  var response = Response(type: "text/javascript; charset=utf-8", body: script)
  response.headers = [
    ("Content-Security-Policy", "default-src 'none'; connect-src 'self'"), ("Cache-Control", "no-cache"),
  ]
  return response
}()
