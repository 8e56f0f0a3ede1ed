// Receiver of the notifier's bench, in a process of its own: answers every request with 204.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}`);
});
