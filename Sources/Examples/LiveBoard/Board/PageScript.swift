/// The script of the page.
let script = """

  'use strict';
  const at = id => document.getElementById(id);
  const made = (name, parent, className) => {
    const element = parent.appendChild(document.createElement(name));
    if (className) element.className = className;
    return element;
  };
  const cards = new Map(), chosen = new Set();
  const shows = {
    prices: showPrices, jobs: showJobs, vitals: showVitals, controls: showControls,
    sessions: count => at('sessions').textContent = count,
    health({ text, isGood, age }) {
      at('health').textContent = text;
      at('health').className = isGood ? 'good' : 'bad';
      exchange = performance.now() - age;
      showAge();
    },
  };

  // Returns a port to a script that follows the server for this page only.
  function ownPort() {
    const { port1, port2 } = new MessageChannel();
    serve(port1);
    return port2;
  }
  let port;
  function begin() {
    port = window.SharedWorker ? new SharedWorker('/streams.js').port : ownPort();
    port.onmessage = ({ data: { life, isSlow, name, data } }) => {
      if (life) return onEnd(life, begin);
      if (isSlow) return slow?.[name]?.(data && JSON.parse(data));
      isBroken = name === 'broken';
      if (!isBroken) lastEvent = performance.now();
      showLine();
      if (!isBroken) shows[name](JSON.parse(data));
    };
    life.then(life => port.postMessage({ life }));
    ask();
  }

  // Says what this page wants to receive. A page that is hidden wants nothing. If `isAgain`, the whole lists come first.
  function ask(isAgain = true) {
    const wish = document.hidden ? undefined : { symbols: [...chosen], isSlow: slow !== undefined };
    port.postMessage({ wish, isAgain });
  }

  // The server sends an event each second. So a silence of more than two seconds means that it hangs, or is gone.
  let lastEvent, isBroken = false, exchange;
  function showLine() {
    const silence = performance.now() - lastEvent, isLive = !isBroken && silence <= 2000;
    const text = document.hidden ? 'paused while this tab is hidden'
      : isLive ? 'live' : !lastEvent || isBroken ? 'connecting' : 'silent';
    // The text is written only when it changes: a screen reader reads each change.
    if (at('line').textContent !== text) at('line').textContent = text;
    at('line').className = 'pill ' + (isLive ? 'good' : 'bad');
    at('silence').textContent = isLive || !lastEvent ? '' : 'the last event came ' + seconds(silence) + ' ago';
    document.body.classList.toggle('silent', !isLive);
  }
  const seconds = milliseconds => Math.floor(milliseconds / 1000) + ' s';
  const showAge = () => at('age').textContent = seconds(performance.now() - exchange) + ' ago';
  setInterval(() => {
    showLine();
    if (exchange !== undefined) showAge();
    showStops();
  }, 100);

  document.addEventListener('visibilitychange', () => {
    if (document.hidden && slow) stopSlow();
    ask();
    showLine();
  });

  function showPrices(prices) {
    for (const [symbol, cents] of Object.entries(prices)) {
      // Another page of this browser follows the symbol.
      if (chosen.size > 0 && !chosen.has(symbol)) continue;
      const card = cards.get(symbol) ?? makeCard(symbol);
      card.history.push({ time: performance.now(), cents });
      draw(card);
    }
    if (!slow || prices.ACME === undefined) return;
    at('normal-price').textContent = amount(prices.ACME);
    at('normal-events').textContent = ++normalEvents;
  }

  // A chart of the last minute. Its axes are the largest and the smallest value, and the time.
  function chart(parent, label) {
    const plot = made('span', parent, 'plot');
    const axis = (className, text) => {
      const element = made('small', plot, className);
      element.setAttribute('aria-hidden', 'true');
      element.textContent = text;
      return element;
    };
    const high = axis('high', ''), low = axis('low', '');
    const svg = plot.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
    svg.setAttribute('viewBox', '0 0 60 40');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    const line = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'polyline'));
    axis('from', '60 s ago');
    axis('to', 'now');
    return { plot, high, low, line };
  }

  // Draws pairs of a time (0 is a minute ago, 60 is now) and a value.
  function plotted({ high, low, line }, points, lowest, highest, text) {
    high.textContent = text(highest);
    low.textContent = text(lowest);
    line.setAttribute('points', points.map(([x, value]) => x.toFixed(1) + ','
      + (highest > lowest ? 39 - 38 * (value - lowest) / (highest - lowest) : 20).toFixed(1)).join(' '));
  }

  function makeCard(symbol) {
    const button = made('button', at('prices'), 'card');
    button.dataset.symbol = symbol;
    made('strong', button).textContent = symbol;
    button.setAttribute('aria-pressed', 'false');
    const price = made('b', button, 'price'), change = made('span', button, 'change');
    const card = { button, price, change, axes: chart(button, 'the price of ' + symbol), history: [] };
    button.onclick = () => {
      if (!chosen.delete(symbol)) chosen.add(symbol);
      for (const [name, card] of cards) {
        card.button.setAttribute('aria-pressed', chosen.has(name));
        const isStill = chosen.size > 0 && !chosen.has(name);
        if (isStill) card.change.textContent = 'not followed';
        // What happened while the symbol was not followed is not known, so its chart begins again.
        else if (card.button.classList.contains('still')) card.history = [];
        card.button.classList.toggle('still', isStill);
      }
      ask();
    };
    cards.set(symbol, card);
    return card;
  }

  function draw({ price, change, axes, history }) {
    const now = performance.now(), last = history.at(-1);
    while (history.length > 1 && history[0].time < now - 60000) history.shift();
    const first = history[0], all = history.map(({ cents }) => cents);
    price.textContent = amount(last.cents);
    const percent = (last.cents / first.cents - 1) * 100;
    change.textContent = (percent < 0 ? '' : '+') + percent.toFixed(2) + ' % in '
      + seconds(Math.min(60000, now - first.time));
    change.className = 'change ' + (percent < 0 ? 'bad' : 'good');
    axes.plot.classList.toggle('bad', percent < 0);
    axes.plot.classList.toggle('good', percent >= 0);
    const points = history.map(({ time, cents }) => [Math.max(0, 60 - (now - time) / 1000), cents]);
    plotted(axes, [...points, [60, last.cents]], Math.min(...all), Math.max(...all), amount);
  }
  const amount = cents => (cents / 100).toFixed(2);

  // The steps are applied in order: the offsets of each refer to the list that the previous steps have produced.
  const steps = {
    insert: (list, offset, element) => list.splice(offset, 0, element),
    remove: (list, offset) => list.splice(offset, 1),
    update: (list, offset, element) => list[offset] = element,
    move: (list, from, to) => list.splice(to, 0, ...list.splice(from, 1)),
  };

  // Returns the list after a change; undefined until the whole list comes. If the page has missed a change, which should
  // not happen, the page asks for the whole list.
  function changed(list, { count, reset, edits }) {
    if (reset) list = reset;
    if (!list) return;
    for (const [step, ...operands] of edits ?? []) steps[step](list, ...operands);
    if (list.length === count) return list;
    ask();
  }

  let jobs, minute, vitals;

  function showJobs(change) {
    jobs = changed(jobs, change);
    if (!jobs) return;
    at('count').textContent = jobs.length;
    at('jobs').replaceChildren();
    for (const job of jobs) {
      const item = made('li', at('jobs'));
      made('strong', item).textContent = job.title;
      made('span', item).textContent = job.progress + ' %';
      const bar = made('progress', item);
      bar.max = 100;
      bar.value = job.progress;
      bar.setAttribute('aria-label', job.title);
    }
  }

  const names = ['clients', 'writes a second', 'events sent a second', 'updates skipped a second',
    'age when sent, median, ms', 'age when sent, p99, ms', 'memory of the server, MB'];
  const short = number => number.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });

  function showVitals(change) {
    minute = changed(minute, change);
    if (!minute || minute.length === 0) return;
    vitals ??= names.map(name => {
      const card = made('div', at('vitals'), 'vital');
      made('small', card).textContent = name;
      const number = made('output', card);
      number.setAttribute('aria-live', 'off');
      return { number, axes: chart(card, name) };
    });
    vitals.forEach(({ number, axes }, index) => {
      const values = minute.map(second => second[index]);
      number.textContent = values.at(-1).toLocaleString('en');
      const points = values.map((value, x) => [60 - values.length + 1 + x, value]);
      plotted(axes, points, 0, Math.max(1, ...values), short);
    });
    // A price that does not change becomes older too.
    for (const card of cards.values()) {
      if (card.history.length > 0 && !card.button.classList.contains('still')) draw(card);
    }
  }

  // The slider has 18 steps, each 1.6 times the one before. All pages share its state; while a hand moves the slider,
  // the page shows what the hand says.
  let moved = -Infinity, wanted, stops = {};
  const rateAt = step => Math.min(100000, Math.round(40 * 1.6 ** step));
  function showControls({ rate, stopped }) {
    wanted = rate;
    showRate();
    // When each service that is stopped was stopped.
    stops = Object.fromEntries(Object.entries(stopped).map(([name, age]) => [name, performance.now() - age]));
    showStops();
  }

  function showRate() {
    const wait = moved + 1000 - performance.now();
    if (wait > 0) return setTimeout(showRate, wait);
    at('rate').value = Math.round(Math.log(Math.max(40, wanted) / 40) / Math.log(1.6));
    at('rate-text').textContent = wanted.toLocaleString('en');
  }

  function showStops() {
    for (const button of document.querySelectorAll('.service')) {
      const name = button.dataset.service, isStopped = name in stops;
      const text = (isStopped ? 'start ' : 'stop ') + name;
      if (button.textContent !== text) button.textContent = text;
      button.onclick = () => act((isStopped ? '/start' : '/stop') + '?is=' + name);
    }
    for (const notice of document.querySelectorAll('.stopped')) {
      const name = notice.dataset.of, stop = stops[name];
      const text = stop === undefined ? '' : name + ' stopped ' + seconds(performance.now() - stop) + ' ago';
      if (notice.textContent !== text) notice.textContent = text;
    }
  }

  async function act(path) {
    try {
      const answer = await fetch(path, { method: 'POST', signal: AbortSignal.timeout(5000) });
      at('problem').textContent = answer.ok ? '' : await answer.text();
    } catch {
      at('problem').textContent = 'the server did not answer';
    }
  }

  at('add').onclick = () => act('/crowd/add');
  at('kill').onclick = () => act('/crowd/kill');
  at('rate').oninput = () => {
    const rate = rateAt(at('rate').value);
    moved = performance.now();
    at('rate-text').textContent = rate.toLocaleString('en');
    act('/rate?is=' + rate);
  };

  let slow, normalEvents = 0, slowEvents = 0;
  function stopSlow() {
    slow = undefined;
    ask(false);
    at('slow').setAttribute('aria-pressed', 'false');
    at('slow-text').hidden = true;
  }
  at('slow').onclick = () => {
    if (slow) return stopSlow();
    slow = {
      prices(prices) {
        at('slow-price').textContent = amount(prices.ACME);
        at('slow-events').textContent = ++slowEvents;
      },
      skipped: count => at('slow-skipped').textContent = count,
    };
    ask(false);
    at('slow').setAttribute('aria-pressed', 'true');
    at('slow-text').hidden = false;
    [normalEvents, slowEvents] = [0, 0];
  };

  begin();

  """
