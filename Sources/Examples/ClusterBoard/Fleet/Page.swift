import WebServer

/// Returns the page: one file, which loads nothing from other servers, and inserts received text as text.
///
/// - Parameter place: Where the store is, in words.
func page(over place: String) -> Response {
  let place = place.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  var response = Response(type: "text/html; charset=utf-8", body: html.replacing("PLACE", with: place))
  response.headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cache-Control", "no-cache"),
  ]
  return response
}

private let html = """
  <!doctype html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>ClusterBoard</title>
  <link rel="icon" href="data:,">
  <style>\(style)</style>
  </head>
  <body>
  <header>
    <h1>ClusterBoard</h1>
    <p>Three processes share one cell of ActorBindings over PLACE. Each column shows what one process sees. Press a
      button, and watch the others.</p>
    <p id="line" role="status">connecting</p>
  </header>
  <main id="columns"></main>
  <template>
    <section>
      <h2></h2>
      <p><span class="pill phase"></span> <span class="pill link"></span> <span class="pill leads">leads</span></p>
      <dl>
        <dt>presses of “write”</dt><dd class="count">–</dd>
        <dt>seconds that leaders counted</dt><dd class="seconds">–</dd>
        <dt>leader</dt><dd class="leader">–</dd>
        <dt>present</dt><dd class="present">–</dd>
        <dt>age of the newest value</dt><dd class="age">–</dd>
      </dl>
      <p class="buttons"></p>
    </section>
  </template>
  <p id="problem" role="alert"></p>
  <noscript><p>This page needs JavaScript to show what the processes see.</p></noscript>
  <script>\(script)</script>
  </body>
  </html>

  """

private let style = """

  :root {
    color-scheme: light dark;
    --ground: light-dark(#f5f6f8, #14161a); --card: light-dark(#fff, #1d2026); --edge: light-dark(#c9ced8, #3a404b);
    --ink: light-dark(#1b1e24, #e8eaee); --quiet: light-dark(#566072, #a3abb8);
    --good: light-dark(#08693f, #4cc38a); --bad: light-dark(#b32a21, #ff8576);
  }
  * { box-sizing: border-box; margin: 0; }
  body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; padding: 1.5rem; }
  header, main, #problem { max-width: 68rem; margin: 0 auto; padding-bottom: 1rem; }
  h1 { font-size: 1.35rem; } h2 { font-size: 1.1rem; margin-bottom: .4rem; }
  header p, dt { color: var(--quiet); }
  main { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
  section { background: var(--card); border: 1px solid var(--edge); border-radius: .6rem; padding: 1rem; }
  section.killed, section.paused { border-style: dashed; }
  dl { display: grid; grid-template-columns: 1fr auto; gap: .2rem .8rem; padding: .8rem 0; }
  dd { font-variant-numeric: tabular-nums; text-align: right; overflow-wrap: anywhere; }
  .count { font-size: 1.4rem; line-height: 1; }
  .pill { border: 1px solid var(--edge); border-radius: 1rem; padding: .1rem .7rem; font-size: .85rem; }
  .pill:empty, .pill[hidden] { display: none; }
  .good { color: var(--good); } .bad, #problem { color: var(--bad); }
  button {
    font: inherit; color: inherit; background: none; border: 1px solid var(--edge); border-radius: .4rem;
    padding: .25rem .7rem; margin: 0 .3rem .3rem 0; cursor: pointer;
  }
  button:disabled { opacity: .55; cursor: default; }

  """

private let script = """

  const at = id => document.getElementById(id);
  const cards = new Map();
  let columns = [];

  const source = new EventSource('/events');
  source.onopen = () => say(true);
  source.onerror = () => say(false);
  source.addEventListener('columns', event => { columns = JSON.parse(event.data); show(); });
  setInterval(show, 250);

  function say(isOpen) {
    at('line').textContent = isOpen ? 'connected' : 'the program has ended, or hangs; trying to connect';
    at('line').className = isOpen ? 'good' : 'bad';
  }

  function makeCard(name) {
    const card = document.querySelector('template').content.cloneNode(true).firstElementChild;
    card.querySelector('h2').textContent = 'Process ' + name;
    card.dataset.name = name;
    for (const action of ['write', 'kill', 'start', 'pause', 'continue', 'cut', 'heal']) {
      const button = card.querySelector('.buttons').appendChild(document.createElement('button'));
      button.textContent = action === 'cut' ? 'cut off' : action;
      button.className = action;
      button.setAttribute('aria-label', button.textContent + ' process ' + name);
      button.onclick = async () => {
        const answer = await fetch('/' + action + '?process=' + encodeURIComponent(name), { method: 'POST' });
        at('problem').textContent = answer.ok ? '' : await answer.text();
      };
    }
    at('columns').append(card);
    cards.set(name, card);
    return card;
  }

  function show() {
    for (const { name, phase, isCut, status } of columns) {
      const card = cards.get(name) ?? makeCard(name);
      const put = (selector, text, className) => {
        const place = card.querySelector(selector);
        if (place.textContent !== String(text)) place.textContent = text;
        if (className !== undefined) place.className = className;
      };
      const isRunning = phase === 'running';
      card.className = phase;
      put('.phase', isCut && isRunning ? 'cut off' : phase, 'pill phase ' + (isRunning && !isCut ? 'good' : 'bad'));
      put('.link', isRunning && status ? status.link : '', 'pill link ' + (status?.isLive ? 'good' : 'bad'));
      card.querySelector('.leads').hidden = !(isRunning && status?.leads);
      if (status) {
        const { value, present } = status;
        put('.count', value.count);
        put('.seconds', value.seconds);
        put('.leader', value.leader || '–');
        put('.present', present.join(', ') || '–');
        put('.age', value.written ? Math.max(0, Date.now() / 1000 - value.written).toFixed(1) + ' s' : '–');
      }
      const may = {
        write: isRunning, kill: phase !== 'killed', start: phase === 'killed', pause: isRunning,
        continue: phase === 'paused', cut: isRunning && !isCut, heal: isRunning && isCut,
      };
      for (const [action, isAllowed] of Object.entries(may)) card.querySelector('button.' + action).disabled = !isAllowed;
    }
  }

  """
