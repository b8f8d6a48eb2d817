// Says when the page is complete: then `Tests/Pages/picture` ends the server. Returns when the page says that the server
// has gone.
await until('a live page', () => all('.vital output').length === 7 && all('#jobs li').length > 0);
say('ready');
await until('a page whose server has gone', () => document.getElementById('line').textContent === 'connecting'
  && document.body.classList.contains('silent'));
return 'it has lost its server';
