import WebServer

/// The page: one file, and the script of its worker. The page loads nothing from other servers. Its links lead to pages
/// of this server.
///
/// The page draws what it receives. When the page asks again, it needs nothing from what came before: the server sends
/// the newest prices again, and the jobs begin with a reset. The page inserts received text as text,
/// and never as markup.
let page = Response(page: html)

extension Response {
  /// Makes the answer that is a page of the board. A page may load nothing from other servers.
  init(page html: String) {
    self.init(type: "text/html; charset=utf-8", body: html)
    headers = [
      (
        "Content-Security-Policy",
        "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          + "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
      ("Cache-Control", "no-cache"),
    ]
  }
}

private let html = """
  <!doctype html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>LiveBoard: ActorBindings</title>
  <link rel="icon" href="data:,">
  <style>\(style)</style>
  </head>
  <body>
  <header>
    <h1>LiveBoard</h1>
    <p>Cells of <b>ActorBindings</b> hold all that you see: services write them as fast as they can, and one loop for
      each client sends the newest values as fast as this client takes them.</p>
    <p><span class="pill" id="line" role="status">connecting</span>
      <span class="quiet" id="silence" aria-hidden="true"></span> <span class="quiet"><b id="sessions">–</b> watching</span>
      <a class="quiet" href="\(LinkedFiles.path(of: "README.md"))">README</a>
      <a class="quiet" href="/cells">cells</a> <a class="quiet" href="/metrics">metrics</a></p>
  </header>
  <noscript><p>This page needs JavaScript to show what the server sends.</p></noscript>
  <main>
    <section class="wide" aria-labelledby="vitals-title">
      <h2 id="vitals-title">The last minute <small>measured each second</small></h2>
      <p class="bad stopped" data-of="prices"></p>
      <div id="vitals"></div>
      <div class="controls">
        <button type="button" id="add">add 1,000 clients</button>
        <button type="button" id="kill">kill them</button>
        <button type="button" id="slow" aria-pressed="false">slow me down</button>
        <label>writes a second, as you choose <input type="range" id="rate" min="0" max="17" step="1" value="0">
          <output id="rate-text">40</output></label>
      </div>
      <p id="problem" role="alert" class="bad"></p>
      <p id="slow-text" hidden>A slow client: its loop sleeps for a second after each price. ACME
        <b id="slow-price">–</b>, price number <b id="slow-events">0</b>; before this price, which was the newest, it
        skipped <b id="slow-skipped">–</b> updates. This page, beside it: ACME <b id="normal-price">–</b>, price number
        <b id="normal-events">0</b>.</p>
      \(Caption.loop.html)
      \(Caption.strip.html)
    </section>
    <section aria-labelledby="prices-title">
      <h2 id="prices-title">Prices <small>select symbols to receive only those</small>
        <button type="button" class="service" data-service="prices">stop</button></h2>
      <p class="bad stopped" data-of="prices"></p>
      <div id="prices"></div>
      \(Caption.prices.html)
    </section>
    <section aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs <small id="count"></small>
        <button type="button" class="service" data-service="jobs">stop</button></h2>
      <p class="bad stopped" data-of="jobs"></p>
      <ol id="jobs"></ol>
      \(Caption.jobs.html)
    </section>
    <section class="wide" aria-labelledby="exchange-title">
      <h2 id="exchange-title">A simulated exchange <small>asked every three seconds; fails on purpose two times of
        five</small> <button type="button" class="service" data-service="health">stop</button></h2>
      <p class="bad stopped" data-of="health"></p>
      <p><b id="health">–</b> <span class="quiet" id="age"></span></p>
      \(Caption.exchange.html)
    </section>
  </main>
  <footer class="quiet">All windows of this browser share one stream, and are one client of the server. The server
    uses only ActorBindings and the toolchain. Its HTTP is written by hand, so that a clone needs nothing else: a program
    would <a href="\(LinkedFiles.path(of: LinkedFiles.recipe))">take Hummingbird</a> or Vapor.</footer>
  <script>\(streamScript)</script>
  <script>\(script)</script>
  </body>
  </html>

  """
