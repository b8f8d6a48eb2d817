import WebServer

/// The page: one file, which loads nothing from other servers.
///
/// The page draws what it receives. When the page connects again, it needs nothing from the previous connection: the
/// server sends the newest prices again, and the jobs begin with a reset. The page inserts received text as text, and
/// never as markup.
let page: Response = {
  var response = Response(type: "text/html; charset=utf-8", body: html)
  response.headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cache-Control", "no-cache"),
  ]
  return response
}()

private let html = """
  <!doctype html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>LiveBoard</title>
  <link rel="icon" href="data:,">
  <style>\(style)</style>
  </head>
  <body>
  <header>
    <h1>LiveBoard</h1>
    <span class="pill" id="line">connecting</span>
    <span class="pill" id="health">–</span>
    <span class="quiet"><b id="sessions">–</b> watching</span>
    <a class="quiet" href="/metrics">metrics</a>
  </header>
  <main>
    <section>
      <h2>Prices <small>select symbols to receive only those</small></h2>
      <div id="prices"></div>
    </section>
    <section>
      <h2>Jobs <small id="count"></small></h2>
      <ol id="jobs"></ol>
    </section>
  </main>
  <script>\(script)</script>
  </body>
  </html>

  """

private let style = """

  :root {
    color-scheme: light dark;
    --ground: light-dark(#f5f6f8, #14161a); --card: light-dark(#fff, #1d2026); --edge: light-dark(#dfe2e8, #2e323b);
    --ink: light-dark(#1b1e24, #e8eaee); --quiet: light-dark(#667080, #949dab);
    --up: light-dark(#0a7d4b, #4cc38a); --down: light-dark(#c2352b, #ff8576); --mark: light-dark(#2f5fd0, #7aa2ff);
  }
  * { box-sizing: border-box; margin: 0; }
  body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; padding: 1.5rem; }
  header, main { max-width: 68rem; margin: 0 auto; }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: .8rem; padding-bottom: 1.2rem; }
  h1 { font-size: 1.35rem; margin-right: auto; }
  h2 { font-size: .95rem; margin-bottom: .6rem; }
  small, .quiet { color: var(--quiet); font-size: .85rem; font-weight: normal; }
  b { color: var(--ink); }
  .pill { border: 1px solid var(--edge); border-radius: 1rem; padding: .1rem .7rem; font-size: .85rem; }
  .good { color: var(--up); } .bad { color: var(--down); }
  main { display: grid; grid-template-columns: 2fr minmax(16rem, 1fr); gap: 1.5rem; }
  @media (max-width: 50rem) { main { grid-template-columns: 1fr; } }
  #prices { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .8rem; }
  .card, #jobs li {
    background: var(--card); border: 1px solid var(--edge); border-radius: .6rem; color: inherit; font: inherit;
  }
  .card { display: grid; grid-template-columns: 1fr auto; padding: .7rem .9rem; text-align: left; cursor: pointer; }
  .card[aria-pressed=true] { border-color: var(--mark); box-shadow: 0 0 0 1px var(--mark); }
  .card.still { opacity: .45; }
  .card output, #jobs span { font-variant-numeric: tabular-nums; }
  .card output { font-size: 1.25rem; }
  .card svg { grid-column: 1 / -1; width: 100%; height: 2.6rem; margin-top: .3rem; }
  .card polyline { fill: none; stroke: currentColor; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
  #jobs { list-style: none; padding: 0; display: grid; gap: .5rem; }
  #jobs li { padding: .5rem .8rem; display: grid; grid-template-columns: 1fr auto; gap: .2rem .5rem; }
  #jobs progress { grid-column: 1 / -1; width: 100%; height: .4rem; accent-color: var(--mark); }

  """

private let script = """

  'use strict';
  const at = id => document.getElementById(id);
  const made = (name, parent, className) => {
    const element = parent.appendChild(document.createElement(name));
    if (className) element.className = className;
    return element;
  };
  const cards = new Map(), chosen = new Set();
  let jobs = [], source;

  function connect() {
    source?.close();
    const query = [...chosen].map(symbol => 'symbol=' + encodeURIComponent(symbol)).join('&');
    source = new EventSource('/events' + (query && '?' + query));
    const listen = (name, show) => source.addEventListener(name, event => show(JSON.parse(event.data)));
    source.onopen = () => say('line', 'live', true);
    const current = source;
    source.onerror = () => {
      say('line', 'connecting again', false);
      // An EventSource connects again by itself when a connection breaks, but not when the server refused it.
      if (current.readyState === EventSource.CLOSED) setTimeout(() => current === source && connect(), 3000);
    };
    listen('prices', showPrices);
    listen('jobs', showJobs);
    listen('sessions', count => at('sessions').textContent = count);
    listen('health', ({ text, isGood }) => say('health', text, isGood));
  }

  function say(id, text, isGood) {
    at(id).textContent = text;
    at(id).className = 'pill ' + (isGood ? 'good' : 'bad');
  }

  function showPrices(prices) {
    for (const [symbol, cents] of Object.entries(prices)) {
      const card = cards.get(symbol) ?? makeCard(symbol);
      card.history.push(cents);
      if (card.history.length > 120) card.history.shift();
      draw(card);
    }
  }

  function makeCard(symbol) {
    const button = made('button', at('prices'), 'card');
    button.dataset.symbol = symbol;
    made('strong', button).textContent = symbol;
    const price = made('output', button), change = made('span', button);
    change.style.gridColumn = '1 / -1';
    const svg = button.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
    svg.setAttribute('viewBox', '0 0 119 40');
    svg.setAttribute('preserveAspectRatio', 'none');
    const line = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'polyline'));
    button.onclick = () => {
      if (!chosen.delete(symbol)) chosen.add(symbol);
      for (const [name, card] of cards) {
        card.button.setAttribute('aria-pressed', chosen.has(name));
        card.button.classList.toggle('still', chosen.size > 0 && !chosen.has(name));
      }
      connect();
    };
    const card = { button, price, change, line, history: [] };
    cards.set(symbol, card);
    return card;
  }

  function draw({ price, change, line, history }) {
    const first = history[0], last = history.at(-1), low = Math.min(...history), high = Math.max(...history);
    price.textContent = (last / 100).toFixed(2);
    const percent = (last / first - 1) * 100;
    change.textContent = (percent < 0 ? '' : '+') + percent.toFixed(2) + ' %';
    change.className = percent < 0 ? 'bad' : 'good';
    line.parentNode.setAttribute('class', change.className);
    line.setAttribute('points', history.map((cents, x) =>
      x + ',' + (38 - 36 * (cents - low) / Math.max(1, high - low)).toFixed(1)).join(' '));
  }

  // The steps are applied in order: the offsets of each refer to the list that the previous steps have produced.
  const steps = {
    insert: (offset, job) => jobs.splice(offset, 0, job),
    remove: offset => jobs.splice(offset, 1),
    update: (offset, job) => jobs[offset] = job,
    move: (from, to) => jobs.splice(to, 0, ...jobs.splice(from, 1)),
  };

  function showJobs({ count, reset, edits }) {
    if (reset) jobs = reset;
    for (const [step, ...operands] of edits ?? []) steps[step](...operands);
    // A mismatch means that the page has missed a change, which should not happen. A new connection begins with the
    // whole list.
    if (jobs.length !== count) return connect();
    at('count').textContent = count;
    at('jobs').replaceChildren();
    for (const job of jobs) {
      const item = made('li', at('jobs'));
      made('strong', item).textContent = job.title;
      made('span', item).textContent = job.progress + ' %';
      const bar = made('progress', item);
      bar.max = 100;
      bar.value = job.progress;
    }
  }

  connect();

  """
