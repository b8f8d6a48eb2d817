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
  let jobs = [], source;

  function connect() {
    source?.close();
    const query = [...chosen].map(symbol => 'symbol=' + encodeURIComponent(symbol)).join('&');
    source = new EventSource('/events' + (query && '?' + query));
    const listen = (name, show) => source.addEventListener(name, event => {
      heard();
      show(JSON.parse(event.data));
    });
    const current = source;
    source.onerror = () => {
      say('line', 'connecting again', false);
      // An EventSource connects again by itself when a connection breaks, but not when the server refused it.
      if (current.readyState === EventSource.CLOSED) setTimeout(() => current === source && connect(), 3000);
    };
    listen('prices', showPrices);
    listen('jobs', showJobs);
    listen('vitals', showVitals);
    listen('stopped', showStopped);
    listen('sessions', count => at('sessions').textContent = count);
    listen('health', ({ text, isGood }) => say('health', text, isGood));
  }

  // The server sends an event each second. So a silence of more than two seconds means that it hangs, or is gone.
  let lastEvent = 0;
  function heard() {
    lastEvent = Date.now();
    if (at('line').textContent !== 'live') say('line', 'live', true);
    document.body.classList.remove('silent');
  }
  setInterval(() => {
    if (!source || document.hidden || Date.now() - lastEvent <= 2000) return;
    document.body.classList.add('silent');
    if (lastEvent) say('line', 'silent for ' + Math.floor((Date.now() - lastEvent) / 1000) + ' s', false);
  }, 500);

  // A browser opens at most six connections to a server. So a tab that is hidden gives its connection back.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return connect();
    source.close();
    if (slow) stopSlow();
    say('line', 'paused while this tab is hidden', false);
  });

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

  function chart(parent, width, label) {
    const svg = parent.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
    svg.setAttribute('viewBox', '0 0 ' + width + ' 40');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    return svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'polyline'));
  }

  function makeCard(symbol) {
    const button = made('button', at('prices'), 'card');
    button.dataset.symbol = symbol;
    made('strong', button).textContent = symbol;
    button.setAttribute('aria-pressed', 'false');
    const price = made('b', button, 'price'), change = made('span', button);
    change.style.gridColumn = '1 / -1';
    const line = chart(button, 119, 'the price of ' + symbol + ' since this page opened');
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
    change.textContent = (percent < 0 ? '' : '+') + percent.toFixed(2) + ' % since opening';
    change.className = percent < 0 ? 'bad' : 'good';
    line.parentNode.setAttribute('class', change.className);
    line.setAttribute('points', history.map((cents, x) =>
      x + ',' + (38 - 36 * (cents - low) / Math.max(1, high - low)).toFixed(1)).join(' '));
  }

  // The steps are applied in order: the offsets of each refer to the list that the previous steps have produced.
  const steps = {
    insert: (list, offset, element) => list.splice(offset, 0, element),
    remove: (list, offset) => list.splice(offset, 1),
    update: (list, offset, element) => list[offset] = element,
    move: (list, from, to) => list.splice(to, 0, ...list.splice(from, 1)),
  };

  // Returns the list after a change; undefined if the page has missed a change, which should not happen. A new
  // connection begins with the whole list.
  function changed(list, { count, reset, edits }) {
    if (reset) list = reset;
    for (const [step, ...operands] of edits ?? []) steps[step](list, ...operands);
    return list.length === count ? list : undefined;
  }

  function showJobs(change) {
    jobs = changed(jobs, change);
    if (!jobs) { jobs = []; return connect(); }
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

  const names = ['clients', 'writes a second', 'events a second', 'skipped a second', 'age, half (ms)',
    'age, 99 % (ms)', 'memory (MB)'];
  let minute = [], vitals;

  function showVitals(change) {
    minute = changed(minute, change);
    if (!minute) { minute = []; return connect(); }
    if (minute.length === 0) return;
    vitals ??= names.map(name => {
      const card = made('div', at('vitals'), 'vital');
      made('small', card).textContent = name;
      const number = made('output', card);
      number.setAttribute('aria-live', 'off');
      return { number, line: chart(card, 59, 'the last minute of ' + name) };
    });
    vitals.forEach(({ number, line }, index) => {
      const values = minute.map(second => second[index]), high = Math.max(1, ...values);
      number.textContent = values.at(-1).toLocaleString('en');
      // The scale begins at zero, and ends at the largest value.
      line.setAttribute('points', values.map((value, x) =>
        (59 - values.length + 1 + x) + ',' + (38 - 36 * value / high).toFixed(1)).join(' '));
    });
  }

  function showStopped(stopped) {
    for (const button of document.querySelectorAll('.service')) {
      const name = button.dataset.service, isStopped = stopped.includes(name);
      button.textContent = (isStopped ? 'start ' : 'stop ') + name;
      button.onclick = () => act((isStopped ? '/start' : '/stop') + '?is=' + name);
    }
  }

  async function act(path) {
    const answer = await fetch(path, { method: 'POST' });
    at('problem').textContent = answer.ok ? '' : await answer.text();
  }

  at('add').onclick = () => act('/crowd/add');
  at('kill').onclick = () => act('/crowd/kill');
  at('rate').oninput = () => {
    const rate = Math.min(100000, Math.round(40 * 1.6 ** at('rate').value));
    at('rate-text').textContent = rate.toLocaleString('en');
    act('/rate?is=' + rate);
  };

  let slow;
  function stopSlow() {
    slow.close();
    slow = undefined;
    at('slow').setAttribute('aria-pressed', 'false');
    at('slow-text').hidden = true;
  }
  at('slow').onclick = () => {
    if (slow) return stopSlow();
    slow = new EventSource('/events?symbol=ACME&pause=1000');
    at('slow').setAttribute('aria-pressed', 'true');
    at('slow-text').hidden = false;
    slow.addEventListener('prices', event => {
      at('slow-price').textContent = (JSON.parse(event.data).ACME / 100).toFixed(2);
    });
    slow.addEventListener('skipped', event => at('slow-skipped').textContent = event.data);
  };

  connect();

  """
