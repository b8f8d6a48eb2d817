// The page of cells shows the named cells with their readers, as the metrics count them. The number of readers follows a
// client that comes and goes.
const text = id => document.getElementById(id).textContent;
const row = name => all('#cells tr').find(row => row.querySelector('th b').textContent === name);
const number = (name, column) => Number(row(name).querySelectorAll('td')[column].textContent.replaceAll(',', ''));
await until('live cells', () => text('line') === 'live' && row('prices') && row('ticker'));
for (const name of ['jobs', 'sessions', 'running', 'minute', 'tally', 'agenda', 'condition', 'controls', 'heartbeat']) {
  if (!row(name)) throw 'there is no cell ' + name;
}
const type = row('prices').querySelector('small').textContent;
if (!type.startsWith('BindableDictionary<String, Int>, LiveBoard/Prices.swift:')) throw 'prices is ' + type;
const updates = number('prices', 0);
await until('updates of the prices', () => number('prices', 0) > updates);

const readers = () => number('ticker', 1) + number('ticker', 2);
const counted = () => metric('liveboard_observers{cell=' + String.fromCharCode(34) + 'ticker' + String.fromCharCode(34) + '}');
await until('the readers that the metrics count', async () => readers() === await counted());
const before = readers();
const client = new EventSource('/events');
await until('one reader more', () => readers() === before + 1);
await until('the readers that the metrics count, with the client', async () => readers() === await counted());
const line = row('merge').querySelector('li').textContent;
const expected = before === 0 ? '1 loop or stream' : before + 1 + ' loops or streams';
if (line !== expected + ' without a record') throw 'the line of the readers is ' + line;
client.close();
await until('one reader less', () => readers() === before);

const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) throw 'the page is ' + wide + ' pixels too wide';
return 'it shows ' + all('#cells tr').length + ' cells, and each client that comes and goes';
