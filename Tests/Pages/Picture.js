// Gives the board something to show: a thousand clients for some seconds, more writes, and a slow client.
const seconds = count => new Promise(done => setTimeout(done, 1000 * count));
await until('figures of the board', () => all('.vital output').length === 7);
await seconds(6);
document.getElementById('add').click();
await until('a thousand clients', () => Number(all('.vital output')[0].textContent.replace(',', '')) >= 1000);
await seconds(5);
const rate = document.getElementById('rate');
rate.value = 10;
rate.oninput();
document.getElementById('slow').click();
await seconds(12);
document.getElementById('kill').click();
await seconds(6);
return 'it is ready for its picture';
