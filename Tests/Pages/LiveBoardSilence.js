// The page says what it is while its server hangs, and after the server has gone. The script says what it has
// seen: then `.ci/liveboard.sh` stops the server, lets it run again, and ends it.
const text = id => document.getElementById(id).textContent;
const isGrey = () => document.body.classList.contains('silent');
await until('a live line', () => text('line') === 'live' && all('.card').length > 0);
if (isGrey()) throw 'a live page is grey';
say('live');
await until('a grey page of a server that hangs', () => isGrey());
const silence = performance.now() - lastEvent;
if (silence < 2000 || silence > 3500) throw 'the page is grey after ' + silence + ' ms without an event';
if (text('line') !== 'silent' || !text('silence').includes('2 s ago')) throw 'it says ' + text('line') + text('silence');
say('grey');
await until('a live line again', () => text('line') === 'live');
if (isGrey() || text('silence')) throw 'a page that is live again is grey';
say('live again');
await until('a page whose server has gone', () => text('line') === 'connecting');
if (!isGrey()) throw 'a page without a server is not grey';
return 'grey without its server, and only then';
