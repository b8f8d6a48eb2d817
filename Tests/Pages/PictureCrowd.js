// Adds ten thousand clients, so that the server has 10,001. The address of the page says by which part of some seconds a
// hurried caller waits.
const part = Number(new URLSearchParams(location.search).get('wait') ?? 1);
const seconds = count => new Promise(done => setTimeout(done, 1000 * part * count));
const clients = () => Number(all('.vital output')[0].textContent.replace(',', ''));
await until('no other client', () => all('.vital output').length === 7 && clients() === 1);
await seconds(10);
for (let thousand = 1; thousand <= 10; thousand++) {
  document.getElementById('add').click();
  await until(thousand + ' thousand clients', async () => await metric('liveboard_streams') >= 1000 * thousand);
}
await until('10,001 clients', () => clients() === 10001);
await seconds(20);
await until('10,001 clients after some seconds', () => clients() === 10001);
return 'it has ' + clients() + ' clients';
