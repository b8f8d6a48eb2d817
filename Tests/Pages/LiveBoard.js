// Values appear and change. After the page has chosen a symbol, only this symbol changes. Each button does what it says.
const texts = () => all('.card .price').map(price => price.textContent);
const text = id => document.getElementById(id).textContent;
const vital = index => Number(all('.vital output')[index].textContent.replaceAll(',', ''));
await until('prices', () => texts().length >= 2 && texts().every(text => text > 0));
const before = texts();
await until('other prices', () => texts().filter((text, index) => text !== before[index]).length >= 2);
await until('a line', () => all('.card polyline')[0].points.length >= 3);
await until('a job', () => all('#jobs li').length > 0 && all('#jobs li').length == text('count'));
await until('an audience', () => text('sessions') >= 1);
await until('an answer', () => text('health').includes('answer'));
await until('a live line', () => text('line') === 'live');
await until('figures of the board', () => all('.vital output').length === 7 && vital(1) > 10 && vital(2) > 0);

document.getElementById('slow').click();
await until('a slow client that skips updates', () => text('slow-skipped') >= 1 && text('slow-price') > 0);
await until('a normal client beside it', () => text('normal-price') > 0
  && Number(text('normal-events')) >= Number(text('slow-events')) + 3);
document.getElementById('slow').click();

// However fast the service writes, this client receives four prices a second, and receives them young.
const rate = document.getElementById('rate');
rate.value = 17;
rate.oninput();
await until('many writes, few events and a low age', () => vital(1) > 10000 && vital(2) >= 4 && vital(2) <= 20 && vital(5) < 200);
if (await metric('liveboard_rate') !== 100000) throw 'the server has another rate';
rate.value = 3;
ask();
await until('the state of the slider, from the beginning', () => rate.value === '17' && text('rate-text') === '100,000');
rate.value = 0;
rate.oninput();

// Each panel that shows values of a stopped service says what has stopped, and since when: also a page that comes later.
const services = all('.service'), notices = all('.stopped');
if (services.length !== 3 || notices.map(notice => notice.dataset.of).join() !== 'prices,prices,jobs,health') {
  throw 'a panel does not say what has stopped';
}
if (notices.some(notice => notice.textContent)) throw 'a service is said to be stopped';
for (const button of services) button.click();
await until('services are stopped', () => services.every(button => button.textContent === 'start ' + button.dataset.service)
  && notices.every(notice => notice.textContent.startsWith(notice.dataset.of + ' stopped ')));
const lasts = seconds => notices.every(notice => notice.textContent.endsWith(' s ago')
  && Number(notice.textContent.split(' ')[2]) >= seconds);
await until('since when they are stopped', () => lasts(1));
const still = texts().join();
ask();
await until('since when, from the beginning', () => lasts(2));
if (texts().join() !== still) throw 'prices came though they are stopped';
services[0].click();
await until('prices are started', () => services[0].textContent === 'stop prices' && texts().join() !== still);
if (notices.some(notice => (notice.dataset.of === 'prices') === notice.textContent.endsWith(' ago'))) {
  throw 'another service is said to be started or stopped';
}
for (const button of services.slice(1)) button.click();
await until('services are started', () => services.every(button => button.textContent === 'stop ' + button.dataset.service)
  && notices.every(notice => notice.textContent === ''));

const add = async () => {
  document.getElementById('add').click();
  await until('a thousand clients', () => vital(0) >= 1000 && text('sessions') >= 1000);
};
await add();
await until('the clients that the metrics count', async () => await metric('liveboard_streams') === vital(0)
  && await metric('liveboard_sessions') === Number(text('sessions')));

// The strip shows what the metrics count: the events of a second, and memory.
const nextSecond = () => new Promise(done => {
  const hear = ({ data }) => {
    if (data.name !== 'vitals') return;
    port.removeEventListener('message', hear);
    done();
  };
  port.addEventListener('message', hear);
});
const differs = (shown, counted) => Math.abs(shown - counted) > 0.3 * counted;
for (let attempt = 1; ; attempt++) {
  await nextSecond();
  const before = await metric('liveboard_events_total');
  await nextSecond();
  const events = await metric('liveboard_events_total') - before;
  const megabytes = await metric('liveboard_resident_bytes') / 1048576;
  if (vital(2) > 1000 && !differs(vital(2), events) && !differs(vital(6), megabytes)) break;
  // On a busy machine, the two may be about different seconds.
  if (attempt === 5) throw 'the strip shows ' + vital(2) + ' events and ' + vital(6) + ' MB, and not ' + events + ' and ' + megabytes;
}

// The clients are gone within a second. A busy machine may need another attempt.
let gone;
for (let attempt = 1; ; attempt++) {
  document.getElementById('kill').click();
  const kill = performance.now();
  await until('no other client in the metrics', async () => await metric('liveboard_streams') === 1);
  gone = Math.round(performance.now() - kill);
  await until('the clients are gone', () => vital(0) < 10 && text('sessions') < 10);
  if (gone <= 1000) break;
  if (attempt === 3) throw 'a thousand clients are gone only after ' + gone + ' ms';
  await add();
}

let received;
port.addEventListener('message', ({ data }) => {
  if (data.name === 'prices') received = Object.keys(JSON.parse(data.data)).join();
});
all('.card')[0].click();
await until('the end of the others', () => all('.card.still').length === all('.card').length - 1);
await until('the prices that the server sends for one symbol', () => received === all('.card')[0].dataset.symbol);
const [chosen, ...others] = texts();
await until('the chosen price', () => texts()[0] !== chosen);
if (texts().slice(1).join() !== others.join()) throw 'prices came that were not asked for';

const links = all('a').map(link => link.href);
if (links.filter(link => link.includes('/source/')).length < 7) throw 'there are too few links to files';
for (const link of links) {
  const answer = await fetch(link);
  if (!answer.ok) throw link + ' answers ' + answer.status;
}
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) throw 'the page is ' + wide + ' pixels too wide';
return texts().length + ' prices, ' + all('#jobs li').length + ' jobs, every button works, a thousand clients are gone after '
  + gone + ' ms';
