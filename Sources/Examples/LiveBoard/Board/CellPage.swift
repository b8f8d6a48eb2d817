import WebServer

/// The page of cells: a table of the living cells of this program, which the page requests each second while it is
/// visible.
let cellPage = Response(page: cellHTML)

private let cellHTML = """
  <!doctype html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Cells: LiveBoard</title>
  <link rel="icon" href="data:,">
  <style>\(style)\(cellStyle)</style>
  </head>
  <body>
  <header>
    <h1>The cells of this program</h1>
    <p>What <b>BindingDiagnostics.all()</b> says about each cell that has a name or a record, and about the cells that
      operators have made from it. Each client of the board is a loop over a merge of seven cells: ticker, agenda, audience, condition,
      controls, minute and heartbeat.</p>
    <p><span class="pill" id="line" role="status">connecting</span> <a class="quiet" href="/">board</a>
      <a class="quiet" href="\(LinkedFiles.path(of: "README.md"))">README</a>
      <a class="quiet" href="/metrics">metrics</a></p>
  </header>
  <noscript><p>This page needs JavaScript to show what the server sends.</p></noscript>
  <main>
    <table role="table" class="wide" aria-label="Cells and their readers">
      <thead role="rowgroup"><tr role="row">
        <th role="columnheader" scope="col">cell</th><th role="columnheader" scope="col">updates</th>
        <th role="columnheader" scope="col">observers</th><th role="columnheader" scope="col">loops</th>
        <th role="columnheader" scope="col">kept</th><th role="columnheader" scope="col">behind</th>
      </tr></thead>
      <tbody role="rowgroup" id="cells"></tbody>
    </table>
    <p class="quiet wide"><b>observers</b> and <b>loops</b>: also those of the cells that are made from the cell. <b>kept</b>: the updates that the cell keeps for its readers, at least. <b>behind</b>: the
      updates that the slowest observer or loop has not received; – if the cell does not know, because loops have a record
      only if the board was started with <b>--record</b>.</p>
  </main>
  <script>\(cellScript)</script>
  </body>
  </html>

  """

// On a phone, the numbers of a cell stand below its name. The roles in the table say what is a row and what is a cell,
// because such a layout takes these meanings from the elements.
private let cellStyle = """

    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    th, td { text-align: right; vertical-align: top; padding: .4rem .6rem; font-weight: normal; }
    th:first-child { text-align: left; overflow-wrap: anywhere; }
    thead th { color: var(--quiet); font-size: .85rem; }
    tbody tr { border-top: 1px solid var(--edge); }
    tbody th small { display: block; }
    tbody th ul { list-style: none; padding: 0; font-size: .85rem; }
    body.silent table { color: var(--quiet); }
    @media (max-width: 40rem) {
      table, thead, tbody { display: block; }
      tr { display: grid; grid-template-columns: repeat(5, 1fr); padding: .4rem 0; }
      th, td, thead th { padding: .1rem 0; font-size: .75rem; }
      thead th { font-size: .65rem; }
      th:first-child { grid-column: 1 / -1; font-size: .9rem; }
    }

  """

private let cellScript = """

  'use strict';
  const at = id => document.getElementById(id);
  const element = (name, role, text = '') => {
    const made = document.createElement(name);
    if (role) made.setAttribute('role', role);
    made.textContent = text;
    return made;
  };
  // An element changes only if its text does, so that a selection or a screen reader keeps its place.
  const write = (element, text) => element.textContent !== text && (element.textContent = text);

  function makeRow() {
    const row = at('cells').appendChild(element('tr', 'row'));
    const head = row.appendChild(element('th', 'rowheader'));
    head.scope = 'row';
    head.append(element('b'), element('small'), element('ul', 'list'));
    for (let column = 0; column < 5; column++) row.append(element('td', 'cell'));
    return row;
  }

  function show(cells) {
    const table = at('cells');
    while (table.rows.length > cells.length) table.deleteRow(-1);
    cells.forEach((cell, index) => {
      const [head, ...numbers] = (table.rows[index] ?? makeRow()).children;
      const [name, type, readers] = head.children;
      head.style.paddingLeft = cell.depth * 1.2 + 'rem';
      write(name, cell.name || cell.type);
      const facts = [cell.name && cell.type, cell.place, cell.isFinished && 'finished'];
      write(type, facts.filter(fact => fact).join(', '));
      while (readers.children.length > cell.readers.length) readers.lastChild.remove();
      cell.readers.forEach((reader, place) =>
        write(readers.children[place] ?? readers.appendChild(element('li')), reader));
      readers.hidden = cell.readers.length === 0;
      [cell.version, cell.observers, cell.loops, cell.kept, cell.behind].forEach((number, column) =>
        write(numbers[column], number === null ? '–' : number.toLocaleString('en')));
    });
  }

  function say(text, isLive) {
    write(at('line'), text);
    at('line').className = 'pill ' + (isLive ? 'good' : 'bad');
    document.body.classList.toggle('silent', !isLive);
  }

  let turn = 0;
  async function ask() {
    const mine = ++turn;
    if (document.hidden) return say('paused while this tab is hidden', false);
    let cells;
    try {
      const answer = await fetch('/cells.json', { signal: AbortSignal.timeout(2000) });
      if (answer.ok) cells = await answer.json();
    } catch {}
    // The tab was hidden meanwhile, or visible again.
    if (mine !== turn) return;
    if (cells) show(cells);
    say(cells ? 'live' : 'the server does not answer', cells);
    setTimeout(() => mine === turn && ask(), 1000);
  }
  document.addEventListener('visibilitychange', ask);
  ask();

  """
