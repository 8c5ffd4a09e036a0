// Where hookgate forwards to: keeps what arrives, by delivery id.
import { createServer } from 'node:http';
import { once } from 'node:events';

const PATIENCE_MS = 30_000;

export class Destination {
  #server;
  #waiting = new Map();
  #arrived = new Map();

  static async start() {
    const destination = new Destination();
    destination.#server = createServer((request, response) => destination.#take(request, response));
    destination.#server.listen(0, '127.0.0.1');
    await once(destination.#server, 'listening');
    return destination;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hooks`;
  }

  // What was forwarded of this delivery, as soon as it is here.
  arrival(id) {
    if (!id) return Promise.reject(new Error('no delivery was accepted, so none will be forwarded'));
    if (this.#arrived.has(id)) {
      const arrival = this.#arrived.get(id);
      this.#arrived.delete(id);
      return Promise.resolve(arrival);
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`delivery ${id} was not forwarded within ${PATIENCE_MS} ms`));
      }, PATIENCE_MS);
      this.#waiting.set(id, (arrival) => {
        clearTimeout(late);
        resolve(arrival);
      });
    });
  }

  // How many requests came that nobody asked for.
  unclaimed() {
    return this.#arrived.size;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const arrival = { headers: request.headers, body: Buffer.concat(chunks) };
    response.writeHead(204).end();
    const id = request.headers['hookgate-delivery-id'] ?? 'without an id';
    const waiting = this.#waiting.get(id);
    if (waiting) {
      this.#waiting.delete(id);
      waiting(arrival);
    } else {
      this.#arrived.set(id, arrival);
    }
  }
}
