// Presses each button, and checks what the other processes see.
const card = name => all('section').find(card => card.dataset.name === name);
const text = (name, place) => card(name)?.querySelector('.' + place).textContent;
const press = (name, action) => {
  const button = card(name).querySelector('button.' + action);
  if (button.disabled) throw 'the button ' + action + ' of ' + name + ' is disabled';
  button.click();
};
const names = ['A', 'B', 'C'];
const agree = (place, value) => names.every(name => text(name, place) === String(value));
await until('three live processes', () => names.every(name => text(name, 'link') === 'live'));
await until('three present processes', () => agree('present', 'A, B, C'));
await until('a leader', () => names.includes(text('A', 'leader')) && agree('leader', text('A', 'leader')));
press('A', 'write');
await until('the press in all processes', () => agree('count', 1));

const leader = text('A', 'leader');
press(leader, 'kill');
const others = names.filter(name => name !== leader);
await until('a killed process', () => text(leader, 'phase') === 'killed');
await until('another leader', () => others.every(name => text(name, 'leader') !== leader));
await until('the killed process is not present', () => others.every(name => text(name, 'present') === others.join(', ')));
press(others[0], 'write');
await until('a press without the killed process', () => others.every(name => text(name, 'count') === '2'));
press(leader, 'start');
await until('the killed process again, with the newest value', () => agree('count', 2) && agree('present', 'A, B, C'));

press('B', 'cut');
await until('a stale process', () => text('B', 'link').startsWith('stale'));
press('C', 'write');
await until('a press that B misses', () => text('A', 'count') === '3' && text('C', 'count') === '3');
if (text('B', 'count') !== '2') throw 'B saw a press although it was cut off';
press('B', 'heal');
await until('B has the newest value', () => agree('count', 3) && text('B', 'link') === 'live');

press('C', 'pause');
await until('a paused process', () => text('C', 'phase') === 'paused');
press('A', 'write');
await until('a press that C misses', () => text('A', 'count') === '4' && text('B', 'count') === '4');
press('C', 'continue');
await until('C has the newest value', () => agree('count', 4) && agree('present', 'A, B, C'));
return 'every button works, and all processes agree';
