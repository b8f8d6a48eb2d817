// axe-core finds nothing in any state of the page. `Tests/Pages/look` gives the page axe-core if `AXE` names its file.
const text = id => document.getElementById(id).textContent;
const found = [];
let states = 0;
const check = async state => {
  const { violations, passes } = await axe.run();
  if (passes.length < 10) throw 'axe has looked at ' + passes.length + ' rules only';
  for (const { id, nodes } of violations) {
    found.push(state + ': ' + id + ' in ' + nodes.map(node => node.html.slice(0, 90)).join(' and '));
  }
  states++;
};
if (location.pathname === '/cells') {
  await until('live cells', () => text('line') === 'live' && all('#cells tr').length > 5);
  await check('cells');
} else {
  await until('a live page', () => text('line') === 'live' && all('.card').length === 8 && all('#jobs li').length > 0
    && all('.vital output').length === 7);
  await check('at rest');

  document.getElementById('slow').click();
  all('.card')[0].click();
  for (const button of all('.service')) button.click();
  at('problem').textContent = 'the server did not answer';
  await until('all that the buttons show', () => text('slow-price') > 0 && all('.card.still').length === 7
    && all('.stopped').every(notice => notice.textContent));
  await check('with a slow client, a chosen symbol, stopped services and a problem');
  for (const button of all('.service')) button.click();
  await until('services that run', () => all('.stopped').every(notice => !notice.textContent));

  // As if the server hung.
  port.onmessage = undefined;
  await until('a grey page', () => document.body.classList.contains('silent'));
  await check('without its server');
}
if (found.length > 0) throw found.join(', ').replaceAll(String.fromCharCode(34), '').replaceAll(String.fromCharCode(10), ' ');
return 'axe has found nothing in ' + states + ' states';
