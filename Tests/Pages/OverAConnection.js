// Sends the page of ChangeWriter its messages. After each of them the page must show the rows of the cell.
await until('the end of the page', () => document.getElementById('messages'));
const messages = JSON.parse(document.getElementById('messages').textContent);
for (const [number, { address, message, rows }] of messages.entries()) {
  if (address) connect();
  const socket = sockets[sockets.length - 1];
  if (address && !socket.url.replace(/[?]$/, '').endsWith(address)) throw 'it connects to ' + socket.url + ', and not to ' + address;
  socket.onmessage({ data: message });
  const expected = JSON.stringify(rows);
  if (shown !== expected) throw 'after message ' + number + ', ' + message + ', it shows ' + shown + ', and not ' + expected;
}
return 'it rebuilds the rows after ' + messages.length + ' messages over ' + sockets.length + ' connections';
