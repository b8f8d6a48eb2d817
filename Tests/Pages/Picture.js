// Gives the board something to show: a thousand clients for some seconds, more writes, and a slow client. The address of
// the page says by which part of these seconds a hurried caller waits.
const part = Number(new URLSearchParams(location.search).get('wait') ?? 1);
const seconds = count => new Promise(done => setTimeout(done, 1000 * part * count));
const clients = () => Number(all('.vital output')[0].textContent.replace(',', ''));
await until('figures of the board', () => all('.vital output').length === 7);
await seconds(6);
document.getElementById('add').click();
await until('a thousand clients', () => clients() >= 1000);
await seconds(5);
const rate = document.getElementById('rate');
rate.value = 10;
rate.oninput();
document.getElementById('slow').click();
await seconds(12);
document.getElementById('kill').click();
await seconds(6);
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) throw 'the page is ' + wide + ' pixels too wide';
return 'it is ready for its picture';
