// Opens the pages of the documentation in frames that are as wide as the window, and checks what a reader sees. The
// pages are the articles and landing pages of all modules, and those that group members by task.
const index = await (await fetch('/index/index.json')).json();
const known = new Set();
const pages = new Set(['/documentation/actorbindings/bindingsource', '/documentation/actorbindings/bindableactor']);
const visit = node => {
  if (node.path) known.add(node.path.toLowerCase());
  if (['article', 'module'].includes(node.type)) pages.add(node.path.toLowerCase());
  (node.children ?? []).forEach(visit);
};
index.interfaceLanguages.swift.forEach(visit);
if (pages.size < 40) throw 'the index has only ' + pages.size + ' pages';

const problems = [];
const note = (path, text) => problems.push(path.split('/').pop() + ' ' + text);

// The luminance of a color, and the contrast of two, as WCAG defines them.
const parts = color => color.match(/[0-9.]+/g).map(Number);
const linear = part => part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4;
const luminance = color => {
  const [red, green, blue] = parts(color).map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
const background = (element, view) => {
  const color = view.getComputedStyle(element).backgroundColor;
  const isClear = parts(color)[3] === 0;
  return isClear && element.parentElement ? background(element.parentElement, view) : luminance(color);
};

const ids = new Map();
const links = [];
const look = async path => {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border: 0; width: ' + innerWidth + 'px; height: ' + innerHeight + 'px';
  frame.src = path;
  document.body.append(frame);
  const every = selector => [...frame.contentDocument.querySelectorAll('main ' + selector)];
  // Code comes after the text, when it has its colors.
  const isWhole = () => every('h1').length > 0 && every('.code-listing code').every(code => code.textContent);
  await until('the page ' + path, () => frame.contentDocument && isWhole());
  const page = frame.contentDocument;
  const view = frame.contentWindow;

  if (page.documentElement.scrollWidth > innerWidth) note(path, 'scrolls sideways');
  for (const listing of every('.code-listing:not([data-syntax=text])')) {
    const parts = [listing, ...listing.querySelectorAll('div, pre')];
    if (parts.some(part => part.scrollWidth > part.clientWidth)) {
      note(path, 'has code that scrolls sideways: ' + listing.textContent.trim().slice(0, 60));
    }
  }
  for (const scheme of ['light', 'dark']) {
    // The page follows the screen unless its reader chooses.
    page.body.dataset.colorScheme = scheme;
    if (luminance(view.getComputedStyle(page.body).backgroundColor) < 0.2 !== (scheme === 'dark')) {
      note(path, 'is not ' + scheme);
    }
    for (const element of every(':is(h1, h2, h3, p, li, td, th, pre code, p a)')) {
      const ratio = contrast(luminance(view.getComputedStyle(element).color), background(element, view));
      if (ratio < 4.5) {
        const text = element.textContent.slice(0, 60);
        note(path, 'has text of the contrast ' + ratio.toFixed(1) + ' when it is ' + scheme + ': ' + text);
      }
    }
  }

  ids.set(path, new Set([...page.querySelectorAll('[id]')].map(element => element.id)));
  for (const link of every('a[href]')) {
    const url = new URL(link.href);
    if (url.origin === location.origin) links.push({ path, url });
  }
  frame.remove();
};

// Some pages at once, because a page waits for its files most of the time.
const rest = [...pages];
const worker = async () => {
  while (rest.length) await look(rest.pop());
};
await Promise.all([worker(), worker(), worker(), worker()]);

const seen = new Map();
for (const { path, url } of links) {
  const target = url.pathname.replace(/[/]$/, '').toLowerCase();
  if (!seen.has(target)) {
    seen.set(target, known.has(decodeURI(target)) || (await fetch('/data' + target + '.json')).ok);
  }
  if (!seen.get(target)) note(path, 'has a broken link: ' + url.pathname);
  const place = decodeURIComponent(url.hash.slice(1));
  if (place && ids.has(target) && !ids.get(target).has(place)) note(path, 'has a link to no place: ' + url.href);
}
if (links.length < 1000) problems.push('only ' + links.length + ' links were found');
if (problems.length) throw problems.slice(0, 20).join('; ');
return pages.size + ' pages, ' + links.length + ' links';
