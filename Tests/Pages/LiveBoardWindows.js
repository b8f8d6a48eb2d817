// Twenty windows of a browser share one stream: all are live, and show the same. A window that closes or is hidden takes
// nothing from the others, and a stream that nobody needs ends.
const streams = (what, count) => until(count + ' streams, ' + what, async () => await metric('liveboard_streams') === count);
const text = (window, id) => window.document.getElementById(id)?.textContent;
const prices = window => [...window.document.querySelectorAll('.card .price')].map(price => price.textContent);
const card = (window, symbol) => window.document.querySelector('.card[data-symbol=' + symbol + ']');

const windows = [window];
while (windows.length < 20) windows.push(open('/', '', 'popup'));
if (windows.includes(null)) throw 'the browser opens no windows';
await until('twenty live windows', () => windows.every(window => text(window, 'line') === 'live'));
if (windows.some(window => window.document.hidden)) throw 'a window is hidden';
await streams('for twenty windows', 1);
const before = windows.map(prices);
await until('other prices in each window', () => windows.every((window, index) => prices(window).length === 8
  && prices(window).join() !== before[index].join() && text(window, 'line') === 'live'));
await until('the same jobs in each window', () => all('#jobs li').length > 0
  && windows.every(window => text(window, 'jobs') === text(windows[0], 'jobs')));

for (const window of windows.slice(0, 3)) window.document.getElementById('slow').click();
await until('three slow clients', () => windows.slice(0, 3).every(window => Number(text(window, 'slow-events')) >= 1));
await streams('for slow clients too', 2);
for (const window of windows.slice(0, 3)) window.document.getElementById('slow').click();
await streams('without slow clients', 1);

// Two windows remain. The stream has what they follow together, and each shows what it follows.
for (const window of windows.splice(2)) window.close();
card(windows[0], 'ACME').click();
card(windows[1], 'BOLT').click();
let received;
port.addEventListener('message', ({ data }) => {
  if (data.name === 'prices') received = Object.keys(JSON.parse(data.data)).join();
});
await until('prices of both symbols', () => received === 'ACME,BOLT');
const [acme, bolt] = windows.map(prices);
await until('the price that each window follows', () => prices(windows[0])[0] !== acme[0]
  && prices(windows[1])[1] !== bolt[1]);
if (prices(windows[0])[1] !== acme[1] || prices(windows[1])[0] !== bolt[0]) throw 'a window shows what it does not follow';
windows[1].close();
await until('prices of the symbol of the window that is left', () => received === 'ACME');

const hide = isHidden => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};
hide(true);
await streams('for hidden pages', 0);
hide(false);
await streams('for a page that is visible again', 1);
received = undefined;
await until('prices again', () => received === 'ACME' && text(window, 'line') === 'live');

// Without a worker, the page follows the server itself.
const own = ownPort();
let owned;
own.onmessage = ({ data }) => { if (data.name === 'prices') owned = Object.keys(JSON.parse(data.data)).join(); };
own.postMessage({ wish: { symbols: ['DUNE'], isSlow: false }, isAgain: true });
await until('prices without a worker', () => owned === 'DUNE');
await streams('without a worker', 2);
// The lock of a page that has crashed is free.
own.postMessage({ life: 'a page that crashed' });
await streams('after that', 1);

// So is the lock of a worker that has crashed.
const former = port;
former.dispatchEvent(new MessageEvent('message', { data: { life: 'a worker that crashed' } }));
await until('another port', () => port !== former);
let isAgain = false;
port.addEventListener('message', () => isAgain = true);
await until('events from another port', () => isAgain);
return 'twenty windows are live over one stream';
