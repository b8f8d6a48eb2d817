// No page scrolls sideways on a narrow screen: with all panels filled, a slow client, and services that are stopped.
const text = id => document.getElementById(id).textContent;
if (innerWidth > 320) throw 'the window has ' + innerWidth + ' pixels';
if (location.pathname === '/cells') {
  await until('live cells', () => text('line') === 'live' && all('#cells tr').length > 5);
} else {
  await until('a live page', () => text('line') === 'live' && all('.card').length === 8 && all('#jobs li').length > 0
    && all('.vital output').length === 7);
  document.getElementById('slow').click();
  for (const button of all('.service')) button.click();
  await until('all that the buttons show', () => text('slow-price') > 0 && all('.stopped').every(notice => notice.textContent));
}
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) throw 'the page is ' + wide + ' pixels too wide';
for (const button of all('.service')) button.click();
await until('services that run', () => all('.stopped').every(notice => !notice.textContent));
return 'no sideways scrolling in ' + innerWidth + ' pixels';
