// Lets the charts fill with what the board does when nothing is pressed. The address of the page says by which part of
// some seconds a hurried caller waits.
const part = Number(new URLSearchParams(location.search).get('wait') ?? 1);
await until('figures of the board', () => all('.vital output').length === 7 && all('#jobs li').length > 0);
await new Promise(done => setTimeout(done, 1000 * part * 25));
return 'it is at rest';
